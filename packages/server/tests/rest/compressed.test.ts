// Answers of the Data API as they go over the wire: compressed for clients that accept it, the same bytes once
// unpacked.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await fixture.sql(`
    create function api.letters(n int) returns text language sql stable as $$ select repeat('é', n) $$;
    create function api.bytes() returns bytea language sql stable as $$
      select set_config('response.headers', '[{"content-type": "image/png"}]', true);
      select convert_to(repeat('x', 5000), 'UTF8')
    $$;
    create function api.tagged() returns text language sql stable as $$
      select set_config('response.headers', '[{"ETag": "\\"one\\""}, {"Vary": "accept"}]', true);
      select repeat('y', 5000)
    $$`)
  await fixture.reload()
})
afterAll(() => fixture?.stop())

/** `fetch` unpacks by itself. */
async function onTheWire(path: string, accepted?: string, method = 'GET') {
  const headers: Record<string, string> = {
    apikey: fixture.server.publishableKey,
    'accept-profile': 'api',
    ...(accepted ? { 'accept-encoding': accepted } : {}),
  }
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(
      `${fixture.server.url}/rest/v1/rpc${path}`,
      { method, headers },
      async (response) => {
        const parts: Buffer[] = []
        for await (const part of response) parts.push(part)
        resolve({ headers: response.headers, body: Buffer.concat(parts) })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

const LONG = '/letters?n=4000'
const text = JSON.stringify('é'.repeat(4000))

test('a long answer is compressed as the client takes it', async () => {
  const cases: [string | undefined, string | undefined, (body: Buffer) => Buffer][] = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body) => body],
    ['br; q=0.0', undefined, (body) => body],
    [undefined, undefined, (body) => body],
  ]
  for (const [accepted, encoding, unpack] of cases) {
    const { headers, body } = await onTheWire(LONG, accepted)
    expect([accepted, headers['content-encoding'], headers.vary]).toEqual([
      accepted,
      encoding,
      'accept-encoding',
    ])
    expect(Number(headers['content-length'])).toBe(body.length)
    expect(unpack(body).toString()).toBe(text)
    if (encoding) expect(body.length).toBeLessThan(500)
  }
})

test('short answers, pictures and HEAD requests stay as they are', async () => {
  const short = await onTheWire('/letters?n=100', 'br')
  expect([short.headers['content-encoding'], short.headers.vary]).toEqual([undefined, undefined])
  const picture = await onTheWire('/bytes', 'br')
  expect(picture.headers['content-encoding']).toBeUndefined()
  expect(picture.body.length).toBeGreaterThanOrEqual(5000)
  const head = await onTheWire(LONG, 'br', 'HEAD')
  expect([head.headers['content-encoding'], head.body.length]).toEqual([undefined, 0])
})

test('a validator of other bytes is weak, and Vary keeps its earlier names', async () => {
  const packed = await onTheWire('/tagged', 'br')
  expect([packed.headers.etag, packed.headers.vary]).toEqual(['W/"one"', 'accept, accept-encoding'])
  const plain = await onTheWire('/tagged')
  expect([plain.headers.etag, plain.headers.vary]).toEqual(['"one"', 'accept, accept-encoding'])
})
