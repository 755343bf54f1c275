// Resumable uploads through tus-js-client, on the disk and in S3 alike.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHUNK, MEBIBYTE, startUploads, type Uploads } from './resumable.ts'

describe.each(['disk', 'S3'] as const)('on %s', (where) => {
  let uploads: Uploads
  beforeAll(async () => {
    uploads = await startUploads(where)
  })
  afterAll(() => uploads?.stop())

  describe('tus-js-client', () => {
    test('sends 13 MB in pieces, with what is said of it', async () => {
      const bytes = randomBytes(13 * MEBIBYTE)
      const progress: number[] = []
      await uploads.send(bytes, 'harvest/2026.bin', {
        onChunkComplete: (_size, accepted) => progress.push(accepted),
        metadata: {
          bucketName: 'shed',
          objectName: 'harvest/2026.bin',
          contentType: 'application/x-hay',
          cacheControl: '60',
          metadata: JSON.stringify({ bales: 40, field: 'nørth' }),
        },
      })
      expect(progress).toEqual([CHUNK, 2 * CHUNK, bytes.length])
      expect((await uploads.download('harvest/2026.bin'))?.equals(bytes)).toBe(true)
      const { data } = await uploads.grace.storage.from('shed').info('harvest/2026.bin')
      expect(data).toMatchObject({
        size: bytes.length,
        contentType: 'application/x-hay',
        cacheControl: 'max-age=60',
        metadata: { bales: 40, field: 'nørth' },
      })
    })

    test('goes on where it was interrupted', async () => {
      const bytes = randomBytes(10 * MEBIBYTE)
      const address = await new Promise<string>((resolve, reject) => {
        const upload: Upload = new Upload(bytes, {
          endpoint: uploads.endpoint,
          headers: { authorization: `Bearer ${uploads.token}` },
          metadata: { bucketName: 'shed', objectName: 'interrupted.bin' },
          chunkSize: CHUNK,
          onError: reject,
          onChunkComplete: () => void upload.abort().then(() => resolve(upload.url as string)),
        })
        upload.start()
      })
      expect(await uploads.download('interrupted.bin')).toBe(null)
      const sent: number[] = []
      await uploads.send(bytes, 'interrupted.bin', {
        uploadUrl: address,
        onProgress: (bytesSent) => sent.push(bytesSent),
      })
      expect(sent[0]).toBeGreaterThanOrEqual(CHUNK)
      expect((await uploads.download('interrupted.bin'))?.equals(bytes)).toBe(true)
    })

    test('sends little, nothing, and what has no length yet', async () => {
      await uploads.send(Buffer.from('hay'), 'little.txt')
      expect((await uploads.download('little.txt'))?.toString()).toBe('hay')
      await uploads.send(Buffer.alloc(0), 'nothing.txt')
      expect((await uploads.download('nothing.txt'))?.length).toBe(0)
      const bytes = randomBytes(CHUNK + 5)
      await uploads.send(Readable.from([bytes]) as never, 'unknown.bin', { uploadLengthDeferred: true })
      expect((await uploads.download('unknown.bin'))?.equals(bytes)).toBe(true)
    })

    test('replaces only when it says so', async () => {
      await uploads.send(Buffer.from('first'), 'again.txt')
      await expect(uploads.send(Buffer.from('second'), 'again.txt', { retryDelays: [] })).rejects.toThrow(
        'The resource already exists',
      )
      await uploads.send(Buffer.from('third'), 'again.txt', {
        headers: { authorization: `Bearer ${uploads.token}`, 'x-upsert': 'true' },
      })
      expect((await uploads.download('again.txt'))?.toString()).toBe('third')
    })

    test('uploads by the token of a signed upload, without a session', async () => {
      const bytes = randomBytes(CHUNK + 1000)
      const signed = await uploads.grace.storage.from('shed').createSignedUploadUrl('signed.bin')
      const options = {
        endpoint: `${uploads.endpoint}/sign`,
        headers: { 'x-signature': signed.data?.token as string },
      }
      await uploads.send(bytes, 'signed.bin', options)
      expect((await uploads.download('signed.bin'))?.equals(bytes)).toBe(true)
      const { data } = await uploads.grace.storage.from('shed').info('signed.bin')
      const { rows } = await uploads.server.database.pool.query(
        'select owner_id from storage.objects where id = $1',
        [data?.id],
      )
      expect(rows[0].owner_id).toBe((await uploads.grace.auth.getUser()).data.user?.id)
      await expect(uploads.send(bytes, 'another.bin', { ...options, retryDelays: [] })).rejects.toThrow(
        'Invalid signature',
      )
      await expect(uploads.send(bytes, 'x', { ...options, headers: {}, retryDelays: [] })).rejects.toThrow(
        'Missing x-signature header',
      )
    })
  })

  describe('content', () => {
    let png: Buffer
    const page = Buffer.from('<html><script>alert(1)</script>'.padEnd(9000))
    const photo = { metadata: { bucketName: 'photos', objectName: 'face.png', contentType: 'image/png' } }

    beforeAll(async () => {
      const noise = { raw: { width: 60, height: 60, channels: 3 as const } }
      png = await sharp(randomBytes(60 * 60 * 3), noise)
        .png()
        .toBuffer()
    })

    test('is held to its type with the first piece, or at the end', async () => {
      await uploads.send(png, 'face.png', photo)
      expect((await uploads.download('face.png', 'photos'))?.equals(png)).toBe(true)
      for (const [objectName, chunkSize] of [
        ['whole.png', CHUNK],
        ['drops.png', 100 * 30],
      ] as const) {
        const options = { metadata: { ...photo.metadata, objectName }, chunkSize, retryDelays: [] }
        await expect(uploads.send(page, objectName, options)).rejects.toThrow('it looks like markup')
        expect(await uploads.download(objectName, 'photos')).toBe(null)
        await uploads.send(png, objectName, options)
        expect((await uploads.download(objectName, 'photos'))?.equals(png)).toBe(true)
      }
    })
  })
})
