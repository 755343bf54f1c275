// Buckets through storage-js: make, read, list, change, empty, delete; what is refused, and by whose right.
import { describe, expect, test } from 'vitest'
import { signedIn, stranger } from '../support/people.ts'
import {
  bare,
  bareJson,
  bucketMissing,
  errorOf,
  forbidden,
  keptFiles,
  makeBucket,
  migrate,
  startStorage,
  taken,
} from './storage.ts'

const { server, service, grace } = await startStorage()

describe('a bucket', () => {
  test('is made, read, changed and deleted', async () => {
    const made = await service.storage.createBucket('meadow', {
      public: true,
      fileSizeLimit: '20MB',
      allowedMimeTypes: ['image/*', 'text/plain'],
    })
    expect(made).toEqual({ data: { name: 'meadow' }, error: null })

    const { data } = await service.storage.getBucket('meadow')
    expect(data).toEqual({
      id: 'meadow',
      name: 'meadow',
      owner: '',
      public: true,
      file_size_limit: 20_000_000,
      allowed_mime_types: ['image/*', 'text/plain'],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.any(String),
    })

    const changed = await service.storage.updateBucket('meadow', { public: false, fileSizeLimit: null })
    expect(changed).toEqual({ data: { message: 'Successfully updated' }, error: null })
    const after = await service.storage.getBucket('meadow')
    expect(after.data).toMatchObject({
      public: false,
      file_size_limit: null,
      allowed_mime_types: ['image/*', 'text/plain'],
    })

    const deleted = await service.storage.deleteBucket('meadow')
    expect(deleted).toEqual({ data: { message: 'Successfully deleted' }, error: null })
    expect(errorOf((await service.storage.getBucket('meadow')).error)).toEqual(bucketMissing)
  })

  test('has one name', async () => {
    await makeBucket(service, 'fence')
    expect(errorOf((await service.storage.createBucket('fence')).error)).toEqual(taken)
  })

  test.each(['', 'a/b', 'ä', 'x'.repeat(101), 'tab\t', '..', 'a%b', 'a"b', 'a<b'])(
    'cannot be called %j',
    async (name) => {
      const { error } = await service.storage.createBucket(name)
      expect(errorOf(error)).toEqual({ status: 400, statusCode: '400', message: 'Bucket name invalid' })
    },
  )

  test.each([
    ['fileSizeLimit', '20 feet', '400', 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B'],
    ['fileSizeLimit', '20GB', '413', 'The object exceeded the maximum allowed size'],
    ['fileSizeLimit', -1, '400', 'body/file_size_limit must be >= 0'],
    ['allowedMimeTypes', ['pictures'], '415', 'mime type pictures is not supported'],
  ])('refuses %s %j', async (setting, value, statusCode, message) => {
    const { error } = await service.storage.createBucket('odd', { public: false, [setting]: value })
    expect(errorOf(error)).toEqual({ status: 400, statusCode, message })
  })

  test('of a kind that is not served is refused in words, however it is asked for', async () => {
    const { storage } = service
    const refused = (feature: string) => ({
      status: 400,
      statusCode: '409',
      message: `The feature ${feature} is not enabled here: this server keeps files, in buckets of type STANDARD`,
    })
    const lake = await storage.createBucket('lake', { public: false, type: 'ANALYTICS' })
    expect(errorOf(lake.error)).toEqual(refused('bucket type ANALYTICS'))
    const vectors = storage.vectors.from('maps').index('fields')
    for (const { error } of [
      await storage.vectors.createBucket('maps'),
      await storage.vectors.listBuckets(),
      await vectors.queryVectors({ queryVector: { float32: [1] } }),
    ]) {
      expect(errorOf(error)).toEqual(refused('vector buckets'))
    }
    for (const { error } of [
      await storage.analytics.createBucket('lake'),
      await storage.analytics.listBuckets(),
      await storage.analytics.deleteBucket('lake'),
    ]) {
      expect(errorOf(error)).toEqual(refused('analytics buckets'))
    }
    const { error } = await storage.analytics.from('lake').listNamespaces()
    expect(error).toMatchObject({ status: 409, message: refused('analytics buckets').message })
    const s3 = await bare(server, '/s3/bucket/key')
    expect(s3.status).toBe(400)
    expect(await s3.text()).toContain('<Code>NotImplemented</Code><Message>This server does not speak the S3')
  })

  test('that is missing is reported', async () => {
    for (const { error } of [
      await service.storage.getBucket('nowhere'),
      await service.storage.updateBucket('nowhere', { public: true }),
      await service.storage.emptyBucket('nowhere'),
      await service.storage.deleteBucket('nowhere'),
      await service.storage.purgeBucketCache('nowhere'),
    ]) {
      expect(errorOf(error)).toEqual(bucketMissing)
    }
  })

  test('that holds something is emptied first; its files go too', async () => {
    await makeBucket(service, 'barn')
    const before = (await keptFiles(server)).length
    for (let count = 0; count < 4; count++) {
      await service.storage.from('barn').upload(`hay/${count}.txt`, 'straw')
    }
    expect(await keptFiles(server)).toHaveLength(before + 4)
    expect(errorOf((await service.storage.deleteBucket('barn')).error)).toEqual({
      status: 400,
      statusCode: '409',
      message: 'The bucket you tried to delete is not empty',
    })
    const emptied = await service.storage.emptyBucket('barn')
    expect(emptied).toEqual({
      data: { message: 'Empty bucket has been queued. Completion may take up to an hour.' },
      error: null,
    })
    expect(await keptFiles(server)).toHaveLength(before)
    expect((await service.storage.deleteBucket('barn')).error).toBeNull()
  })

  test('has no cache between it and the browser: purging is for the service, and does nothing', async () => {
    await makeBucket(service, 'quick')
    await service.storage.from('quick').upload('a.txt', 'a')
    expect(await service.storage.purgeBucketCache('quick')).toEqual({
      data: { message: 'success' },
      error: null,
    })
    expect((await service.storage.from('quick').purgeCache('a.txt')).data).toEqual({ message: 'success' })
    expect((await service.storage.from('quick').purgeCache('b.txt')).error).toMatchObject({
      statusCode: '404',
    })
    for (const refused of [
      await grace.storage.purgeBucketCache('quick'),
      await grace.storage.from('quick').purgeCache('a.txt'),
    ]) {
      expect(refused.error).toMatchObject({ statusCode: '403' })
    }
  })
})

test('buckets are listed, sorted, searched and paged', async () => {
  for (const id of ['list-a', 'list-b', 'list-c']) await makeBucket(service, id)
  const names = async (options: Parameters<typeof service.storage.listBuckets>[0]) =>
    (await service.storage.listBuckets(options)).data?.map(({ id }) => id)
  expect(await names({ search: 'LIST-' })).toEqual(['list-a', 'list-b', 'list-c'])
  expect(await names({ search: 'list-', sortColumn: 'name', sortOrder: 'desc', limit: 2 })).toEqual([
    'list-c',
    'list-b',
  ])
  expect(await names({ search: 'list-', sortColumn: 'created_at', limit: 1, offset: 1 })).toEqual(['list-b'])
  expect((await service.storage.listBuckets()).data?.length).toBeGreaterThan(3)
  const { error } = await service.storage.listBuckets({ limit: -1 })
  expect(errorOf(error)).toEqual({
    status: 400,
    statusCode: '400',
    message: 'querystring/limit must be >= 0',
  })
})

describe('rights', () => {
  test('nobody but the service has any, until a policy says so', async () => {
    await makeBucket(service, 'closed')
    expect(errorOf((await grace.storage.createBucket('mine')).error)).toEqual(forbidden)
    expect(errorOf((await grace.storage.getBucket('closed')).error)).toEqual(bucketMissing)
    expect(errorOf((await grace.storage.updateBucket('closed', { public: true })).error)).toEqual(
      bucketMissing,
    )
    expect(errorOf((await grace.storage.deleteBucket('closed')).error)).toEqual(bucketMissing)
    expect((await grace.storage.listBuckets()).data).toEqual([])
    expect((await stranger(server).storage.listBuckets()).data).toEqual([])
  })

  test('policies on storage.buckets give it, operation by operation', async () => {
    await migrate(
      server,
      `create policy "makes" on storage.buckets for insert to authenticated with check (name like 'grace-%');
       create policy "sees" on storage.buckets for select to authenticated using (owner_id = (select auth.uid())::text);
       create policy "changes" on storage.buckets for update to authenticated using (name like 'grace-%');`,
    )
    expect((await grace.storage.createBucket('grace-photos')).error).toBeNull()
    expect(errorOf((await grace.storage.createBucket('photos')).error)).toEqual(forbidden)
    const { data } = await grace.storage.listBuckets()
    expect(data?.map(({ id, owner }) => [id, owner.length])).toEqual([['grace-photos', 36]])
    expect((await grace.storage.updateBucket('grace-photos', { public: true })).error).toBeNull()
    // There is none for deleting.
    expect(errorOf((await grace.storage.deleteBucket('grace-photos')).error)).toEqual(bucketMissing)
    const theo = await signedIn(server, 'theo')
    expect((await theo.storage.listBuckets()).data).toEqual([])
  })

  test('a bad token is refused in storage’s own words, and so is none', async () => {
    const request = (headers: Record<string, string>) =>
      bareJson(server, '/bucket', { name: 'x' }, { key: null, headers }).then((answer) => answer.json())
    expect(await request({ authorization: 'Bearer nonsense' })).toEqual({
      statusCode: '403',
      error: 'Unauthorized',
      message: 'Invalid Compact JWS',
    })
    const token = await server.services.keys.sign({ role: 'authenticated', exp: 1_700_000_000 })
    expect(await request({ authorization: `Bearer ${token}` })).toMatchObject({
      statusCode: '403',
      message: '"exp" claim timestamp check failed',
    })
    expect(await request({})).toEqual({
      statusCode: '400',
      error: 'Error',
      message: "headers must have required property 'authorization'",
    })
  })

  test('a token cannot make its bearer more than the API may be', async () => {
    await makeBucket(service, 'locked')
    for (const role of ['postgres', 'supabase_admin', 'supabase_storage_admin', 'no such role']) {
      const token = await server.services.keys.sign({ role, exp: Math.floor(Date.now() / 1000) + 60 })
      const as = { key: null, headers: { authorization: `Bearer ${token}` } }
      for (const answer of [
        await bareJson(server, '/bucket', { name: `of ${role}` }, as),
        await bareJson(server, '/object/locked/x.json', {}, as),
      ]) {
        expect(answer.status).toBe(400)
        expect(await answer.json()).toMatchObject({ statusCode: '403' })
      }
    }
  })
})
