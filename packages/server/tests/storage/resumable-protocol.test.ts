// The tus protocol by hand: what a server must answer, whom it lets go on, and what it refuses.
import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBackend } from '../../src/storage/backend/open.ts'
import { sweepUploads } from '../../src/storage/resumable/sweep.ts'
import { encoded, startUploads, tokenOf, type Uploads } from './resumable.ts'
import { keptFiles, makeBucket, migrate, openBucket } from './storage.ts'

let uploads: Uploads
beforeAll(async () => {
  uploads = await startUploads('disk')
})
afterAll(() => uploads?.stop())

describe('access', () => {
  test('not somebody whom no policy lets in', async () => {
    await makeBucket(uploads.service, 'private')
    const response = await uploads.begin('x', 3, {}, 'private')
    expect([response.status, await response.text()]).toEqual([
      403,
      'new row violates row-level security policy',
    ])
    expect((await uploads.begin('x', 3, { authorization: null })).status).toBe(400)
    expect((await uploads.begin('x', 3, { authorization: 'Bearer nonsense' })).status).toBe(403)
  })

  test('nobody goes on with, ends or looks at what another began', async () => {
    const address = await uploads.begun('hers.txt', 3)
    const other = { authorization: `Bearer ${await tokenOf(uploads.sam)}` }
    expect((await uploads.patch(address, 0, 'hay', other)).status).toBe(404)
    expect((await uploads.tus('HEAD', address, other)).status).toBe(404)
    expect((await uploads.tus('DELETE', address, other)).status).toBe(404)
    expect((await uploads.patch(address.replace('/resumable/', '/resumable/sign/'), 0, 'hay')).status).toBe(
      404,
    )
    expect((await uploads.patch(address, 0, 'hay')).status).toBe(204)
  })

  test('a right that is gone by the end is not there, and nothing stays', async () => {
    await makeBucket(uploads.service, 'lent')
    await openBucket(uploads.server, 'lent')
    const address = await uploads.begun('lent.txt', 3, {}, 'lent')
    await migrate(uploads.server, `drop policy "all of lent" on storage.objects`)
    const files = (await keptFiles(uploads.server)).length
    const response = await uploads.patch(address, 0, 'hay')
    expect([response.status, await response.text()]).toEqual([
      403,
      'new row violates row-level security policy',
    ])
    expect((await uploads.tus('HEAD', address)).status).toBe(404)
    expect((await keptFiles(uploads.server)).length).toBe(files)
  })
})

