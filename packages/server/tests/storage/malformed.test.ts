// Malformed requests: hundreds of generated ones, and the worst written by hand. None gets a 5xx, or an answer that
// is not storage's. STORAGE_MALFORMED sets the number of generated ones.
import { request as send } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { amount } from '../support/soak.ts'
import { bareJson, keptFiles, startStorage } from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['yard'] })
const session = (await grace.auth.getSession()).data.session?.access_token as string

beforeAll(async () => {
  await service.storage.from('yard').upload('a.txt', 'a')
})

interface Raw {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends a path as it is written, which fetch would tidy up first. */
function raw({ method, path, headers = {}, body }: Raw): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        hostname,
        port,
        method,
        path: `/storage/v1${path}`,
        headers: {
          apikey: server.publishableKey,
          authorization: `Bearer ${session}`,
          // Node's client does not frame the body of a DELETE by itself.
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '')
const piece = fc.oneof(
  fc.constantFrom(
    ...['object', 'bucket', 'sign', 'public', 'list', 'list-v2', 'upload', 'copy', 'move', 'info', 'render'],
    ...['image', 'authenticated', 'cdn', 'yard', 'a.txt', '..', '.', '', '%2e%2e', '%2F', '%00', '%', '%zz'],
    ...['%E0%A4', '%ED%A0%80', 'empty', "'", '"', ';--', '$1', '\\', '~', '{}', '*', ':id', 'a'.repeat(1100)],
    ...['resumable', '%25%32%65', '%C0%AE', '%FF', '__proto__', 'constructor', '%0d%0aSet-Cookie:x'],
  ),
  fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(wellFormed(text))),
)
/** Every address there is, with a name in its place that may be anything. */
const known = fc
  .tuple(
    fc.constantFrom(
      ...[
        'object/yard/?',
        'object/list/yard',
        'object/list-v2/yard',
        'object/sign/yard/?',
        'object/sign/yard',
      ],
      ...['object/copy', 'object/move', 'object/yard', 'bucket', 'bucket/?', 'bucket/?/empty', 'cdn/yard/?'],
      ...[
        'object/upload/sign/yard/?',
        'object/public/yard/?',
        'object/info/yard/?',
        'object/authenticated/yard/?',
      ],
      ...[
        'render/image/authenticated/yard/?',
        'render/image/sign/yard/?',
        'upload/resumable',
        'upload/resumable/?',
      ],
    ),
    piece,
  )
  .map(([template, name]) => [template.replace('?', name)])
