// Runs what cron.schedule wrote (pg_cron--*.sql) when it is due, in UTC, as the role that scheduled
// it, and keeps cron.job_run_details. Of several servers on one database one runs each job.
import { parseCronItem } from 'graphile-worker'
import type pg from 'pg'
import type pino from 'pino'
import type { Database } from '../src/sql/database.ts'
import { openPool } from '../src/sql/pool.ts'
import { SessionNotReset, withSessionRole } from '../src/sql/roles.ts'

type Job = { jobid: string; schedule: string; command: string; username: string }

const MACROS: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Whether a job with this schedule is due at `moment` (whole seconds). Throws for a pattern that is none. */
export function isDue(schedule: string, moment: Date): boolean {
  const seconds = /^(\d+) seconds?$/.exec(schedule)?.[1]
  if (seconds) return Math.floor(moment.getTime() / 1000) % Number(seconds) === 0
  if (moment.getUTCSeconds() !== 0) return false
  const tomorrow = new Date(moment.getTime() + 86_400_000)
  const fields = (MACROS[schedule] ?? schedule).trim().split(/\s+/)
  // `$` is the last day of the month.
  if (fields[2] === '$') {
    if (tomorrow.getUTCDate() !== 1) return false
    fields[2] = '*'
  }
  fields[3] = numbered(fields[3] ?? '*', MONTHS, 1)
  fields[4] = numbered(fields[4] ?? '*', DAYS, 0)
  const { match } = parseCronItem({ task: 'cron', match: fields.join(' ') })
  const digest = {
    min: moment.getUTCMinutes(),
    hour: moment.getUTCHours(),
    date: moment.getUTCDate(),
    month: moment.getUTCMonth() + 1,
    dow: moment.getUTCDay(),
  }
  return match(digest)
}

function numbered(field: string, names: string[], first: number): string {
  return field.toLowerCase().replace(/[a-z]+/g, (name) => {
    const at = names.indexOf(name)
    return at === -1 ? name : String(at + first)
  })
}

/** The pool's message if all connections are in use, or PostgreSQL has none left. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'

/** As little counts as what the question took. */
const MAX_CLOCK_DIFFERENCE_MS = 2000

const wholeSecond = (ms: number) => new Date(Math.floor(ms / 1000) * 1000)

export interface CronOptions {
  database: Pick<Database, 'url' | 'pool'>
  /** How many commands run at once: they may take as long as they want, so they have dedicated connections. */
  connections: number
}

/** Checks every second whether something is due; queries the database once a minute, or each second for `n seconds`. */
export function startCron(options: CronOptions, log: pino.Logger): { stop(): Promise<void> } {
  return new Clock(options, log.child({ service: 'cron' }))
}

/** The ticks of one server, and the commands that they began. */
class Clock {
  private readonly pool: pg.Pool
  private readonly connections: number
  private readonly runners: pg.Pool
  private readonly log: pino.Logger
  private readonly working = new Set<Promise<void>>()
  /** Numbers of jobs that wait for a connection: each waits once, however often it is due meanwhile. */
  private readonly waiting = new Set<string>()
  private readonly timer: NodeJS.Timeout
  private stopped = false
  // True at first: the first check finds out whether it has to be.
  private everySecond = true
  /** Milliseconds by which the database's clock, which counts for all servers, is ahead of this one's. */
  private ahead = 0