describe('the protocol', () => {
  test('says what it can', async () => {
    const response = await fetch(uploads.endpoint, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,creation-defer-length,termination,expiration,checksum',
      'tus-checksum-algorithm': 'sha1,sha256,md5',
      'tus-max-size': '52428800',
    })
  })

  test('lets a page of another origin read its headers', async () => {
    const preflight = await fetch(uploads.endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,tus-resumable,upload-offset,x-signature,x-upsert',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('upload-offset')
    const exposed = (await uploads.begin('exposed.txt', 3)).headers.get('access-control-expose-headers')
    for (const name of ['Location', 'Upload-Offset', 'Upload-Length', 'Tus-Resumable'])
      expect(exposed).toContain(name)
  })

  test('tells how far it is and until when', async () => {
    const address = await uploads.begun('told.txt', 10)
    await uploads.patch(address, 0, 'hay ')
    const { status, headers } = await uploads.tus('HEAD', address)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'upload-offset': '4',
      'upload-length': '10',
      'cache-control': 'no-store',
      'tus-resumable': '1.0.0',
      'upload-metadata': encoded({ bucketName: 'shed', objectName: 'told.txt', contentType: 'text/plain' }),
    })
    const left = Date.parse(headers.get('upload-expires') as string) - Date.now()
    expect(left / 3600_000).toBeCloseTo(24, 1)
    const last = await uploads.patch(address, 4, '+ hay!')
    expect([last.status, last.headers.get('upload-offset'), last.headers.get('tus-complete')]).toEqual([
      204,
      '10',
      '1',
    ])
    expect((await uploads.download('told.txt'))?.toString()).toBe('hay + hay!')
    // A client whose connection broke before the last answer asks again.
    expect(await uploads.offsetOf(address)).toBe(10)
    expect((await uploads.patch(address, 10, '')).status).toBe(409)
    expect((await uploads.tus('DELETE', address)).status).toBe(400)
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
    const response = await uploads.begin('refused.txt', 3, headers)
    expect(await response.text()).toContain(message)
    expect([response.status, response.headers.get('tus-resumable')]).toEqual([status, '1.0.0'])
  })

  test('holds a length that comes later to the limit, too', async () => {
    const deferred = { 'upload-length': null, 'upload-defer-length': '1' }
    const address = await uploads.begun('later.txt', 0, deferred)
    const length = (bytes: number) => ({ 'upload-length': String(bytes) })
    expect((await uploads.patch(address, 0, 'hay', length(40_000_001))).status).toBe(413)
    expect(await uploads.offsetOf(address)).toBe(0)
    expect((await uploads.patch(address, 0, 'hay', length(3))).status).toBe(204)
    expect((await uploads.download('later.txt'))?.toString()).toBe('hay')
  })

  test('refuses pieces that do not fit', async () => {
    const address = await uploads.begun('pieces.txt', 6)
    const answer = async (response: Promise<Response>) => (await response).status
    expect(await answer(uploads.patch(address, 3, 'hay'))).toBe(409)
    expect(await answer(uploads.patch(address, 0, 'hay', { 'content-type': 'text/plain' }))).toBe(415)
    expect(await answer(uploads.patch(address, 0, 'hay', { 'upload-offset': null }))).toBe(403)
    expect(await answer(uploads.patch(address, 0, 'hay', { 'upload-offset': 'x' }))).toBe(400)
    expect(await answer(uploads.patch(address, 0, 'hayhayh'))).toBe(413)
    expect(await answer(uploads.patch(address, 0, 'hay', { 'upload-length': '9' }))).toBe(400)
    expect(await answer(uploads.patch(`${uploads.endpoint}/${crypto.randomUUID()}`, 0, 'hay'))).toBe(404)
    expect(await answer(uploads.patch(`${uploads.endpoint}/..%2f..%2fkeys.json`, 0, 'hay'))).toBe(404)
    expect(await answer(uploads.tus('GET', address))).toBe(405)
    expect(await uploads.offsetOf(address)).toBe(0)
  })

  test('begins with the first piece, and takes another method’s name', async () => {
    const response = await uploads.tus(
      'POST',
      uploads.endpoint,
      {
        'upload-length': '6',
        'content-type': 'application/offset+octet-stream',
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
    expect(
      (await uploads.tus('POST', response.headers.get('location') as string, headers, 'hay')).status,
    ).toBe(204)
    expect((await uploads.download('begun.txt'))?.toString()).toBe('hayhay')
  })

  test('holds a piece to its checksum', async () => {
    const address = await uploads.begun('sums.txt', 6)
    const sum = (algorithm: string, text: string) => ({
      'upload-checksum': `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`,
    })
    expect((await uploads.patch(address, 0, 'hoy', sum('sha1', 'hay'))).status).toBe(460)
    expect(await uploads.offsetOf(address)).toBe(0)
    expect((await uploads.patch(address, 0, 'hay', { 'upload-checksum': 'crc32 AAAA' })).status).toBe(400)
    expect((await uploads.patch(address, 0, 'hay', sum('sha1', 'hay'))).status).toBe(204)
    expect((await uploads.patch(address, 3, 'hai', sum('sha256', 'hay'))).status).toBe(460)
    expect((await uploads.patch(address, 3, 'hey', sum('md5', 'hey'))).status).toBe(204)
    expect((await uploads.download('sums.txt'))?.toString()).toBe('hayhey')
  })

  test('ends on request', async () => {
    const address = await uploads.begun('ended.txt', 6)
    await uploads.patch(address, 0, 'hay')
    expect((await uploads.tus('DELETE', address)).status).toBe(204)
    expect((await uploads.tus('HEAD', address)).status).toBe(404)
    expect((await uploads.patch(address, 3, 'hay')).status).toBe(404)
  })

  test('is over after its time, and swept', async () => {
    const address = await uploads.begun('late.txt', 6)
    await uploads.patch(address, 0, 'hay')
    await uploads.server.database.pool.query(
      `update storage.resumable_uploads set expires_at = now() - interval '1 second' where name = 'late.txt'`,
    )
    expect((await uploads.patch(address, 3, 'hay')).status).toBe(410)
    const { config, database, keys, bodies, log } = uploads.server.services
    const backend = await openBackend(config)
    expect(await sweepUploads({ config, database, keys, bodies, log, backend })).toBe(1)
    backend.close?.()
    expect((await uploads.tus('HEAD', address)).status).toBe(404)
  })
})

test('an upload whose bytes were lost is over: its client begins anew', async () => {
  const address = await uploads.begun('lost.bin', 2000)
  expect((await uploads.patch(address, 0, Buffer.alloc(1000))).status).toBe(204)
  const folder = join(uploads.server.services.config.dataDir, 'storage', 'resumable')
  rmSync(join(folder, address.split('/').at(-1) as string))
  expect((await uploads.patch(address, 1000, Buffer.alloc(1000))).status).toBe(410)
  expect((await uploads.tus('HEAD', address)).status).toBe(404)
  expect(await uploads.download('lost.bin')).toBe(null)
})

