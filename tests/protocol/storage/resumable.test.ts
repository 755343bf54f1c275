// Resumable uploads through tus-js-client, and the tus protocol by hand where the client would not go: on the disk and
// in S3 alike.
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SupabaseClient } from '@supabase/supabase-js'
import sharp from 'sharp'
import { Upload, type UploadOptions } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepUploads } from '../../../server/storage/resumable/sweep.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type ObjectStore, startObjectStore } from './object-store.ts'
import { keptFiles, makeBucket, migrate, openBucket } from './storage.ts'

/** As Supabase's documentation has it. */
const CHUNK = 6 * 1024 * 1024
const MEBIBYTE = 1024 * 1024

let store: ObjectStore

beforeAll(async () => {
  store = await startObjectStore()
})
afterAll(() => store.stop())

const tokenOf = async (client: SupabaseClient) =>
  (await client.auth.getSession()).data.session?.access_token as string

describe.each([
  ['disk', false],
  ['S3', true],
] as const)('on %s', (kind, onS3) => {
  let server: TestServer
  let service: SupabaseClient
  let grace: SupabaseClient
  let sam: SupabaseClient
  let endpoint: string
  let token: string

  beforeAll(async () => {
    server = await startTestServer({ env: onS3 ? store.env : {} })
    service = stranger(server, server.secretKey)
    grace = await signedIn(server, 'grace')
    sam = await signedIn(server, 'sam')
    token = await tokenOf(grace)
    endpoint = `${server.url}/storage/v1/upload/resumable`
    await makeBucket(service, 'shed', { public: false, fileSizeLimit: '40MB' })
    await makeBucket(service, 'photos', { public: false, allowedMimeTypes: ['image/png'] })
    await openBucket(server, 'shed')
    await openBucket(server, 'photos')
  })
  afterAll(() => server?.stop())

  /** Uploads as the documentation shows, and resolves with the finished client. */
  function send(bytes: Buffer, objectName: string, more: Partial<UploadOptions> = {}): Promise<Upload> {
    return new Promise((resolve, reject) => {
      const upload: Upload = new Upload(bytes, {
        endpoint,
        retryDelays: [0, 50, 200],
        headers: { authorization: `Bearer ${token}` },
        uploadDataDuringCreation: true,
        metadata: { bucketName: 'shed', objectName, contentType: 'application/x-hay', cacheControl: '3600' },
        chunkSize: CHUNK,
        onError: reject,
        onSuccess: () => resolve(upload),
        ...more,
      })
      upload.start()
    })
  }

  const download = async (name: string, bucket = 'shed') => {
    const { data, error } = await grace.storage.from(bucket).download(name)
    return error ? null : Buffer.from(await data.arrayBuffer())
  }

  const encoded = (pairs: Record<string, string>) =>
    Object.entries(pairs)
      .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
      .join(',')

  /** A request of the protocol by hand, by Grace unless told otherwise. */
  const tus = (
    method: string,
    url: string,
    headers: Record<string, string | null> = {},
    body?: Buffer | string,
  ) => {
    const all = { 'tus-resumable': '1.0.0', authorization: `Bearer ${token}`, ...headers }
    const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null)
    return fetch(new URL(url, server.url), {
      ...{ method, headers: Object.fromEntries(sent) },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
    })
  }
  const patch = (
    url: string,
    offset: number,
    body: Buffer | string,
    headers: Record<string, string | null> = {},
  ) =>
    tus(
      'PATCH',
      url,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
      body,
    )
  const begin = async (
    name: string,
    length: number | null,
    more: Record<string, string | null> = {},
    bucket = 'shed',
  ) => {
    const metadata = encoded({ bucketName: bucket, objectName: name, contentType: 'text/plain' })
    const size: Record<string, string> =
      length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }
    return tus('POST', endpoint, { ...size, 'upload-metadata': metadata, ...more })
  }
  const begun = async (...given: Parameters<typeof begin>) => {
    const response = await begin(...given)
    expect([response.status, await response.text()]).toEqual([201, ''])
    return response.headers.get('location') as string
  }
  const offsetOf = async (url: string) => Number((await tus('HEAD', url)).headers.get('upload-offset'))

  describe('tus-js-client', () => {
    test('sends 20 MB in pieces, with what is said of it', async () => {
      const bytes = randomBytes(20 * MEBIBYTE)
      const progress: number[] = []
      await send(bytes, 'harvest/2026.bin', {
        onChunkComplete: (_size, accepted) => progress.push(accepted),
        metadata: {
          ...{
            bucketName: 'shed',
            objectName: 'harvest/2026.bin',
            contentType: 'application/x-hay',
            cacheControl: '60',
          },
          metadata: JSON.stringify({ bales: 40, field: 'nørth' }),
        },
      })
      expect(progress).toEqual([CHUNK, 2 * CHUNK, 3 * CHUNK, bytes.length])
      expect((await download('harvest/2026.bin'))?.equals(bytes)).toBe(true)
      const { data } = await grace.storage.from('shed').info('harvest/2026.bin')
      expect(data).toMatchObject({
        ...{ size: bytes.length, contentType: 'application/x-hay', cacheControl: 'max-age=60' },
        metadata: { bales: 40, field: 'nørth' },
      })
    })

    test('goes on where it was interrupted', async () => {
      const bytes = randomBytes(15 * MEBIBYTE)
      const address = await new Promise<string>((resolve, reject) => {
        const upload: Upload = new Upload(bytes, {
          endpoint,
          headers: { authorization: `Bearer ${token}` },
          metadata: { bucketName: 'shed', objectName: 'interrupted.bin' },
          chunkSize: CHUNK,
          onError: reject,
          onChunkComplete: () => void upload.abort().then(() => resolve(upload.url as string)),
        })
        upload.start()
      })
      expect(await download('interrupted.bin')).toBe(null)
      const sent: number[] = []
      await send(bytes, 'interrupted.bin', {
        uploadUrl: address,
        onProgress: (bytesSent) => sent.push(bytesSent),
      })
      expect(sent[0]).toBeGreaterThanOrEqual(CHUNK)
      expect((await download('interrupted.bin'))?.equals(bytes)).toBe(true)
    })

    test('sends little, nothing, and what has no length yet', async () => {
      await send(Buffer.from('hay'), 'little.txt')
      expect((await download('little.txt'))?.toString()).toBe('hay')
      await send(Buffer.alloc(0), 'nothing.txt')
      expect((await download('nothing.txt'))?.length).toBe(0)
      const bytes = randomBytes(CHUNK + 5)
      const { Readable } = await import('node:stream')
      await send(Readable.from([bytes]) as never, 'unknown.bin', { uploadLengthDeferred: true })
      expect((await download('unknown.bin'))?.equals(bytes)).toBe(true)
    })

    test('replaces only when it says so', async () => {
      await send(Buffer.from('first'), 'again.txt')
      await expect(send(Buffer.from('second'), 'again.txt', { retryDelays: [] })).rejects.toThrow(
        'The resource already exists',
      )
      await send(Buffer.from('third'), 'again.txt', {
        headers: { authorization: `Bearer ${token}`, 'x-upsert': 'true' },
      })
      expect((await download('again.txt'))?.toString()).toBe('third')
    })

    test('uploads by the token of a signed upload, without a session', async () => {
      const bytes = randomBytes(CHUNK + 1000)
      const signed = await grace.storage.from('shed').createSignedUploadUrl('signed.bin')
      const options = {
        endpoint: `${endpoint}/sign`,
        headers: { 'x-signature': signed.data?.token as string },
      }
      await send(bytes, 'signed.bin', options)
      expect((await download('signed.bin'))?.equals(bytes)).toBe(true)
      const { data } = await grace.storage.from('shed').info('signed.bin')
      const { rows } = await server.database.pool.query(
        'select owner_id from storage.objects where id = $1',
        [data?.id],
      )
      expect(rows[0].owner_id).toBe((await grace.auth.getUser()).data.user?.id)
      await expect(send(bytes, 'another.bin', { ...options, retryDelays: [] })).rejects.toThrow(
        'Invalid signature',
      )
      await expect(send(bytes, 'x', { ...options, headers: {}, retryDelays: [] })).rejects.toThrow(
        'Missing x-signature header',
      )
    })
  })

  describe('who may', () => {
    test('not somebody whom no policy lets in', async () => {
      await makeBucket(service, `private-${kind}`)
      const response = await begin('x', 3, {}, `private-${kind}`)
      expect([response.status, await response.text()]).toEqual([
        403,
        'new row violates row-level security policy',
      ])
      expect((await begin('x', 3, { authorization: null })).status).toBe(400)
      expect((await begin('x', 3, { authorization: 'Bearer nonsense' })).status).toBe(403)
    })

    test('nobody goes on with, ends or looks at what another began', async () => {
      const address = await begun('hers.txt', 3)
      const other = { authorization: `Bearer ${await tokenOf(sam)}` }
      expect((await patch(address, 0, 'hay', other)).status).toBe(404)
      expect((await tus('HEAD', address, other)).status).toBe(404)
      expect((await tus('DELETE', address, other)).status).toBe(404)
      expect((await patch(address.replace('/resumable/', '/resumable/sign/'), 0, 'hay')).status).toBe(404)
      expect((await patch(address, 0, 'hay')).status).toBe(204)
    })

    test('a right that is gone by the end is not there, and nothing stays', async () => {
      await makeBucket(service, `lent-${kind}`)
      await openBucket(server, `lent-${kind}`)
      const address = await begun('lent.txt', 3, {}, `lent-${kind}`)
      await migrate(server, `drop policy "all of lent-${kind}" on storage.objects`)
      const files = (await keptFiles(server)).length
      const response = await patch(address, 0, 'hay')
      expect([response.status, await response.text()]).toEqual([
        403,
        'new row violates row-level security policy',
      ])
      expect((await tus('HEAD', address)).status).toBe(404)
      expect((await keptFiles(server)).length).toBe(files)
    })
  })

  describe('the protocol', () => {
    test('says what it can', async () => {
      const response = await fetch(endpoint, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'tus-version': '1.0.0',
        'tus-extension':
          'creation,creation-with-upload,creation-defer-length,termination,expiration,checksum',
        'tus-checksum-algorithm': 'sha1,sha256,md5',
        'tus-max-size': '52428800',
      })
    })

    test('lets a page of another origin read its headers', async () => {
      const preflight = await fetch(endpoint, {
        method: 'OPTIONS',
        headers: {
          ...{ origin: 'https://example.com', 'access-control-request-method': 'PATCH' },
          'access-control-request-headers': 'authorization,tus-resumable,upload-offset,x-signature,x-upsert',
        },
      })
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(preflight.headers.get('access-control-allow-headers')).toContain('upload-offset')
      const exposed = (await begin('exposed.txt', 3)).headers.get('access-control-expose-headers')
      for (const name of ['Location', 'Upload-Offset', 'Upload-Length', 'Tus-Resumable'])
        expect(exposed).toContain(name)
    })

    test('tells how far it is and until when', async () => {
      const address = await begun('told.txt', 10)
      await patch(address, 0, 'hay ')
      const { status, headers } = await tus('HEAD', address)
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject({
        ...{
          'upload-offset': '4',
          'upload-length': '10',
          'cache-control': 'no-store',
          'tus-resumable': '1.0.0',
        },
        'upload-metadata': encoded({ bucketName: 'shed', objectName: 'told.txt', contentType: 'text/plain' }),
      })
      const left = Date.parse(headers.get('upload-expires') as string) - Date.now()
      expect(left / 3600_000).toBeCloseTo(24, 1)
      const last = await patch(address, 4, '+ hay!')
      expect([last.status, last.headers.get('upload-offset'), last.headers.get('tus-complete')]).toEqual([
        204,
        '10',
        '1',
      ])
      expect((await download('told.txt'))?.toString()).toBe('hay + hay!')
      // A client whose connection broke before the last answer asks again.
      expect(await offsetOf(address)).toBe(10)
      expect((await patch(address, 10, '')).status).toBe(409)
      expect((await tus('DELETE', address)).status).toBe(400)
    })

    test.each<[string, Record<string, string | null>, number, string]>([
      ['no version', { 'tus-resumable': null }, 412, 'Tus-Resumable Required'],
      ['another version', { 'tus-resumable': '0.2.2' }, 412, 'Unsupported'],
      ['no length', { 'upload-length': null }, 400, 'Upload-Length'],
      ['two lengths', { 'upload-defer-length': '1' }, 400, 'Upload-Length'],
      ['a length that is none', { 'upload-length': '-1' }, 400, 'Invalid upload-length'],
      ['a length without end', { 'upload-length': '9'.repeat(30) }, 400, 'Invalid upload-length'],
      ['too much', { 'upload-length': '40000001' }, 413, 'maximum allowed size'],
      ['metadata that is none', { 'upload-metadata': 'a b c' }, 400, 'Invalid upload-metadata'],
      ['no bucket', { 'upload-metadata': encoded({ objectName: 'x' }) }, 400, 'Bucket name invalid'],
      [
        'an unknown bucket',
        { 'upload-metadata': encoded({ bucketName: 'barn', objectName: 'x' }) },
        404,
        'Bucket not found',
      ],
      ['no name', { 'upload-metadata': encoded({ bucketName: 'shed' }) }, 400, 'Invalid key'],
      [
        'a name that climbs',
        { 'upload-metadata': encoded({ bucketName: 'shed', objectName: '../x' }) },
        400,
        'Invalid key',
      ],
      [
        'a type that the bucket refuses',
        { 'upload-metadata': encoded({ bucketName: 'photos', objectName: 'x', contentType: 'text/html' }) },
        415,
        'mime type text/html is not supported',
      ],
      [
        'a type that is none',
        { 'upload-metadata': encoded({ bucketName: 'shed', objectName: 'x', contentType: 'x\r\ny: z' }) },
        415,
        'is not supported',
      ],
    ])('refuses %s', async (_, headers, status, message) => {
      const response = await begin('refused.txt', 3, headers)
      expect(await response.text()).toContain(message)
      expect([response.status, response.headers.get('tus-resumable')]).toEqual([status, '1.0.0'])
    })

    test('refuses pieces that do not fit', async () => {
      const address = await begun('pieces.txt', 6)
      const answer = async (response: Promise<Response>) => (await response).status
      expect(await answer(patch(address, 3, 'hay'))).toBe(409)
      expect(await answer(patch(address, 0, 'hay', { 'content-type': 'text/plain' }))).toBe(415)
      expect(await answer(patch(address, 0, 'hay', { 'upload-offset': null }))).toBe(403)
      expect(await answer(patch(address, 0, 'hay', { 'upload-offset': 'x' }))).toBe(400)
      expect(await answer(patch(address, 0, 'hayhayh'))).toBe(413)
      expect(await answer(patch(address, 0, 'hay', { 'upload-length': '9' }))).toBe(400)
      expect(await answer(patch(`${endpoint}/${crypto.randomUUID()}`, 0, 'hay'))).toBe(404)
      expect(await answer(patch(`${endpoint}/..%2f..%2fkeys.json`, 0, 'hay'))).toBe(404)
      expect(await answer(tus('GET', address))).toBe(405)
      expect(await offsetOf(address)).toBe(0)
    })

    test('begins with the first piece, and takes another method’s name', async () => {
      const response = await tus(
        'POST',
        endpoint,
        {
          ...{ 'upload-length': '6', 'content-type': 'application/offset+octet-stream' },
          'upload-metadata': encoded({ bucketName: 'shed', objectName: 'begun.txt' }),
        },
        'hay',
      )
      expect([response.status, response.headers.get('upload-offset')]).toEqual([201, '3'])
      const headers = {
        'x-http-method-override': 'PATCH',
        'upload-offset': '3',
        'content-type': 'application/offset+octet-stream',
      }
      expect((await tus('POST', response.headers.get('location') as string, headers, 'hay')).status).toBe(204)
      expect((await download('begun.txt'))?.toString()).toBe('hayhay')
    })

    test('holds a piece to its checksum', async () => {
      const address = await begun('sums.txt', 6)
      const { createHash } = await import('node:crypto')
      const sum = (algorithm: string, text: string) => ({
        'upload-checksum': `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`,
      })
      expect((await patch(address, 0, 'hoy', sum('sha1', 'hay'))).status).toBe(460)
      expect(await offsetOf(address)).toBe(0)
      expect((await patch(address, 0, 'hay', { 'upload-checksum': 'crc32 AAAA' })).status).toBe(400)
      expect((await patch(address, 0, 'hay', sum('sha1', 'hay'))).status).toBe(204)
      expect((await patch(address, 3, 'hai', sum('sha256', 'hay'))).status).toBe(460)
      expect((await patch(address, 3, 'hey', sum('md5', 'hey'))).status).toBe(204)
      expect((await download('sums.txt'))?.toString()).toBe('hayhey')
    })

    test('ends when it is told to', async () => {
      const address = await begun('ended.txt', 6)
      await patch(address, 0, 'hay')
      expect((await tus('DELETE', address)).status).toBe(204)
      expect((await tus('HEAD', address)).status).toBe(404)
      expect((await patch(address, 3, 'hay')).status).toBe(404)
    })

    test('is over after its time, and swept', async () => {
      const address = await begun('late.txt', 6)
      await patch(address, 0, 'hay')
      await server.database.pool.query(
        `update storage.resumable_uploads set expires_at = now() - interval '1 second' where name = 'late.txt'`,
      )
      expect((await patch(address, 3, 'hay')).status).toBe(410)
      const { openBackend } = await import('../../../server/storage/backend/open.ts')
      const { config, database, keys, log } = server.services
      const backend = await openBackend(config)
      expect(await sweepUploads({ config, database, keys, log, backend })).toBe(1)
      backend.close?.()
      expect((await tus('HEAD', address)).status).toBe(404)
    })
  })

  describe('content', () => {
    let png: Buffer
    const page = Buffer.from('<html><script>alert(1)</script>'.padEnd(9000))
    const photo = { metadata: { bucketName: 'photos', objectName: 'face.png', contentType: 'image/png' } }

    beforeAll(async () => {
      const noise = { raw: { width: 60, height: 60, channels: 3 as const } }
      png = await sharp(randomBytes(60 * 60 * 3), noise)
        .png()
        .toBuffer()
    })

    test('is held to its type with the first piece, or at the end', async () => {
      await send(png, 'face.png', photo)
      expect((await download('face.png', 'photos'))?.equals(png)).toBe(true)
      for (const [objectName, chunkSize] of [
        ['whole.png', CHUNK],
        ['drops.png', 100 * 30],
      ] as const) {
        const options = { metadata: { ...photo.metadata, objectName }, chunkSize, retryDelays: [] }
        await expect(send(page, objectName, options)).rejects.toThrow('it looks like markup')
        expect(await download(objectName, 'photos')).toBe(null)
        await send(png, objectName, options)
        expect((await download(objectName, 'photos'))?.equals(png)).toBe(true)
      }
    })
  })

  describe('interruptions', () => {
    /** Sends `part` of a piece that is announced as `length` and breaks off, or holds the line until told. */
    async function broken(address: string, offset: number, length: number, part: Buffer) {
      const asked = httpRequest(new URL(address, server.url), {
        method: 'PATCH',
        headers: {
          ...{ 'tus-resumable': '1.0.0', authorization: `Bearer ${token}`, 'upload-offset': String(offset) },
          ...{ 'content-type': 'application/offset+octet-stream', 'content-length': String(length) },
        },
      })
      asked.on('error', () => {})
      await new Promise<void>((resolve) => asked.write(part, () => resolve()))
      await sleep(100)
      return asked
    }

    test('what arrived before the line broke stays', async () => {
      const bytes = randomBytes(3 * MEBIBYTE)
      const address = await begun('cut.bin', bytes.length)
      const asked = await broken(address, 0, bytes.length, bytes.subarray(0, 2 * MEBIBYTE))
      asked.destroy()
      await expect.poll(() => offsetOf(address)).toBe(2 * MEBIBYTE)
      expect((await patch(address, 2 * MEBIBYTE, bytes.subarray(2 * MEBIBYTE))).status).toBe(204)
      expect((await download('cut.bin'))?.equals(bytes)).toBe(true)
    })

    test('a client that comes back need not wait for its dead connection', async () => {
      const bytes = randomBytes(1_000_000)
      const address = await begun('dead.bin', bytes.length)
      const asked = await broken(address, 0, bytes.length, bytes.subarray(0, 400_000))
      const started = Date.now()
      const second = await patch(address, 0, bytes)
      // What the first had brought counts, so the second must ask where to go on.
      expect(second.status).toBe(409)
      expect(Date.now() - started).toBeLessThan(5000)
      const offset = await offsetOf(address)
      expect(offset).toBeGreaterThan(0)
      expect((await patch(address, offset, bytes.subarray(offset))).status).toBe(204)
      expect((await download('dead.bin'))?.equals(bytes)).toBe(true)
      asked.destroy()
    })

    test('of many that write at once, one does', async () => {
      const bytes = randomBytes(200_000)
      const address = await begun('many.bin', bytes.length)
      const statuses = await Promise.all(
        Array.from({ length: 6 }, () =>
          patch(address, 0, bytes).then(
            ({ status }) => status,
            () => 0,
          ),
        ),
      )
      for (const status of statuses) expect([0, 204, 409]).toContain(status)
      const offset = await offsetOf(address)
      if (offset < bytes.length) await patch(address, offset, bytes.subarray(offset))
      expect((await download('many.bin'))?.equals(bytes)).toBe(true)
    })

    test('bytes that are all there become the object, also when the server stopped just before', async () => {
      const address = await begun('almost.txt', 3)
      // As a kill between the last byte and the object's row leaves it.
      const { openBackend } = await import('../../../server/storage/backend/open.ts')
      const backend = await openBackend(server.services.config)
      const { Readable } = await import('node:stream')
      const version = address.split('/').at(-1) as string
      const place = { bucket: 'shed', name: 'almost.txt', version }
      await backend.pieces.append(
        place,
        { offset: 0 },
        Readable.from([Buffer.from('hay')]),
        3,
        async (safe) => {
          await server.database.pool.query(
            'update storage.resumable_uploads set received = $2, progress = $3 where id = $1',
            [version, safe.offset, safe.state === undefined ? null : JSON.stringify(safe.state)],
          )
        },
      )
      backend.close?.()
      expect(await offsetOf(address)).toBe(3)
      expect((await download('almost.txt'))?.toString()).toBe('hay')
    })
  })
})
