// All of a project's data to another home and back: to a database that is reached as hosted Supabase lets one, as a
// `postgres` without superuser, and from there to a third one. Nothing of it is different then.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { switchTriggersOff } from '@meadowlark/server/move/copy.ts'
import { type MoveOptions, move } from '@meadowlark/server/move/move.ts'
import { readBaseline } from '@meadowlark/server/postgres/migrate/baseline.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { signIn } from './running.ts'

const OBJECTS = amount({ gate: 12, soak: 1200 })
const ROWS = amount({ gate: 300, soak: 200_000 })

let ours: TestServer
let hosted: TestServer
let third: TestServer
const bytes = new Map<string, Buffer>()

beforeAll(async () => {
  ;[ours, hosted, third] = await Promise.all([startTestServer(), startTestServer(), startTestServer()])
  // Each of the three would do the demo people's pending work.
  for (const server of [ours, hosted, third])
    await sql(server, `delete from vault.secrets where name = 'supabase_functions_url'`)
  await seed()
  await upload()
})
afterAll(async () => {
  for (const server of [ours, hosted, third]) await server?.stop()
})

test('obstacles are named, and nothing is changed', async () => {
  await sql(ours, 'alter table private.issuer add column motto text')
  await sql(ours, `update private.issuer set motto = 'Short paid jobs'`)
  await sql(hosted, `delete from supabase_migrations.schema_migrations where version = '20261127090000'`)
  const before = await contents(hosted)
  expect(await refusal()).toBe(
    'migrations: the target lacks 20261127090000; apply them there first (supabase db push --remote, or a start)',
  )
  await sql(hosted, `insert into supabase_migrations.schema_migrations (version) values ('20261127090000')`)
  expect(await refusal()).toBe('private.issuer: only the source has the column motto, and it has values')
  await sql(ours, 'alter table private.issuer drop column motto')
  expect(await refusal({ from: { ...home(ours), api: null } })).toBe(
    `storage: there are ${OBJECTS} stored objects, whose bytes go from API to API; give the address and the secret key of both`,
  )
  expect(await contents(hosted)).toEqual(before)
})

test('a role that may not switch triggers off gets the statement that grants it', async () => {
  await sql(hosted, 'create role move_plain login')
  const client = new pg.Client(home(hosted, 'move_plain').database)
  await client.connect()
  try {
    await client.query('begin')
    await expect(switchTriggersOff(client)).rejects.toThrow(
      /^session_replication_role: permission denied .*; run "grant set on parameter session_replication_role to "move_plain"" as a superuser of the target$/,
    )
  } finally {
    await client.end()
    await sql(hosted, 'drop role move_plain')
  }
})

test('a run that is cut off, among the rows or among the bytes, is followed by one that ends it', async () => {
  const before = await contents(hosted)
  const cut = (line: string) => {
    if (/public\.payments/.test(line)) throw new Error('cut off')
  }
  await expect(go(ours, hosted, { onProgress: cut })).rejects.toThrow('cut off')
  expect(await contents(hosted)).toEqual(before)

  const wrong = { url: hosted.url, key: 'sb_secret_of-another-project' }
  await expect(go(ours, hosted, { to: { ...home(hosted, 'postgres'), api: wrong } })).rejects.toThrow(
    /40[013]/,
  )
  const lines: string[] = []
  const moved = await go(ours, hosted, { onProgress: (line) => lines.push(line) })
  expect(lines).toContain('all rows are there already')
  expect(moved).toMatchObject({ objects: OBJECTS, secrets: ['a_secret'], changed: [] })
})

test('there and back leaves no row and no byte different', async () => {
  await go(hosted, third)
  for (const server of [hosted, third]) {
    expect(await contents(server)).toEqual(await contents(ours))
    expect(await bytesAt(server)).toEqual(bytes)
    expect(
      await sql(
        server,
        `select decrypted_secret, description from vault.decrypted_secrets where name = 'a_secret'`,
      ),
    ).toEqual([{ decrypted_secret: 'a word', description: 'of the project' }])
    const grace = await signIn(server, 'grace@example.com')
    expect((await grace.from('bookings').select('id')).data?.length).toBeGreaterThan(5)
  }
  // Numbers go on after those that are given.
  expect(await sequences(third)).toEqual(await sequences(ours))
})

test('where people live nothing is written, unless --replace says so', async () => {
  await sql(third, `update auth.users set raw_user_meta_data = '{}' where email = 'theo@example.com'`)
  const storage = stranger(third, third.secretKey).storage.from('attic')
  await storage.upload('of the third.txt', 'x')
  await storage.upload('a photo é 0.jpg', 'another', { upsert: true })
  await expect(go(ours, third)).rejects.toThrow(
    /^auth\.users: \d+ people have accounts at the target, and its rows are others\nstorage\.objects: 1 objects are at the target alone\nuse an empty/,
  )
  await go(ours, third, { replace: true })
  expect(await contents(third)).toEqual(await contents(ours))
  expect(await bytesAt(third)).toEqual(bytes)
  expect((await storage.download('of the third.txt')).error).not.toBeNull()
})

