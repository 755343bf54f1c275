// Types and cache times that lie about a file, break a header or hide a second type: nothing of it reaches a browser.
import { expect, test } from 'vitest'
import { bare, bareJson, startStorage } from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['papers'] })

const read = async (name: string) => {
  const response = await bare(server, `/object/papers/${name}`, { key: server.secretKey })
  const { status, headers } = response
  await response.arrayBuffer()
  return { status, type: headers.get('content-type'), cache: headers.get('cache-control') }
}
const copyAs = (name: string, metadata: object) =>
  bareJson(
    server,
    '/object/copy',
    { bucketId: 'papers', sourceKey: 'plain.txt', destinationKey: name, copyMetadata: false, metadata },
    { key: server.secretKey },
  )

test('a second type behind a comma, which browsers would follow, is not sent', async () => {
  for (const [type, bytes] of [
    ['application/pdf;,text/html', 'x %PDF-1.4 <script src="/other"></script>'],
    ['application/pdf;,text/javascript', '/*%PDF-1.4*/ alert(1)'],
    ['application/pdf; a="b", text/html', '%PDF-1.4'],
  ] as const) {
    const headers = { 'content-type': type, 'x-upsert': 'true' }
    const uploaded = await bare(server, '/object/papers/a.pdf', {
      method: 'POST',
      key: server.secretKey,
      headers,
      body: bytes,
    })
    expect(uploaded.status).toBe(200)
    expect(await read('a.pdf')).toMatchObject({ status: 200, type: 'application/pdf' })
  }
  const film = { contentType: 'video/webm;codecs=vp8,opus', upsert: true }
  const bytes = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex')
  expect((await grace.storage.from('papers').upload('a.webm', bytes, film)).error).toBe(null)
  expect(await read('a.webm')).toMatchObject({ status: 200, type: 'video/webm' })
})

test('a copy says nothing of itself that an upload could not', async () => {
  await grace.storage.from('papers').upload('plain.txt', 'wheat', { contentType: 'text/plain', upsert: true })
  for (const metadata of [
    { mimetype: 'image/png;\r\nx-evil: 1' },
    { mimetype: 'image/png;€' },
    { mimetype: 'image/png' },
    { mimetype: 'application/pdf' },
    { cacheControl: 'max-age=1\r\nset-cookie: a=b' },
    { cacheControl: '€' },
    { cacheControl: 'x'.repeat(1001) },
  ]) {
    expect((await copyAs('copy', metadata)).status).toBe(400)
    expect((await read('copy')).status).toBe(400)
  }
  expect((await copyAs('copy', { mimetype: 'text/csv', cacheControl: 'max-age=9' })).status).toBe(200)
  expect(await read('copy')).toEqual({ status: 200, type: 'text/csv', cache: 'max-age=9' })
})

test('a type that a form names after its file holds for the bytes before it', async () => {
  const form = (type: string) => {
    const parts = [
      ['name=""; filename="a"\r\nContent-Type: text/plain', '<html><script>1</script>'],
      ['name="contentType"', type],
    ]
    const lines = parts.map(
      ([head, body]) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`,
    )
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'x-upsert': 'true' }
    const body = `${lines.join('')}--x--\r\n`
    return bare(server, '/object/papers/late', { method: 'POST', key: server.secretKey, headers, body })
  }
  for (const type of ['image/png', 'application/pdf']) {
    expect(await (await form(type)).json()).toMatchObject({ statusCode: '415', error: 'invalid_mime_type' })
  }
  expect((await form('text/csv')).status).toBe(200)
  expect(await read('late')).toMatchObject({ type: 'text/csv' })
  await service.storage.updateBucket('papers', { public: false, allowedMimeTypes: ['text/plain'] })
  expect(await (await form('text/csv')).json()).toMatchObject({
    message: 'mime type text/csv is not supported',
  })
  await service.storage.updateBucket('papers', { public: false, allowedMimeTypes: null })
})

test('rows that others wrote are served all the same', async () => {
  await grace.storage.from('papers').upload('row.txt', 'wheat', { upsert: true })
  for (const [mimetype, type] of [
    ['image/png\r\nx: y', 'application/octet-stream'],
    ['application/pdf,text/html', 'application/octet-stream'],
    ['text/html ,image/png', 'application/octet-stream'],
    ['text/html;,image/png', 'text/plain; charset=utf-8'],
    ['nothing', 'application/octet-stream'],
  ]) {
    await server.database.pool.query(
      `update storage.objects set metadata = metadata || jsonb_build_object('mimetype', $1::text, 'cacheControl', e'a\\nb')
       where bucket_id = 'papers' and name = 'row.txt'`,
      [mimetype],
    )
    expect(await read('row.txt')).toEqual({ status: 200, type, cache: 'no-cache' })
  }
})
