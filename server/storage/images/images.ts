// Answers a request for a transformed picture: from the cache, or made now, a few at a time.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Backend, type ByteRange, Missing } from '../backend/backend.ts'
import { DRAWING, HEAD_SIZE, pictureType } from '../content-type.ts'
import {
  type ObjectRow,
  type Representation,
  representationOf,
  type ServeOptions,
  serve,
} from '../download/serve.ts'
import { noSuchObject, StorageError } from '../errors.ts'
import { openPictureCache } from './cache.ts'
import { optionsText, type TransformOptions } from './options.ts'
import { type Format, LARGEST_FILE, outputFormat, resize, unfit } from './resize.ts'

export interface Images {
  /** Answers GET or HEAD with the picture of that row. Rejects with a StorageError when there is none to be had. */
  render(request: Request, row: ObjectRow, options: TransformOptions, how?: ServeOptions): Promise<Response>
  /** Removes the pictures that were made of these versions: they go with what they show. */
  forget(versions: string[]): Promise<void>
}

/** Pictures worked on at once: half of the processors, so that everybody else is still answered at once. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
/** How many may wait for that. */
const WAITING = 200
const CACHED = 256 * 1024 * 1024
/** Milliseconds for which what could not be made of a version is not tried again, and of how many that is known. */
const HOPELESS = 5 * 60_000
const MOST_HOPELESS = 1000

/** Versions of which the kind is remembered. */
const MOST_KINDS = 10_000

const busy = () =>
  new StorageError(503, 'SlowDown', 'Too many images are being transformed; try again in a moment')

/** `dataDir` is where finished pictures are kept; `cached` how many bytes of them. */
export function createImages(backend: Backend, dataDir: string, cached = CACHED): Images {
  const cache = openPictureCache(join(dataDir, 'storage', 'pictures'), cached)
  const turns = openTurns()
  /** Being made right now, so that ten people who want one picture wait for one. */
  const underWay = new Map<string, Promise<Buffer>>()
  /** Versions that no picture could be made of: asking again and again must not keep the processors from the others. */
  const hopeless = new Map<string, { error: StorageError; until: number }>()

  /** What kind of picture versions are, by their bytes; null for what is none. */
  const kinds = new Map<string, Promise<string | null>>()

  function kindOf(row: ObjectRow, original: Representation): Promise<string | null> {
    const key = `${row.version} ${original.contentType}`
    const known = kinds.get(key)
    if (known) return known
    const kind = (async () => {
      const end = Math.min(original.size, HEAD_SIZE) - 1
      const head = end < 0 ? Buffer.alloc(0) : await buffer(await opened(original, { start: 0, end }))
      return pictureType(head, original.contentType)
    })()
    if (kinds.size >= MOST_KINDS) kinds.delete(kinds.keys().next().value as string)
    kinds.set(key, kind)
    kind.catch(() => kinds.delete(key))
    return kind
  }

  async function make(row: ObjectRow, options: TransformOptions, format: Format): Promise<Buffer> {
    const original = representationOf(row, backend)
    if (original.size > LARGEST_FILE) throw unfit(`The image is larger than ${LARGEST_FILE / 1e6} MB`)
    return turns(async () => {
      return resize(await buffer(await opened(original)), options, format).catch((error) =>
        giveUp(row.version ?? '', error),
      )
    })
  }

  function giveUp(version: string, error: StorageError): never {
    for (const [oldest] of hopeless) {
      if (hopeless.size < MOST_HOPELESS) break
      hopeless.delete(oldest)
    }
    hopeless.set(version, { error, until: Date.now() + HOPELESS })
    throw error
  }

  function picture(row: ObjectRow, options: TransformOptions, format: Format): Promise<Buffer> {
    const version = row.version ?? ''
    const key = `${optionsText(options)} ${format}`
    const known = underWay.get(version + key)
    if (known) return known
    const made = (async () => {
      const kept = await cache.read(version, key)
      if (kept) return kept
      const known = hopeless.get(version)
      if (known && known.until > Date.now()) throw known.error
      const bytes = await make(row, options, format)
      // A full disk loses the cache, not the answer.
      await cache.write(version, key, bytes).catch(() => {})
      return bytes
    })().finally(() => underWay.delete(version + key))
    underWay.set(version + key, made)
    return made
  }

  return {
    forget: cache.forget,
    async render(request, row, options, how) {
      const original = representationOf(row, backend)
      // What a file was called when it was stored says nothing for sure; its bytes do.
      const kind = await kindOf(row, original)
      if (kind === null) throw unfit('The requested resource is not an image')
      // A drawing fits any size as it is. Painting one takes as long as it likes, and nothing could stop it.
      if (kind === DRAWING) return serve(request, original, how)
      const format = outputFormat(kind, options, request.headers.get('accept'))
      const bytes = await picture(row, options, format)
      const content: Representation = {
        ...original,
        contentType: `image/${format}`,
        size: bytes.length,
        etag: variant(original.etag, options, format),
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

/** The bytes, or a part of them. Rejects with "Object not found" where they are gone. */
function opened(original: Representation, range?: ByteRange) {
  return original.open(range).catch((error) => {
    throw error instanceof Missing ? noSuchObject() : error
  })
}

/** Each picture made of a version has a validator of its own. */
function variant(etag: string, options: TransformOptions, format: Format): string {
  const text = optionsText(options).replaceAll(/[:,]/g, '-')
  return `${etag.replace(/"$/, '')}-${text || 'plain'}-${format}"`
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Lets AT_ONCE pieces of work run and WAITING wait, and refuses more. */
function openTurns(): Turns {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running >= AT_ONCE) {
      if (queue.length >= WAITING) throw busy()
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      // The turn passes on directly, so that nobody comes in between.
      if (next) next()
      else running--
    }
  }
}
