// Other people's projects, as a dump that was pulled, run whole: migrated, seeded, used through supabase-js. And what
// the embedded PostgreSQL cannot have, or does not let them do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { describe, expect, it } from 'vitest'
import { hasEveryExtension, isPlainOwner } from '../../../packages/server/tests/support/other-postgres.ts'
import { DATABASE_PLUGINS } from '../../../plugins/index.ts'
import { createTestDatabase } from '../../support/database.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { projects, running, signIn, soon } from './running.ts'

// It makes event triggers, which nobody may lend a plain owner, and extensions that PostgreSQL does not ship.
describe.runIf(hasEveryExtension)('a pulled dump', () => {
  const server = running('dump')

  it('is migrated and seeded: its people sign in and see what is theirs', async () => {
    const grace = await signIn(server(), 'grace@example.com')
    const { data } = await grace.from('books').select('title, shelf, readers(nickname)')
    expect(data).toEqual([{ title: 'Who Has Seen the Wind', shelf: 'read', readers: { nickname: 'Grace' } }])
    const { error } = await grace.from('books').insert({ title: 'Obasan' })
    expect(error).toBeNull()
    expect((await stranger(server()).from('books').select()).data ?? []).toEqual([])
    expect((await stranger(server()).from('readers').select('nickname')).data).toEqual([
      { nickname: 'Grace' },
    ])
  })

  it('a new account gets the row that its trigger makes', async () => {
    const client = stranger(server())
    const { data, error } = await client.auth.signUp({
      email: 'theo@example.com',
      password: PASSWORD,
      options: { data: { nickname: 'Theo' } },
    })
    expect(error).toBeNull()
    expect(data.session).not.toBeNull()
    const { data: rows } = await client.from('readers').select('nickname').eq('id', data.user?.id)
    expect(rows).toEqual([{ nickname: 'Theo' }])
    await client.auth.resetPasswordForEmail('theo@example.com', { redirectTo: 'https://elsewhere.example' })
    const links = async () => (await server().inbox()).flatMap((message) => message.links)
    await expect
      .poll(links, soon)
      .toEqual([expect.stringMatching(/redirect_to=readers%3A%2F%2F$|redirect_to=readers:\/\/$/)])
  })

  it('keeps the bucket that the seed made, and its policies', async () => {
    const grace = await signIn(server(), 'grace@example.com')
    const { data } = await stranger(server(), server().secretKey).storage.listBuckets()
    expect(data?.map(({ id }) => id)).toEqual(['covers'])
    const own = (await grace.auth.getUser()).data.user?.id
    const cover = new Blob(['x'], { type: 'text/plain' })
    expect((await grace.storage.from('covers').upload(`${own}/a.txt`, cover)).error).toBeNull()
    expect((await grace.storage.from('covers').upload('other/a.txt', cover)).error).not.toBeNull()
    const { storage } = stranger(server(), server().secretKey)
    expect((await storage.from('covers').move(`${own}/a.txt`, `${own}/b.txt`)).error).toBeNull()
    expect((await storage.from('covers').remove([`${own}/b.txt`])).error).toBeNull()
  })

  it('makes event triggers and whole publications and moves extensions as postgres, who is no superuser for it', async () => {
    const one = async (sql: string) => (await server().database.pool.query(sql)).rows
    expect(
      await one(
        `select evtname, evtowner::regrole::text as owner from pg_event_trigger where evtname !~ '^pgrst' order by 1`,
      ),
    ).toEqual([
      { evtname: 'ensure_rls', owner: 'postgres' },
      { evtname: 'who_changed', owner: 'postgres' },
    ])
    expect(
      await one(
        `select pubowner::regrole::text as owner, puballtables as whole from pg_publication where pubname = 'supabase_realtime'`,
      ),
    ).toEqual([{ owner: 'postgres', whole: true }])
    expect(await one(`select rolsuper from pg_roles where rolname = 'postgres'`)).toEqual([
      { rolsuper: false },
    ])
    expect(await one(`select relrowsecurity from pg_class where oid = 'public.notes'::regclass`)).toEqual([
      { relrowsecurity: true },
    ])
    expect(
      await one(
        `select extname, extnamespace::regnamespace::text as schema from pg_extension where extname in ('pg_trgm', 'pg_net')`,
      ),
    ).toEqual([{ extname: 'pg_trgm', schema: 'extensions' }])
    // They see the project's changes, with its rights; a start, whose changes are the platform's, they do not see.
    const seen = () => one(`select distinct who, superuser from public.changes`)
    expect(await seen()).toEqual([{ who: 'postgres', superuser: 'off' }])
    await preparePlatform(server().services.config.databaseUrl as string, {
      project: `${projects}/dump/supabase`,
      plugins: DATABASE_PLUGINS,
      seed: [],
    })
    expect(await seen()).toEqual([{ who: 'postgres', superuser: 'off' }])
  })
})

// The last three are lent a right first.
describe.skipIf(isPlainOwner)('unavailable extensions', () => {
  it.each([
    [
      'a superuser',
      `-- one\ncreate event trigger mine on login execute function public.f();`,
      'permission denied to create event trigger',
    ],
    [
      'a right',
      `alter role anon superuser; alter role anon set app.x = '1';`,
      /permission denied|must be superuser/,
    ],
    ['a name', `alter role anon set app.x = '1';\n\nselect nothing.at_all();`, /\(line 3\)/],
    [
      'what breaks off',
      `create event trigger a on ddl_command_end execute function public.missing() --`,
      'public.missing',
    ],
  ])('%s, and nothing is lent for longer than its statement', async (_, sql, words) => {
    const { url, database, drop } = await createTestDatabase(null)
    const workdir = mkdtempSync(path.join(tmpdir(), 'meadowlark-project-'))
    mkdirSync(path.join(workdir, 'migrations'))
    writeFileSync(path.join(workdir, 'migrations/20250101000000_wants.sql'), sql)
    await expect(preparePlatform(url, { project: workdir, seed: [] })).rejects.toThrow(words)
    const { rows } = await database.pool.query(
      `select rolname from pg_roles where rolsuper and rolname in ('anon', 'postgres')`,
    )
    expect(rows).toEqual([])
    await drop()
    rmSync(workdir, { recursive: true })
  })

  it('names the migration, the extension and the way out, and keeps nothing of the file', async () => {
    const { url, database, drop } = await createTestDatabase(null)
    const prepared = preparePlatform(url, {
      project: `${projects}/maps/supabase`,
      seed: [],
    })
    await expect(prepared).rejects.toThrow(
      /^20240601000000_places\.sql: the extension "postgis" is not available.*\n.*DATABASE_URL/,
    )
    const { rows } = await database.pool.query(`select to_regclass('public.places') as made`)
    expect(rows).toEqual([{ made: null }])
    await drop()
  })
})
