// Pictures out of pictures: sizes, formats, refusals. Their addresses are in images-http.test.ts.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Backend } from '../../src/storage/backend/backend.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'
import type { ObjectRow } from '../../src/storage/download/serve.ts'
import { createImages, type Images } from '../../src/storage/images/images.ts'
import {
  optionsOfText,
  optionsText,
  readOptions,
  type TransformOptions,
} from '../../src/storage/images/options.ts'
import { asked, drawing, keptIn } from './pictures.ts'

const folder = mkdtempSync(join(tmpdir(), 'meadowlark-images-'))
let backend: Backend
let images: Images
let reads = 0

beforeAll(async () => {
  const disk = await openDisk(join(folder, 'objects'))
  backend = {
    ...disk,
    get(...given) {
      reads++
      return disk.get(...given)
    },
  }
  images = createImages(backend, folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const kept = (bytes: Buffer, mimetype: string) => keptIn(backend, bytes, mimetype)

async function responseTo(
  images: Images,
  row: ObjectRow,
  options: TransformOptions,
  given: Record<string, string> = {},
): Promise<Response> {
  const { status, headers, body } = await images.render(asked('sam', given), row, options)
  return new Response(body && new Uint8Array(await buffer(body as Readable)), {
    status,
    headers: headers as Record<string, string>,
  })
}

async function rendered(row: ObjectRow, options: TransformOptions, headers: Record<string, string> = {}) {
  const response = await responseTo(images, row, options, headers)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { response, bytes, ...(response.status === 200 && (await sharp(bytes).metadata())) }
}

describe('sizes', () => {
  let row: ObjectRow
  beforeAll(async () => {
    row = await kept(await drawing(400, 200).png().toBuffer(), 'image/png')
  })

  test.each<[TransformOptions, number, number]>([
    [{}, 400, 200],
    [{ width: 100 }, 100, 50],
    [{ height: 100 }, 200, 100],
    [{ width: 100, height: 100 }, 100, 100],
    [{ width: 100, height: 100, resize: 'contain' }, 100, 50],
    [{ width: 100, height: 100, resize: 'fill' }, 100, 100],
    [{ width: 300, height: 20, resize: 'cover' }, 300, 20],
    // Nothing is enlarged.
    [{ width: 800 }, 400, 200],
    [{ width: 800, height: 100 }, 400, 100],
    [{ width: 800, height: 800, resize: 'contain' }, 400, 200],
    [{ width: 800, height: 200, resize: 'fill' }, 400, 100],
    [{ width: 2500, height: 1 }, 400, 1],
  ])('%j gives %i × %i', async (options, width, height) => {
    expect(await rendered(row, options)).toMatchObject({ width, height, format: 'png' })
  })

  test('cover cuts off both sides alike, fill keeps all', async () => {
    const edges = async (resize: 'cover' | 'fill') => {
      const { bytes } = await rendered(row, { width: 100, height: 100, resize, format: 'origin' })
      const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
      const blue = (x: number) => data[(90 * info.width + x) * info.channels + 2] ?? 0
      return [...Array(100).keys()].filter((x) => blue(x) > 127).length
    }
    expect(Math.abs((await edges('cover')) - 50)).toBeLessThan(3)
    expect(Math.abs((await edges('fill')) - 50)).toBeLessThan(3)
  })
})

describe('formats', () => {
  const sources = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const

  test.each(sources)(
    '%s stays what it is, becomes WebP for whoever takes it, or AVIF when asked',
    async (format) => {
      const row = await kept(await drawing(40, 40).toFormat(format).toBuffer(), `image/${format}`)
      const type = async (options: TransformOptions, accept: string) =>
        (await rendered(row, { width: 20, ...options }, { accept })).response.headers.get('content-type')
      expect(await type({}, '*/*')).toBe(`image/${format}`)
      expect(await type({}, 'image/avif,image/webp,*/*')).toBe('image/webp')
      expect(await type({ format: 'origin' }, 'image/webp')).toBe(`image/${format}`)
      expect(await type({ format: 'avif' }, '*/*')).toBe('image/avif')
    },
  )

  test('formats that browsers do not show become formats that they do', async () => {
    const tiff = await drawing(40, 40).tiff().toBuffer()
    expect(await rendered(await kept(tiff, 'image/tiff'), { width: 30 })).toMatchObject({
      format: 'png',
      width: 30,
    })
  })

  test('a drawing fits any size as it is, and is saved, not opened', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><circle r="9"/></svg>'
    const row = await kept(Buffer.from(svg), 'image/svg+xml')
    const answer = await responseTo(images, row, { width: 30, format: 'avif' }, { accept: 'image/webp' })
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(await answer.text()).toBe(svg)
  })

  test('quality weighs', async () => {
    const noise = await sharp(randomBytes(300 * 300 * 3), { raw: { width: 300, height: 300, channels: 3 } })
      .jpeg()
      .toBuffer()
    const row = await kept(noise, 'image/jpeg')
    const weight = async (quality?: number) => (await rendered(row, quality ? { quality } : {})).bytes.length
    expect(await weight(20)).toBeLessThan((await weight()) / 2)
    expect(await weight(100)).toBeGreaterThan(await weight())
  })

  test('is upright and says nothing about who took it where', async () => {
    const bytes = await drawing(200, 100)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Grace' }, IFD3: { GPSLatitude: '52/1 7/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    expect((await sharp(bytes).metadata()).exif?.includes('Grace')).toBe(true)
    const turned = await rendered(await kept(bytes, 'image/jpeg'), { format: 'origin' })
    expect(turned).toMatchObject({ width: 100, height: 200 })
    expect(turned).not.toHaveProperty('exif')
    expect(turned.orientation).toBeUndefined()
    expect(await rendered(await kept(bytes, 'image/jpeg'), { width: 50 })).toMatchObject({
      width: 50,
      height: 100,
    })
  })
})

describe('the answer', () => {
  test('has its own validators, the object’s cache rules, and says what it depends on', async () => {
    const row = await kept(await drawing(40, 40).png().toBuffer(), 'image/png')
    const first = await rendered(row, { width: 20 })
    expect(Object.fromEntries(first.response.headers)).toMatchObject({
      'cache-control': 'max-age=3600',
      'content-length': String(first.bytes.length),
      'content-type': 'image/png',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
      'x-transformations': 'width:20,resize:cover',
      vary: 'Accept',
    })
    const etag = first.response.headers.get('etag') as string
    expect((await rendered(row, { width: 20 }, { 'if-none-match': etag })).response.status).toBe(304)
    const others = [
      await rendered(row, { width: 21 }),
      await rendered(row, { width: 20 }, { accept: 'image/webp' }),
    ]
    for (const { response } of others) expect(response.headers.get('etag')).not.toBe(etag)
    expect((await rendered(row, { width: 20 }, { range: 'bytes=0-3' })).bytes.toString('latin1')).toBe(
      '\x89PNG',
    )
    expect((await rendered(row, { format: 'origin' })).response.headers.has('vary')).toBe(false)
  })

  test('is made once, also for many at the same time, and kept over a restart', async () => {
    const row = await kept(await drawing(300, 300).png().toBuffer(), 'image/png')
    reads = 0
    const all = await Promise.all(Array.from({ length: 10 }, () => rendered(row, { width: 33 })))
    expect(new Set(all.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
    await rendered(row, { width: 33 })
    // Its first bytes, which say what it is, and the whole.
    expect(reads).toBe(2)
    images = createImages(backend, folder)
    await rendered(row, { width: 33 })
    expect(reads).toBe(3)
    await rendered(
      { ...row, version: (await kept(await drawing(10, 10).png().toBuffer(), 'image/png')).version },
      { width: 33 },
    )
    expect(reads).toBe(5)
  })
})

describe('refused pictures', () => {
  /** No signature of anything, however the dice fall. */
  const NOISE = Buffer.concat([Buffer.from('noise'), randomBytes(1000)])
  const whole = () => drawing(100, 100).png().toBuffer()

  test.each<[string, () => Promise<Buffer> | Buffer, string, string]>([
    ['a text', () => Buffer.from('hello'), 'text/plain', 'not an image'],
    ['noise', () => NOISE, 'image/png', 'not an image'],
    ['nothing', () => Buffer.alloc(0), 'image/png', 'not an image'],
    ['half a picture', async () => (await whole()).subarray(0, 150), 'image/png', 'cannot be read'],
    ['a page', () => Buffer.from('<html><body/></html>'), 'image/jpeg', 'not an image'],
    [
      'a bomb',
      () =>
        sharp({ create: { width: 7200, height: 7200, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      'image/png',
      'million pixels',
    ],
  ])('%s', async (_, bytes, type, message) => {
    const row = await kept(await bytes(), type)
    await expect(rendered(row, { width: 10 })).rejects.toMatchObject({
      statusCode: 422,
      code: 'ImageProcessingError',
    })
    await expect(rendered(row, { width: 10 })).rejects.toThrow(message)
  })

  test('bytes that make no picture are read once, whatever size is asked for', async () => {
    const noise = await kept(NOISE, 'image/png')
    const half = await kept((await whole()).subarray(0, 150), 'image/png')
    reads = 0
    for (const width of [10, 20, 30]) {
      await expect(rendered(noise, { width })).rejects.toThrow('not an image')
      await expect(rendered(half, { width })).rejects.toThrow('cannot be read')
    }
    expect(reads).toBe(3)
  })

  test('a file that is too large to look into', async () => {
    const row = await kept(await whole(), 'image/png')
    const large = { ...row, metadata: { ...row.metadata, size: 25_000_001 } }
    await expect(rendered(large, { width: 11 })).rejects.toThrow('larger than 25 MB')
  })
})

describe('options', () => {
  test('are read within their limits', () => {
    const given = { width: '100', height: '99999', resize: 'contain', quality: '20', format: 'origin' }
    expect(readOptions(given)).toEqual({
      width: 100,
      height: 2500,
      resize: 'contain',
      quality: 20,
      format: 'origin',
    })
    expect(readOptions({ width: '0', download: 'x', height: '' })).toEqual({})
    for (const [name, value] of [
      ['width', '-1'],
      ['width', '1.5'],
      ['width', 'x'],
      ['width', '1e3'],
      ['height', '99999999999'],
      ['quality', '19'],
      ['quality', '101'],
      ['resize', 'stretch'],
      ['format', 'webp'],
      ['format', '../x'],
    ] as const)
      expect(() => readOptions({ [name]: value })).toThrow(new RegExp(`^querystring/${name} must be`))
  })

  test('survive being written into a token', () => {
    for (const options of [
      {},
      { width: 5 },
      { width: 1, height: 2, resize: 'fill', quality: 30, format: 'avif' },
    ] as TransformOptions[])
      expect(optionsText(optionsOfText(optionsText(options)))).toBe(optionsText(options))
    expect(optionsText({ width: 100, height: 200 })).toBe('height:200,width:100,resize:cover')
  })
})
