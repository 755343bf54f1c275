// Whether this server works (liveness) and whether it should be sent requests (readiness): two questions, so that a
// database that is busy or away has nobody restarted.
import { type Answer, json } from './http/answer.ts'
import type { Route } from './http/route.ts'
import type { Database } from './sql/database.ts'
import { watchAway } from './sql/pool.ts'

const PROBE_TIMEOUT_MS = 2000
const NOT_STORED = { 'cache-control': 'no-store' }

/** /health/live, /health/ready, and /health, which says the same as the latter. Not ready while `isStopping`. */
export function healthRoutes({ pool }: Pick<Database, 'pool'>, isStopping: () => boolean): Route[] {
  let running: Promise<boolean> | null = null
  /** One question at a time: while the database restarts, it waits for its answer. */
  let question: Promise<boolean> | null = null

  /** Whether the database answers in time. Asked once for all who want to know at the same time. */
  function probe(): Promise<boolean> {
    running ??= query().finally(() => {
      running = null
    })
    return running
  }

  async function query(): Promise<boolean> {
    let resolve = () => {}
    const late = new Promise<false>((settle) => {
      resolve = () => settle(false)
    })
    const timer = setTimeout(resolve, PROBE_TIMEOUT_MS)
    const watch = watchAway(pool, resolve)
    question ??= pool
      .query('select 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        question = null
      })
    if (watch.away) resolve()
    try {
      return await Promise.race([late, question])
    } finally {
      clearTimeout(timer)
      watch.end()
    }
  }

  async function ready(): Promise<Answer> {
    if (isStopping()) return json({ status: 'stopping' }, 503, NOT_STORED)
    if (await probe()) return json({ status: 'ok', database: 'ok' }, 200, NOT_STORED)
    return json({ status: 'unavailable', database: 'unreachable' }, 503, {
      ...NOT_STORED,
      'retry-after': '1',
    })
  }

  return [
    {
      method: 'GET',
      path: '/health/live',
      access: 'public',
      handler: () => json({ status: 'ok' }, 200, NOT_STORED),
    },
    { method: 'GET', path: '/health/ready', access: 'public', handler: ready },
    { method: 'GET', path: '/health', access: 'public', handler: ready },
  ]
}
