// The vault's key: where a server has it, how a database of an earlier version passes it on, and which key is refused.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StartError } from '../../src/postgres/cluster/start-error.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isPlainOwner } from '../support/other-postgres.ts'
import { startTestServer } from '../support/server.ts'

const OTHER_KEY = 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o'

let db: TestDatabase
let dataDir: string
const file = () => join(dataDir, 'vault.key')

beforeAll(async () => {
  db = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-vault-'))
  await run(`select vault.create_secret('a word', 'word')`)
})
afterAll(async () => {
  await db.drop()
  rmSync(dataDir, { recursive: true })
})

const run = async (sql: string) => (await db.database.pool.query(sql)).rows
const word = () => run(`select decrypted_secret as word from vault.decrypted_secrets where name = 'word'`)

/** Starts a server on the same folder and database, and stops it. */
async function start(env: Record<string, string> = {}): Promise<void> {
  const server = await startTestServer({ env: { DATABASE_URL: db.url, DATA_DIR: dataDir, ...env } })
  await server.stop()
}

const refusal = async (env: Record<string, string> = {}): Promise<string> => {
  const error = await start(env).then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  return error.message
}

/** As a restored dump is: secrets, and no key. */
const loseKey = async () => {
  await run('refresh materialized view vault.root_key with no data')
  await run('refresh materialized view vault.root_key')
}

test('a start takes over the key that the database has, in a file that nobody else reads', async () => {
  await start()
  const [{ key }] = (await run('select vault._key() as key')) as [{ key: string }]
  expect(readFileSync(file(), 'utf8')).toBe(`${key}\n`)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(await word()).toEqual([{ word: 'a word' }])
})

test('a refresh of the view keeps the key', async () => {
  await run('refresh materialized view vault.root_key')
  expect(await word()).toEqual([{ word: 'a word' }])
})

test('nobody but the owner and roles that read everything may read it', async () => {
  const roles = await run(
    `select rolname from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
     and (has_table_privilege(oid, 'vault.root_key', 'select') or has_function_privilege(oid, 'vault._key()', 'execute'))`,
  )
  expect(roles).toEqual([])
})

test('another key than the database has is refused, and changes nothing', async () => {
  expect(await refusal({ VAULT_KEY: OTHER_KEY })).toMatch(
    /^VAULT_KEY: VAULT_KEY is another key than the one .*; set the VAULT_KEY of the servers that use this database, or remove it/,
  )
  const own = readFileSync(file(), 'utf8')
  writeFileSync(file(), `${OTHER_KEY}\n`)
  expect(await refusal()).toMatch(/^VAULT_KEY: \S+\/vault.key is another key .*; move that file elsewhere/)
  writeFileSync(file(), own)
  await start({ VAULT_KEY: own.trim() })
  expect(await word()).toEqual([{ word: 'a word' }])
})

test('a restored database is served with its key, and refused with a missing or another one', async () => {
  await loseKey()
  await expect(word()).rejects.toThrow('the vault has no key yet')
  expect(await refusal({ VAULT_KEY: OTHER_KEY })).toMatch(
    /^VAULT_KEY: VAULT_KEY does not decrypt what the vault of this database holds \(word\); set it to the key of the server that wrote them/,
  )
  const key = readFileSync(file(), 'utf8')
  rmSync(file())
  expect(await refusal()).toMatch(
    /^VAULT_KEY: is not set and DATA_DIR has no vault.key, but the vault of this database holds secrets \(word\); .* "delete from vault.secrets where id in \('[0-9a-f-]{36}'\)"$/,
  )
  writeFileSync(file(), key)
  await start()
  expect(await word()).toEqual([{ word: 'a word' }])

  await loseKey()
  rmSync(file())
  const [, command] = /"(delete from vault.secrets .*)"$/.exec(await refusal()) ?? []
  await run(command as string)
  await start()
  expect(readFileSync(file(), 'utf8')).not.toBe(key)
  expect(await word()).toEqual([])
})

/** How versions before this one found the key. */
const EARLIER = `create or replace function vault._key() returns text language plpgsql stable security definer set search_path = '' as $$
  begin
    if pg_catalog.to_regclass('vault.key') is not null then
      return (select key from vault.key);
    end if;
    return btrim(pg_catalog.pg_read_file(pg_catalog.current_setting('data_directory') || '/vault.key'), E'\\n');
  end
  $$`

test.each([
  ['a table', `create table vault.key as select '${OTHER_KEY}'::text as key`],
  ...(isPlainOwner
    ? []
    : [
        [
          'a file of the cluster',
          `do $$ begin
             execute format('copy (select %L) to %L', '${OTHER_KEY}', current_setting('data_directory') || '/vault.key');
             execute 'alter extension supabase_vault add function vault._key()';
           end $$`,
        ],
      ]),
])('a database of an earlier version keeps its key, which was in %s', async (_, sql) => {
  await loseKey()
  rmSync(file(), { force: true })
  await run(EARLIER)
  await run(sql as string)
  await run(`delete from vault.secrets; select vault.create_secret('an older word', 'word');
    update supabase_migrations.platform_version set version = split_part(version, '.', 1) || '.earlier'`)
  await start()
  expect(readFileSync(file(), 'utf8').trim()).toBe(OTHER_KEY)
  expect(await word()).toEqual([{ word: 'an older word' }])
  expect(
    await run(`select to_regclass('vault.key') as earlier, count(*)::int as members from pg_depend
      where classid = 'pg_proc'::regclass and objid = 'vault._key()'::regprocedure and deptype = 'e'`),
  ).toEqual([{ earlier: null, members: 0 }])
})
