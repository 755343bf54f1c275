// Gives the jobs of a killed server back at once, because graphile-worker keeps a dead worker's locks for four hours.
// Here every worker pool holds an advisory lock named after itself for as long as its process lives. A job locked by
// a pool whose advisory lock is free therefore has no owner any more. Nor does one that this pool has locked and does
// not run: the answer to its question for a job was lost with the connection.
import type pg from 'pg'
import type pino from 'pino'
import { connectClient } from '../sql/client.ts'

const SWEEP_INTERVAL_MS = 15_000

/**
 * Frees what dead pools left locked, then and every 15 seconds, with what this one has locked for as long and is not among
 * `running`, the ids of the jobs that it runs. Returns the plugin that announces the pool about to start. Rejects when the
 * database cannot be reached.
 */
export async function holdAlive(
  database: { url: string; pool: pg.Pool },
  running: ReadonlySet<string>,
  log: pino.Logger,
) {
  let poolId: string | undefined
  let client: pg.Client | undefined
  let stopped = false

  async function hold(): Promise<void> {
    if (client || stopped || !poolId) return
    const connection = await connectClient({
      connectionString: database.url,
      application_name: 'meadowlark-jobs',
    })
    connection.on('end', () => {
      if (client === connection) client = undefined
    })
    await connection.query('select pg_advisory_lock(hashtextextended($1, 0))', [poolId])
    client = connection
  }

  await freeDeadLocks(database.pool)
  const timer = setInterval(() => {
    hold()
      .then(() => freeDeadLocks(database.pool))
      .then(() => freeLostJobs(database.pool, poolId, running))
      .catch((error) => log.warn({ err: error }, 'could not look for jobs of stopped servers'))
  }, SWEEP_INTERVAL_MS)
  timer.unref()

  const plugin: GraphileConfig.Plugin = {
    name: 'AlivePlugin',
    version: '1.0.0',
    worker: {
      hooks: {
        // Awaited before the worker takes its first job, so no job is ever locked by an unannounced pool.
        startWorker: {
          callback: async (_context, { worker }) => {
            if (poolId) return announced
            poolId = worker.workerPool.id
            announced = hold()
            return announced
          },
        },
      },
    },
  }
  let announced: Promise<void> | undefined
  return {
    plugin,
    async stop() {
      stopped = true
      clearInterval(timer)
      await client?.end()
    },
  }
}

/** Unlocks jobs and queues held by pools that no process announces any more. */
async function freeDeadLocks(pool: pg.Pool): Promise<void> {
  await pool.query(
    `with holders as (
       select locked_by from graphile_worker._private_jobs where locked_by is not null
       union
       select locked_by from graphile_worker._private_job_queues where locked_by is not null
     ), dead as (
       select array_agg(locked_by) as ids from holders where pg_try_advisory_xact_lock(hashtextextended(locked_by, 0))
     )
     select graphile_worker.force_unlock_workers(ids) from dead where ids is not null`,
  )
}

/** Unlocks jobs that the pool of this id has locked for 15 seconds without running them. */
export async function freeLostJobs(
  pool: Pick<pg.Pool, 'query'>,
  poolId: string | undefined,
  running: ReadonlySet<string>,
): Promise<void> {
  await pool.query(
    `update graphile_worker._private_jobs set locked_by = null, locked_at = null
     where locked_by = $1 and locked_at < now() - $2 * interval '1 millisecond' and id <> all ($3::bigint[])`,
    [poolId, SWEEP_INTERVAL_MS, [...running]],
  )
}
