// Files that a form sends under an empty name, as Bun does: kept as files, however the form is cut on its way.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { nameUnnamedFiles } from '../../src/storage/objects/unnamed-files.ts'
import { bare, startStorage } from './storage.ts'

const { server, grace } = await startStorage({ open: ['shed'] })

const TYPE = 'multipart/form-data; boundary=x-hay'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A form of these parts, each its head and its body. */
const form = (...parts: [head: string, body: Buffer | string][]) =>
  Buffer.concat([
    ...parts.flatMap(([head, body]) => [
      Buffer.from(`--x-hay\r\n${head}${head && '\r\n'}\r\n`),
      Buffer.from(body as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--x-hay--\r\n'),
  ])
const FILE = 'Content-Disposition: form-data; name=""; filename=""\r\nContent-Type: image/png'

test('a file with an empty name is a file, of the type that it says', async () => {
  for (const [name, head] of [
    ['bun.png', FILE],
    ['odd.png', 'content-type: image/png\r\ncontent-disposition: form-data;filename="";name="a"'],
  ] as const) {
    const body = form(['Content-Disposition: form-data; name="cacheControl"', '60'], [head, PNG])
    const headers = { 'content-type': TYPE }
    const sent = await bare(server, `/object/shed/${name}`, {
      method: 'POST',
      key: server.secretKey,
      headers,
      body,
    })
    expect([sent.status, await sent.json()]).toMatchObject([200, { Key: `shed/${name}` }])
    const { data } = await grace.storage.from('shed').info(name)
    expect(data).toMatchObject({ contentType: 'image/png', cacheControl: 'max-age=60', size: PNG.length })
    const kept = await grace.storage.from('shed').download(name)
    expect(Buffer.from((await kept.data?.arrayBuffer()) as ArrayBuffer).equals(PNG)).toBe(true)
  }
})

test('nothing else of a form changes, wherever it is cut', async () => {
  const look = Buffer.from(`\r\n--x-ha\r\n${FILE}\r\n\r\n--x-hayloft\r\n`)
  const whole = form(
    ['Content-Disposition: form-data; name="a"', `filename=""\r\n\r\n${FILE}`],
    ['', FILE],
    [`Content-Disposition: form-data; name="b"; filename="b"\r\nX: ; filename=""`, look],
    [FILE, Buffer.concat([randomBytes(300), look])],
    [FILE, ''],
  )
  const wanted = form(
    ['Content-Disposition: form-data; name="a"', `filename=""\r\n\r\n${FILE}`],
    ['', FILE],
    [`Content-Disposition: form-data; name="b"; filename="b"\r\nX: ; filename=""`, look],
    [FILE.replace('filename=""', 'filename="file"'), Buffer.alloc(0)],
  )
  const named = (size: number) => {
    const chunks = []
    for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size))
    return buffer(Readable.from(chunks, { objectMode: false }).pipe(nameUnnamedFiles(TYPE)))
  }
  const once = await named(whole.length)
  expect(once.length).toBe(whole.length + 2 * 'file'.length)
  expect(once.indexOf(wanted.subarray(0, wanted.indexOf('\r\n--x-hay--') - 2))).toBe(0)
  for (const size of [1, 2, 3, 7, 19, 64, 500]) expect((await named(size)).equals(once)).toBe(true)
})

test('other bodies pass unchanged', async () => {
  for (const bytes of [
    randomBytes(100_000),
    Buffer.alloc(0),
    Buffer.from('\r'),
    Buffer.from('--x-hay\r\n'),
  ]) {
    for (const type of [TYPE, 'multipart/form-data', 'multipart/form-data; boundary="x-hay"']) {
      const passed = await buffer(Readable.from([bytes], { objectMode: false }).pipe(nameUnnamedFiles(type)))
      expect(passed.equals(bytes)).toBe(true)
    }
  }
  const endless = Buffer.concat([
    Buffer.from('--x-hay\r\n'),
    Buffer.alloc(40_000, 'x'),
    Buffer.from('\r\n\r\n'),
  ])
  const passed = await buffer(Readable.from([endless], { objectMode: false }).pipe(nameUnnamedFiles(TYPE)))
  expect(passed.equals(endless)).toBe(true)
})
