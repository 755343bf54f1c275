// Gauges about background work and the database, read when metrics are requested: jobs, pgmq queues, replication and
// the clock. If the database does not answer, only that is reported.
import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { FOLLOWERS, type Follower, LogEnds, type ReadReplica } from './followers.ts'
import { inTime } from './in-time.ts'

const JOBS = `
  select task_identifier as task, case
      when attempts >= max_attempts then 'given_up' when attempts > 0 then 'retrying'
      when run_at > now() then 'scheduled' else 'waiting' end as state,
    count(*)::int as count,
    greatest(coalesce(extract(epoch from now() - min(run_at) filter (where run_at <= now() and locked_at is null
      and attempts < max_attempts)), 0), 0)::float8 as late
  from graphile_worker.jobs group by 1, 2`

const SLOTS = `
  select slot_name as slot, active, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as held
  from pg_replication_slots`

type Job = { task: string; state: string; count: number; late: number }
type Slot = { slot: string; active: boolean; held: number }
type Queue = { queue: string; count: number; late: number; tries: number }
type Found = {
  jobs: Job[]
  slots: Slot[]
  queues: Queue[]
  bytes: number
  followers: Follower[]
  /** Where the log ends, in bytes. */
  end: number
  /** Seconds by which the database's clock is ahead of this machine's. */
  ahead: number
}

/** Adds the gauges; all of them are filled by one reading of the database each time that they are asked for. */
export function measureBackground(
  registry: Registry,
  pool: Pick<pg.Pool, 'query'>,
  replica: ReadReplica | null,
): void {
  const log = new LogEnds()
  const found = oneReadingOf(pool, log)
  const gauge = gaugeOf(registry, found)
  measureDatabase(registry, found, gauge)
  measureFollowers(gauge, log)
  if (replica) measureReplica(registry, found, replica, log)
  measureWork(gauge)
}

/** A reading that all who ask at the same time share; null while the database does not answer. */
type Reading = () => Promise<Found | null>

function oneReadingOf(pool: Pick<pg.Pool, 'query'>, log: LogEnds): Reading {
  let reading: Promise<Found | null> | null = null
  return () => {
    reading ??= inTime(read(pool))
      .then((now) => {
        log.see(now.end, Date.now())
        return now
      })
      .catch(() => null)
      .finally(() => {
        reading = null
      })
    return reading
  }
}

/** Makes gauges that are not there at all while the database does not answer. */
function gaugeOf(registry: Registry, found: Reading) {
  return <Name extends string>(
    name: string,
    help: string,
    labelNames: Name[],
    values: (found: Found) => { labels?: Record<Name, string>; value: number }[],
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const now = await found()
        this.reset()
        if (labelNames.length === 0) this.remove()
        for (const { labels, value } of now ? values(now) : []) {
          if (labels) this.set(labels as Partial<Record<Name, string>>, value)
          else this.set(value)
        }
      },
    })
}

type MakeGauge = ReturnType<typeof gaugeOf>

function measureDatabase(registry: Registry, found: Reading, gauge: MakeGauge): void {
  new Gauge({
    name: 'postgres_up',
    help: 'Whether the database answers',
    registers: [registry],
    async collect() {
      this.set((await found()) ? 1 : 0)
    },
  })
  gauge('postgres_database_bytes', 'Size of the database', [], ({ bytes }) => [{ value: bytes }])
  gauge('postgres_clock_ahead_seconds', "The database's clock less this machine's", [], ({ ahead }) => [
    { value: ahead },
  ])
  gauge(
    'postgres_replication_slot_bytes',
    'Bytes of the log that a replication slot holds back',
    ['slot', 'active'],
    ({ slots }) =>
      slots.map(({ slot, active, held }) => ({ labels: { slot, active: String(active) }, value: held })),
  )
}

