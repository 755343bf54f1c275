// The contract of every backend, tested with the disk and S3; then the disk's own behaviour.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Backend, Missing, type ObjectVersion, TooLarge } from '../../src/storage/backend/backend.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'
import { openS3 } from '../../src/storage/backend/s3.ts'
import { type ObjectStore, startObjectStore } from './object-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'meadowlark-backend-'))
const options = { maxBytes: 64 * 1024 * 1024, contentType: 'text/plain', cacheControl: 'max-age=3600' }
let store: ObjectStore

beforeAll(async () => {
  store = await startObjectStore()
})

afterAll(async () => {
  await store.stop()
  rmSync(folder, { recursive: true, force: true })
})

const place = (name = 'grace/face.png', bucket = 'profile-photos'): ObjectVersion => ({
  bucket,
  name,
  version: randomUUID(),
})

const kinds: [string, () => Promise<Backend>][] = [
  ['disk', () => openDisk(join(folder, 'shared'))],
  ['S3', () => openS3(store.settings, { maxCopyBytes: 6 * 1024 * 1024 })],
]

describe.each(kinds)('on %s', (_, open) => {
  let backend: Backend

  beforeAll(async () => {
    backend = await open()
  })

  afterAll(() => backend.close?.())

  const read = async (at: ObjectVersion, range?: { start: number; end: number }) =>
    buffer((await backend.get(at, range)).body)

  test('gives back what it was given', async () => {
    const at = place()
    const bytes = randomBytes(300_000)
    const stored = await backend.put(at, Readable.from([bytes]), options)
    expect(stored).toMatchObject({ size: bytes.length, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) })
    expect(Math.abs(stored.lastModified.getTime() - Date.now())).toBeLessThan(5000)
    const { body, size } = await backend.get(at)
    expect(size).toBe(bytes.length)
    expect((await buffer(body)).equals(bytes)).toBe(true)
  })

  test('takes a web stream and an empty body', async () => {
    const [first, second] = [place(), place()]
    await backend.put(first, new Blob(['hello ', 'Theo']).stream() as never, options)
    expect((await read(first)).toString()).toBe('hello Theo')
    expect(await backend.put(second, Readable.from([]), options)).toMatchObject({ size: 0 })
    expect(await read(second)).toHaveLength(0)
  })

  test('gives a part, with the size of the whole', async () => {
    const at = place()
    await backend.put(at, Readable.from([Buffer.from('0123456789')]), options)
    const { body, size } = await backend.get(at, { start: 2, end: 4 })
    expect((await buffer(body)).toString()).toBe('234')
    expect(size).toBe(10)
    expect((await read(at, { start: 9, end: 9 })).toString()).toBe('9')
  })

  test('takes 20 MB in many chunks, and copies it', async () => {
    const [at, other] = [place(), place()]
    const bytes = randomBytes(20 * 1024 * 1024)
    const chunks = Array.from({ length: 320 }, (_, i) => bytes.subarray(i * 65_536, (i + 1) * 65_536))
    await backend.put(at, Readable.from(chunks), options)
    const copied = await backend.copy(at, other)
    expect(copied.size).toBe(bytes.length)
    await backend.remove([at])
    expect((await read(other)).equals(bytes)).toBe(true)
  })

  test('copies a small file', async () => {
    const [at, other] = [place(), place('another/name.txt', 'other-bucket')]
    await backend.put(at, Readable.from([Buffer.from('once')]), options)
    const copied = await backend.copy(at, other)
    expect(copied.size).toBe(4)
    expect(copied.etag).not.toBe('')
    expect((await read(other)).toString()).toBe('once')
  })

  test('refuses one byte more than is allowed and keeps nothing', async () => {
    const [exact, over] = [place(), place()]
    await backend.put(exact, Readable.from([Buffer.alloc(1000)]), { ...options, maxBytes: 1000 })
    const body = Readable.from([Buffer.alloc(600), Buffer.alloc(401)])
    await expect(backend.put(over, body, { ...options, maxBytes: 1000 })).rejects.toBeInstanceOf(TooLarge)
    await expect(backend.get(over)).rejects.toBeInstanceOf(Missing)
  })

  test('keeps nothing of an upload that breaks off', async () => {
    const at = place()
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000)
        await sleep(20)
        throw new Error('the line went dead')
      })(),
    )
    await expect(backend.put(at, body, options)).rejects.toThrow('the line went dead')
    await expect(backend.get(at)).rejects.toBeInstanceOf(Missing)
    const gone = Readable.from([Buffer.alloc(10)])
    gone.destroy()
    await expect(backend.put(at, gone, options)).rejects.toThrow()
  })

  test('says that a file is missing', async () => {
    await expect(backend.get(place())).rejects.toBeInstanceOf(Missing)
    await expect(backend.copy(place(), place())).rejects.toBeInstanceOf(Missing)
  })

  test('removes many, of which some are not there', async () => {
    const kept = place()
    const gone = [place(), place(), place()]
    for (const at of [kept, ...gone]) await backend.put(at, Readable.from([Buffer.from('x')]), options)
    await backend.remove([...gone, place()])
    for (const at of gone) await expect(backend.get(at)).rejects.toBeInstanceOf(Missing)
    expect((await read(kept)).toString()).toBe('x')
    await backend.remove([])
  })

  test('lists what it keeps, with when', async () => {
    const at = place()
    await backend.put(at, Readable.from([Buffer.from('x')]), options)
    const copy = place()
    await backend.copy(at, copy)
    const listed = new Map<string, Date>()
    for await (const { version, lastModified } of backend.list?.() ?? []) listed.set(version, lastModified)
    for (const { version } of [at, copy])
      expect(Math.abs(Number(listed.get(version)) - Date.now())).toBeLessThan(5000)
  })

  test('any name does: long, with dots, slashes, control characters, differing in case', async () => {
    const names = [
      '../../../etc/passwd',
      'a'.repeat(1024),
      'Face.PNG',
      'face.png',
      'con',
      'a\0b',
      '雪/❄️',
      '/',
      '..',
    ]
    const places = names.map((name) => place(name, '../bucket'))
    for (const at of places) await backend.put(at, Readable.from([Buffer.from(at.name)]), options)
    for (const at of places) expect((await read(at)).toString()).toBe(at.name)
  })

  test('a version that is no version reaches no file', async () => {
    for (const version of [
      '',
      '..',
      '../../keys.json',
      'objects',
      `${randomUUID()}/x`,
      randomUUID().toUpperCase(),
    ]) {
      const at = { ...place(), version }
      await expect(backend.get(at)).rejects.toBeInstanceOf(Missing)
      await expect(backend.copy(at, place())).rejects.toBeInstanceOf(Missing)
      await expect(backend.put(at, Readable.from([]), options)).rejects.toThrow('is not a version')
      await backend.remove([at])
    }
  })
})

