// A standby answers the reads that ask for it, and the primary everything else.

import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { examineDatabase } from '../../src/doctor/database.ts'
import { packageFile } from '../../src/package-root.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let primary: ExternalPostgres
let standby: ExternalPostgres
let server: TestServer
let asking: SupabaseClient
let plain: SupabaseClient

beforeAll(async () => {
  primary = await startExternalPostgres()
  await primary.stop()
  standby = await startExternalPostgres({ standbyOf: primary })
  await primary.start()
  server = await startTestServer({ env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url } })
  await server.database.pool.query(`
    create table public.pears (name text primary key);
    grant all on public.pears to anon;
    create view public.who_answers as select pg_is_in_recovery() as standby, count(*) as pears from public.pears;
    grant select on public.who_answers to anon;
    create function public.is_standby() returns boolean language sql stable as 'select pg_is_in_recovery()'`)
  const client = (headers: Record<string, string>) =>
    createClient(server.url, server.services.keys.publishable, {
      auth: { persistSession: false },
      global: { headers },
    })
  asking = client({ 'x-read-replica': 'true' })
  plain = client({})
  await eventually(async () => (await plain.from('who_answers').select()).error === null)
})
afterAll(async () => {
  await server?.stop()
  await Promise.all([standby?.remove(), primary?.remove()])
})

const answered = async (client: SupabaseClient) =>
  (await client.from('who_answers').select().single().throwOnError()).data

test('reads that ask for it are the standby’s; others, functions and writes the primary’s', async () => {
  await expect.poll(() => answered(asking)).toEqual({ standby: true, pears: 0 })
  expect(await answered(plain)).toEqual({ standby: false, pears: 0 })
  expect((await asking.rpc('is_standby')).data).toBe(false)
  const { data } = await asking.from('pears').insert({ name: 'Bosc' }).select().throwOnError()
  expect(data).toEqual([{ name: 'Bosc' }])
  expect(await answered(plain)).toEqual({ standby: false, pears: 1 })
  await expect.poll(() => answered(asking)).toEqual({ standby: true, pears: 1 })
})

test('where the standby is away the primary answers, until it is back', async () => {
  await standby.stop()
  expect(await answered(asking)).toEqual({ standby: false, pears: 1 })
  await standby.start()
  await expect.poll(() => answered(asking)).toEqual({ standby: true, pears: 1 })
})

test('/metrics tells for how long it has lacked a part of the log', async () => {
  const metrics = async () => {
    const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n')
    const value = (name: string) =>
      Number(
        lines
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      )
    return {
      isUp: value('postgres_replica_up') === 1,
      replicaIsBehind: value('postgres_replica_behind_seconds') > 0,
      followerIsBehind: value('postgres_follower_behind_seconds{follower="walreceiver"}') > 0,
      hasSpoken: value('postgres_follower_silent_seconds{follower="walreceiver"}') < 60,
    }
  }
  const follows = { isUp: true, replicaIsBehind: false, followerIsBehind: false, hasSpoken: true }
  const onStandby = new pg.Client(standby.url)
  await onStandby.connect()
  await expect.poll(metrics).toEqual(follows)
  await onStandby.query('select pg_wal_replay_pause()')
  await plain.from('pears').insert({ name: 'Anjou' }).throwOnError()
  await expect.poll(metrics).toEqual({ ...follows, replicaIsBehind: true, followerIsBehind: true })
  await onStandby.query('select pg_wal_replay_resume()')
  await expect.poll(metrics).toEqual(follows)
  await onStandby.end()
})

test('npm run doctor tells a standby from a primary, and one that is away', async () => {
  const replica = async (url: string) => {
    const config = loadConfig({
      workdir: packageFile('tests/support/project'),
      env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: url },
    })
    const findings = await examineDatabase(primary.url, config)
    return findings
      .filter(({ about }) => about === 'read replica')
      .map(({ level, message }) => `${level} ${message}`)
  }
  expect(await replica(standby.url)).toEqual(['ok a standby that follows'])
  expect(await replica(primary.url)).toEqual([expect.stringMatching(/^warning .* leads to no standby/)])
  expect(await replica('postgresql://nobody@127.0.0.1:1/nothing')).toEqual([
    expect.stringMatching(/^warning DATABASE_REPLICA_URL: cannot be used/),
  ])
})

test('a request that the standby refuses goes to the primary, whose refusal counts', async () => {
  const { error } = await asking.from('pears').select('weight')
  expect(error?.code).toBe('42703')
})
