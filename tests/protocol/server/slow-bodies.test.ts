// Requests whose rest never comes, or comes byte by byte, at every service that reads bodies. Each is answered with
// 408 or 413, its connection is closed, and its memory is given back.
import { EventEmitter } from 'node:events'
import { Bodies } from '@meadowlark/server/http/bodies.ts'
import { sandboxStripeKeys } from '@meadowlark/stripe-sandbox/keys.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { head, rawConnection } from '../../../packages/server/tests/server/raw-connection.ts'
import { keptFiles, makeBucket, openBucket } from '../../../packages/server/tests/storage/storage.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let headers: Record<string, string>

beforeAll(async () => {
  server = await startTestServer({ env: { HEAD_TIMEOUT: '1', BODY_TIMEOUT: '1' } })
  const grace = await signedIn(server, 'grace')
  const { data } = await grace.auth.getSession()
  headers = { apikey: server.publishableKey, authorization: `Bearer ${data.session?.access_token}` }
  await makeBucket(stranger(server, server.secretKey), 'shed', { public: false })
  await openBucket(server, 'shed')
})
afterAll(() => server.stop())

let uploads = 0
let addresses = 0

/** The path of a resumable upload that was begun. */
async function begunUpload(): Promise<string> {
  const begun = await fetch(`${server.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...headers,
      'tus-resumable': '1.0.0',
      'upload-length': '1000000',
      'upload-metadata': `bucketName ${btoa('shed')},objectName ${btoa(`never-${uploads++}.txt`)}`,
    },
  })
  expect(begun.status).toBe(201)
  return new URL(begun.headers.get('location') ?? '', server.url).pathname
}

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'multipart/form-data; boundary=part' }
const piece = {
  'content-type': 'application/offset+octet-stream',
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
}

/** The payment stand-in looks at its key before it reads. */
const stripeKey = () => ({ authorization: `Bearer ${sandboxStripeKeys(server.secretKey).secretKey}` })

describe.each([
  ['the Data API', 'POST', () => '/rest/v1/tasks', () => json, '{"title":'],
  ['Auth', 'POST', () => '/auth/v1/token?grant_type=password', () => json, '{"email":'],
  ['a question to Storage', 'POST', () => '/storage/v1/object/list/shed', () => json, '{"prefix":'],
  [
    'an upload',
    'POST',
    () => '/storage/v1/object/shed/a.txt',
    () => ({ 'content-type': 'text/plain' }),
    'hay',
  ],
  [
    'an upload as a form',
    'POST',
    () => '/storage/v1/object/shed/b.txt',
    () => form,
    '--part\r\ncontent-disposition: form-data; name=""; filename="b.txt"\r\ncontent-type: text/plain\r\n\r\nhay',
  ],
  ['a piece of a resumable upload', 'PATCH', begunUpload, () => piece, 'hay'],
  ['a broadcast by HTTP', 'POST', () => '/realtime/v1/api/broadcast', () => json, '{"messages":'],
  [
    'a function',
    'POST',
    () => '/functions/v1/stripe-webhook',
    () => ({ 'stripe-signature': 't=1,v1=a' }),
    '{"id":',
  ],
  ['the payment stand-in', 'POST', () => '/sandbox/stripe/v1/customers', stripeKey, 'email='],
  ['its page for banks', 'POST', () => '/sandbox/stripe/authenticate/pi_1', () => ({}), 'outcome='],
])('%s', (_service, method, path, own, beginning) => {
  test.concurrent.each([
    ['announced', { 'content-length': 1000 }, beginning],
    [
      'chunked',
      { 'transfer-encoding': 'chunked' },
      `${Buffer.byteLength(beginning).toString(16)}\r\n${beginning}\r\n`,
    ],
  ])('does not wait for a body that stops coming (%s)', async (_how, length, sent) => {
    const connection = await rawConnection(server.url)
    connection.send(head(method, await path(), { ...headers, ...own(), ...length }) + sent)
    const answer = await connection.answer()
    expect([answer.status, answer.headers.connection]).toEqual([408, 'close'])
    await connection.closed
  })

  test('takes no body in chunks of one byte', async () => {
    // From separate addresses, which are banned for it.
    const connection = await rawConnection(server.url, `127.0.1.${++addresses}`)
    const first = `${Buffer.byteLength(beginning).toString(16)}\r\n${beginning}\r\n`
    const length = { 'transfer-encoding': 'chunked' }
    connection.send(head(method, await path(), { ...headers, ...own(), ...length }) + first)
    connection.send('1\r\n \r\n'.repeat(100_000))
    const answer = await connection.answer()
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close'])
    await connection.closed
    await expect.poll(() => server.services.bodies.held).toBe(0)
  })
})

test('takes no form of an upload with more than a hundred parts', async () => {
  const part = (of: string) => `--part\r\ncontent-disposition: form-data; ${of}\r\n\r\nhay\r\n`
  const send = async (fields: number) => {
    const body = `${part('name="a"').repeat(fields)}${part('name=""; filename="a"')}--part--\r\n`
    const connection = await rawConnection(server.url, `127.0.1.${++addresses}`)
    const own = { ...headers, ...form, 'content-length': body.length }
    connection.send(head('POST', `/storage/v1/object/shed/parts-${fields}.txt`, own) + body)
    return (await connection.answer()).status
  }
  expect([await send(99), await send(100)]).toEqual([200, 413])
  const service = stranger(server, server.secretKey)
  expect((await service.storage.from('shed').exists('parts-100.txt')).data).toBe(false)
})

test('of an upload that stopped coming nothing is kept', async () => {
  const before = await keptFiles(server)
  const connection = await rawConnection(server.url)
  const own = { ...headers, 'content-type': 'text/plain', 'content-length': 100_000 }
  connection.send(`${head('POST', '/storage/v1/object/shed/silent.txt', own)}half`)
  expect((await connection.answer()).status).toBe(408)
  await expect.poll(async () => (await keptFiles(server)).length).toBe(before.length)
  const service = stranger(server, server.secretKey)
  expect((await service.storage.from('shed').exists('silent.txt')).data).toBe(false)
  expect(server.services.bodies.held).toBe(0)
})

test('a head that stops coming is answered with 408, too, and one that never begins', async () => {
  const connection = await rawConnection(server.url)
  connection.send('GET /rest/v1/tasks HTTP/1.1\r\nhost: loc')
  expect((await connection.answer()).status).toBe(408)
  await connection.closed
  const silent = await rawConnection(server.url)
  await silent.closed
})

test('an honest sender on a slow line is waited for, one that drips is not', async () => {
  // The connection as the watch sees it: how many bytes have come, and whether some wait that nobody has taken.
  vi.useFakeTimers()
  try {
    const seconds = (bytesPerSecond: number, waiting = 0) => {
      const bodies = new Bodies({
        memory: { total: 1e6, perAddress: 1e6 },
        windowMs: 30_000,
        addressOf: () => 'a',
      })
      const socket = { bytesRead: 0 }
      const incoming = Object.assign(new EventEmitter(), {
        socket,
        headers: {},
        complete: false,
        destroyed: false,
        readableLength: waiting,
      })
      let refused = 0
      bodies.count(incoming as never, 1e9, () => {
        refused = second
      })
      let second = 0
      while (!refused && second++ < 600) {
        socket.bytesRead += bytesPerSecond
        vi.advanceTimersByTime(1000)
      }
      return refused
    }
    expect(seconds(600)).toBe(0)
    expect(seconds(100)).toBe(30)
    expect(seconds(0)).toBe(30)
    // It is the server that is slow here.
    expect(seconds(0, 16_384)).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