describe('on disk only', () => {
  const isObject = (name: string) => /^objects\/..\/./.test(name)
  const everything = (root: string) => readdirSync(root, { recursive: true, encoding: 'utf8' })

  test('nothing half written is ever under a name, and it is gone after the next start', async () => {
    const root = join(folder, 'interrupted')
    const backend = await openDisk(root)
    const body = new Readable({ read() {} })
    const put = backend.put(place(), body, options)
    body.push(Buffer.alloc(200_000))
    await expect.poll(() => everything(root).filter((name) => name.startsWith('incoming/'))).toHaveLength(1)
    expect(everything(root).filter(isObject)).toEqual([])
    // Files of a killed server are there at the next start.
    await openDisk(root)
    expect(everything(root).filter((name) => name.startsWith('incoming/'))).toEqual([])
    body.destroy()
    await expect(put).rejects.toThrow()
  })

  test('a failed upload leaves no file behind', async () => {
    const root = join(folder, 'failed')
    const backend = await openDisk(root)
    const body = Readable.from([Buffer.alloc(100)])
    await expect(backend.put(place(), body, { ...options, maxBytes: 1 })).rejects.toBeInstanceOf(TooLarge)
    expect(everything(root).filter((name) => isObject(name) || /^(incoming|resumable)\//.test(name))).toEqual(
      [],
    )
  })
})

test('an S3 that cannot be used is named when the server starts', async () => {
  await expect(openS3({ ...store.settings, bucket: 'nobody' })).rejects.toThrow(
    /^S3_BUCKET: the bucket "nobody"/,
  )
  await expect(openS3({ ...store.settings, endpoint: 'http://127.0.0.1:1' })).rejects.toThrow(/^S3_BUCKET:/)
})
