// Whether this server works (liveness) and whether it should be sent requests (readiness): two questions, so that nobody
// restarts a server whose database is busy or away. While requests wait for a database that restarts, a server is ready:
// all servers of that database see the same, and a balancer that left them all would refuse what each of them still holds.
import { type Answer, json } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import type { Database } from '../sql/database.ts'
import { isRestarting } from '../sql/errors.ts'
import { awaySince, watchAway } from '../sql/pool.ts'

/** `starting` until everything is started, `stopping` from SIGTERM on. */
export type Phase = 'starting' | 'running' | 'stopping'

export interface HealthOptions {
  database: Pick<Database, 'pool'>
  /** Milliseconds for which requests wait for a database that restarts (DATABASE_RECONNECT_TIMEOUT). */
  holdMs: number
  phase: () => Phase
}

/** Milliseconds after which /health/ready answers, whether the database has or not. */
const PROBE_TIMEOUT_MS = 2000
const NOT_STORED = { 'cache-control': 'no-store' }
const NOT_READY = { ...NOT_STORED, 'retry-after': '1' }

/** /health/live, /health/ready, and /health, which gives the same answer as /health/ready. */
export function healthRoutes({ database: { pool }, holdMs, phase }: HealthOptions): Route[] {
  /** One question at a time: while the database restarts, the question waits like a request. */
  let question: Promise<void> | null = null
  /** When the first question was asked that has no answer; null after an answer. */
  let unansweredSince: number | null = null
  /** When the database answered last. */
  let answeredAt = Number.NEGATIVE_INFINITY
  /** Whether the database refused the last question in a way that requests do not wait for, such as a wrong password. */
  let refused = false

  function ask(): Promise<void> {
    unansweredSince ??= performance.now()
    question ??= pool
      .query('select 1')
      .then(
        () => {
          unansweredSince = null
          answeredAt = performance.now()
          refused = false
        },
        (error) => {
          refused = !isRestarting(error)
        },
      )
      .finally(() => {
        question = null
      })
    return question
  }

  /** Resolves with the answer to the question, or as soon as the database is known to be away, or in time. */
  async function probe(): Promise<void> {
    let resolve = () => {}
    const late = new Promise<void>((settle) => {
      resolve = settle
    })
    const timer = setTimeout(resolve, PROBE_TIMEOUT_MS)
    const watch = watchAway(pool, resolve)
    const answered = ask()
    if (watch.away) resolve()
    await Promise.race([late, answered])
    clearTimeout(timer)
    watch.end()
  }

  /** Whether a request that waits for the database now can still be answered by it. */
  function isHeld(): boolean {
    const away = awaySince(pool)
    // A connection that was refused before the last answer says nothing of now.
    const known = away !== null && away > answeredAt ? away : Number.POSITIVE_INFINITY
    const since = Math.min(unansweredSince ?? Number.POSITIVE_INFINITY, known)
    return !refused && performance.now() - since < holdMs
  }

  async function ready(): Promise<Answer> {
    const now = phase()
    if (now !== 'running') return json({ status: now }, 503, NOT_READY)
    await probe()
    if (unansweredSince === null) return json({ status: 'ok', database: 'ok' }, 200, NOT_STORED)
    if (isHeld()) return json({ status: 'ok', database: 'reconnecting' }, 200, NOT_STORED)
    return json({ status: 'unavailable', database: 'unreachable' }, 503, NOT_READY)
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
