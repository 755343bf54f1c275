// Each operation upon an object by the policy it needs, alone and together, and what policies can ask of it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  bareJson,
  errorOf,
  forbidden,
  keptFiles,
  makeBucket,
  migrate,
  objectMissing,
  startStorage,
} from './storage.ts'

const { server, service, grace } = await startStorage()

beforeAll(async () => {
  await makeBucket(service, 'plot')
  await makeBucket(service, 'other')
})

beforeEach(async () => {
  await service.storage.emptyBucket('plot')
  await service.storage.emptyBucket('other')
  await service.storage.from('plot').upload('there.txt', 'there')
  await grant()
})

type Verb = 'select' | 'insert' | 'update' | 'delete'

/** Exactly these policies for whoever is signed in, on both buckets. */
async function grant(...verbs: Verb[]): Promise<void> {
  const clause = { select: 'using', delete: 'using', insert: 'with check', update: 'using' }
  await migrate(
    server,
    (['select', 'insert', 'update', 'delete'] as const)
      .map(
        (verb) => `drop policy if exists "may ${verb}" on storage.objects;
          ${verbs.includes(verb) ? `create policy "may ${verb}" on storage.objects for ${verb} to authenticated ${clause[verb]} (bucket_id in ('plot', 'other'));` : ''}`,
      )
      .join('\n'),
  )
}

const plot = () => grace.storage.from('plot')

/** Every operation, the policies it needs, and what it comes to without them. */
const operations: [string, Verb[], () => Promise<{ error: unknown; data: unknown }>, unknown][] = [
  ['upload', ['insert'], () => plot().upload('new.txt', 'new'), forbidden],
  [
    'upload over another',
    ['select', 'insert', 'update'],
    () => plot().upload('there.txt', 'new', { upsert: true }),
    forbidden,
  ],
  ['update', ['select', 'insert', 'update'], () => plot().update('there.txt', 'new'), forbidden],
  ['download', ['select'], () => plot().download('there.txt'), objectMissing],
  ['info', ['select'], () => plot().info('there.txt'), objectMissing],
  ['createSignedUrl', ['select'], () => plot().createSignedUrl('there.txt', 60), objectMissing],
  ['createSignedUploadUrl', ['insert'], () => plot().createSignedUploadUrl('new.txt'), forbidden],
  ['move', ['select', 'update'], () => plot().move('there.txt', 'moved.txt'), objectMissing],
  [
    'move to another bucket',
    ['select', 'update'],
    () => plot().move('there.txt', 'moved.txt', { destinationBucket: 'other' }),
    objectMissing,
  ],
]

describe.each(operations)('%s', (_name, needed, operation, without) => {
  test(`needs ${needed.join(' and ')}`, async () => {
    const refused = await operation()
    expect(errorOf(refused.error)).toEqual(without)
    for (const left of needed) {
      await grant(...needed.filter((verb) => verb !== left))
      expect((await operation()).error).not.toBeNull()
    }
    await grant(...needed)
    expect((await operation()).error).toBeNull()
  })
})

test('copy needs to read the one and to put the other', async () => {
  const copy = () => plot().copy('there.txt', 'copied.txt', { destinationBucket: 'other' })
  expect(errorOf((await copy()).error)).toEqual(objectMissing)
  await grant('select')
  expect(errorOf((await copy()).error)).toEqual(forbidden)
  await grant('insert')
  expect(errorOf((await copy()).error)).toEqual(objectMissing)
  await grant('select', 'insert')
  expect((await copy()).error).toBeNull()
  // No byte is moved for somebody who may not: that they are lost does not even show.
  const { dataDir } = server.services.config
  for (const version of await keptFiles(server)) {
    rmSync(join(dataDir, 'storage', 'objects', version.slice(0, 2), version))
  }
  await grant('select')
  expect(errorOf((await copy()).error)).toEqual(forbidden)
  await grant('select', 'insert')
  await service.storage.emptyBucket('other')
  expect(errorOf((await copy()).error)).toEqual(objectMissing)
})

test('remove needs to see and to delete; what may not go is left out of the answer and stays', async () => {
  const remove = async () => (await plot().remove(['there.txt'])).data?.length
  expect(await remove()).toBe(0)
  await grant('delete')
  expect(await remove()).toBe(0)
  await grant('select')
  expect(await remove()).toBe(0)
  expect(await (await service.storage.from('plot').download('there.txt')).data?.text()).toBe('there')
  await grant('select', 'delete')
  expect(await remove()).toBe(1)
})

test('emptying a bucket names what may not go, and takes nothing then', async () => {
  await migrate(
    server,
    `create policy "sees buckets" on storage.buckets for select to authenticated using (true)`,
  )
  await grant('select')
  const { error } = await grace.storage.emptyBucket('plot')
  expect(errorOf(error)).toEqual({
    status: 400,
    statusCode: '403',
    message: 'Cannot delete: there.txt, you may have SELECT but not DELETE permissions',
  })
  expect((await service.storage.from('plot').exists('there.txt')).data).toBe(true)
  await grant('select', 'delete')
  expect((await grace.storage.emptyBucket('plot')).error).toBeNull()
})

test('a refused upload leaves neither row nor bytes, whether its place was taken or not', async () => {
  const files = await keptFiles(server)
  for (const name of ['new.txt', 'there.txt']) {
    for (const upsert of [false, true]) {
      expect(errorOf((await plot().upload(name, 'x'.repeat(200_000), { upsert })).error)).toEqual(forbidden)
    }
  }
  expect(await keptFiles(server)).toEqual(files)
})

