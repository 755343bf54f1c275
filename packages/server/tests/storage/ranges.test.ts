// Content over HTTP: whole, in parts, under conditions, to be saved or shown; against a file on disk and a real socket.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import type { Backend, ObjectVersion } from '../../src/storage/backend/backend.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'
import { representationOf, serve } from '../../src/storage/download/serve.ts'
import { type ServedTables, serveTables } from '../support/tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'meadowlark-ranges-'))
const bytes = randomBytes(100_000)
const modified = new Date('2026-02-03T04:05:06.789Z')
const types: Record<string, string> = {}
let backend: Backend
let served: ServedTables
let origin: string
const place: ObjectVersion = {
  bucket: 'photos',
  name: 'grace/a photo of “spring”.bin',
  version: randomUUID(),
}
const etag = `"${place.version.replaceAll('-', '')}"`

const FILM = 200_000_000

/** A file that tells how far it was read. */
class Film extends Readable {
  reached = 0
  override _read() {
    this.reached += 256 * 1024
    this.push(this.reached > FILM ? null : Buffer.alloc(256 * 1024))
  }
}
const film = new Film()

beforeAll(async () => {
  backend = await openDisk(folder)
  const stored = await backend.put(place, Readable.from([bytes]), {
    maxBytes: 1e9,
    contentType: 'image/png',
    cacheControl: 'max-age=60',
  })
  expect(stored.etag).toBe(etag)
  const routes: Route[] = [
    {
      method: 'GET',
      path: '/:type/:subtype',
      access: 'public',
      handler(request) {
        const { type, subtype } = request.params
        const mimetype = types[`${type}/${subtype}`] ?? `${type}/${subtype}`
        const metadata = {
          mimetype,
          size: bytes.length,
          eTag: etag,
          cacheControl: 'max-age=60',
          lastModified: modified.toISOString(),
        }
        const row = { bucket_id: place.bucket, name: place.name, version: place.version, metadata }
        const expires = request.query.get('expires')
        return serve(request, representationOf(row, backend), {
          download: request.query.get('download') ?? undefined,
          ...(expires && { expires: new Date(expires) }),
        })
      },
    },
    {
      method: 'GET',
      path: '/film',
      access: 'public',
      handler: (request) =>
        serve(request, {
          name: 'film.mp4',
          contentType: 'video/mp4',
          size: FILM,
          cacheControl: 'no-cache',
          robots: 'none',
          etag,
          lastModified: modified,
          open: async () => film,
        }),
    },
  ]
  served = await serveTables([{ name: 'files', mount: '', routes }])
  origin = served.url
})

afterAll(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

const get = (headers: Record<string, string> = {}, path = '/image/png', method = 'GET') =>
  fetch(origin + path, { headers, method })
const body = async (response: Response) => Buffer.from(await response.arrayBuffer())
const range = (value: string, more = {}) => get({ range: value, ...more })

test('whole, with everything that a cache and a player want to know', async () => {
  const response = await get()
  expect(response.status).toBe(200)
  expect((await body(response)).equals(bytes)).toBe(true)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'cache-control': 'max-age=60',
    'content-length': '100000',
    'content-type': 'image/png',
    etag,
    'last-modified': 'Tue, 03 Feb 2026 04:05:06 GMT',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'none',
  })
  expect(response.headers.has('content-disposition')).toBe(false)
})

