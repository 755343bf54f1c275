// The whole service with its bytes in S3: what storage-js does is the same as over a disk, and so is what is left.
import { randomBytes } from 'node:crypto'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startObjectStore } from './object-store.ts'
import { keptFiles, makeBucket, startStorage } from './storage.ts'

const store = await startObjectStore()
const { endpoint, region, credentials, forcePathStyle } = store.settings
const s3 = new S3Client({
  region,
  forcePathStyle,
  ...(endpoint && { endpoint }),
  ...(credentials && { credentials }),
})
const { server, service } = await startStorage({ env: store.env })
const barn = () => service.storage.from('barn')

beforeAll(() => makeBucket(service, 'barn', { public: true }))
afterAll(async () => {
  s3.destroy()
  await store.stop()
})

const keys = async () =>
  ((await s3.send(new ListObjectsV2Command({ Bucket: store.settings.bucket }))).Contents ?? []).map(
    ({ Key }) => Key,
  )

test('an object goes up, down, in part, elsewhere and away', async () => {
  const bytes = randomBytes(12_000_000)
  expect((await barn().upload('hay/bale.bin', bytes, { contentType: 'application/x-hay' })).error).toBe(null)
  const down = await barn().download('hay/bale.bin')
  expect(Buffer.from((await down.data?.arrayBuffer()) as ArrayBuffer).equals(bytes)).toBe(true)
  const { publicUrl } = barn().getPublicUrl('hay/bale.bin').data
  const part = await fetch(publicUrl, { headers: { range: 'bytes=1000-1999' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/12000000'])
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)

  expect((await barn().copy('hay/bale.bin', 'copy.bin')).error).toBe(null)
  expect((await barn().move('hay/bale.bin', 'moved.bin')).error).toBe(null)
  expect((await barn().upload('moved.bin', 'straw', { upsert: true })).error).toBe(null)
  expect(await (await barn().download('moved.bin')).data?.text()).toBe('straw')
  expect((await barn().info('copy.bin')).data?.size).toBe(bytes.length)
  expect(await keys()).toHaveLength(2)
  expect((await barn().remove(['moved.bin', 'copy.bin'])).data).toHaveLength(2)
  expect(await keys()).toEqual([])
  expect(await keptFiles(server)).toEqual([])
})

test('a file says in S3 what it is', async () => {
  await barn().upload('note.txt', 'hello', { contentType: 'text/plain', cacheControl: '60' })
  const [Key] = await keys()
  const found = await s3.send(new GetObjectCommand({ Bucket: store.settings.bucket, Key }))
  expect([found.ContentType, found.CacheControl, await found.Body?.transformToString()]).toEqual([
    ...['text/plain', 'max-age=60', 'hello'],
  ])
  await barn().remove(['note.txt'])
})

test('a refused upload leaves nothing', async () => {
  await makeBucket(service, 'small', { public: false, fileSizeLimit: 1000 })
  const { error } = await service.storage.from('small').upload('x', new Blob([new Uint8Array(2000)]))
  expect(error?.message).toBe('The object exceeded the maximum allowed size')
  expect(await keys()).toEqual([])
})

test('pictures are made of the stored bytes', async () => {
  const field = { create: { width: 100, height: 50, channels: 3 as const, background: 'gold' } }
  await barn().upload('field.png', await sharp(field).png().toBuffer(), { contentType: 'image/png' })
  const { data } = await barn().download('field.png', { transform: { width: 20 } })
  expect(await sharp(Buffer.from((await data?.arrayBuffer()) as ArrayBuffer)).metadata()).toMatchObject({
    width: 20,
    height: 10,
  })
  // Somebody else has taken the file away.
  await server.database.pool.query(
    `update storage.objects set version = gen_random_uuid() where name = 'field.png'`,
  )
  expect((await barn().download('field.png')).error?.message).toBe('Object not found')
  expect((await barn().download('field.png', { transform: { width: 21 } })).error?.message).toBe(
    'Object not found',
  )
})
