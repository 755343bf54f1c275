// Objects through storage-js: upload in every form, replace, download, info, exists, limits and names.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bare, bucketMissing, errorOf, keptFiles, objectMissing, startStorage, taken } from './storage.ts'

const { server, grace } = await startStorage({ open: ['shed'] })
const graceId = (await grace.auth.getUser()).data.user?.id as string

const shed = () => grace.storage.from('shed')
const text = async (name: string) => (await shed().download(name)).data?.text()

describe('an upload', () => {
  const bytes = new TextEncoder().encode('forty bales of hay')
  const form = () => {
    const body = new FormData()
    body.append('file', new Blob([bytes], { type: 'text/csv' }), 'bales.csv')
    return body
  }
  const bodies: [string, () => Parameters<ReturnType<typeof shed>['upload']>[1]][] = [
    ['a string', () => 'forty bales of hay'],
    ['an ArrayBuffer', () => bytes.buffer as ArrayBuffer],
    ['a Uint8Array', () => bytes],
    ['a Buffer', () => Buffer.from(bytes)],
    ['a Blob', () => new Blob([bytes], { type: 'text/csv' })],
    ['a File', () => new File([bytes], 'bales.csv', { type: 'text/csv' })],
    ['a FormData', form],
    ['a web stream', () => new Blob([bytes]).stream()],
    ['a Node stream', () => Readable.from([Buffer.from(bytes)])],
  ]

  test.each(bodies)('takes %s', async (kind, body) => {
    const name = `forms/${kind.replaceAll(' ', '-')}.csv`
    const { data, error } = await shed().upload(name, body(), {
      contentType: 'text/csv',
      cacheControl: '60',
      metadata: { bales: 40, field: 'nørth' },
    })
    expect(error).toBeNull()
    expect(data).toEqual({ id: expect.any(String), path: name, fullPath: `shed/${name}` })
    expect(await text(name)).toBe('forty bales of hay')
    const info = (await shed().info(name)).data
    expect(info).toEqual({
      id: data?.id,
      name,
      version: expect.any(String),
      bucketId: 'shed',
      size: 18,
      contentType: 'text/csv',
      cacheControl: 'max-age=60',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      metadata: { bales: 40, field: 'nørth' },
      lastModified: expect.any(String),
      createdAt: expect.any(String),
    })
  })

  test('takes URL parameters as a form’s text', async () => {
    const { error } = await shed().upload('forms/params', new URLSearchParams({ a: '1' }) as never, {
      contentType: 'application/x-www-form-urlencoded',
    })
    expect(error).toBeNull()
    expect(await text('forms/params')).toBe('a=1')
  })

  test('takes nothing at all as an empty file', async () => {
    expect((await shed().upload('empty', new Blob([]))).error).toBeNull()
    expect((await shed().info('empty')).data?.size).toBe(0)
    expect(await text('empty')).toBe('')
  })

  test('belongs to whoever sent it', async () => {
    const { data } = await shed().upload('mine.txt', 'mine')
    const { rows } = await server.database.pool.query(
      'select owner, owner_id, path_tokens, metadata from storage.objects where id = $1',
      [data?.id],
    )
    expect(rows[0]).toEqual({
      owner: graceId,
      owner_id: graceId,
      path_tokens: ['mine.txt'],
      metadata: {
        eTag: expect.any(String),
        size: 4,
        mimetype: 'text/plain;charset=UTF-8',
        cacheControl: 'max-age=3600',
        lastModified: expect.any(String),
        contentLength: 4,
        httpStatusCode: 200,
      },
    })
  })

  test('does not replace what is there, unless it says so', async () => {
    const first = await shed().upload('once.txt', 'one')
    expect(errorOf((await shed().upload('once.txt', 'two')).error)).toEqual(taken)
    expect(await text('once.txt')).toBe('one')
    const before = await keptFiles(server)
    const second = await shed().upload('once.txt', 'three', { upsert: true })
    expect(second.data?.id).toBe(first.data?.id)
    expect(await text('once.txt')).toBe('three')
    // The old bytes are gone, the new ones there.
    const after = await keptFiles(server)
    expect(after).toHaveLength(before.length)
    expect(after.filter((version) => !before.includes(version))).toHaveLength(1)
  })

  test('by update replaces content, type and metadata', async () => {
    await shed().upload('field.txt', 'barley', { metadata: { year: 2025 } })
    const { data, error } = await shed().update('field.txt', 'canola!', { contentType: 'text/markdown' })
    expect(error).toBeNull()
    expect(data?.fullPath).toBe('shed/field.txt')
    const info = (await shed().info('field.txt')).data
    expect([info?.contentType, info?.size, info?.metadata]).toEqual(['text/markdown', 7, {}])
    expect(await text('field.txt')).toBe('canola!')
  })

  test('to a bucket that is not there gets an error that says so', async () => {
    expect(errorOf((await grace.storage.from('nowhere').upload('a.txt', 'a')).error)).toEqual(bucketMissing)
  })

  test('as a form gives cache time and metadata also behind the file', async () => {
    const body = new FormData()
    body.append('', new Blob(['x'], { type: 'text/plain' }))
    body.append('cacheControl', '7')
    body.append('metadata', '{"late": true}')
    expect(
      (await bare(server, '/object/shed/late.txt', { method: 'POST', key: server.secretKey, body })).ok,
    ).toBe(true)
    expect((await shed().info('late.txt')).data).toMatchObject({
      cacheControl: 'max-age=7',
      metadata: { late: true },
    })
  })

  test('as a form waits for late fields behind the file, and takes a bounded amount of them', async () => {
    const part = (head: string, body: string) =>
      `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}\r\n`
    const file = part('name=""; filename="a"', 'hay')
    const post = (...chunks: string[]) =>
      bare(server, '/object/shed/late-form.txt', {
        method: 'POST',
        key: server.secretKey,
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'x-upsert': 'true' },
        body: Readable.toWeb(
          Readable.from(
            (async function* () {
              for (const chunk of chunks) {
                yield Buffer.from(chunk)
                await sleep(100)
              }
            })(),
          ),
        ) as ReadableStream,
      })
    const late = await post(file, part('name="cacheControl"', '11'), '--b--\r\n')
    expect(late.status).toBe(200)
    expect((await shed().info('late-form.txt')).data?.cacheControl).toBe('max-age=11')
    const junk = part('name="junk"', 'x'.repeat(1_000_000)).repeat(9)
    for (const chunks of [
      [junk, file, '--b--\r\n'],
      [file, junk, '--b--\r\n'],
    ]) {
      const before = await keptFiles(server)
      expect(await (await post(...chunks)).json()).toMatchObject({ statusCode: '413' })
      expect(await keptFiles(server)).toEqual(before)
    }
  })

  test('as a form without a file, or one that breaks off, is refused', async () => {
    const fields = new FormData()
    fields.append('cacheControl', '1')
    const head =
      '--b\r\ncontent-disposition: form-data; name=""; filename="a"\r\ncontent-type: text/plain\r\n\r\nhalf'
    const before = await keptFiles(server)
    for (const body of [fields, head, '--b--', 'nothing']) {
      const answer = await bare(server, '/object/shed/broken.txt', {
        method: 'POST',
        key: server.secretKey,
        body,
        headers: body instanceof FormData ? {} : { 'content-type': 'multipart/form-data; boundary=b' },
      })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ statusCode: '400', error: 'InvalidRequest' })
    }
    expect((await shed().exists('broken.txt')).data).toBe(false)
    expect(await keptFiles(server)).toEqual(before)
  })
})

