// A foreign project's buckets: those of its config.toml, filled from its folder, and those of its migrations, which
// apply as they are.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigError, loadConfig } from '../../src/config/config.ts'
import { packageFile } from '../../src/package-root.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { stranger } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { errorOf } from './storage.ts'

let empty: TestDatabase
let server: TestServer
let service: SupabaseClient

const start = (options: { seed?: boolean } = {}) =>
  startTestServer({
    workdir: packageFile('tests/storage/sample-project'),
    env: { DATABASE_URL: empty.url },
    ...options,
  })

beforeAll(async () => {
  empty = await createTestDatabase(null)
  server = await start()
  service = stranger(server, server.secretKey)
})
afterAll(async () => {
  await server?.stop()
  await empty?.drop()
})

test('has the buckets of both', async () => {
  const { data } = await stranger(server).storage.listBuckets()
  const shown = data?.map((bucket) => [
    bucket.id,
    bucket.public,
    bucket.file_size_limit,
    bucket.allowed_mime_types,
  ])
  expect(shown).toEqual([
    ['avatars', true, null, null],
    ['paintings', true, 204_800, ['image/png', 'text/*']],
    ['posters', true, 52_428_800, ['image/jpeg', 'image/png']],
    ['sketches', false, null, null],
  ])
})

const names = async () => (await service.storage.from('paintings').list()).data?.map(({ name }) => name)

test('fills a new bucket from its folder, once', async () => {
  const { publicUrl } = service.storage.from('paintings').getPublicUrl('landscapes/skies.txt').data
  const answer = await fetch(publicUrl)
  expect([await answer.text(), answer.headers.get('content-type')]).toEqual([
    'living skies\n',
    'text/plain; charset=utf-8',
  ])
  expect((await service.storage.from('paintings').remove(['post.txt'])).error).toBeNull()
  // Where seeds run, too: it has something.
  await (await start({ seed: true })).stop()
  expect(await names()).toEqual(['landscapes'])
})

test('fills an empty bucket anew only where seeds run', async () => {
  expect((await service.storage.from('paintings').remove(['landscapes/skies.txt'])).error).toBeNull()
  await (await start()).stop()
  expect(await names()).toEqual([])
  await (await start({ seed: true })).stop()
  expect(await names()).toEqual(['landscapes', 'post.txt'])
})

test('lets its policies, triggers and keys work', async () => {
  const anyone = stranger(server).storage.from('avatars')
  expect((await anyone.upload('a.png', 'not checked', { contentType: 'text/plain' })).error).toBeNull()
  expect((await anyone.list()).data?.map(({ name }) => name)).toEqual(['a.png'])
  expect((await anyone.remove(['a.png'])).data).toEqual([])
  const works = await service.from('works').select('title, bucket_id').eq('bucket_id', 'avatars')
  expect(works.data).toEqual([{ title: 'a.png', bucket_id: 'avatars' }])
})

test('keeps to its own limit of size, and to no pictures made to measure', async () => {
  const big = () => service.storage.from('sketches').upload('big.txt', 'x'.repeat(1024 * 1024 + 1))
  expect(errorOf((await big()).error)).toMatchObject({ statusCode: '413' })
  // Nor does a bucket that was given more by somebody else get more.
  await server.database.pool.query(`update storage.buckets set file_size_limit = 1e12 where id = 'sketches'`)
  expect(errorOf((await big()).error)).toMatchObject({ statusCode: '413' })
  const answer = await fetch(
    `${server.url}/storage/v1/render/image/public/paintings/landscapes/skies.txt?width=10`,
  )
  expect(await answer.json()).toMatchObject({ statusCode: '409', error: 'FeatureNotEnabled' })
})

test('finds its way in a database that Supabase’s image has begun', async () => {
  const begun = await createTestDatabase(null)
  await begun.database.pool.query(
    `create schema storage authorization supabase_storage_admin;
     set role supabase_storage_admin;
     create table storage.buckets (id text primary key, name text not null, owner uuid,
       created_at timestamptz default now(), updated_at timestamptz default now());
     create table storage.objects (id uuid primary key default gen_random_uuid(), bucket_id text references storage.buckets,
       name text, owner uuid, created_at timestamptz default now(), updated_at timestamptz default now(),
       last_accessed_at timestamptz default now(), metadata jsonb);
     create function storage.search(prefix text, bucketname text, limits int default 100, levels int default 1,
       offsets int default 0) returns table (name text, id uuid) language sql as 'select null::text, null::uuid';
     insert into storage.buckets (id, name) values ('old', 'old');
     insert into storage.objects (bucket_id, name) values ('old', 'folder/file.txt');
     reset role`,
  )
  const old = await startTestServer({
    workdir: packageFile('tests/storage/sample-project'),
    env: { DATABASE_URL: begun.url },
  })
  const { data } = await stranger(old, old.secretKey).storage.from('old').list('folder')
  expect(data?.map(({ name }) => name)).toEqual(['file.txt'])
  await old.stop()
  await begun.drop()
})

test('its settings are read as the CLI reads them, and a wrong one is named', () => {
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-settings-'))
  mkdirSync(join(workdir, 'supabase'))
  const read = (toml: string) => {
    writeFileSync(join(workdir, 'supabase', 'config.toml'), toml)
    return loadConfig({ workdir, env: { LIMIT: '2MiB' } }).storage
  }
  const wrong = (toml: string) => {
    try {
      read(toml)
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  expect(read('')).toEqual({
    enabled: true,
    file_size_limit: 52_428_800,
    buckets: {},
    image_transformation: { enabled: true },
  })
  const sizes = ['"1GB"', '"1.5 KiB"', '"7b"', '"12"', '12', '"env(LIMIT)"']
  expect(sizes.map((size) => read(`[storage]\nfile_size_limit = ${size}`).file_size_limit)).toEqual([
    ...[1_073_741_824, 1536, 7, 12, 12, 2_097_152],
  ])
  expect(wrong('[storage]\nfile_size_limit = "fifty"')[0]).toMatch(
    /\[storage\] file_size_limit is "fifty", but must be a size such as "50MiB"/,
  )
  expect(wrong('[storage.buckets.a]\npublic = 3')[0]).toMatch(
    /\[storage\.buckets\.a\] public is 3, but must be true/,
  )
  expect(wrong('[storage.buckets.a]\nobjects_path = "env(NOWHERE)"')[0]).toMatch(/NOWHERE, which is not set/)
  rmSync(workdir, { recursive: true })
})
