// Background jobs of the server: rows written in the transaction of the change that causes them. graphile-worker runs
// them at least once, with retries (https://worker.graphile.org/docs). Schema: graphile_worker.
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, type Task, type TaskList } from 'graphile-worker'
import type pg from 'pg'
import type pino from 'pino'
import { inSpan } from '../observability/tracing/spans.ts'
import type { Queryable } from '../sql/queryable.ts'
import { holdAlive } from './alive.ts'
import type { TaskHandler } from './task.ts'

type EnqueueOptions = {
  /** A later job with the same key replaces this one while it has not started. */
  jobKey?: string
  /** Not before this moment; at once by default. */
  runAt?: Date
  /** Tries before the job is given up (25 by default: about four days of growing pauses). */
  maxAttempts?: number
}

export type Jobs = {
  /** Writes a job with `client`; it exists if and when the client's transaction commits. */
  enqueue(client: Queryable, name: string, payload: unknown, options?: EnqueueOptions): Promise<void>
  /** Names the handler of a task. Call before `start`. */
  register<Payload>(name: string, handler: TaskHandler<Payload>): void
  /** Starts working; jobs that a killed server had begun are taken up again at once. */
  start(): Promise<void>
  /** Stops taking jobs and waits for running ones (their signal aborts after 5 seconds). */
  stop(): Promise<void>
}

export type JobsDeps = {
  database: { url: string; pool: pg.Pool }
  log: pino.Logger
}

const RESTART_PAUSE_MS = 500

type Handlers = Map<string, TaskHandler<never>>
type Worker = { runner: Runner; stopAlive: () => Promise<void> }

/** Makes the queue's handle; nothing runs until `start`. */
export function createJobs({ database, log }: JobsDeps): Jobs {
  const handlers: Handlers = new Map()
  let working: Worker | undefined
  let wanted = false
  let starting: Promise<void> | undefined

  async function begin(): Promise<void> {
    const mine = await startWorker({ database, log }, handlers)
    working = mine
    const ended = (error?: unknown) => {
      if (working !== mine) return // stopped, as it should
      log.error({ err: error }, 'the job worker stopped; another takes over')
      working = undefined
      starting = takeOver(mine.stopAlive)
    }
    mine.runner.promise.then(() => ended(), ended)
  }

  /** Lets go what the worker that ended had locked, and starts another as soon as that is possible. */
  async function takeOver(letGo: () => Promise<void>): Promise<void> {
    await letGo()
    while (wanted && !working) {
      await sleep(RESTART_PAUSE_MS)
      if (wanted) await begin().catch((error) => log.error({ err: error }, 'the job worker did not start'))
    }
  }

  return {
    async enqueue(client, name, payload, options = {}) {
      await client.query(
        `select graphile_worker.add_job($1, payload := $2::json, job_key := $3, run_at := $4, max_attempts := $5)`,
        [
          name,
          JSON.stringify(payload),
          options.jobKey ?? null,
          options.runAt ?? null,
          options.maxAttempts ?? null,
        ],
      )
    },
    register(name, handler) {
      if (wanted) throw new Error(`register('${name}') must come before the jobs start`)
      handlers.set(name, handler as TaskHandler<never>)
    },
    async start() {
      if (wanted) return
      wanted = true
      const begun = begin()
      starting = begun.catch(() => {})
      try {
        await begun
      } catch (error) {
        wanted = false
        throw error
      }
    },
    async stop() {
      wanted = false
      await starting
      if (!working) return
      const { runner, stopAlive } = working
      working = undefined
      await runner.stop()
      await stopAlive()
    },
  }
}

async function startWorker({ database, log }: JobsDeps, handlers: Handlers): Promise<Worker> {
  const running = new Set<string>()
  const alive = await holdAlive(database, running, log)
  const runner = await run({
    pgPool: database.pool,
    taskList: taskList(handlers, running),
    // Half of the pool: jobs that wait for a lock must leave connections for people.
    concurrency: Math.max(1, Math.floor(database.pool.options.max / 2)),
    noHandleSignals: true,
    pollInterval: 1000,
    logger: workerLogger(log),
    preset: {
      plugins: [alive.plugin],
      // Jobs are completed or put back in batches: `stop` waits for these statements, and their failure ends the worker.
      // Otherwise a completed job could stay locked by a worker that has forgotten it.
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
  })
  return { runner, stopAlive: alive.stop }
}

/** The handlers as graphile-worker calls them; each job's id is in `running` while it runs. */
function taskList(handlers: Handlers, running: Set<string>): TaskList {
  const tasks: Record<string, Task> = {}
  for (const [name, handler] of handlers) {
    tasks[name] = async (payload, { job, abortSignal }) => {
      running.add(job.id)
      try {
        await inSpan(
          `job ${name}`,
          { kind: 'consumer', attributes: { 'meadowlark.attempt': job.attempts } },
          async () =>
            handler(payload as never, {
              attempt: job.attempts,
              lastAttempt: job.attempts >= job.max_attempts,
              signal: abortSignal ?? new AbortController().signal,
            }),
        )
      } finally {
        running.delete(job.id)
      }
    }
  }
  return tasks
}

/** graphile-worker's chatter goes to debug; its warnings and errors stay what they are. */
function workerLogger(log: pino.Logger): Logger {
  const child = log.child({ service: 'jobs' })
  return new Logger((scope) => (level, message, meta) => {
    const fields = { ...scope, ...(meta?.error ? { err: meta.error } : {}) }
    if (level === 'error') child.error(fields, message)
    else if (level === 'warning') child.warn(fields, message)
    else child.debug(fields, message)
  })
}
