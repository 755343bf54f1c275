// The task that sends what net.http_post and its like queued (pg_net--*.sql) and writes the answer
// to net._http_response, as pg_net does: each goes out once, and is not repeated when it fails.
import type pg from 'pg'
import { type Here, localAddress } from '../src/config/local-names.mjs'
import type { TaskHandler } from '../src/jobs/task.ts'

type Queued = {
  method: string
  url: string
  headers: Record<string, string> | null
  body: Buffer | null
  timeout_milliseconds: number
}

/** How long answers are kept, as pg_net's `ttl` has it. */
const TTL = '6 hours'

/** Makes the `send_http` task; payload {id} of the queue. `here` is where local names lead. */
export function sendHttp(pool: pg.Pool, here: () => Here): TaskHandler<{ id: number }> {
  return async ({ id }, { signal }) => {
    const { rows } = await pool.query<Queued>(
      'delete from net.http_request_queue where id = $1 returning method, url, headers, body, timeout_milliseconds',
      [id],
    )
    const [queued] = rows
    if (!queued) return
    const answer = await send({ ...queued, url: localAddress(queued.url, here()) }, signal)
    await pool.query(`delete from net._http_response where created < now() - $1::interval`, [TTL])
    await pool.query(
      `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, answer.status, answer.type, answer.headers, answer.content, answer.timedOut, answer.error],
    )
  }
}

/**
 * Jobs that an earlier version made have one try: what a restart of PostgreSQL or a killed server broke off would stand among
 * the jobs that were given up for ever.
 */
export async function tryAgain(pool: pg.Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.reschedule_jobs(array_agg(id), run_at := now(), max_attempts := 25)
     from graphile_worker.jobs where task_identifier = 'send_http' and max_attempts = 1 and locked_at is null
     having count(*) > 0`,
  )
}

async function send({ method, url, headers, body, timeout_milliseconds }: Queued, stopping: AbortSignal) {
  const nothing = { status: null, type: null, headers: null, content: null, timedOut: null, error: null }
  const deadline = AbortSignal.timeout(timeout_milliseconds)
  try {
    const response = await fetch(url, {
      method,
      headers: headers ?? {},
      body: body && new Uint8Array(body),
      signal: AbortSignal.any([deadline, stopping]),
    })
    // A text column holds no null character.
    const content = (await response.text()).replaceAll('\0', '')
    return {
      ...nothing,
      status: response.status,
      type: response.headers.get('content-type'),
      headers: Object.fromEntries(response.headers),
      content,
      timedOut: false,
    }
  } catch (error) {
    if (deadline.aborted) {
      const message = `Timeout of ${timeout_milliseconds} ms reached`
      return { ...nothing, timedOut: true, error: message }
    }
    const { message, cause } = error as Error & { cause?: Error }
    return { ...nothing, error: cause?.message || message }
  }
}
