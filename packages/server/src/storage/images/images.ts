// Answers a request for a transformed image: from the cache, or made when it is the caller's turn.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Answer } from '../../http/answer.ts'
import { Busy, FairQueue } from '../../http/fair-queue.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { type Backend, type ByteRange, Missing } from '../backend/backend.ts'
import { HEAD_BYTES, imageType, SVG } from '../content-type.ts'
import {
  type ObjectRow,
  type Representation,
  representationOf,
  type ServeOptions,
  serve,
} from '../download/serve.ts'
import { noSuchObject, StorageError } from '../errors.ts'
import { openImageCache } from './cache.ts'
import { optionsText, type TransformOptions } from './options.ts'
import { type Format, imageError, MAX_SOURCE_BYTES, outputFormat, resize } from './resize.ts'
import { SharedTurns } from './shared-turns.ts'

type ImageRequest = Pick<RequestContext, 'method' | 'headers' | 'queueKey' | 'signal'>

export interface Images {
  /** Answers GET or HEAD with the image of that row. Rejects with a StorageError when none can be made. */
  render(
    request: ImageRequest,
    row: ObjectRow,
    options: TransformOptions,
    how?: ServeOptions,
  ): Promise<Answer>
  /** Removes the images that were made of these versions. */
  forget(versions: string[]): Promise<void>
}

/** Images worked on at once: half of the processors, so that other requests are still answered. */
const MAX_CONCURRENT = Math.max(1, Math.floor(availableParallelism() / 2))
/** A request that waits for longer is refused. Several seconds of work may lie before the last picture of one page. */
const WAIT_TIMEOUT_MS = 60_000
const MAX_CACHE_BYTES = 256 * 1024 * 1024
/** How long a version is not tried again after no image could be made of it, and for how many that is remembered. */
const FAILURE_TTL_MS = 5 * 60_000
const MAX_FAILURES = 1000
/** Versions of which the detected type is remembered. */
const MAX_TYPES = 10_000

const RETRY_AFTER_SECONDS = 5

/** The error that clients see when no turn came in time. */
function tooMany(error: unknown): unknown {
  if (!(error instanceof Busy)) return error
  const [status, code, whose]: [number, string, string] = error.own
    ? [429, 'TooManyRequests', 'of your images']
    : [503, 'SlowDown', 'images']
  const message = `Too many ${whose} are being transformed; try again in a moment`
  return new StorageError(status, code, message, { retryAfter: RETRY_AFTER_SECONDS })
}

/** `dataDir` is where finished images are kept. */
export function createImages(backend: Backend, dataDir: string, maxCacheBytes = MAX_CACHE_BYTES): Images {
  const cache = openImageCache(join(dataDir, 'storage', 'pictures'), maxCacheBytes)
  const turns = new SharedTurns<Buffer>(new FairQueue({ atOnce: MAX_CONCURRENT, timeoutMs: WAIT_TIMEOUT_MS }))
  /** Versions that no image could be made of: repeated requests must not take the processors. */
  const failures = new LRUCache<string, StorageError>({ max: MAX_FAILURES, ttl: FAILURE_TTL_MS })
  const typeOf = createTypeDetection()

  async function make(row: ObjectRow, options: TransformOptions, format: Format, key: string) {
    const version = row.version ?? ''
    const kept = await cache.read(version, key)
    if (kept) return kept
    const failure = failures.get(version)
    if (failure) throw failure
    const original = await buffer(await opened(representationOf(row, backend)))
    const bytes = await resize(original, options, format).catch((error) => {
      failures.set(version, error)
      throw error
    })
    // A full disk loses the cache, not the answer.
    await cache.write(version, key, bytes).catch(() => {})
    return bytes
  }

  async function image(request: ImageRequest, row: ObjectRow, options: TransformOptions, format: Format) {
    const version = row.version ?? ''
    const key = `${optionsText(options)} ${format}`
    const kept = await cache.read(version, key)
    if (kept) return kept
    const failure = failures.get(version)
    if (failure) throw failure
    if (representationOf(row, backend).size > MAX_SOURCE_BYTES) {
      throw imageError(`The image is larger than ${MAX_SOURCE_BYTES / 1e6} MB`)
    }
    return turns
      .get(`${version} ${key}`, request, () => make(row, options, format, key))
      .catch((error) => {
        throw tooMany(error)
      })
  }

  return {
    forget: cache.forget,
    async render(request, row, options, how) {
      const original = representationOf(row, backend)
      // The declared type may be wrong; the bytes decide.
      const type = await typeOf(row, original)
      if (type === null) throw imageError('The requested resource is not an image')
      // An SVG fits any size as it is, and rendering one could take for ever.
      if (type === SVG) return serve(request, original, how)
      const format = outputFormat(type, options, request.headers.accept)
      const bytes = await image(request, row, options, format)
      const content: Representation = {
        ...original,
        contentType: `image/${format}`,
        size: bytes.length,
        etag: etagOf(original.etag, options, format),
        open: async (range) =>
          Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], { objectMode: false }),
      }
      const headers: Record<string, string> = { ...how?.headers }
      const text = optionsText(options)
      if (text) headers['x-transformations'] = text
      if (options.format === undefined) headers.vary = 'Accept'
      return serve(request, content, { ...how, headers })
    },
  }
}

/** Detects media types of versions by their bytes, and remembers them; null for other files. */
function createTypeDetection(): (row: ObjectRow, original: Representation) => Promise<string | null> {
  const types = new LRUCache<string, Promise<string | null>>({ max: MAX_TYPES })
  return (row, original) => {
    const key = `${row.version} ${original.contentType}`
    const known = types.get(key)
    if (known) return known
    const type = (async () => {
      const end = Math.min(original.size, HEAD_BYTES) - 1
      const head = end < 0 ? Buffer.alloc(0) : await buffer(await opened(original, { start: 0, end }))
      return imageType(head, original.contentType)
    })()
    types.set(key, type)
    type.catch(() => types.delete(key))
    return type
  }
}

/** The bytes, or a part of them. Rejects with "Object not found" where they are gone. */
function opened(original: Representation, range?: ByteRange) {
  return original.open(range).catch((error) => {
    throw error instanceof Missing ? noSuchObject() : error
  })
}

/** The ETag of a transformed image. */
function etagOf(etag: string, options: TransformOptions, format: Format): string {
  const text = optionsText(options).replaceAll(/[:,]/g, '-')
  return `${etag.replace(/"$/, '')}-${text || 'plain'}-${format}"`
}
