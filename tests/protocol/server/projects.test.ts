// Other people's projects, in the styles that such projects are written in: a pulled dump, one made by hand, one that
// needs what the embedded PostgreSQL cannot have. Each is run whole: migrated, seeded, used through supabase-js.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageFile } from '../../../server/package-root.ts'
import { preparePlatform } from '../../../server/platform.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const projects = packageFile('tests/protocol/server/projects')

function running(name: string): () => TestServer {
  let empty: TestDatabase
  let server: TestServer
  beforeAll(async () => {
    empty = await createTestDatabase(null)
    server = await startTestServer({
      workdir: `${projects}/${name}`,
      seed: true,
      env: { DATABASE_URL: empty.url },
    })
  })
  afterAll(async () => {
    await server?.stop()
    await empty?.drop()
  })
  return () => server
}

async function signIn(server: TestServer, email: string) {
  const client = stranger(server)
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
  if (error) throw error
  return client
}

const soon = { timeout: 10_000, interval: 100 }

describe('a pulled dump', () => {
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

  it('who signs up gets the row that its trigger makes', async () => {
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
    const links = async () => (await server().inbox()).flatMap((letter) => letter.links)
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

  it('makes event triggers and whole publications as postgres, who is no superuser for it', async () => {
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
    // They see the project's changes, with its rights; a start, whose changes are the platform's, they do not see.
    const seen = () => one(`select distinct who, superuser from public.changes`)
    expect(await seen()).toEqual([{ who: 'postgres', superuser: 'off' }])
    await preparePlatform(server().services.config.databaseUrl as string, {
      project: `${projects}/dump/supabase`,
      sandbox: true,
      seed: [],
    })
    expect(await seen()).toEqual([{ who: 'postgres', superuser: 'off' }])
  })
})

describe('a project made by hand', () => {
  const server = running('chat')
  const count = async (sql: string) => Number((await server().database.pool.query(sql)).rows[0].count)

  it('has nothing of Meadowlark', async () => {
    expect(
      await count(`select count(*) from pg_class where relname in ('tasks', 'bookings', 'payments')`),
    ).toBe(0)
    expect((await fetch(`${server().url}/sandbox/stripe/v1/charges`)).status).toBe(404)
    expect((await fetch(`${server().url}/`)).status).toBe(404)
  })

  it('reads and writes under its policies, in each schema it exposes', async () => {
    const grace = await signIn(server(), 'grace@example.com')
    const room = await grace.from('rooms').insert({ title: 'Snow' }).select('id, slug').single()
    expect(room.error).toBeNull()
    const said = await grace
      .from('messages')
      .insert({ room_id: room.data?.id, body: 'It snows' })
      .select()
      .single()
    expect(said.error).toBeNull()
    const edited = await grace
      .from('messages')
      .update({ body: 'It snowed' })
      .eq('id', said.data.id)
      .select()
      .single()
    expect(Date.parse(edited.data.updated_at)).toBeGreaterThan(Date.parse(said.data.updated_at))
    const theo = await signIn(server(), 'theo@example.com')
    expect((await theo.from('messages').update({ body: 'x' }).eq('id', said.data.id).select()).data).toEqual(
      [],
    )
    expect((await stranger(server()).from('messages').select()).data).toEqual([])
    const { data: listed } = await stranger(server())
      .schema('api')
      .from('room_list')
      .select('title')
      .order('title')
    expect(listed).toEqual([{ title: 'Prairie talk' }, { title: 'Snow' }])
  })

  it('its functions run under Deno, and its webhooks reach them after the commit', async () => {
    const { data } = await stranger(server()).functions.invoke('hello', { body: { name: 'Grace' } })
    expect(data).toEqual({ message: 'Hello Grace!' })
    const told = async () =>
      (await server().database.pool.query('select said from public.announcements order by id')).rows.map(
        ({ said }) => said,
      )
    const { rows } = await server().database.pool.query(
      'select name from vault.decrypted_secrets order by name',
    )
    expect(rows).toEqual([{ name: 'announce_team' }, { name: 'announce_word' }])
    await expect.poll(told, soon).toContainEqual({ title: 'Snow', word: 'from the vault', team: 'Prairie' })
    await expect
      .poll(told, soon)
      .toContainEqual(
        expect.objectContaining({ type: 'INSERT', table: 'messages', schema: 'public', team: 'Prairie' }),
      )
    await expect
      .poll(() => count('select count(*) from net._http_response where status_code = 201'), soon)
      .toBeGreaterThan(1)
  })

  it('its hook says what access tokens hold, at each sign-in and refresh, or refuses', async () => {
    const signUp = async (email: string) => {
      const client = stranger(server())
      return { client, ...(await client.auth.signUp({ email, password: PASSWORD })) }
    }
    const claims = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { client, data } = await signUp('ada@example.com')
    expect(claims(data.session?.access_token)).toMatchObject({
      sub: data.user?.id,
      user_role: null,
      asked_by: 'supabase_auth_admin password',
    })
    await server().database.pool.query(`insert into public.user_roles values ($1, 'admin')`, [data.user?.id])
    const { data: refreshed } = await client.auth.refreshSession()
    expect(claims(refreshed.session?.access_token)).toMatchObject({
      user_role: 'admin',
      asked_by: 'supabase_auth_admin token_refresh',
    })
    expect((await client.rpc('my_role')).data).toBe('admin')

    const { error: refusal } = await signUp('sam@closed.example')
    expect(refusal).toMatchObject({ status: 403, message: 'This house is closed' })
    const failure = async (email: string) => {
      const response = await fetch(`${server().url}/auth/v1/signup`, {
        method: 'POST',
        headers: { apikey: server().publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      })
      return { status: response.status, ...(await response.json()) }
    }
    expect(await failure('sam@careless.example')).toMatchObject({
      ...{ status: 500, error_code: 'unexpected_failure' },
      msg: expect.stringMatching(/^output claims do not conform to the expected schema: \n- aal: /),
    })
    expect(await failure('sam@broken.example')).toMatchObject({
      ...{ status: 500, error_code: 'unexpected_failure' },
      msg: 'Error running hook URI: pg-functions://postgres/public/custom_access_token_hook',
    })
    expect(await count(`select count(*) from auth.users where email like 'sam@%'`)).toBe(0)
  })

  it('its queue gives each message once, until it is archived or deleted', async () => {
    const service = stranger(server(), server().secretKey)
    const next = async () => (await service.rpc('next_letter')).data
    const letters = await Promise.all([next(), next(), next()])
    expect(
      letters
        .flat()
        .map(({ message }) => message.to)
        .sort(),
    ).toEqual(['ada', 'grace', 'theo'])
    expect(await next()).toEqual([])
    expect((await service.rpc('finish_letter', { id: 1, keep: true })).data).toBe(true)
    expect((await service.rpc('finish_letter', { id: 2, keep: false })).data).toBe(true)
    expect((await service.rpc('finish_letter', { id: 2, keep: false })).data).toBe(false)
    const { rows } = await server().database.pool.query(
      `select (pgmq.metrics('letters')).*, (select count(*) from pgmq.a_letters) as archived`,
    )
    expect(rows[0]).toMatchObject({
      queue_length: '1',
      total_messages: '3',
      queue_visible_length: '0',
      archived: '1',
    })
    expect((await stranger(server()).rpc('next_letter')).error?.code).toBe('42501')
  })

  it('a queue does the rest of what pgmq does', async () => {
    const one = async (sql: string) => {
      const { rows } = await server().database.pool.query({ text: `select ${sql}`, rowMode: 'array' })
      return rows.flat()
    }
    await one(`pgmq.create_unlogged('Notes')`)
    expect(await one(`pgmq.send('notes', '1', now() + interval '1 hour')`)).toEqual(['1'])
    expect(await one(`pgmq.send('notes', '2', '{"trace": "x"}'::jsonb, 0)`)).toEqual(['2'])
    expect(await one(`pgmq.send_batch('notes', array['3', '4']::jsonb[])`)).toEqual(['3', '4'])
    expect(await one(`message, headers from pgmq.pop('notes')`)).toEqual([2, { trace: 'x' }])
    expect(await one(`message from pgmq.read_with_poll('notes', 30, 5, 1, 10)`)).toEqual([3, 4])
    expect(await one(`msg_id from pgmq.read_with_poll('notes', 30, 5, 1, 100)`)).toEqual([])
    expect(await one(`msg_id from pgmq.set_vt('notes', 3, 0)`)).toEqual(['3'])
    expect(await one(`pgmq.archive('notes', array[3, 9]::bigint[])`)).toEqual(['3'])
    expect(await one(`queue_name from pgmq.metrics_all() order by 1`)).toEqual(['Notes', 'letters'])
    expect(await one(`pgmq.purge_queue('notes')`)).toEqual(['2'])
    expect(await one(`pgmq.drop_queue('Notes')`)).toEqual([true])
    expect(await one(`queue_name from pgmq.list_queues()`)).toEqual(['letters'])
    await expect(one(`pgmq.create('no; drop')`)).rejects.toThrow('invalid characters')
  })

  it('what it scheduled runs, as the role that scheduled it, and is recorded', async () => {
    await expect.poll(() => count('select count(*) from public.ticks'), soon).toBeGreaterThan(0)
    const outcomes = async () => {
      const { rows } = await server().database.pool.query(
        `select distinct status, username, return_message as said from cron.job_run_details
         where status <> 'running' order by said`,
      )
      return rows
    }
    // A procedure that commits and a VACUUM, too: neither may stand in a transaction.
    await expect.poll(outcomes, soon).toEqual([
      { status: 'succeeded', username: 'postgres', said: 'CALL' },
      { status: 'succeeded', username: 'postgres', said: 'INSERT 1' },
      { status: 'succeeded', username: 'postgres', said: 'VACUUM' },
    ])
  })
})

describe('what cannot be had', () => {
  it.each([
    [
      'a superuser',
      `-- one\ncreate event trigger mine on login execute function public.f();`,
      'permission denied to create event trigger',
    ],
    ['a right', `alter role anon superuser; alter role anon set app.x = '1';`, 'permission denied'],
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
    await expect(preparePlatform(url, { project: workdir, sandbox: false, seed: [] })).rejects.toThrow(words)
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
      project: `${projects}/vectors/supabase`,
      sandbox: false,
      seed: [],
    })
    await expect(prepared).rejects.toThrow(
      /^20240601000000_documents\.sql: the extension "vector" is not available.*\n.*DATABASE_URL/,
    )
    const { rows } = await database.pool.query(`select to_regclass('public.documents') as made`)
    expect(rows).toEqual([{ made: null }])
    await drop()
  })
})
