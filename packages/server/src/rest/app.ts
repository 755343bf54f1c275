// The Data API (PostgREST 14's protocol), mounted at /rest/v1: request → plan → SQL → execute → respond.
// Plans are kept by the request's shape, so a request that differs from an earlier one in values only is
// answered by filling in its statement.
import type { Answer as HttpAnswer } from '../http/answer.ts'
import type { Caller } from '../http/authenticator.ts'
import { Busy, FairQueue } from '../http/fair-queue.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Service } from '../http/route.ts'
import { TokenError } from '../keys/keys.ts'
import type { Services } from '../service-dependencies.ts'
import type { ByteDatabase } from '../sql/bytes.ts'
import { loginOf } from '../sql/database.ts'
import { Unanswered } from '../sql/errors.ts'
import { openConnections } from '../sql/request-connections.ts'
import { databaseBusy } from './errors/busy.ts'
import { RestError } from './errors/errors.ts'
import { refusedBody, toIncoming } from './incoming.ts'
import { respondInfo } from './info.ts'
import { respondOpenApi } from './openapi/respond.ts'
import { type Compiled, compile } from './query/compile.ts'
import { learnFrom, workOf } from './query/cost.ts'
import { type Outcome, run, sharesConnections } from './query/execute.ts'
import { openPlanCache, type PlanCache } from './query/plan-cache.ts'
import { openReplica, type Replica } from './query/replica.ts'
import { MAX_BODY } from './request/limits.ts'
import { type RestRequest, readRequest } from './request/request.ts'
import { type Answer, respond, respondWithError } from './response/respond.ts'
import { startTiming } from './response/timing.ts'
import { openSnapshotCache, type Snapshot, type SnapshotCache } from './schema-cache/cache.ts'
import type { RestSettings } from './schema-cache/settings.ts'

export interface Rest {
  service: Service
  /** Its connections, as a pool of pg would tell them. */
  pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
  stop(): Promise<void>
}

/** Requests not known to be quick that may be under way for each connection. */
const MAX_UNDER_WAY_PER_CONNECTION = 3
/** The part of the connections that one caller's may take. */
const CONNECTION_SHARE_OF_CALLER = 0.5

type RestServices = Pick<Services, 'config' | 'database' | 'requests' | 'log'>

/** Makes the service. It begins to read the database's catalogue at once. */
export function createRest(services: RestServices): Rest {
  const { config, database, requests, log } = services
  const { schemas, extra_search_path, max_rows } = config.api
  const snapshots = openSnapshotCache({
    pool: database.pool,
    url: database.url,
    file: { schemas, extraSearchPath: extra_search_path, maxRows: max_rows },
    log,
  })
  const execution = openExecution(services)
  const { connections, replica, queue } = execution
  const plans = openPlanCache()
  snapshots.onChange(() => plans.clear())

  async function answer(http: RequestContext): Promise<Answer> {
    const snapshot = snapshots.latest() ?? (await snapshots.current())
    const { settings } = snapshot
    const timing = settings.timing ? startTiming() : null
    const { caller } = http
    const request = readRequest(toIncoming(http), settings)
    timing?.end('parse')
    if (request.method === 'OPTIONS') return respondInfo(request, snapshot.catalogue)
    if (request.target.kind === 'root')
      return respondOpenApi(requests, request, caller, snapshot, config.publicUrl)
    const compiled = await planned(request, snapshot, plans, snapshots)
    timing?.end('plan')
    const outcome = await queued(execution, http, request, compiled, caller, settings)
    timing?.end('transaction')
    const given = respond(request, compiled, outcome)
    timing?.end('response')
    if (timing) given.headers['Server-Timing'] ??= timing.header()
    return given
  }

  /** The answer as the frame sends it, with the header that traces requests. */
  function complete({ status, statusText, headers, body }: Answer, { incoming }: RequestContext): HttpAnswer {
    const trace = snapshots.latest()?.settings.traceHeader
    // As it was sent: the frame may have given the request another id.
    const traced = trace && incoming.headersDistinct[trace]
    if (trace && traced) headers[trace] = traced.join(', ')
    return { status, statusText, headers, body, encoding: 'latin1' }
  }

  const handler = async (request: RequestContext) => complete(await answer(request), request)

  return {
    service: {
      name: 'rest',
      compresses: true,
      routes: [{ method: '*', path: '/*', access: 'key', body: MAX_BODY, handler }],
      errorAnswer(error, request) {
        const refused = error instanceof TokenError ? badToken(error) : refusedBody(error)
        const answered = refused ?? (error instanceof RestError ? error : null)
        return answered && complete(respondWithError(answered, request.method), request)
      },
    },
    pool: {
      get totalCount() {
        return connections.counts().open
      },
      get idleCount() {
        return connections.counts().idle
      },
      get waitingCount() {
        return connections.counts().waiting + queue.counts().waiting
      },
    },
    async stop() {
      await snapshots.stop()
      await Promise.all([connections.close(), replica?.close()])
    },
  }
}

/** Where requests run, and in which order. */
type Execution = {
  connections: ByteDatabase
  replica: Replica | null
  queue: FairQueue
}

function openExecution({ config, database, requests, log }: RestServices): Execution {
  const { rest: max } = config.connections
  return {
    connections: openConnections(requests, {
      max,
      name: 'meadowlark-rest',
      reconnectTimeoutMs: config.reconnectTimeoutMs,
      owner: database.pool,
    }),
    replica:
      config.replicaUrl === null
        ? null
        : openReplica(config.replicaUrl, { max, login: loginOf(requests.url), log }),
    queue: new FairQueue({
      atOnce: max * MAX_UNDER_WAY_PER_CONNECTION,
      ofCaller: max * CONNECTION_SHARE_OF_CALLER,
    }),
  }
}

/** Runs the request once its caller may put more work on the database. Throws 53400 (429, 503) when that takes too long. */
async function queued(
  { connections, replica, queue }: Execution,
  { incoming, queueKey }: RequestContext,
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): Promise<Outcome> {
  const shares = sharesConnections(request, compiled, caller, settings)
  const execute = (on: ByteDatabase) => run(on, request, compiled, caller, settings)
  const begin = () =>
    replica && shares && replica.isAskedFor(incoming)
      ? replica.first(execute, connections)
      : execute(connections)
  // The secret key's bearer is the project itself.
  if (caller.role === 'service_role') return begin()
  const work = workOf(request, compiled, { caller: queueKey, shares, socket: incoming.socket })
  const waiting = queue.begin(work)
  if (waiting) await waiting.catch(asBusy)
  try {
    return await begin()
  } catch (error) {
    // Requests waiting for an unresponsive database are refused now, not at their own deadlines.
    if (error instanceof RestError && error.cause instanceof Unanswered) queue.refuseWaiting(error)
    throw error
  } finally {
    queue.end(work)
    learnFrom(compiled, shares, work)
  }
}

/** The plan for a request; where the schema cache lacks something and is just being read anew, that is awaited. */
async function planned(
  request: RestRequest,
  snapshot: Snapshot,
  plans: PlanCache,
  snapshots: SnapshotCache,
): Promise<Compiled> {
  const cached = plans.get(request)
  if (cached) return cached
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
