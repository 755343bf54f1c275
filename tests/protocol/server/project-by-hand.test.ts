// Another person's project, made by hand with much of what Supabase offers: schemas, functions, webhooks, schedules,
// queues, vectors, a hook of the sign-in. It is run whole and used through supabase-js.

import { describe, expect, it } from 'vitest'
import { hasEveryExtension } from '../../../packages/server/tests/support/other-postgres.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { running, signIn, soon } from './running.ts'

// It makes extensions that PostgreSQL does not ship, which another PostgreSQL's superuser lays and makes.
describe.runIf(hasEveryExtension)('a project made by hand', () => {
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
    expect(rows.map(({ name }) => name)).toEqual([
      'announce_team',
      'announce_word',
      'supabase_functions_url',
      'supabase_service_role_key',
    ])
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
      status: 500,
      error_code: 'unexpected_failure',
      msg: expect.stringMatching(/^output claims do not conform to the expected schema: \n- aal: /),
    })
    expect(await failure('sam@broken.example')).toMatchObject({
      status: 500,
      error_code: 'unexpected_failure',
      msg: 'Error running hook URI: pg-functions://postgres/public/custom_access_token_hook',
    })
    expect(await count(`select count(*) from auth.users where email like 'sam@%'`)).toBe(0)
  })

  it('finds what is nearest, as far as a column has as many dimensions', async () => {
    const service = stranger(server(), server().secretKey)
    const documents = service.from('documents')
    const { error } = await documents.insert([
      { content: 'snow', embedding: [1, 0, 0.5], small: '[1,0,0]' },
      { content: 'ice', embedding: '[0.9,0.1,0.5]' },
      { content: 'sand', embedding: [-1, 1, 0] },
    ])
    expect(error).toBeNull()
    const matched = await stranger(server()).rpc('match_documents', {
      query_embedding: [1, 0, 0.4],
      match_threshold: 0.5,
      match_count: 5,
    })
    expect(matched.error).toBeNull()
    expect(matched.data).toEqual([
      { content: 'snow', similarity: expect.closeTo(0.9965, 3) },
      { content: 'ice', similarity: expect.closeTo(0.9874, 3) },
    ])
    const { data } = await documents.select('embedding').eq('content', 'snow').single()
    expect(JSON.parse(data?.embedding)).toEqual([1, 0, 0.5])
    const put = (vector: string) =>
      server().database.pool.query(`insert into public.documents (content, embedding) values ('x', $1)`, [
        vector,
      ])
    await expect(put('[1, 2]')).rejects.toThrow('expected 3 dimensions, not 2')
    await expect(put('[1, 2, "3"]')).rejects.toThrow('invalid input syntax for type vector')
    const { rows } = await server().database.pool.query(
      `select avg(embedding)::real[] as middle, (array_agg(content order by embedding <-> '[0,0,0]'))[1] as l2,
         (array_agg(content order by embedding <#> '[1,0,1]'))[1] as ip, sum(small) as sum,
         count(*) filter (where embedding = '[1, 0, 0.5]') as same,
         max(extensions.vector_dims(embedding)) as dimensions
       from public.documents`,
    )
    expect(rows[0]).toMatchObject({ l2: 'ice', ip: 'snow', sum: '[1, 0, 0]', same: '1', dimensions: 3 })
    expect(rows[0].middle.map((one: number) => Math.round(one * 100))).toEqual([30, 37, 33])
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

  it('its scheduled jobs run, as the role that scheduled them, and are recorded', async () => {
    await expect.poll(() => count('select count(*) from public.ticks'), soon).toBeGreaterThan(0)
    const outcomes = async () => {
      const { rows } = await server().database.pool.query(
        `select distinct status, username, return_message as said from cron.job_run_details
         where status <> 'running' order by said`,
      )
      return rows
    }
    // A procedure that commits and a VACUUM, too: neither may run in a transaction.
    await expect.poll(outcomes, soon).toEqual([
      { status: 'succeeded', username: 'postgres', said: 'CALL' },
      { status: 'succeeded', username: 'postgres', said: 'INSERT 1' },
      { status: 'succeeded', username: 'postgres', said: 'VACUUM' },
    ])
  })
})
