// Loss of the replication stream or the database: every missed change is followed by a resync.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { packageFile } from '../../src/package-root.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/cluster/embedded.ts'
import { createChanges } from '../../src/realtime/changes/changes.ts'
import type { Changes } from '../../src/realtime/changes/contract.ts'
import { type Database, openDatabase, openRequestDatabase } from '../../src/sql/database.ts'
import { preparePlatform } from '../../src/start/platform-schema.ts'
import { eventually } from '../support/eventually.ts'
import { stranger } from '../support/people.ts'
import { listen } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const TABLE = `
  create table public.pears (id int primary key, name text);
  grant select on public.pears to anon;
  alter publication supabase_realtime add table public.pears`
const KILL = `select pg_terminate_backend(active_pid) from pg_replication_slots
  where database = current_database() and active_pid is not null`

const opened: Changes[] = []
afterEach(async () => {
  for (const changes of opened.splice(0)) await changes.stop()
})

/** Listens to all pears, and collects ids and resyncs. */
async function collect(changes: Changes): Promise<(number | 'resync')[]> {
  const received: (number | 'resync')[] = []
  opened.push(changes)
  await changes.subscribe({ role: 'anon', claims: {} }, [{ event: '*', schema: 'public', table: 'pears' }], {
    onChange: (_, { payload }) => received.push(payload.record?.id as number),
    onResync: () => received.push('resync'),
  })
  return received
}

describe('a lost stream', () => {
  const { server } = serverFor(TABLE)

  test('has everybody resync when changes may be missing, and misses none after', async () => {
    const { pool } = server.database
    const received = await collect(createChanges(server.services))
    let last = 0
    for (let round = 0; round < 5; round++) {
      for (const end = last + 40; last < end; last++) {
        await pool.query('insert into pears values ($1)', [last])
        if (last % 40 === 20) await pool.query(KILL)
      }
      await eventually(() => received.filter((one) => one === 'resync').length > round)
    }
    await pool.query('insert into pears values (-1)')
    await eventually(() => received.includes(-1))
    const ids = received.filter((one) => one !== 'resync')
    expect(ids).toEqual([...new Set(ids)])
    // Whatever is missing was missing at a resync.
    for (const missing of Array.from({ length: last }, (_, id) => id).filter((id) => !ids.includes(id))) {
      const next = received.findIndex((one) => one !== 'resync' && (one > missing || one === -1))
      const before = received.findLastIndex((one) => one !== 'resync' && one >= 0 && one < missing)
      expect(received.slice(before + 1, next)).toContain('resync')
    }
  })

  test('loses no broadcast that was sent from within the database', async () => {
    const { pool } = server.database
    const changes = createChanges(server.services)
    opened.push(changes)
    const received: string[] = []
    changes.onMessage(({ event }) => received.push(event))
    await changes.ready(5000)
    for (let number = 0; number <= 100; number++) {
      await pool.query(`select realtime.send('{}', $1, 'room', false)`, [String(number)])
      if (number % 30 === 10) await pool.query(KILL)
    }
    // The log is read in its order: with the last one, all before it were there, once each.
    await eventually(() => received.includes('100'))
    expect([...received].sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 101 }, (_, n) => String(n)),
    )
  })

  test('that is not there yet loses none either, nor their order', async () => {
    const { pool } = server.database
    const changes = createChanges(server.services)
    opened.push(changes)
    const received: string[] = []
    // A transaction that is open keeps the slot from being made.
    const holder = await pool.connect()
    await holder.query('begin; insert into pears values (-100)')
    changes.onMessage(({ event }) => received.push(event))
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity
         where datname = current_database() and query like 'CREATE_REPLICATION_SLOT%' and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    await pool.query(`select realtime.send('{}', n::text, 'room', false) from generate_series(1, 9) as n`)
    await holder.query('rollback')
    holder.release()
    await eventually(() => received.length === 9)
    expect(received.join('')).toBe('123456789')
  })

  test('brings clients to join again and fetch what they missed', async () => {
    const { pool } = server.database
    const client = stranger(server)
    const received = await listen(client, { table: 'pears' })
    await pool.query(KILL)
    await eventually(() => received.system.length >= 3)
    expect(received.system.map(({ status }) => status)).toEqual(['ok', 'error', 'ok'])
    await pool.query('insert into pears values (1000)')
    await eventually(() => received.events.some(({ new: row }) => row.id === 1000))
    await client.removeAllChannels()
  })

  test('with a publication that is dropped and created again is received again', async () => {
    const { pool } = server.database
    const received = await collect(createChanges(server.services))
    await pool.query('drop publication supabase_realtime')
    await pool.query('insert into pears values (3000)')
    await pool.query('create publication supabase_realtime for table pears')
    await pool.query('insert into pears values (3001)')
    for (let id = 3002; !received.includes(id - 1) && id < 3500; id++) {
      await pool.query('insert into pears values ($1)', [id])
      await sleep(20)
    }
    expect(received.filter((one) => one !== 'resync').length).toBeGreaterThan(0)
  })

  test('is not waited for by writers: when checks fall behind, everybody resyncs', async () => {
    const { pool } = server.database
    await pool.query(`
      create table public.slow (id int primary key);
      alter table public.slow enable row level security;
      create function public.take_long() returns boolean language sql
        as $$ select pg_advisory_xact_lock_shared(42)::text is not null $$;
      create policy "slowly" on public.slow for select to anon using ((select public.take_long()));
      grant select on public.slow to anon;
      alter publication supabase_realtime add table public.slow`)
    const logged: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) })
    const changes = createChanges({ ...server.services, log })
    opened.push(changes)
    const received: (number | 'resync')[] = []
    await changes.subscribe({ role: 'anon', claims: {} }, [{ event: '*', schema: 'public', table: 'slow' }], {
      onChange: (_, { payload }) => received.push(payload.record?.id as number),
      onResync: () => received.push('resync'),
    })
    const holder = await pool.connect()
    await holder.query('select pg_advisory_lock(42)')
    for (let part = 0; part < 25; part++) {
      await pool.query('insert into slow select generate_series($1::int, $1 + 999)', [part * 1000])
    }
    await eventually(() =>
      logged.some((line) => line.includes('faster than their visibility can be checked')),
    )
    await holder.query('select pg_advisory_unlock(42)')
    holder.release()
    await eventually(() => received.includes('resync'))
    await pool.query('insert into slow values (-1)')
    await eventually(() => received.includes(-1))
    expect(received.indexOf(-1)).toBeGreaterThan(received.indexOf('resync'))
    expect(received.length).toBeLessThan(20_000)
  })

  test('of several servers each follows by itself', async () => {
    const { pool } = server.database
    const [one, two] = [createChanges(server.services), createChanges(server.services)]
    const received = [await collect(one), await collect(two)]
    await pool.query('insert into pears values (2000)')
    await eventually(() => received.every((list) => list.includes(2000)))
    await one.stop()
    await pool.query('insert into pears values (2001)')
    await eventually(() => received[1]?.includes(2001) ?? false)
    expect(received[0]).not.toContain(2001)
  })
})

