// Quantities that could grow in a server and its PostgreSQL: memory, open files, connections, the log, dead rows,
// unused table space, queued work, and unreferenced files (Linux only).
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import type { TownServer } from './open-town.ts'

type Table = { name: string; rows: number; bytes: number }

export type Vitals = {
  /** The server's memory after garbage collection, in MB: JavaScript's objects, buffers, all. */
  heap: number
  external: number
  rss: number
  /** Handles that keep the server's event loop alive: sockets, timers, workers. */
  handles: number
  /** Open files and sockets of the server; those that people hold open are left out of both. */
  descriptors: number
  connections: number
  /** Memory of all of PostgreSQL's processes that they share with nobody, in MB. */
  postgres: number
  /** The write-ahead log on disk, and what a replication slot keeps of it, in MB. */
  wal: number
  retained: number
  /** Of a hundred rows those that are dead. */
  dead: number
  /** Seconds that the oldest transaction has been open: nothing younger is vacuumed. */
  oldest: number
  /** Rows that are there until something was done: jobs, effects, requests, sums that are due, files' rows. */
  passing: number
  /** Jobs and effects that are due. */
  due: number
  /** Files of the storage service that no row points to, and half-written ones of it, of sorts and of replication. */
  lost: number
  temporary: number
  database: number
  tables: Table[]
}

const MB = 1e6

const DATABASE = `
select (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())::int as connections,
  (select sum(size) from pg_ls_waldir())::float8 as wal,
  (select coalesce(max(pg_current_wal_lsn() - restart_lsn), 0) from pg_replication_slots)::float8 as retained,
  (select 100 * sum(n_dead_tup) / greatest(sum(n_live_tup + n_dead_tup), 1) from pg_stat_user_tables)::float8 as dead,
  (select coalesce(max(extract(epoch from now() - xact_start)), 0) from pg_stat_activity
    where backend_type = 'client backend')::float8 as oldest,
  ((select count(*) from graphile_worker._private_jobs where run_at < now() - interval '10 seconds' and attempts < max_attempts)
    + (select count(*) from pgmq.q_effects where vt < now() - interval '10 seconds'))::int as due,
  (select sum(n_live_tup) from pg_stat_user_tables where (schemaname, relname) in (('pgmq', 'q_effects'), ('graphile_worker', '_private_jobs'),
    ('net', 'http_request_queue'), ('private', 'figure_changes'), ('private', 'kind_changes'), ('auth', 'rate_limits'),
    ('auth', 'flow_state'), ('auth', 'one_time_tokens'), ('storage', 'objects'), ('public', 'favourites')))::int as passing,
  (select count(*) from storage.objects)::int as objects,
  pg_database_size(current_database())::float8 as database,
  (select json_agg(json_build_object('name', schemaname || '.' || relname, 'rows', n_live_tup, 'bytes', pg_total_relation_size(relid)))
    from pg_stat_user_tables) as tables`

type Row = Record<
  'connections' | 'wal' | 'retained' | 'dead' | 'oldest' | 'passing' | 'due' | 'objects' | 'database',
  number
> & { tables: Table[] }

/** Takes them all; `held` counts the connections that the people hold open. */
export async function takeVitals(stage: Stage, server: TownServer, held: () => number): Promise<Vitals> {
  const [row] = (await stage.sql<Row>('town', DATABASE)) as [Row]
  const { objects, ...database } = row
  const memory = await server.ask<Record<'heap' | 'external' | 'rss' | 'handles', number>>('heap')
  const cluster = join(stage.directory, 'postgres')
  const files = join(stage.directory, 'data/storage')
  return {
    ...database,
    wal: row.wal / MB,
    retained: row.retained / MB,
    database: row.database / MB,
    heap: memory.heap / MB,
    external: memory.external / MB,
    rss: memory.rss / MB,
    handles: memory.handles - held(),
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length - held(),
    postgres: ownMemory(cluster) / MB,
    lost: filesBelow(join(files, 'objects')) - objects,
    temporary: [
      join(files, 'incoming'),
      ...['base/pgsql_tmp', 'pg_replslot', 'pg_logical/snapshots', 'pg_logical/mappings'].map((folder) =>
        join(cluster, folder),
      ),
    ].reduce((sum, folder) => sum + filesBelow(folder), 0),
  }
}

function filesBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .length
  } catch {
    // There is none, or a part of it has gone meanwhile.
    return 0
  }
}

/** Bytes of the cluster's processes that are no files and no shared memory. */
function ownMemory(cluster: string): number {
  const postmaster = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
  let bytes = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1])
      if (parent === postmaster) bytes += Number(/^RssAnon:\s*(\d+)/m.exec(status)?.[1] ?? 0) * 1024
    } catch {
      // It has ended meanwhile.
    }
  }
  return bytes
}