/** Standbys and backups that receive the log. */
function measureFollowers(gauge: MakeGauge, log: LogEnds): void {
  gauge('postgres_followers', 'Standbys and backups that receive the log', [], ({ followers }) => [
    { value: followers.reduce((sum, { count }) => sum + count, 0) },
  ])
  gauge(
    'postgres_follower_behind_seconds',
    'How long each standby has lacked a part of the log',
    ['follower'],
    ({ followers }) =>
      followers.flatMap(({ name, replayed }) =>
        replayed === null ? [] : [{ labels: { follower: name }, value: log.behind(replayed, Date.now()) }],
      ),
  )
  gauge(
    'postgres_follower_silent_seconds',
    'How long ago each standby last said anything',
    ['follower'],
    ({ followers }) =>
      followers.flatMap(({ name, replayed, silent }) =>
        replayed === null || silent === null ? [] : [{ labels: { follower: name }, value: silent }],
      ),
  )
}

/** DATABASE_REPLICA_URL. */
function measureReplica(registry: Registry, found: Reading, replica: ReadReplica, log: LogEnds): void {
  const ofReplica = (name: string, help: string, of: (replayed: number | null) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const [replayed] = await Promise.all([replica.replayed(), found()])
        const value = of(replayed)
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  ofReplica('postgres_replica_up', 'Whether the read replica answers', (replayed) =>
    Number(replayed !== null),
  )
  ofReplica(
    'postgres_replica_behind_seconds',
    'How long the read replica has lacked a part of the log',
    (replayed) => replayed && log.behind(replayed, Date.now()),
  )
}

/** Jobs of the server, and queues of pgmq. */
function measureWork(gauge: MakeGauge): void {
  gauge('jobs', 'Jobs of the server by task and state', ['task', 'state'], ({ jobs }) =>
    jobs.map(({ task, state, count }) => ({ labels: { task, state }, value: count })),
  )
  gauge('jobs_late_seconds', 'How long the oldest job that is due has waited', [], ({ jobs }) => [
    { value: Math.max(0, ...jobs.map(({ late }) => late)) },
  ])
  const ofQueues = (name: string, help: string, of: (queue: Queue) => number) =>
    gauge(name, help, ['queue'], ({ queues }) =>
      queues.map((each) => ({ labels: { queue: each.queue }, value: of(each) })),
    )
  ofQueues('queue_messages', 'Messages of each queue of pgmq', ({ count }) => count)
  ofQueues('queue_late_seconds', 'How long the oldest message that is due has waited', ({ late }) => late)
  ofQueues('queue_tries', 'How often the message was tried that was tried most', ({ tries }) => tries)
}

async function read(pool: Pick<pg.Pool, 'query'>): Promise<Found> {
  const [jobs, slots, followers, ahead, place] = await Promise.all([
    pool.query<Job>(JOBS),
    pool.query<Slot>(SLOTS),
    pool.query<Follower>(FOLLOWERS),
    clockAhead(pool),
    pool.query<{ bytes: number; end: number; queues: boolean }>(
      `select pg_database_size(current_database())::float8 as bytes,
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as end, to_regclass('pgmq.meta') is not null as queues`,
    ),
  ])
  const { bytes = 0, end = 0, queues = false } = place.rows[0] ?? {}
  return {
    jobs: jobs.rows,
    slots: slots.rows,
    bytes,
    queues: queues ? await readQueues(pool) : [],
    followers: followers.rows,
    end,
    ahead,
  }
}

/** Of the moment between asking and the answer: it is wrong by half of the time that passed at most. */
async function clockAhead(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  const before = Date.now()
  const { rows } = await pool.query<{ at: number }>(
    'select extract(epoch from clock_timestamp())::float8 as at',
  )
  return (rows[0]?.at ?? Number.NaN) - (before + Date.now()) / 2000
}

async function readQueues(pool: Pick<pg.Pool, 'query'>): Promise<Queue[]> {
  const { rows } = await pool.query<{ queue: string; place: string }>(
    `select queue_name as queue, format('pgmq.%I', 'q_' || queue_name) as place from pgmq.meta`,
  )
  return Promise.all(
    rows.map(async ({ queue, place }) => {
      const found = await pool.query<Omit<Queue, 'queue'>>(
        `select count(*)::int as count, coalesce(max(read_ct), 0)::int as tries,
           greatest(coalesce(extract(epoch from now() - min(vt)), 0), 0)::float8 as late from ${place}`,
      )
      return { queue, ...(found.rows[0] as Omit<Queue, 'queue'>) }
    }),
  )
}