test('writes at the source meanwhile are reported', async () => {
  // The target's last write waits until it is released.
  const holder = await third.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from storage.objects for update')
  const write = async () => {
    await sql(ours, `update private.issuer set name = name || '.'`)
    await holder.query('rollback')
  }
  let written: Promise<void> | null = null
  const onProgress = () => {
    written ??= write()
  }
  const { changed } = await go(ours, third, { onProgress }).finally(() => holder.release())
  await written
  expect(changed).toEqual(['private.issuer'])
})

test('a source whose earlier migrations the baseline replaced moves to a home without them', async () => {
  await sql(ours, `insert into supabase_migrations.schema_migrations (version) values ('20261121000100')`)
  await expect(go(ours, third, { replace: true, baseline: null })).rejects.toThrow(
    /^migrations: the target lacks 20261121000100;/,
  )
  await go(ours, third, { replace: true })
  expect(await contents(third)).toEqual(await contents(ours))
})

function home(server: TestServer, role?: string) {
  const url = new URL(server.database.url)
  if (role) url.searchParams.set('user', role)
  return { database: url.href, api: { url: server.url, key: server.secretKey } }
}

/** One of the two is reached as a hosted project is. */
function go(from: TestServer, to: TestServer, more: Partial<MoveOptions> = {}) {
  const [source, target] = [from, to].map((server) =>
    home(server, server === hosted ? 'postgres' : undefined),
  )
  const options = {
    from: source,
    to: target,
    replace: false,
    sessions: false,
    onProgress: () => {},
    baseline: readBaseline(repositoryFile('supabase')),
    ...more,
  }
  return move(options as MoveOptions)
}

async function refusal(more: Partial<MoveOptions> = {}): Promise<string> {
  return go(ours, hosted, more).then(
    () => 'none',
    (error) => error.message,
  )
}

function sql<Row extends pg.QueryResultRow>(
  server: TestServer,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return server.database.pool.query<Row>(text, values).then(({ rows }) => rows)
}

async function seed(): Promise<void> {
  for (const name of ['people', 'jobs', 'test-payments'])
    await ours.database.transaction(async (client) => {
      await client.query('set local role postgres')
      await client.query(readFileSync(repositoryFile(`supabase/seeds/${name}.sql`), 'utf8'))
    })
  await sql(ours, `select vault.create_secret('a word', 'a_secret', 'of the project')`)
  await sql(
    ours,
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
    select gen_random_uuid(), id, 'Phone', 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP' from auth.users limit 1`,
  )
  const insert = `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    select gen_random_uuid(), gen_random_uuid(), json_build_object('tab', E'\\t\\\\N', 'n', n, 'é', repeat('x', n % 500)), now(), ''
    from generate_series(1, $1::int) n`
  await sql(ours, insert, [ROWS])
}

async function upload(): Promise<void> {
  const storage = stranger(ours, ours.secretKey).storage
  await storage.createBucket('attic', { public: false })
  for (let count = 0; count < OBJECTS; count++) {
    const name = count % 2 === 0 ? `a photo é ${count}.jpg` : `in/folders/${count}+&.txt`
    const body = randomBytes(count === 0 ? 300_000 : count)
    bytes.set(name, body)
    const options = { contentType: 'text/plain', metadata: { count }, cacheControl: `${60 + count}` }
    const { error } = await storage.from('attic').upload(name, body, options)
    if (error) throw error
  }
  await sql(
    ours,
    `update storage.objects set created_at = created_at - interval '40 days',
       owner_id = (select id from auth.users where email = 'grace@example.com')`,
  )
}

async function bytesAt(server: TestServer): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const attic = stranger(server, server.secretKey).storage.from('attic')
  for (const name of bytes.keys()) {
    const { data, error } = await attic.download(name)
    if (error) throw error
    found.set(name, Buffer.from(await data.arrayBuffer()))
  }
  return found
}

/** Every row of every table that a project may call its own, as text; looked up here apart from what the move looks up. */
async function contents(server: TestServer): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }>(
    server,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'private', 'auth', 'pgmq', 'storage')
       and tablename <> all ('{sessions,refresh_tokens,mfa_amr_claims,rate_limits,known_devices,one_time_tokens,meta}') order by 1`,
  )
  const found: Record<string, string[]> = {}
  for (const { name } of tables) {
    // Where its bytes lie, and the tag of that, is each home's own.
    const row =
      name === 'storage.objects' ? `(to_jsonb(t) - 'version' #- '{metadata,eTag}')::text` : 't::text'
    const rows = await sql<{ row: string }>(server, `select ${row} as row from ${name} t order by 1`)
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

function sequences(server: TestServer) {
  return sql(
    server,
    `select schemaname, sequencename, last_value from pg_sequences where schemaname in ('public', 'private', 'pgmq') order by 1, 2`,
  )
}