describe('stored values', () => {
  test('is for no search engine, unless its upload says otherwise', async () => {
    const robotsOf = async (name: string) =>
      (await bare(server, `/object/shed/${name}`, { key: server.secretKey })).headers.get('x-robots-tag')
    await shed().upload('quiet.txt', 'x')
    expect(await robotsOf('quiet.txt')).toBe('none')
    const headers = { 'x-robots-tag': 'noindex, max-snippet: 20' }
    for (const [name, body] of [
      ['raw.txt', 'x'],
      ['form.txt', new Blob(['x'], { type: 'text/plain' })],
    ] as const) {
      expect((await shed().upload(name, body, { headers })).error).toBeNull()
      expect(await robotsOf(name)).toBe('noindex, max-snippet: 20')
    }
    await shed().copy('form.txt', 'copied.txt')
    expect(await robotsOf('copied.txt')).toBe('noindex, max-snippet: 20')
    const { error } = await shed().upload('odd.txt', 'x', { headers: { 'x-robots-tag': 'n\u00f6' } })
    expect(error).toMatchObject({
      statusCode: '400',
      message: expect.stringMatching(/^x-robots-tag must be/),
    })
  })

  test('is known to be there or not', async () => {
    await shed().upload('known.txt', 'x')
    expect(await shed().exists('known.txt')).toEqual({ data: true, error: null })
    const missing = await shed().exists('unknown.txt')
    expect(missing.data).toBe(false)
    expect((await grace.storage.from('nowhere').exists('unknown.txt')).data).toBe(false)
  })

  test('is reported as missing where it is', async () => {
    expect(errorOf((await shed().info('unknown.txt')).error)).toEqual(objectMissing)
    const { error } = await shed().download('unknown.txt')
    expect(errorOf(error)).toEqual(objectMissing)
    expect(errorOf((await grace.storage.from('nowhere').info('a')).error)).toEqual(bucketMissing)
  })

  test('streams', async () => {
    await shed().upload('stream.txt', 'prairie')
    const { data } = await shed().download('stream.txt').asStream()
    expect(await new Response(data as ReadableStream).text()).toBe('prairie')
  })

  test('is found by path as written: at /object, at /object/authenticated, and at /object/info of either', async () => {
    await shed().upload('paths/a.txt', 'here')
    for (const path of ['/object/shed', '/object/authenticated/shed']) {
      const answer = await bare(server, `${path}/paths/a.txt`, { key: server.secretKey })
      expect(await answer.text()).toBe('here')
      const head = await bare(server, `${path}/paths/a.txt`, { method: 'HEAD', key: server.secretKey })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '4'])
    }
    for (const path of ['/object/info/shed', '/object/info/authenticated/shed']) {
      const answer = await bare(server, `${path}/paths/a.txt`, { key: server.secretKey })
      expect(await answer.json()).toMatchObject({ name: 'paths/a.txt', size: 4 })
    }
    for (const path of ['/object/nowhere', '/object/authenticated/nowhere', '/object/public/nowhere']) {
      const answer = await bare(server, `${path}/paths/a.txt`, { key: server.secretKey })
      expect(await answer.json()).toMatchObject({ statusCode: '404', message: 'Bucket not found' })
    }
  })
})

test('an invalid address is reported as such', async () => {
  const answer = await bare(server, '/no/such/thing')
  expect(answer.status).toBe(404)
  expect(await answer.json()).toEqual({
    statusCode: '404',
    error: 'Not Found',
    message: 'Route GET:/no/such/thing not found',
  })
  expect((await bare(server, '/status')).status).toBe(200)
})
