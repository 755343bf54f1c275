// Pictures for tests of their transformation.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp, { type Sharp } from 'sharp'
import type { Backend } from '../../src/storage/backend/backend.ts'
import type { ObjectRow } from '../../src/storage/download/serve.ts'

/** A row with these bytes, which `backend` keeps. */
export async function keptIn(backend: Backend, bytes: Buffer, mimetype: string): Promise<ObjectRow> {
  const place = { bucket: 'photos', name: 'field.img', version: randomUUID() }
  const { size, etag } = await backend.put(place, Readable.from([bytes]), {
    maxBytes: 1e9,
    contentType: mimetype,
    cacheControl: '',
  })
  return {
    bucket_id: place.bucket,
    name: place.name,
    version: place.version,
    metadata: {
      mimetype,
      size,
      eTag: etag,
      cacheControl: 'max-age=3600',
      lastModified: '2026-01-02T03:04:05Z',
    },
  }
}

/** Left half blue, right half yellow, top row red. */
export function drawing(width: number, height: number): Sharp {
  const part = (background: string, w: number, h: number) => ({
    create: { width: w, height: h, channels: 3 as const, background },
  })
  return sharp(part('blue', width, height)).composite([
    { input: part('yellow', width / 2, height), left: width / 2, top: 0 },
    { input: part('red', width, Math.ceil(height / 10)), left: 0, top: 0 },
  ])
}

/** A GET that counts for `queueKey`. */
export const asked = (queueKey: string, headers: Record<string, string> = {}) => ({
  method: 'GET',
  headers,
  queueKey,
  signal: new AbortController().signal,
})