describe('a separate database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'changes-loss-'))
  let cluster: EmbeddedPostgres
  let database: Database
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })

  beforeAll(() => chmodSync(directory, 0o711))
  afterEach(async () => {
    await database.close()
    await cluster.stop()
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  async function start(settings: Record<string, string> = {}) {
    cluster = await startEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      extensions: [packageFile('extensions')],
      settings: { fsync: 'off', ...settings },
      log: () => {},
    })
    database = openDatabase(cluster.url())
    await preparePlatform(cluster.url(), { project: '/nowhere', migrations: false, seed: [] })
    lines.length = 0
    // Tables without policies need no connection as the reader.
    return createChanges({ database, log, requests: database as never })
  }

  test('that is killed and comes back is received again, and stops at once with a stream attached', async () => {
    const changes = await start()
    await database.pool.query(TABLE)
    const received = await collect(changes)
    await database.pool.query('insert into pears values (1)')
    await eventually(() => received.includes(1))
    const postmaster = Number.parseInt(
      readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8'),
      10,
    )
    process.kill(postmaster, 'SIGKILL')
    await eventually(() => received.includes('resync'))
    await database.pool.query('insert into pears values (2)')
    await eventually(() => received.includes(2))
    expect(received).toEqual([1, 'resync', 2])
    await changes.stop()
    await cluster.stop()
  })

  test('with a commit in the log before others can see it: the row is waited for', async () => {
    await start({ synchronous_standby_names: 'nobody', synchronous_commit: 'local' })
    await database.pool.query(`drop table if exists public.pears; ${TABLE};
      alter table public.pears enable row level security;
      create policy "all" on public.pears for select to anon using (true)`)
    const requests = openRequestDatabase(cluster.url())
    const changes = createChanges({ database, requests, log })
    const received = await collect(changes)
    const writer = await database.pool.connect()
    await writer.query(`set synchronous_commit to 'on'`)
    const { rows } = await writer.query('select pg_backend_pid() as pid')
    // Its commit is in the log, and waits for a standby that never answers.
    const commit = writer.query('insert into pears values (1)')
    await eventually(async () => {
      const { rows: waiting } = await database.pool.query(
        `select from pg_stat_activity, pg_stat_replication
         where pg_stat_activity.pid = $1 and pg_stat_activity.wait_event = 'SyncRep' and sent_lsn >= pg_current_wal_lsn()`,
        [rows[0].pid],
      )
      return waiting.length > 0
    })
    expect(received).toEqual([])
    await database.pool.query('select pg_cancel_backend($1)', [rows[0].pid])
    await commit
    await eventually(() => received.length > 0)
    expect(received).toEqual([1])
    writer.release(true)
    await changes.stop()
    await requests.close()
  })

  test('without a logical log serves all else, warns, and rejects bindings with the reason at once', async () => {
    const changes = await start({ wal_level: 'replica' })
    await eventually(() => lines.length > 0)
    expect(lines[0]).toMatch(/wal_level is not logical; run "alter system set wal_level/)
    await expect(collect(changes)).rejects.toThrow(
      /Unable to subscribe to changes: the database's wal_level is not/,
    )
    await expect(collect(changes)).rejects.toThrow(/wal_level/)
  })

  test('with too few slots says which setting to raise, and waits for one', async () => {
    const changes = await start({ max_replication_slots: '1' })
    await collect(changes)
    const second = createChanges({ database, log, requests: database as never, attachTimeoutMs: 500 })
    opened.push(second)
    const calls: string[] = []
    const joining = second.subscribe({ role: 'anon', claims: {} }, [{ event: '*', schema: 'public' }], {
      onChange: () => calls.push('change'),
      onResync: () => calls.push('resync'),
    })
    await expect(joining).rejects.toThrow(/raise max_replication_slots/)
    await changes.stop()
    // A rejected listener resyncs.
    await eventually(() => calls.length > 0)
    expect(calls).toEqual(['resync'])
    await second.stop()
  })
})