test('whatever is sent, the answer is never a 5xx', async () => {
  const address = await uploads.begun('fuzzed.txt', 1000)
  const text = fc.string({
    maxLength: 20,
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  })
  const value = fc.oneof(text, fc.constantFrom('0', '1', '-1', '1e3', '9'.repeat(25), '', '\u00e9', 'NaN'))
  const base64 = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  const pairs = fc
    .array(
      fc.tuple(
        fc.constantFrom('bucketName', 'objectName', 'contentType', 'metadata', 'cacheControl', 'x'),
        base64,
      ),
    )
    .map((list) => list.map((pair) => pair.join(' ')).join(','))
  const named = pairs.map((more) =>
    [encoded({ bucketName: 'shed', objectName: 'fuzz' }), more].filter(Boolean).join(','),
  )
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 })
  const request = fc.record({
    method: fc.constantFrom('POST', 'PATCH', 'HEAD', 'DELETE', 'OPTIONS', 'PUT', 'GET'),
    url: fc.constantFrom(
      uploads.endpoint,
      `${uploads.endpoint}/sign`,
      address,
      `${uploads.endpoint}/sign/x`,
      `${address}/x`,
    ),
    headers: fc.record({
      'upload-length': maybe(value),
      'upload-offset': maybe(value),
      'upload-defer-length': maybe(fc.constantFrom('0', '1', 'x')),
      'upload-metadata': maybe(fc.oneof(value, pairs, named)),
      'upload-checksum': maybe(
        fc.oneof(value, fc.constantFrom('sha1 AAAA', 'sha1 ', 'md5 =', 'sha512 AAAA')),
      ),
      'content-type': maybe(fc.constantFrom('application/offset+octet-stream', 'text/plain', 'x')),
      'x-signature': maybe(value),
      'x-upsert': maybe(value),
      'x-http-method-override': maybe(fc.constantFrom('PATCH', 'HEAD', 'DELETE', 'x')),
    }),
    body: fc.uint8Array({ maxLength: 50 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, url, headers, body }) => {
      const bodiless = method === 'GET' || method === 'HEAD'
      const response = await uploads.tus(method, url, headers, bodiless ? undefined : Buffer.from(body))
      await response.arrayBuffer()
      return response.status < 500
    }),
    { numRuns: 300 },
  )
})

describe('open uploads', () => {
  const MOST = 20
  const open = (headers: Record<string, string>, count: number, bucket = 'shed') =>
    Promise.all(
      Array.from({ length: count }, (_, nth) =>
        uploads.begin(`${nth} ${randomUUID()}.txt`, 3, headers, bucket),
      ),
    )
  const statuses = (answers: Response[]) => answers.map(({ status }) => status).sort()
  const expected = (begun: number, refused: number) => [
    ...Array.from({ length: begun }, () => 201),
    ...Array.from({ length: refused }, () => 429),
  ]

  test('of one person are so many, however many begin at the same moment; finished and expired ones do not count', async () => {
    const sam = { authorization: `Bearer ${await tokenOf(uploads.sam)}` }
    const answers = await open(sam, 60)
    expect(statuses(answers)).toEqual(expected(MOST, 40))
    const refused = answers.find(({ status }) => status === 429)
    expect(await refused?.text()).toMatch(
      /^You have 20 uploads open, the most allowed; finish or cancel one, or wait 1440 minutes/,
    )
    const [first, second] = answers
      .filter(({ status }) => status === 201)
      .map(({ headers }) => headers.get('location') as string)
    expect((await uploads.patch(first as string, 0, 'hay', sam)).status).toBe(204)
    expect((await uploads.tus('DELETE', second as string, sam)).status).toBe(204)
    expect(statuses(await open(sam, 4))).toEqual(expected(2, 2))
    await uploads.server.database.pool.query(
      `update storage.resumable_uploads set expires_at = now() - interval '1 second' where finished_at is null`,
    )
    expect(statuses(await open(sam, 1))).toEqual([201])
  })

  test('of strangers count by address, those of the secret key not at all', async () => {
    await makeBucket(uploads.service, 'public-shed')
    await migrate(
      uploads.server,
      `create policy "strangers" on storage.objects to anon with check (bucket_id = 'public-shed')`,
    )
    const { publishableKey, secretKey } = uploads.server
    const stranger = { authorization: `Bearer ${publishableKey}`, apikey: publishableKey }
    expect(statuses(await open(stranger, 24, 'public-shed'))).toEqual(expected(MOST, 4))
    const service = { authorization: `Bearer ${secretKey}`, apikey: secretKey }
    expect(statuses(await open(service, 24))).toEqual(expected(24, 0))
  })
})
