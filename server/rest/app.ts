// The Data API (PostgREST 14's protocol), mounted at /rest/v1: request → plan → SQL → execute → respond.
// Plans are kept by the request's shape, so a request that differs from an earlier one in values only is
// answered by filling in its statement.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../gateway.ts'
import type { WholeBody } from '../http/bodies.ts'
import { TokenError } from '../keys.ts'
import type { Services } from '../services.ts'
import { openLanes } from '../sql/batching/batching.ts'
import { Unanswered } from '../sql/idle-timeout.ts'
import { requestUrl } from '../sql/request.ts'
import { databaseBusy } from './errors/busy.ts'
import { RestError } from './errors/errors.ts'
import { headersOf, readBody, toIncoming } from './incoming.ts'
import { respondInfo } from './info.ts'
import { respondOpenApi } from './openapi/respond.ts'
import { openPlanCache, type PlanCache } from './plan/cache.ts'
import { compile } from './plan/compile.ts'
import type { Compiled } from './plan/compiled.ts'
import { callerNames, learnFrom, workOf } from './query/cost.ts'
import { type Outcome, run } from './query/execute.ts'
import { Busy, FairQueue } from './query/fair-queue.ts'
import { type RestRequest, readRequest } from './request/request.ts'
import { openReadCache } from './request/request-cache.ts'
import { type Answer, respond, respondWithError } from './response/respond.ts'
import { startTiming } from './response/timing.ts'
import { openSnapshotCache, type Snapshot, type SnapshotCache } from './schema-cache/cache.ts'
import type { RestSettings } from './schema-cache/settings.ts'

export interface Rest {
  name: 'rest'
  /** Its connections, as a pool of pg would tell them. */
  pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  /** Answers a request under /rest/v1. Rejects only for what is nobody's request's fault. */
  answer(incoming: IncomingMessage, caller: Caller | TokenError): Promise<Answer>
  stop(): Promise<void>
}

/** Requests not known to be quick that may be under way for each connection: how they share those, lanes decide. */
const EACH = 3
/** The part of the connections that one caller's may take. */
const OF_CALLER = 0.5