test('policies see who asks, for what operation, with which headers, and what is to be stored', async () => {
  await migrate(
    server,
    `create policy "asks everything" on storage.objects for insert to authenticated with check (
       bucket_id = 'plot'
       and storage.operation() = 'storage.object.upload'
       and storage.allow_only_operation('object.upload')
       and owner_id = (select auth.uid())::text
       and owner = (select auth.uid())
       and auth.role() = 'authenticated'
       and current_setting('request.method', true) = 'POST'
       and current_setting('request.headers', true)::json ->> 'x-client-info' like 'supabase-js%'
       and storage.extension(name) = 'png' and storage.filename(name) = 'p.png'
       and storage.foldername(name) = array['a', 'b']
       and metadata ->> 'mimetype' = 'image/png'
       and (metadata ->> 'size')::int < 100
       and user_metadata ->> 'crop' = 'flax')`,
  )
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const options = { contentType: 'image/png', metadata: { crop: 'flax' } }
  expect((await plot().upload('a/b/p.png', png, options)).error).toBeNull()
  expect(errorOf((await plot().upload('a/b/p.jpg', png, options)).error)).toEqual(forbidden)
  expect(errorOf((await plot().upload('a/p.png', png, options)).error)).toEqual(forbidden)
  const other = { ...options, metadata: { crop: 'oats' } }
  expect(errorOf((await plot().upload('a/b/p.png', png, other)).error)).toEqual(forbidden)
  const signed = await plot().createSignedUploadUrl('a/b/p.png')
  expect(errorOf(signed.error)).toEqual(forbidden)
  await migrate(server, `drop policy "asks everything" on storage.objects`)
})

test('a refusal of a project’s own trigger is reported in its words, and leaves no bytes', async () => {
  await migrate(
    server,
    `create function public.only_two() returns trigger language plpgsql security definer as $$
       begin
         if (select count(*) from storage.objects where bucket_id = new.bucket_id) >= 2 then
           raise exception 'Two files are enough';
         end if;
         return new;
       end $$;
     create trigger only_two before insert on storage.objects for each row execute function public.only_two();`,
  )
  await grant('insert')
  const files = (await keptFiles(server)).length
  expect((await plot().upload('second.txt', '2')).error).toBeNull()
  expect(errorOf((await plot().upload('third.txt', '3')).error)).toEqual({
    status: 400,
    statusCode: '400',
    message: 'Two files are enough',
  })
  expect(await keptFiles(server)).toHaveLength(files + 1)
  await migrate(server, 'drop trigger only_two on storage.objects')
})

test.each([
  ['55P03', { status: 400, statusCode: '423', message: 'The resource is locked' }],
  ['40P01', { status: 400, statusCode: '423', message: 'The resource is locked' }],
  ['57014', { status: 544, statusCode: '544', message: 'The connection to the database timed out' }],
  ['25006', { status: 503, statusCode: '503', message: expect.stringMatching(/read-only mode/) }],
  ['22023', { status: 400, statusCode: '400', message: 'as the database says it' }],
  ['23514', { status: 400, statusCode: '400', message: 'as the database says it' }],
])('a refusal of the database as %s is reported as such', async (code, rejection) => {
  await migrate(
    server,
    `create or replace function public.refuse() returns trigger language plpgsql as $$
       begin
         if current_setting('statement_timeout') <> '30s' or current_setting('lock_timeout') <> '10s' then
           raise exception 'nobody waits for ever';
         end if;
         raise exception 'as the database says it' using errcode = '${code}';
       end $$;
     create trigger refuse before insert on storage.objects for each row execute function public.refuse();`,
  )
  await grant('insert')
  const { error } = await plot().upload('refused.txt', 'x')
  await migrate(server, 'drop trigger refuse on storage.objects')
  expect(errorOf(error)).toEqual(rejection)
})

test('a role of a project’s own works under its policies', async () => {
  await migrate(
    server,
    `create role archivist nologin;
     grant archivist to authenticator;
     grant usage on schema storage to archivist;
     grant all on storage.objects to archivist;
     create policy "archives" on storage.objects to archivist using (bucket_id = 'plot')`,
  )
  try {
    const token = await server.services.keys.sign({
      role: 'archivist',
      sub: 'archive 7',
      exp: Math.floor(Date.now() / 1000) + 60,
    })
    const request = { key: null, headers: { authorization: `Bearer ${token}` } }
    const list = await bareJson(server, '/object/list/plot', { prefix: '' }, request)
    expect(await list.json()).toEqual([expect.objectContaining({ name: 'there.txt' })])
    const move = { bucketId: 'plot', sourceKey: 'there.txt', destinationKey: 'kept.txt' }
    expect((await bareJson(server, '/object/move', move, request)).status).toBe(200)
    const { rows } = await server.database.pool.query(
      `select owner, owner_id from storage.objects where name = 'kept.txt'`,
    )
    // A subject that is no UUID owns by owner_id.
    expect(rows).toEqual([{ owner: null, owner_id: 'archive 7' }])
  } finally {
    // The role goes with the run's cluster.
    await migrate(server, `drop policy "archives" on storage.objects`)
  }
})

test('the Data API does not reach storage’s tables', async () => {
  const { error } = await service
    .schema('storage' as never)
    .from('objects')
    .select()
  expect(error?.code).toBe('PGRST106')
})
