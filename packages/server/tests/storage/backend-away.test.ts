// S3 that goes away, hangs, or is full, while the server runs: callers get an error that says so, and when to come
// again.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { NoSpace, Unreachable } from '../../src/storage/backend/backend.ts'
import { openS3 } from '../../src/storage/backend/s3.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startObjectStore } from './object-store.ts'
import { encoded } from './resumable.ts'

const PLACE = { bucket: 'shed', name: 'one', version: '11111111-1111-4111-8111-111111111111' }
const OPTIONS = { maxBytes: 1000, contentType: 'text/plain', cacheControl: 'no-cache' }

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Something that answers as it likes where S3 should be; the bucket itself is there. */
async function fakeS3(answer: RequestListener, log?: pino.Logger) {
  const server: Server = createServer((request, response) => {
    if (request.method === 'HEAD' && request.url === '/meadowlark/') response.end()
    else if (request.method === 'HEAD' && request.url === '/meadowlark') response.end()
    else {
      request.resume()
      answer(request, response)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const backend = await openS3(
    {
      bucket: 'meadowlark',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
    },
    { idleTimeoutMs: 200, ...(log ? { log } : {}) },
  )
  stops.push(() => backend.close?.())
  return backend
}

test('it goes away: 503 and when to come again, and what asks the database alone goes on', async () => {
  const store = await startObjectStore()
  const server: TestServer = await startTestServer({ env: store.env })
  stops.push(() => server.stop())
  await server.database.pool.query(`insert into storage.buckets (id, name) values ('shed', 'shed')`)
  const headers = { apikey: server.secretKey, authorization: `Bearer ${server.secretKey}` }
  const send = (path: string, method = 'GET', body?: string | FormData, more = {}) =>
    fetch(`${server.url}/storage/v1${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body }),
    })
  const begin = (name: string) =>
    send('/upload/resumable', 'POST', undefined, {
      'tus-resumable': '1.0.0',
      'upload-length': '4',
      'upload-metadata': encoded({ bucketName: 'shed', objectName: name }),
    })
  expect((await send('/object/shed/one', 'POST', 'text')).status).toBe(200)
  const upload = new URL((await begin('two')).headers.get('location') as string, server.url).pathname
  await store.stop()

  const form = new FormData()
  form.append('', new Blob(['text']), 'form')
  const away = {
    'an upload': await send('/object/shed/two', 'POST', 'text'),
    'a form': await send('/object/shed/three', 'POST', form),
    'another version': await send('/object/shed/one', 'PUT', 'text'),
    'a download': await send('/object/shed/one'),
    'a copy': await send(
      '/object/copy',
      'POST',
      JSON.stringify({ bucketId: 'shed', sourceKey: 'one', destinationKey: 'four' }),
      {
        'content-type': 'application/json',
      },
    ),
    'a piece': await send(upload.replace('/storage/v1', ''), 'PATCH', 'text', {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }),
  }
  for (const [name, { status, headers }] of Object.entries(away)) {
    expect([name, status, headers.get('retry-after')]).toEqual([name, 503, '1'])
  }
  expect(await away['a download'].json()).toEqual({
    statusCode: '503',
    error: 'StorageUnavailable',
    message: 'The place where files are kept cannot be reached just now; try again in a moment',
  })
  const list = await send('/object/list/shed', 'POST', '{"prefix": ""}', {
    'content-type': 'application/json',
  })
  expect(((await list.json()) as { name: string }[]).map(({ name }) => name)).toEqual(['one'])
})

test('it hangs: given up as one that is away', async () => {
  const backend = await fakeS3(() => {})
  await expect(backend.get(PLACE)).rejects.toBeInstanceOf(Unreachable)
  await expect(backend.put(PLACE, Readable.from(['text']), OPTIONS)).rejects.toBeInstanceOf(Unreachable)
})

test.each([
  [503, 'SlowDown', Unreachable],
  [500, 'InternalError', Unreachable],
  [507, 'XMinioStorageFull', NoSpace],
  [403, 'QuotaExceeded', NoSpace],
  [403, 'AccessDenied', Unreachable],
  [404, 'NoSuchBucket', Unreachable],
])('it answers %i %s', async (status, code, expected) => {
  const backend = await fakeS3((_, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
  })
  await expect(backend.put(PLACE, Readable.from(['text']), OPTIONS)).rejects.toBeInstanceOf(expected)
})

test('the log names the cause once, with the bucket, and when it answers again', async () => {
  const lines: { msg: string; bucket: string }[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let broken = true
  const backend = await fakeS3((request, response) => {
    if (!broken) response.end('text')
    else if (request.url?.includes('22222222')) request.socket.destroy()
    else {
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end(
        '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      )
    }
  }, log)
  const reset = { ...PLACE, version: '22222222-2222-4222-8222-222222222222' }
  for (const place of [PLACE, PLACE, reset, reset])
    await expect(backend.get(place)).rejects.toBeInstanceOf(Unreachable)
  broken = false
  await backend.get(PLACE)
  await backend.get(PLACE)
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the bucket meadowlark cannot be used: 403 AccessDenied: Access Denied',
    expect.stringMatching(/^the bucket meadowlark cannot be used: ECONNRESET: /),
    'the bucket meadowlark answers again',
  ])
})