test('HEAD tells the same and sends nothing', async () => {
  const response = await get({ range: 'bytes=0-9' }, '/image/png', 'HEAD')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe('100000')
  expect(response.headers.get('etag')).toBe(etag)
  expect(await body(response)).toHaveLength(0)
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=99999-', 99_999, 99_999],
    ['bytes=-1', 99_999, 99_999],
    ['bytes=-500', 99_500, 99_999],
    ['bytes=-999999', 0, 99_999],
    ['bytes=99990-200000', 99_990, 99_999],
    ['Bytes=5-9', 5, 9],
    ['bytes=0-10,5-20,21-30', 0, 30],
  ])('%s', async (value, start, end) => {
    const response = await range(value)
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/100000`)
    expect(response.headers.get('content-length')).toBe(String(end - start + 1))
    expect((await body(response)).equals(bytes.subarray(start, end + 1))).toBe(true)
  })

  test('any part of any two ends is that part', async () => {
    const ends = fc
      .tuple(fc.nat(99_999), fc.nat(99_999))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    await fc.assert(
      fc.asyncProperty(ends, async ([start, end]) => {
        const response = await range(`bytes=${start}-${end}`)
        return (await body(response)).equals(bytes.subarray(start, end + 1))
      }),
      { numRuns: 50 },
    )
  })

  test('several parts come as several', async () => {
    const response = await range('bytes=0-9, 50000-50099, -5')
    expect(response.status).toBe(206)
    const boundary = /^multipart\/byteranges; boundary=(.+)$/.exec(
      response.headers.get('content-type') ?? '',
    )?.[1]
    const text = await body(response)
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(response.headers.has('content-range')).toBe(false)
    const expected = [
      [0, 9],
      [50_000, 50_099],
      [99_995, 99_999],
    ].flatMap(([start = 0, end = 0]) => [
      Buffer.from(
        `\r\n--${boundary}\r\nContent-Type: image/png\r\nContent-Range: bytes ${start}-${end}/100000\r\n\r\n`,
      ),
      bytes.subarray(start, end + 1),
    ])
    expect(text.equals(Buffer.concat([...expected, Buffer.from(`\r\n--${boundary}--\r\n`)]))).toBe(true)
  })

  test('a range beyond the end is 416, with the size', async () => {
    for (const value of ['bytes=100000-', 'bytes=200000-300000', 'bytes=-0', 'bytes=100000-,-0']) {
      const response = await range(value)
      expect([value, response.status]).toEqual([value, 416])
      expect(response.headers.get('content-range')).toBe('bytes */100000')
      expect(await body(response)).toHaveLength(0)
    }
  })

  test('other units, and more parts than anybody reads, give the whole', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `${index * 3}-${index * 3}`).join(',')
    for (const value of ['lines=0-1', 'nonsense', `bytes=${many}`])
      expect((await range(value)).status).toBe(200)
  })

  test('If-Range: a part of this version, the whole of any other', async () => {
    const status = async (value: string) => (await range('bytes=0-9', { 'if-range': value })).status
    expect(await status(etag)).toBe(206)
    expect(await status(`W/${etag}`)).toBe(200)
    expect(await status('"another"')).toBe(200)
    expect(await status('Tue, 03 Feb 2026 04:05:06 GMT')).toBe(206)
    expect(await status('Tue, 03 Feb 2026 04:05:05 GMT')).toBe(200)
    expect(await status('nonsense')).toBe(200)
  })
})

describe('conditions', () => {
  const before = 'Tue, 03 Feb 2026 04:05:05 GMT'
  const exactly = 'Tue, 03 Feb 2026 04:05:06 GMT'
  test.each<[Record<string, string>, number]>([
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': '"x"', 'if-modified-since': exactly }, 200],
    [{ 'if-modified-since': exactly }, 304],
    [{ 'if-modified-since': before }, 200],
    [{ 'if-modified-since': 'nonsense' }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-match': etag, 'if-unmodified-since': before }, 200],
    [{ 'if-unmodified-since': exactly }, 200],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-match': '"x"', 'if-none-match': etag }, 412],
    [{ 'if-none-match': etag, range: 'bytes=0-9' }, 304],
  ])('%j is %i', async (headers, status) => {
    const response = await get(headers)
    expect(response.status).toBe(status)
    if (status === 304) {
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('cache-control')).toBe('max-age=60')
      expect(response.headers.has('content-length')).toBe(false)
    }
    expect(await body(response)).toHaveLength(status === 200 ? bytes.length : 0)
  })
})

describe('permissions of browsers', () => {
  test('saves under the name that is asked for, in any script', async () => {
    const name = async (query: string) =>
      (await get({}, `/image/png?${query}`, 'HEAD')).headers.get('content-disposition')
    expect(await name('download=')).toBe(
      `attachment; filename="a photo of ?spring?.bin"; filename*=UTF-8''a%20photo%20of%20%E2%80%9Cspring%E2%80%9D.bin`,
    )
    expect(await name('download=photo.png')).toBe('attachment; filename="photo.png"')
    expect(await name(`download=${encodeURIComponent('雪"\r\nx: y.png')}`)).toMatch(
      /^attachment; filename="[^\r\n]*"; filename\*=UTF-8''%E9%9B%AA%22%0D%0Ax%3A%20y\.png$/,
    )
  })

  test('content that could run is saved, and runs nowhere', async () => {
    types['x/broken'] = 'not a type'
    for (const path of [
      ...[
        '/text/html',
        '/image/svg+xml',
        '/application/xhtml+xml',
        '/text/xml',
        '/application/xml',
        '/text/javascript',
      ],
      ...[
        '/application/javascript',
        '/application/rss+xml',
        '/text/css',
        '/application/x-shockwave-flash',
        '/x/broken',
      ],
    ]) {
      const { headers } = await get({}, path, 'HEAD')
      expect([path, headers.get('content-disposition')]).toEqual([path, expect.stringMatching(/^attachment/)])
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-type')).not.toMatch(/html|javascript/)
    }
    // A picture on a page of ours is still a picture.
    expect((await get({}, '/image/svg+xml', 'HEAD')).headers.get('content-type')).toBe('image/svg+xml')
  })

  test('pictures, films and documents are shown', async () => {
    for (const path of [
      '/image/png',
      '/image/avif',
      '/video/mp4',
      '/audio/mpeg',
      '/application/pdf',
      '/text/plain',
    ])
      expect((await get({}, path, 'HEAD')).headers.get('content-disposition')).toBe(null)
  })

  test('a signed address says when it runs out instead of how long to keep it', async () => {
    const { headers } = await get({}, '/image/png?expires=2026-03-01T00:00:00Z')
    expect(headers.get('expires')).toBe('Sun, 01 Mar 2026 00:00:00 GMT')
    expect(headers.get('cache-control')).toBe(null)
  })
})

test('nothing is read ahead of a slow reader, and one that goes away closes the file', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${origin}/film`, resolve).on('error', reject).end()
  })
  response.pause()
  // The server has had its turns to read on: it answered others meanwhile.
  for (let turn = 0; turn < 50; turn++) await (await get()).arrayBuffer()
  expect(film.reached).toBeLessThan(FILM / 4)
  expect(film.destroyed).toBe(false)
  response.destroy()
  await expect.poll(() => film.destroyed).toBe(true)
})