/** Makes the service. It begins to read the database's catalogue at once. */
export function createRest(
  services: Pick<Services, 'config' | 'database' | 'requests' | 'bodies' | 'addresses' | 'log'>,
): Rest {
  const { config, database, requests, bodies, log } = services
  const { schemas, extra_search_path, max_rows } = config.api
  const snapshots = openSnapshotCache({
    pool: database.pool,
    url: database.url,
    file: { schemas, extraSearchPath: extra_search_path, maxRows: max_rows },
    log,
  })
  const { rest: max } = config.connections
  const lanes = openLanes(requestUrl(database.url), { max, name: 'meadowlark-rest' })
  const queue = new FairQueue({ connections: max * EACH, ofCaller: max * OF_CALLER })
  const nameOf = callerNames(services.addresses)
  const plans = openPlanCache()
  const reads = openReadCache()
  snapshots.onChange(() => {
    plans.clear()
    reads.clear()
  })

  /** Runs the request when its caller's turn has come. Throws 53400 (429, 503) when that takes too long. */
  async function inTurn(
    incoming: IncomingMessage,
    request: RestRequest,
    compiled: Compiled,
    caller: Caller,
    settings: RestSettings,
  ): Promise<Outcome> {
    const connections = { lanes, pool: requests }
    // The secret key's bearer is the project itself.
    if (caller.role === 'service_role') return run(connections, request, compiled, caller, settings)
    const work = workOf(request, compiled, nameOf(caller, incoming), incoming)
    const turn = queue.begin(work)
    if (turn) await turn.catch(asBusy)
    try {
      return await run(connections, request, compiled, caller, settings)
    } catch (error) {
      // Who waits behind a database that says nothing is told now, and not after a deadline of their own.
      if (error instanceof RestError && error.cause instanceof Unanswered) queue.refuseWaiting(error)
      throw error
    } finally {
      queue.end(work)
      learnFrom(compiled, work)
    }
  }

  async function answer(incoming: IncomingMessage, caller: Caller | TokenError): Promise<Answer> {
    const snapshot = snapshots.known() ?? (await snapshots.current())
    const { settings } = snapshot
    const timing = settings.timing ? startTiming() : null
    if (caller instanceof TokenError) throw badToken(caller)
    const known = reads.find(incoming)
    let body: WholeBody | null = null
    try {
      let request: RestRequest
      let compiled: Compiled
      if (known) {
        request = withHeaders(known.request, headersOf(incoming))
        compiled = known.compiled
      } else {
        body = await readBody(incoming, bodies)
        request = readRequest(toIncoming(incoming, body), settings)
        timing?.end('parse')
        if (request.method === 'OPTIONS') return respondInfo(request, snapshot.catalogue)
        if (request.target.kind === 'root')
          return respondOpenApi(requests, request, caller, snapshot, config.publicUrl)
        compiled = await planned(request, snapshot, plans, snapshots)
        // What was compiled for tables that have changed meanwhile is used this once.
        if (snapshots.isCurrent(snapshot)) reads.remember(incoming, { request, compiled })
      }
      timing?.end('plan')
      const outcome = await inTurn(incoming, request, compiled, caller, settings)
      timing?.end('transaction')
      const given = respond(request, compiled, outcome)
      timing?.end('response')
      if (timing) given.headers['Server-Timing'] ??= timing.header()
      return given
    } finally {
      body?.release()
    }
  }

  return {
    name: 'rest',
    pool: {
      get totalCount() {
        return lanes.counts().open
      },
      get idleCount() {
        return lanes.counts().idle
      },
      get waitingCount() {
        return lanes.counts().waiting + queue.counts().waiting
      },
    },
    async answer(incoming, caller) {
      let given: Answer
      try {
        given = await answer(incoming, caller)
      } catch (error) {
        if (!(error instanceof RestError)) throw error
        given = respondWithError(error, incoming.method ?? 'GET')
      }
      const trace = snapshots.known()?.settings.traceHeader
      const traced = trace && incoming.headers[trace]
      if (trace && typeof traced === 'string') given.headers[trace] = traced
      return given
    },
    async stop() {
      await snapshots.stop()
      await lanes.end()
    },
  }
}

/** The same request from another caller. Spelled out: a spread with one field replaced makes every object a new shape. */
function withHeaders(known: RestRequest, headers: RestRequest['headers']): RestRequest {
  return {
    method: known.method,
    path: known.path,
    target: known.target,
    schema: known.schema,
    negotiated: known.negotiated,
    headers,
    query: known.query,
    range: known.range,
    preferences: known.preferences,
    accept: known.accept,
    contentType: known.contentType,
    payload: known.payload,
  }
}

/** The plan for a request; where the schema cache lacks something and is just being read anew, that is awaited. */
async function planned(
  request: RestRequest,
  snapshot: Snapshot,
  plans: PlanCache,
  snapshots: SnapshotCache,
): Promise<Compiled> {
  const known = plans.get(request)
  if (known) return known
  try {
    return plans.put(request, compile(request, snapshot.catalogue, snapshot.settings))
  } catch (error) {
    if (!(error instanceof RestError) || !error.code.startsWith('PGRST2')) throw error
    const newer = await snapshots.newer()
    if (!newer) throw error
    return plans.put(request, compile(request, newer.catalogue, newer.settings))
  }
}

/** A bad token becomes PGRST301 or PGRST303. */
function badToken({ reason, message }: TokenError): RestError {
  const ofClaims = reason === 'expired' || reason === 'not_yet_valid'
  return new RestError(
    401,
    { code: ofClaims ? 'PGRST303' : 'PGRST301', message },
    { 'WWW-Authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}` },
  )
}

function asBusy(error: unknown): never {
  throw error instanceof Busy ? databaseBusy(error.own) : error
}
