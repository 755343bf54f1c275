// How large an object may be, of which type, and what it may be called, through storage-js.
import { beforeAll, describe, expect, test } from 'vitest'
import { bare, errorOf, keptFiles, makeBucket, startStorage } from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['shed'] })

const shed = () => grace.storage.from('shed')
const text = async (name: string) => (await shed().download(name)).data?.text()

describe('limits', () => {
  beforeAll(async () => {
    await makeBucket(service, 'small', {
      public: true,
      fileSizeLimit: 1000,
      allowedMimeTypes: ['image/*', 'text/plain', 'application/json; charset=utf-8'],
    })
  })
  const small = () => service.storage.from('small')
  const tooLarge = { status: 400, statusCode: '413', message: 'The object exceeded the maximum allowed size' }
  const stream = (bytes: number) => {
    let left = bytes
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left <= 0) return controller.close()
        controller.enqueue(new Uint8Array(Math.min(left, 65_536)))
        left -= 65_536
      },
    })
  }

  test('of size hold for announced bodies, streams and forms; nothing is left of what was too large', async () => {
    const before = await keptFiles(server)
    const type = { contentType: 'text/plain' }
    expect((await small().upload('fits.txt', 'x'.repeat(1000), type)).error).toBeNull()
    expect(errorOf((await small().upload('a.txt', 'x'.repeat(1001), type)).error)).toEqual(tooLarge)
    expect(errorOf((await small().upload('b.txt', stream(1001), type)).error)).toEqual(tooLarge)
    expect(errorOf((await small().upload('c.txt', stream(3_000_000), type)).error)).toEqual(tooLarge)
    const blob = new Blob(['x'.repeat(300_000)], { type: 'text/plain' })
    expect(errorOf((await small().upload('d.txt', blob)).error)).toEqual(tooLarge)
    expect(await keptFiles(server)).toHaveLength(before.length + 1)
    const { data, error } = await small().list()
    expect(error).toBeNull()
    expect(data?.map(({ name }) => name)).toEqual(['fits.txt'])
  })

  test('of the whole project hold everywhere', async () => {
    expect(server.services.config.storage.file_size_limit).toBe(50 * 1024 * 1024)
    const answer = await bare(server, '/object/shed/huge.bin', {
      method: 'POST',
      key: server.secretKey,
      headers: { 'content-type': 'application/octet-stream' },
      body: stream(50 * 1024 * 1024 + 1),
    })
    expect(await answer.json()).toMatchObject({ statusCode: '413' })
  })

  test.each([
    ['image/png', false],
    ['text/plain', true],
    ['text/plain;charset=UTF-8', true],
    ['TEXT/PLAIN', true],
    ['application/json;charset=utf-8', true],
    ['application/json', false],
    ['text/html', false],
    ['application/pdf', false],
    ['imagery/png', false],
  ])('of type: %s (a text)', async (contentType, taken) => {
    const { error } = await small().upload('typed', '{}', { contentType, upsert: true })
    expect(error === null).toBe(taken)
    if (error) expect(errorOf(error)).toMatchObject({ status: 400, statusCode: '415' })
  })

  test('of type say which type it was', async () => {
    const { error } = await small().upload('page', '<p>', { contentType: 'text/html' })
    expect(errorOf(error)).toEqual({
      status: 400,
      statusCode: '415',
      message: 'mime type text/html is not supported',
    })
  })

  test('leave the placeholder of an empty folder alone, which is empty', async () => {
    expect(
      (await small().upload('f/.emptyFolderPlaceholder', '', { contentType: 'application/x-any' })).error,
    ).toBeNull()
    const { error } = await small().upload('g/.emptyFolderPlaceholder', 'full', {
      contentType: 'application/x-any',
    })
    expect(errorOf(error)).toEqual(tooLarge)
  })
})

describe('names', () => {
  test.each([
    'plain.txt',
    'folder/in folder/a b.txt',
    'ünïcødé/草原/жаворонок.txt',
    'emoji 👨‍👩‍👧.txt',
    "it's (a) [no].txt".replaceAll(/[[\]]/g, ''),
    'a+b=c&d$e@f;g:h,i!j*k.txt',
    '.hidden',
    'two..dots',
    'نام‌نام.txt',
    `${'n'.repeat(1020)}.txt`,
  ])('%s', async (name) => {
    const { data, error } = await shed().upload(name, 'named')
    expect(error).toBeNull()
    expect(data?.path).toBe(name)
    expect(await text(name)).toBe('named')
    expect((await shed().exists(name)).data).toBe(true)
    const { data: removed } = await shed().remove([name])
    expect(removed?.map((object) => object.name)).toEqual([name])
  })

  test.each([
    ['a%2F..%2Fb', 'a/../b'],
    ['%2E%2E%2Fb', '../b'],
    ['a%2F.', 'a/.'],
    ['back%5Cslash', 'back\\slash'],
    ['hash%23', 'hash#'],
    ['percent%25', 'percent%'],
    ['tab%09', 'tab\t'],
    ['nul%00', 'nul\0'],
    ['quote%22', 'quote"'],
    ['turn%E2%80%AE', 'turn\u202E'],
    ['%E0%A4', 'shed/%E0%A4'],
    ['lone%ED%A0%80', 'shed/lone%ED%A0%80'],
    [`${'n'.repeat(1025)}`, 'n'.repeat(1025)],
    [`${encodeURIComponent('é').repeat(513)}`, 'é'.repeat(513)],
  ])('%s is refused', async (path, key) => {
    for (const request of [
      { method: 'POST', body: 'x' },
      { method: 'PUT', body: 'x' },
      {},
      { method: 'DELETE' },
    ]) {
      const answer = await bare(server, `/object/shed/${path}`, { ...request, key: server.secretKey })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({
        statusCode: '400',
        error: 'InvalidKey',
        message: `Invalid key: ${key}`,
      })
    }
  })
})
