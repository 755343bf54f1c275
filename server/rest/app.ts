// The Data API (PostgREST 14's protocol), mounted at /rest/v1: request → plan → SQL → execute → respond.
// Plans are kept by the request's shape, so a request that differs from an earlier one in values only is
// answered by filling in its statement.
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { callerOf } from '../gateway.ts'
import { TokenError } from '../keys.ts'
import { openLanes } from '../postgres/lanes/lanes.ts'
import { requestUrl } from '../postgres/request.ts'
import type { Services } from '../services.ts'
import { openSnapshotCache, type Snapshot, type SnapshotCache } from './catalogue/cache.ts'
import { RestError } from './errors.ts'
import { run } from './execute.ts'
import { readIncoming } from './incoming.ts'
import { respondInfo } from './info.ts'
import { respondOpenApi } from './openapi/respond.ts'
import { openPlanCache, type PlanCache } from './plan/cache.ts'
import { compile } from './plan/compile.ts'
import type { Compiled } from './plan/compiled.ts'
import { type RestRequest, readRequest } from './request/request.ts'
import { type Answer, respond, respondWithError } from './respond.ts'

/** Connections for requests; most of the time a few do. */
const MAX_LANES = 20

/** Makes the service. It begins to read the database's catalogue at once. */
export function createRest(services: Pick<Services, 'config' | 'database' | 'requests' | 'log'>): {
  app: Hono
  stop(): Promise<void>
} {
  const { config, database, requests, log } = services
  const { schemas, extra_search_path, max_rows } = config.api
  const snapshots = openSnapshotCache({
    pool: database.pool,
    url: database.url,
    file: { schemas, extraSearchPath: extra_search_path, maxRows: max_rows },
    log,
  })
  const lanes = openLanes(requestUrl(database.url), { max: MAX_LANES, name: 'meadowlark-rest' })
  const plans = openPlanCache()
  snapshots.onChange(() => plans.clear())

  const app = new Hono()
  app.all('*', async (c) => {
    try {
      return toResponse(await answer(c as unknown as Context<{ Bindings: HttpBindings }>))
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return toResponse(respondWithError(error, c.req.method))
    }
  })

  async function answer(c: Context<{ Bindings: HttpBindings }>): Promise<Answer> {
    const snapshot = await snapshots.current()
    const { settings } = snapshot
    const request = readRequest(await readIncoming(c), settings)
    if (request.method === 'OPTIONS') return respondInfo(request, snapshot.catalogue)
    const caller = callerFrom(c)
    if (request.target.kind === 'root')
      return respondOpenApi(requests, request, caller, snapshot, config.publicUrl)
    const compiled = await planned(request, snapshot, plans, snapshots)
    return respond(
      request,
      compiled,
      await run({ lanes, pool: requests }, request, compiled, caller, settings),
    )
  }

  return {
    app,
    async stop() {
      await snapshots.stop()
      await lanes.end()
    },
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

/** Who calls; a bad token becomes PGRST301 or PGRST303. */
function callerFrom(c: Context<{ Bindings: HttpBindings }>) {
  try {
    return callerOf(c)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    const ofClaims = error.reason === 'expired' || error.reason === 'not_yet_valid'
    throw new RestError(
      401,
      { code: ofClaims ? 'PGRST303' : 'PGRST301', message: error.message },
      {
        'WWW-Authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(error.message)}`,
      },
    )
  }
}

function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers })
}
