// PostgreSQL fails over: the primary is killed while people read, write and sign in, and its standby, at another
// address of DATABASE_URL, is promoted. Requests wait and go on there, each write that was acknowledged is kept
// exactly once, and subscribers of Realtime get a message about the gap. `npm run test:soak -- failover` does it
// again and again.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { authServer } from '../auth/project.ts'
import { client, Received, subscribed, systemMessages } from '../realtime/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { freePort } from '../support/free-port.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { amount } from '../support/soak.ts'
import { underLoad } from '../support/under-load.ts'

const ROUNDS = amount({ gate: 1, soak: 10 })
/** Of each kind of request, how many people do it at a time. */
const PEOPLE = amount({ gate: 4, soak: 16 })

interface Pair {
  primary: ExternalPostgres
  standby: ExternalPostgres
  /** With both, the standby first. */
  url: string
  remove(): Promise<void>
}

/** A primary, and a standby that has each commit before it counts. */
async function startPair(): Promise<Pair> {
  const own = async () => ({
    listen_addresses: '127.0.0.1',
    port: String(await freePort()),
    wal_keep_size: '512MB',
    hot_standby: 'on',
  })
  const [first, second] = [await own(), await own()]
  const primary = await startExternalPostgres({ settings: first })
  await primary.stop()
  const cluster = join(primary.directory, 'postgres')
  writeFileSync(
    join(cluster, 'pg_hba.conf'),
    ['local all', 'local replication', 'host all', 'host replication']
      .map((what) => `${what} all ${what.startsWith('host') ? 'samehost ' : ''}trust\n`)
      .join(''),
  )
  const standby = await startExternalPostgres({ settings: second, standbyOf: primary })
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `synchronous_standby_names = '*'\n`)
  await primary.start()
  // By their sockets: a connection that ends on a network may leave it open whether COMMIT arrived.
  const at = ({ url }: ExternalPostgres) => new URL(url).host
  return {
    primary,
    standby,
    url: `postgresql://supabase_admin@${at(standby)},${at(primary)}/postgres?target_session_attrs=read-write`,
    remove: async () => void (await Promise.all([standby.remove(), primary.remove()])),
  }
}

describe.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))('failover %i', () => {
  test('no error reaches anybody, acknowledged writes exist once, and the gap is reported', async () => {
    const pair = await startPair()
    let server: TestServer | undefined
    try {
      server = await authServer({ options: { env: { DATABASE_URL: pair.url } } })
      await failOver(pair, server)
    } finally {
      await server?.stop()
      await pair.remove()
    }
  })
})

async function failOver({ primary, standby }: Pair, server: TestServer): Promise<void> {
  const { pool } = server.database
  await pool.query(`
    create table public.crates (id bigint generated always as identity primary key, name text not null);
    grant all on public.crates to service_role;
    create function public.stack(name text) returns bigint language sql
      as 'insert into public.crates (name) values (name) returning id';
    alter publication supabase_realtime add table public.crates`)
  await signedIn(server, 'grace')
  const trusted = createClient(server.url, server.secretKey, { auth: { persistSession: false } })
  await eventually(async () => (await trusted.rpc('stack', { name: 'first' })).error === null)

  const watching = client(server, { key: server.secretKey })
  const channel = watching.channel('crates')
  const told = systemMessages(channel)
  const seen = new Received<{ new: { name: string } }>()
  channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'crates' }, seen.put as never)
  await subscribed(channel)

  const api = (path: string, body?: object) =>
    fetch(`${server.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        apikey: server.secretKey,
        authorization: `Bearer ${server.secretKey}`,
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const requests: Record<string, (name: string) => Promise<Response>> = {
    read: () => api('/rest/v1/crates?select=name&limit=1'),
    write: (name) => api('/rest/v1/crates', { name }),
    'write by a function': (name) => api('/rest/v1/rpc/stack', { name }),
    'sign in': () =>
      api('/auth/v1/token?grant_type=password', { email: 'grace@example.com', password: PASSWORD }),
  }
  const written = new Set(['first'])
  const onAnswered = (what: string, name: string) => {
    if (what.startsWith('write')) written.add(name)
  }
  await underLoad(requests, PEOPLE, onAnswered, async ({ allAnswered }) => {
    await primary.stop('immediate')
    await promote(standby)
    await allAnswered()
  })
  const { rows } = await pool.query('select name from public.crates')
  expect(rows.map(({ name }) => name).sort()).toEqual([...written].sort())

  // Told of the gap, subscribed anew, and there is a stream again.
  await told.next(({ message }) => /may have been missed/.test(message))
  await eventually(async () => {
    await api('/rest/v1/crates', { name: 'after' })
    return seen.all.some((change) => change.new.name === 'after')
  })
  void watching.realtime.disconnect()
}

async function promote(standby: ExternalPostgres): Promise<void> {
  const operator = new pg.Client(standby.url)
  await operator.connect()
  await operator.query('select pg_promote()')
  await operator.end()
}