  constructor({ database: { url, pool }, connections }: CronOptions, log: pino.Logger) {
    this.pool = pool
    this.connections = connections
    this.runners = openPool(url, { max: connections, keep: 0, name: 'meadowlark-cron' })
    this.log = log
    this.timer = setInterval(() => this.check(), 1000)
    this.timer.unref()
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.timer)
    await Promise.all(this.working)
    await this.runners.end()
  }

  private check(): void {
    const moment = wholeSecond(Date.now() + this.ahead)
    if (moment.getUTCSeconds() !== 0 && !this.everySecond) return
    const work: Promise<void> = this.tick(moment)
      .catch((error) => this.log.warn({ err: error }, 'scheduled commands could not be read'))
      .finally(() => this.working.delete(work))
    this.working.add(work)
  }

  private async tick(planned: Date): Promise<void> {
    const found = await this.pool.query<{ there: boolean; now: Date }>(
      `select to_regclass('cron.taken') is not null as there, clock_timestamp() as now`,
    )
    const [{ there, now } = { there: false, now: planned }] = found.rows
    const wrong = now.getTime() - Date.now() - this.ahead
    if (Math.abs(wrong) > MAX_CLOCK_DIFFERENCE_MS) this.ahead += wrong
    const moment = Math.abs(wrong) > MAX_CLOCK_DIFFERENCE_MS ? wholeSecond(now.getTime()) : planned
    if (!there) {
      this.everySecond = false
      return
    }
    const { rows } = await this.pool.query<Job>(
      // Whatever database they were scheduled in: this one may be a copy of it.
      'select jobid, schedule, command, username from cron.job where active',
    )
    this.everySecond = rows.some((job) => job.schedule.includes('second'))
    const due = rows.filter((job) => this.dueNow(job, moment) && !this.waiting.has(job.jobid))
    await Promise.all(due.map((job) => this.run(job, moment)))
  }

  private dueNow(job: Job, moment: Date): boolean {
    try {
      return isDue(job.schedule, moment)
    } catch (error) {
      this.log.error({ job: job.jobid, schedule: job.schedule, err: error }, 'a schedule cannot be read')
      return false
    }
  }

  private async run({ jobid, command, username }: Job, moment: Date): Promise<void> {
    // Of several servers one runs it: only that one needs a connection for it. A run due far in the future was
    // scheduled by a wrong clock that has been corrected since.
    const taken = await this.pool.query(
      `insert into cron.taken as taken (jobid, due) values ($1, $2)
       on conflict (jobid) do update set due = excluded.due
       where taken.due < excluded.due or taken.due > excluded.due + interval '1 minute' returning jobid`,
      [jobid, moment],
    )
    if (taken.rowCount === 0) return
    const client = await this.connectWhenFree(jobid)
    let failure: Error | undefined
    try {
      if (this.stopped) return
      const { rows } = await client.query<{ runid: string }>(
        `insert into cron.job_run_details (jobid, job_pid, database, username, command, status, start_time)
         values ($1, pg_backend_pid(), current_database(), $2, $3, 'running', now()) returning runid`,
        [jobid, username, command],
      )
      const [status, message] = await execute(client, command, username)
      await client.query(
        `update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp() where runid = $1`,
        [rows[0]?.runid, status, message],
      )
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // Where connections are few, others need it until the next run more; and it may still be somebody else.
      client.release(failure ?? true)
    }
  }

  /** Behind commands that take long, the next one waits for as long as they do; also where PostgreSQL has no connection. */
  private async connectWhenFree(jobid: string): Promise<pg.PoolClient> {
    this.waiting.add(jobid)
    try {
      for (;;) {
        try {
          return await this.runners.connect()
        } catch (error) {
          const isFull =
            this.runners.totalCount >= this.connections || (error as Error).message === POOL_TIMEOUT
          if (this.stopped || !isFull) throw error
        }
      }
    } finally {
      this.waiting.delete(jobid)
    }
  }
}

/** Runs one command outside a transaction, as VACUUM and procedures that commit need it. Gives status and message. */
async function execute(client: pg.PoolClient, command: string, username: string): Promise<[string, string]> {
  try {
    const result = await withSessionRole(client, username, async () => {
      await client.query(`set search_path = "$user", public, extensions`)
      return (await client.query(command)) as pg.QueryResult | pg.QueryResult[]
    })
    return ['succeeded', summary(Array.isArray(result) ? result.at(-1) : result)]
  } catch (error) {
    if (error instanceof SessionNotReset) throw error
    return ['failed', `ERROR: ${(error as Error).message}`]
  }
}

function summary(result: pg.QueryResult | undefined): string {
  if (result?.command === 'SELECT') return `${result.rowCount} row${result.rowCount === 1 ? '' : 's'}`
  return `${result?.command ?? ''} ${result?.rowCount ?? ''}`.trim()
}
