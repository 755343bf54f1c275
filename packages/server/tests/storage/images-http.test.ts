// Transformed pictures through storage-js and by their addresses: public, by the caller's rights, signed.
import { readdir } from 'node:fs/promises'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { signedIn, stranger } from '../support/people.ts'
import { bare, makeBucket, startStorage } from './storage.ts'

const { server, service, grace } = await startStorage({ open: ['album'] })
const sam = await signedIn(server, 'sam')

beforeAll(async () => {
  await makeBucket(service, 'front', { public: true })
  const field = { create: { width: 300, height: 200, channels: 3 as const, background: 'gold' } }
  const picture = await sharp(field).jpeg().toBuffer()
  for (const bucket of ['front', 'album']) {
    const { error } = await service.storage
      .from(bucket)
      .upload('canola field.jpg', picture, { contentType: 'image/jpeg' })
    expect(error).toBe(null)
  }
  await service.storage.from('front').upload('note.txt', 'hello', { contentType: 'text/plain' })
})

const front = () => stranger(server).storage.from('front')

async function look(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer())
  const { width, height, format } = response.ok ? await sharp(bytes).metadata() : {}
  return { status: response.status, type: response.headers.get('content-type'), width, height, format }
}

describe('a public picture', () => {
  const address = (transform: object) =>
    front().getPublicUrl('canola field.jpg', { transform }).data.publicUrl

  test('comes in the size that is asked for, to anybody', async () => {
    expect(await look(await fetch(address({ width: 60, height: 60 })))).toEqual({
      status: 200,
      type: 'image/jpeg',
      width: 60,
      height: 60,
      format: 'jpeg',
    })
    expect(await look(await fetch(address({ width: 60, resize: 'contain' })))).toMatchObject({
      width: 60,
      height: 40,
    })
  })

  test('comes as WebP to a browser, and in its own format when that is asked for', async () => {
    const headers = { accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8' }
    const response = await fetch(address({ width: 60 }), { headers })
    expect(response.headers.get('vary')).toContain('Accept')
    expect(await look(response)).toMatchObject({ type: 'image/webp', format: 'webp' })
    const own = await fetch(address({ width: 60, format: 'origin' }), { headers })
    expect(await look(own)).toMatchObject({ type: 'image/jpeg', format: 'jpeg' })
  })

  test('is recognised, and answers HEAD', async () => {
    const first = await fetch(address({ width: 61 }), { method: 'HEAD' })
    expect(first.status).toBe(200)
    expect(Number(first.headers.get('content-length'))).toBeGreaterThan(100)
    const again = await fetch(address({ width: 61 }), {
      headers: { 'if-none-match': first.headers.get('etag') as string },
    })
    expect(again.status).toBe(304)
  })

  test('is saved under a name when that is asked for', async () => {
    const { publicUrl } = front().getPublicUrl('canola field.jpg', {
      transform: { width: 60 },
      download: 'field.jpg',
    }).data
    expect((await fetch(publicUrl)).headers.get('content-disposition')).toBe(
      'attachment; filename="field.jpg"',
    )
  })
})

describe('a private picture', () => {
  test('comes to whoever may read it', async () => {
    const { data } = await grace.storage
      .from('album')
      .download('canola field.jpg', { transform: { width: 50 } })
    expect(await sharp(Buffer.from((await data?.arrayBuffer()) as ArrayBuffer)).metadata()).toMatchObject({
      width: 50,
    })
    const { error } = await stranger(server)
      .storage.from('album')
      .download('canola field.jpg', { transform: { width: 50 } })
    expect(error).not.toBe(null)
    expect((await bare(server, '/render/image/public/album/canola%20field.jpg?width=50')).status).toBe(400)
  })

  test('comes by its signed address, in the size that was signed', async () => {
    const { data } = await sam.storage.from('album').createSignedUrl('canola field.jpg', 60, {
      transform: { width: 40, height: 20, resize: 'fill', quality: 50 },
    })
    const url = data?.signedUrl as string
    expect(url).toContain('/render/image/sign/album/')
    const response = await fetch(url)
    expect(response.headers.get('x-transformations')).toBe('height:20,width:40,resize:fill,quality:50')
    expect(response.headers.has('expires')).toBe(true)
    expect(await look(response)).toMatchObject({ width: 40, height: 20 })
    expect(await look(await fetch(`${url}&width=200`))).toMatchObject({ width: 40 })
    // Whoever signed a small picture did not show the whole file.
    expect((await fetch(url.replace('/render/image/', '/object/'))).status).toBe(400)
    // Not the last character: most of its bits say nothing.
    expect(
      (await fetch(url.replace(/.(.{9})$/, (end) => (end[0] === 'A' ? 'B' : 'A') + end.slice(1)))).status,
    ).toBe(400)
  })
})

test('pictures that were made of it go with the object', async () => {
  const kept = () => readdir(`${server.services.config.dataDir}/storage/pictures`)
  const field = { create: { width: 90, height: 90, channels: 3 as const, background: 'gold' } }
  const bytes = await sharp(field).png().toBuffer()
  await grace.storage.from('album').upload('gone.png', bytes, { contentType: 'image/png' })
  const before = await kept()
  await grace.storage.from('album').download('gone.png', { transform: { width: 30 } })
  expect(await kept()).toHaveLength(before.length + 1)
  await grace.storage.from('album').remove(['gone.png'])
  expect(await kept()).toEqual(before)
})

describe('the bytes say what a picture is', () => {
  const field = { create: { width: 80, height: 40, channels: 3 as const, background: 'gold' } }
  const at = (name: string, query: string) =>
    bare(server, `/render/image/authenticated/album/${name}${query}`, { key: server.secretKey })

  test('also under the name of another type, or of none', async () => {
    const bytes = await sharp(field).webp().toBuffer()
    for (const [name, contentType] of [
      ['renamed.jpg', 'image/jpeg'],
      ['renamed.bin', 'application/octet-stream'],
    ] as const) {
      const { error } = await grace.storage.from('album').upload(name, bytes, { contentType })
      expect(error).toBe(null)
      expect(await look(await at(name, '?width=20&format=origin'))).toMatchObject({
        status: 200,
        type: 'image/webp',
        format: 'webp',
        width: 20,
        height: 10,
      })
      // As it was stored, it keeps the type that it came with.
      const whole = await bare(server, `/object/authenticated/album/${name}`, { key: server.secretKey })
      expect(whole.headers.get('content-type')).toBe(contentType)
    }
  })

  test('a drawing is sent as it is, whatever it is called; a page is no picture', async () => {
    const drawing = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'
    for (const [name, contentType, body] of [
      ['bird.svg', 'image/svg+xml', drawing],
      ['bird.txt', 'text/plain', drawing],
    ] as const) {
      expect((await grace.storage.from('album').upload(name, Buffer.from(body), { contentType })).error).toBe(
        null,
      )
      const answer = await at(name, '?width=2')
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        200,
        contentType,
        body,
      ])
    }
    const page = Buffer.from('<html><body>not a picture</body></html>')
    await grace.storage.from('album').upload('page.html', page, { contentType: 'text/html' })
    expect(await (await at('page.html', '?width=2')).json()).toMatchObject({
      message: 'The requested resource is not an image',
    })
  })
})

describe('refused requests', () => {
  test.each([
    ['?width=-1', '400', 'querystring/width must be integer'],
    ['?height=tall', '400', 'querystring/height must be integer'],
    ['?quality=5', '400', 'querystring/quality must be >= 20'],
    ['?resize=stretch', '400', 'querystring/resize must be equal to one of the allowed values'],
    ['?format=bmp', '400', 'querystring/format must be equal to one of the allowed values'],
  ])('%s', async (query, statusCode, message) => {
    const response = await bare(server, `/render/image/public/front/canola%20field.jpg${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ statusCode, message })
  })

  test('no picture, and no object', async () => {
    const text = await bare(server, '/render/image/public/front/note.txt?width=10')
    expect([text.status, await text.json()]).toEqual([
      400,
      { statusCode: '422', error: 'ImageProcessingError', message: 'The requested resource is not an image' },
    ])
    const none = await bare(server, '/render/image/public/front/none.png?width=10')
    expect(await none.json()).toMatchObject({ statusCode: '404', message: 'Object not found' })
  })
})
