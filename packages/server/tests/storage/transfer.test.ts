// Moving, copying and removing objects through storage-js, within a bucket and between two.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  bareJson,
  bucketMissing,
  errorOf,
  keptFiles,
  makeBucket,
  objectMissing,
  openBucket,
  startStorage,
  taken,
} from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['east', 'west'] })

beforeAll(async () => {
  await makeBucket(service, 'narrow', { public: false, fileSizeLimit: 3, allowedMimeTypes: ['text/plain'] })
  await openBucket(server, 'narrow')
})

beforeEach(async () => {
  await service.storage.emptyBucket('east')
  await service.storage.emptyBucket('west')
  await grace.storage.from('east').upload('a.txt', 'wheat', { metadata: { field: 1 }, cacheControl: '9' })
})

const text = async (bucket: string, name: string) =>
  (await grace.storage.from(bucket).download(name)).data?.text()

describe('move', () => {
  test('gives an object another name and keeps the rest', async () => {
    const before = (await grace.storage.from('east').info('a.txt')).data
    const files = await keptFiles(server)
    const { data, error } = await grace.storage.from('east').move('a.txt', 'new/folder/b.txt')
    expect(error).toBeNull()
    expect(data).toEqual({
      message: 'Successfully moved',
      Id: before?.id,
      Key: 'east/new/folder/b.txt',
    })
    expect((await grace.storage.from('east').exists('a.txt')).data).toBe(false)
    const after = (await grace.storage.from('east').info('new/folder/b.txt')).data
    expect(after).toEqual({ ...before, name: 'new/folder/b.txt', lastModified: expect.any(String) })
    expect(await text('east', 'new/folder/b.txt')).toBe('wheat')
    expect(await keptFiles(server)).toEqual(files)
  })

  test('takes an object to another bucket', async () => {
    const { data } = await grace.storage.from('east').move('a.txt', 'a.txt', { destinationBucket: 'west' })
    expect(data).toMatchObject({ Key: 'west/a.txt' })
    expect(await text('west', 'a.txt')).toBe('wheat')
    expect((await grace.storage.from('east').exists('a.txt')).data).toBe(false)
  })

  test('onto itself changes nothing', async () => {
    expect((await grace.storage.from('east').move('a.txt', 'a.txt')).error).toBeNull()
    expect(await text('east', 'a.txt')).toBe('wheat')
  })

  test('is refused without an object, onto another one, and to nowhere', async () => {
    await grace.storage.from('east').upload('b.txt', 'barley')
    const from = grace.storage.from('east')
    expect(errorOf((await from.move('no.txt', 'c.txt')).error)).toEqual(objectMissing)
    expect(errorOf((await from.move('a.txt', 'b.txt')).error)).toEqual(taken)
    expect(errorOf((await from.move('a.txt', 'c.txt', { destinationBucket: 'nowhere' })).error)).toEqual(
      bucketMissing,
    )
    expect(errorOf((await grace.storage.from('nowhere').move('a.txt', 'c.txt')).error)).toEqual(bucketMissing)
    expect((await from.move('a.txt', '../c.txt')).error?.message).toBe('Invalid key: ../c.txt')
    expect(await text('east', 'a.txt')).toBe('wheat')
    expect(await text('east', 'b.txt')).toBe('barley')
  })

  test('is no way around the limits of the other bucket', async () => {
    const { error } = await grace.storage.from('east').move('a.txt', 'a.txt', { destinationBucket: 'narrow' })
    expect(error).toMatchObject({ statusCode: '413' })
    await grace.storage.from('east').upload('b.csv', 'x', { contentType: 'text/csv' })
    const typed = await grace.storage.from('east').move('b.csv', 'b.csv', { destinationBucket: 'narrow' })
    expect(typed.error).toMatchObject({ statusCode: '415' })
  })
})