const query = fc.option(
  fc.tuple(
    fc.constantFrom(
      'token',
      'download',
      'width',
      'quality',
      'limit',
      'offset',
      'sortColumn',
      'search',
      'apikey',
    ),
    fc.oneof(
      fc.constantFrom('', '-1', '1e9', '99999999999', '%00', 'NaN', 'a%0d%0ab', 'eyJhbGciOiJub25lIn0.e30.'),
      fc.string({ maxLength: 10 }).map((text) => encodeURIComponent(wellFormed(text))),
    ),
  ),
)
const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc
    .record(
      {
        prefix: fc.anything({ maxDepth: 1 }),
        prefixes: fc.anything({ maxDepth: 2 }),
        limit: fc.anything({ maxDepth: 0 }),
        expiresIn: fc.oneof(fc.constant(60), fc.anything({ maxDepth: 0 })),
        paths: fc.anything({ maxDepth: 2 }),
        bucketId: fc.oneof(fc.constant('yard'), fc.anything({ maxDepth: 0 })),
        sourceKey: fc.oneof(
          fc.constant('a.txt'),
          fc.string({ unit: 'binary' }),
          fc.anything({ maxDepth: 0 }),
        ),
        destinationKey: fc.oneof(fc.string({ unit: 'binary' }), fc.anything({ maxDepth: 0 })),
        name: fc.anything({ maxDepth: 0 }),
        cursor: fc.string(),
        sortBy: fc.anything({ maxDepth: 1 }),
        transform: fc.anything({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}` : inner))),
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"\\u0000"',
    '{"prefix":"\\u0000"}',
    '{"prefix":"\\ud800"}',
    '[[[[[[',
  ),
)
const FORM = '--b\r\ncontent-disposition: form-data; name="'
const body = fc.oneof(
  json.map((text) => ({ body: text, headers: { 'content-type': 'application/json' } })),
  fc.string({ maxLength: 60 }).map((text) => ({ body: text, headers: { 'content-type': 'text/plain' } })),
  fc
    .tuple(
      fc.constantFrom('', '"; filename="x', '"; filename="', 'metadata', 'contentType', 'cacheControl'),
      fc.string({ maxLength: 30 }),
      fc.constantFrom('\r\n--b--\r\n', '', '\r\n--b\r\n', '\r\n--b'),
    )
    .map(([name, text, end]) => ({
      body: `${FORM}${name}"\r\n\r\n${text}${end}`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })),
  fc
    .constantFrom(
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'a',
      '/',
      'x/y; z=\u00e9',
      'text/*',
    )
    .map((type) => ({ body: 'x', headers: { 'content-type': type } })),
)
const more = fc.dictionary(
  fc.constantFrom(
    ...['x-upsert', 'x-metadata', 'cache-control', 'range', 'if-none-match', 'if-modified-since', 'accept'],
    ...['authorization', 'apikey', 'x-forwarded-host', 'tus-resumable', 'upload-length', 'upload-metadata'],
  ),
  fc.oneof(
    fc.constantFrom(
      'true',
      '',
      'bytes=0-',
      'bytes=9-1',
      'bytes=-',
      'e30=',
      'bnVsbA==',
      'W/""',
      '1.0.0',
      '-5',
      '\u00ff',
    ),
    fc.string({ maxLength: 12 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
  ),
  { maxKeys: 2 },
)

test('generated requests are answered, and never with a 5xx', async () => {
  const runs = amount({ gate: 300, soak: 10_000 })
  const requests = fc.tuple(
    fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'),
    fc.oneof(known, fc.array(piece, { minLength: 1, maxLength: 5 })),
    query,
    body,
    more,
  )
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(requests, async ([method, parts, pair, { body: content, headers }, extra]) => {
      const path = `/${parts.join('/')}${pair ? `?${pair.join('=')}` : ''}`.replace(/[^\x21-\x7e]/g, '')
      const sends = method !== 'GET' && method !== 'HEAD'
      const { status } = await raw({
        method,
        path,
        headers: { ...(sends && headers), ...extra },
        ...(sends && { body: content }),
      })
      statuses.add(status)
      expect(status).toBeLessThan(500)
    }),
    { numRuns: runs },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([400, 404]))
  // And all is well after it.
  await service.storage.from('yard').upload('a.txt', 'a', { upsert: true })
  const { data } = await service.storage.from('yard').download('a.txt')
  expect(await data?.text()).toBe('a')
})

describe('by hand', () => {
  test.each([
    '/object/yard/../../../../etc/passwd',
    '/object/yard/%2e%2e/%2e%2e/etc/passwd',
    '/object/yard/..%2f..%2fetc%2fpasswd',
    '/object/public/yard/..%5c..%5cwindows',
    '/object/%2e%2e/keys.json',
    '/object/authenticated/yard/%252e%252e/x',
    '/object/sign/yard/../../keys.json?token=x',
    '/render/image/public/yard/../../keys.json',
  ])('%s finds nothing', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
      const { status, text } = await raw({ method, path, body: method === 'GET' ? undefined : 'x' })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(text).not.toMatch(/root:|signing_key/)
    }
  })

  test.each([
    ["x' or '1'='1", ''],
    ["yard'; drop table storage.objects; --", ''],
    ['yard', "'; delete from storage.objects; --"],
    ['yard', '%'],
    ['yard', '_'],
  ])('SQL in bucket %j and prefix %j is text', async (bucket, prefix) => {
    const path = `/object/list/${encodeURIComponent(bucket)}`
    const answer = await bareJson(server, path, { prefix, search: prefix }, { key: server.secretKey })
    const found = await answer.json()
    if (answer.status === 200) expect(found).toEqual(prefix === '' ? expect.anything() : [])
    else expect(found).toMatchObject({ statusCode: '400', message: 'Bucket name invalid' })
    expect((await service.storage.from('yard').exists('a.txt')).data).toBe(true)
  })

  test('a body that is too large for a question is refused before it is read', async () => {
    const answer = await bareJson(server, '/object/list/yard', { prefix: 'x'.repeat(2_000_000) })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ statusCode: '413', error: 'Payload too large' })
  })

  test.each([
    ['content-type', 'no type', 415],
    ['content-type', 'text/plain\u00e9', 415],
    ['cache-control', 'max-age=\u00e9', 400],
  ])('a header %s: %j is refused, since downloads would carry it', async (name, value, statusCode) => {
    const { status, text } = await raw({
      method: 'POST',
      path: '/object/yard/odd.txt',
      body: 'x',
      headers: { [name]: value },
    })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ statusCode: String(statusCode) })
  })

  test('metadata that cannot be read counts as none', async () => {
    for (const [at, value] of ['!!!', 'bnVsbA==', 'WzFd', 'e30'].entries()) {
      const { status } = await raw({
        method: 'POST',
        path: `/object/yard/meta-${at}.txt`,
        body: 'x',
        headers: { 'x-metadata': value, 'content-type': 'text/plain' },
      })
      expect(status).toBe(200)
    }
    const { rows } = await server.database.pool.query(
      `select user_metadata from storage.objects where name like 'meta-%' order by name`,
    )
    expect(rows.map((row) => row.user_metadata)).toEqual([null, null, null, {}])
  })

  test('a sender that hangs up in the middle leaves nothing, whatever it was sending', async () => {
    const { hostname, port } = new URL(server.url)
    const files = await keptFiles(server)
    const form = `${FORM}"; filename="x"\r\ncontent-type: text/plain\r\n\r\nhalf`
    const heads = [
      'content-type: text/plain\r\ncontent-length: 100000\r\n\r\nhalf',
      'content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n${form}`,
      'content-type: image/png\r\ncontent-length: 100000\r\n\r\nhalf',
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n--b',
    ]
    for (const [at, head] of heads.entries()) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `POST /storage/v1/object/yard/half-${at}.txt HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${session}\r\n${head}`,
          )
          setTimeout(() => socket.destroy(), at % 2 ? 20 : 150)
        })
        socket.on('close', () => resolve())
        socket.on('error', reject)
      })
    }
    await expect.poll(async () => (await keptFiles(server)).length).toBe(files.length)
    const { data } = await service.storage.from('yard').list('', { search: 'half' })
    expect(data).toEqual([])
  })
})
