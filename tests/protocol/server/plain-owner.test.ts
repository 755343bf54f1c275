// DATABASE_URL of a managed PostgreSQL: an account that owns its database and makes roles, and nothing more. A
// missing right is named with the statement that grants it; with that, everything works.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Received, subscribed } from '../../../packages/server/tests/realtime/fixture.ts'
import { debianBinaries, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { stranger } from '../../support/people.ts'
import { type ManagedPostgres, OWNER, startManagedPostgres } from '../../support/plain-owner.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const version = versionWith('btree_gist')

describe.skipIf(version === null)('an account that owns its database, and is no superuser', () => {
  let managed: ManagedPostgres
  const start = () => startTestServer({ env: { DATABASE_URL: managed.ownerUrl } })
  beforeAll(async () => {
    managed = await startManagedPostgres(debianBinaries(version as string))
  })
  afterAll(() => managed?.remove())

  it('gets the list of indispensable rights, once everything else is installed', async () => {
    await expect(start()).rejects.toThrow(
      'DATABASE_URL: functions and the secret key see no row behind row-level security; have a superuser run "alter role service_role bypassrls" in this database',
    )
    await managed.administer('alter role service_role bypassrls')
  })

  it('serves, names the rest, and has all of it once that was run', async () => {
    const lacking = await start()
    const statements = lacking.warnings.flatMap(
      (line) => /have a superuser run "(.*)" in this/.exec(line)?.[1] ?? [],
    )
    expect(statements).toEqual([
      `alter role ${OWNER} replication`,
      expect.stringMatching(
        /^create event trigger pgrst_ddl_watch .*; create event trigger pgrst_drop_watch /,
      ),
      expect.stringMatching(/^grant set on parameter session_replication_role, pgrst.* to postgres, /),
    ])
    await lacking.stop()
    for (const statement of statements) await managed.administer(statement)
    // A newer server lays its platform over that of the one before.
    await managed.administer(`update supabase_migrations.platform_version set version = 'an earlier one'`)

    const server = await start()
    try {
      expect(server.warnings.filter((line) => line.includes('superuser'))).toEqual([])
      await serves(server)
    } finally {
      await server.stop()
    }
  })
})

/** Signs up and writes; the table is new, and whoever may see its rows is sent them. */
async function serves(server: TestServer): Promise<void> {
  await server.database.pool.query(`
    set role postgres;
    create table public.pears (id bigserial primary key, owner uuid default auth.uid());
    alter table public.pears enable row level security;
    grant all on public.pears, public.pears_id_seq to anon, authenticated, service_role;
    create policy "own pears" on public.pears to authenticated using (owner = auth.uid());
    alter publication supabase_realtime add table public.pears;
    reset role`)
  const grace = stranger(server)
  const email = 'grace@example.com'
  const options = { data: { full_name: 'Grace', role: 'task_giver' } }
  expect((await grace.auth.signUp({ email, password: 'Meadowlark1', options })).error).toBeNull()
  await eventually(async () => (await server.inbox()).length > 0)
  const [message] = await server.inbox()
  const confirmed = await grace.auth.verifyOtp({ email, token: message?.code ?? '', type: 'signup' })
  expect(confirmed.error).toBeNull()
  expect((await grace.auth.signInWithPassword({ email, password: 'Meadowlark1' })).error).toBeNull()

  const rows = new Received<unknown>()
  await subscribed(
    grace
      .channel('pears')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' } as never, rows.put),
  )
  // The Data API has noticed the table by itself.
  await eventually(async () => (await grace.from('pears').select()).error === null)
  await eventually(async () => {
    await grace.from('pears').insert({}).throwOnError()
    return rows.all.length > 0
  })
  const service = stranger(server, server.secretKey)
  expect((await service.from('pears').select()).data?.length).toBeGreaterThan(0)
  expect((await stranger(server).from('pears').select()).data).toEqual([])
  expect((await service.rpc('run_scheduled')).error).toBeNull()
  void grace.realtime.disconnect()
}