describe('copy', () => {
  test('makes a second object with its own bytes', async () => {
    const { data, error } = await grace.storage.from('east').copy('a.txt', 'copies/a.txt')
    expect(error).toBeNull()
    expect(data).toEqual({ path: 'east/copies/a.txt' })
    const [first, second] = await Promise.all(
      ['a.txt', 'copies/a.txt'].map(async (name) => (await grace.storage.from('east').info(name)).data),
    )
    expect(second).toMatchObject({ size: 5, cacheControl: 'max-age=9', metadata: { field: 1 } })
    expect(second?.id).not.toBe(first?.id)
    expect(second?.version).not.toBe(first?.version)
    await grace.storage.from('east').remove(['a.txt'])
    expect(await text('east', 'copies/a.txt')).toBe('wheat')
  })

  test('goes to another bucket', async () => {
    const { data } = await grace.storage.from('east').copy('a.txt', 'b.txt', { destinationBucket: 'west' })
    expect(data).toEqual({ path: 'west/b.txt' })
    expect(await text('west', 'b.txt')).toBe('wheat')
    expect(await text('east', 'a.txt')).toBe('wheat')
  })

  test('is refused without an object, onto another one, and beyond limits; no bytes stay behind', async () => {
    const from = grace.storage.from('east')
    await from.upload('b.txt', 'barley')
    const files = await keptFiles(server)
    expect(errorOf((await from.copy('no.txt', 'c.txt')).error)).toEqual(objectMissing)
    expect(errorOf((await from.copy('a.txt', 'b.txt')).error)).toEqual(taken)
    expect(errorOf((await from.copy('a.txt', 'c.txt', { destinationBucket: 'nowhere' })).error)).toEqual(
      bucketMissing,
    )
    const { error } = await from.copy('a.txt', 'c.txt', { destinationBucket: 'narrow' })
    expect(error).toMatchObject({ statusCode: '413' })
    expect(await keptFiles(server)).toEqual(files)
  })

  test('replaces where it says so, and may describe itself anew', async () => {
    await grace.storage.from('east').upload('b.txt', 'barley')
    const files = (await keptFiles(server)).length
    const copied = await bareJson(
      server,
      '/object/copy',
      {
        bucketId: 'east',
        sourceKey: 'a.txt',
        destinationKey: 'b.txt',
        copyMetadata: false,
        metadata: { cacheControl: 'max-age=1', mimetype: 'text/markdown' },
      },
      {
        key: server.secretKey,
        headers: {
          'x-upsert': 'true',
          'x-metadata': Buffer.from('{"field":2}').toString('base64'),
        },
      },
    )
    expect(await copied.json()).toMatchObject({
      Id: expect.any(String),
      Key: 'east/b.txt',
      bucket_id: 'east',
    })
    expect((await grace.storage.from('east').info('b.txt')).data).toMatchObject({
      contentType: 'text/markdown',
      cacheControl: 'max-age=1',
      metadata: { field: 2 },
    })
    expect(await text('east', 'b.txt')).toBe('wheat')
    expect(await keptFiles(server)).toHaveLength(files)
  })
})

describe('remove', () => {
  test('takes many objects and answers with those that were there', async () => {
    const from = grace.storage.from('east')
    for (const name of ['b/c.txt', 'b/d.txt']) await from.upload(name, 'x')
    const files = (await keptFiles(server)).length
    const { data, error } = await from.remove(['a.txt', 'b/c.txt', 'no.txt', "it's.txt"])
    expect(error).toBeNull()
    expect(data?.map(({ name }) => name).sort()).toEqual(['a.txt', 'b/c.txt'])
    expect(data?.[0]).toMatchObject({
      id: expect.any(String),
      bucket_id: 'east',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_accessed_at: expect.any(String),
      metadata: expect.objectContaining({ size: expect.any(Number) }),
    })
    expect(await keptFiles(server)).toHaveLength(files - 2)
    expect((await from.list('b')).data?.map(({ name }) => name)).toEqual(['d.txt'])
    expect((await from.remove(['no.txt'])).data).toEqual([])
  })

  test('wants one to a thousand names', async () => {
    const { error } = await grace.storage.from('east').remove([])
    expect(errorOf(error)).toEqual({
      status: 400,
      statusCode: '400',
      message: 'body/prefixes must NOT have fewer than 1 items',
    })
    const many = await grace.storage.from('east').remove(Array.from({ length: 1001 }, (_, at) => `n${at}`))
    expect(many.error?.message).toBe('body/prefixes must NOT have more than 1000 items')
  })

  test('takes one by its address', async () => {
    const request = { method: 'DELETE', key: server.secretKey }
    const gone = await bareJson(server, '/object/east/a.txt', undefined, request)
    expect(await gone.json()).toEqual({ message: 'Successfully deleted' })
    const missing = await bareJson(server, '/object/east/a.txt', undefined, request)
    expect(await missing.json()).toEqual({
      statusCode: '404',
      error: 'not_found',
      message: 'Object not found',
    })
  })
})
