// First bytes against declared types, over bodies that come in one piece, in drops, and break off.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { ContentMismatch, checkedContent } from '../../src/storage/content-type.ts'

const images: Record<string, Buffer> = {}

beforeAll(async () => {
  const red = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  for (const format of ['jpeg', 'png', 'gif', 'webp', 'avif', 'tiff'] as const)
    images[`image/${format}`] = await red.clone().toFormat(format).toBuffer()
})

const check = (bytes: Buffer | Buffer[], type: string) =>
  checkedContent(Readable.from(Array.isArray(bytes) ? bytes : [bytes], { objectMode: false }), type)

const page = Buffer.from('<!DOCTYPE html><script>alert(1)</script>')

describe('accepted content', () => {
  test('every image under its own name', async () => {
    for (const [type, bytes] of Object.entries(images))
      expect(await buffer(await check(bytes, type))).toEqual(bytes)
    expect(await buffer(await check(images['image/jpeg'] as Buffer, 'image/jpg'))).toEqual(
      images['image/jpeg'],
    )
    expect(await buffer(await check(images['image/png'] as Buffer, 'Image/PNG; x=1'))).toEqual(
      images['image/png'],
    )
  })

  test('one image under the name of another, for a renamed photograph is still one', async () => {
    for (const [type, bytes] of Object.entries(images))
      for (const other of Object.keys(images)) {
        if (other !== type) expect(await buffer(await check(bytes, other))).toEqual(bytes)
      }
  })

  test('text, data and unknown types, whatever is in them', async () => {
    for (const type of [
      'text/plain;charset=UTF-8',
      'text/html',
      'application/json',
      'application/octet-stream',
      'x/y',
      '',
    ])
      for (const bytes of [page, randomBytes(50), Buffer.alloc(0)])
        expect(await buffer(await check(bytes, type))).toEqual(bytes)
  })

  test('vector images, sound, a PDF with something before it', async () => {
    for (const [type, text] of [
      ['image/svg+xml', '\ufeff<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['image/svg+xml', '\n<!-- a bird --><svg/>'],
      ['application/pdf', '%PDF-1.7 …'],
      ['application/pdf', '\n\n%PDF-1.4 …'],
      ['audio/ogg', 'OggS'],
      ['audio/mpeg', 'ID3\u0003\0\0\0\0\0\0'],
    ] as const)
      expect((await buffer(await check(Buffer.from(text), type))).toString()).toBe(text)
  })

  test('a body of any cut comes out whole', async () => {
    const bytes = Buffer.concat([images['image/png'] as Buffer, randomBytes(300_000)])
    for (const size of [1, 100, 4099, 4100, 4101, 65_536, bytes.length]) {
      const chunks = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      if (chunks.length < 10_000)
        expect((await buffer(await check(chunks, 'image/png'))).equals(bytes)).toBe(true)
    }
    const drops = [...bytes.subarray(0, 5000)].map((byte) => Buffer.from([byte]))
    expect((await buffer(await check(drops, 'image/png'))).equals(bytes.subarray(0, 5000))).toBe(true)
  })
})

describe('refused content', () => {
  test.each([
    ['a page as an image', page, 'image/png', 'markup'],
    ['a page with a mark before it', Buffer.from('\ufeff \n<html>'), 'image/x-unknown', 'markup'],
    ['a drawing as a photograph', Buffer.from('<svg onload="alert(1)"/>'), 'image/jpeg', 'markup'],
    ['noise', Buffer.from('not an image'), 'image/webp', 'no such signature'],
    ['nothing', Buffer.alloc(0), 'image/gif', 'no such signature'],
    [
      'a program as a film',
      Buffer.from('MZ\x90\0\u0003'.padEnd(100, '\0')),
      'video/mp4',
      'application/x-msdownload',
    ],
    [
      'an archive as a document',
      Buffer.from('PK\u0003\u0004'.padEnd(100, '\0')),
      'application/pdf',
      'application/zip',
    ],
    ['a page as a document', page, 'application/pdf', 'markup'],
    ['bytes as a drawing', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'image/svg+xml', 'no such signature'],
  ])('%s', async (_, bytes, type, reason) => {
    await expect(check(bytes, type)).rejects.toThrow(ContentMismatch)
    await expect(check(bytes, type)).rejects.toThrow(reason)
  })

  test('a picture as a document, a film as a picture', async () => {
    await expect(check(images['image/png'] as Buffer, 'application/pdf')).rejects.toThrow('image/png')
    const film = Buffer.from('\0\0\0\u0018ftypmp42\0\0\0\0mp42isom'.padEnd(100, '\0'), 'latin1')
    await expect(check(film, 'image/jpeg')).rejects.toThrow('video/mp4')
  })

  test('a body that breaks off while it is looked at', async () => {
    const body = new Readable({ read() {} })
    body.push(Buffer.from([0x89]))
    setTimeout(() => body.destroy(new Error('the line went dead')), 10)
    await expect(checkedContent(body, 'image/png')).rejects.toThrow('the line went dead')
  })
})
