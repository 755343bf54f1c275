// Objects in a bucket of S3, or of anything that speaks its protocol: keys are objects/<version>. The SDK is loaded
// only here and only when S3 is configured: it costs start-up time and memory that a disk does not need.
import { Readable, Transform } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type Config, ConfigError } from '../../config.ts'
import { type Backend, etagOf, isVersion, type Kept, Missing, type Place, TooLarge } from './backend.ts'
import { pour } from './file-writer.ts'
import { tellMeanings } from './s3-errors.ts'
import { s3Pieces } from './s3-parts.ts'

type Settings = NonNullable<Config['s3']>

const PREFIX = 'objects/'
const MEBIBYTE = 1024 * 1024
/** What S3 allows at most: parts of one upload, bytes of one copy, keys of one removal. */
const MOST_PARTS = 10_000
const LARGEST_COPY = 5 * 1024 * MEBIBYTE
const MOST_REMOVED = 1000
/** Bytes of a part: two at a time are in memory for each upload. */
const PART = 8 * MEBIBYTE

/** Milliseconds that a connection may take, and that S3 may be silent for; and how often a request is sent at most. */
const CONNECT_PATIENCE = 5_000
const SILENCE = 15_000
const ATTEMPTS = 2

/** Connects to the bucket. Throws ConfigError when it cannot be used. `largestCopy` and `silence` are for tests. */
export async function openS3(
  settings: Settings,
  { largestCopy = LARGEST_COPY, silence = SILENCE }: { largestCopy?: number; silence?: number } = {},
): Promise<Backend> {
  const sdk = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const client = new sdk.S3Client({
    region: settings.region,
    endpoint: settings.endpoint ?? undefined,
    forcePathStyle: settings.forcePathStyle,
    credentials: settings.credentials ?? undefined,
    // Checksums of the SDK's own are refused by some servers that otherwise speak S3 well.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // One that hangs is given up like one that is away.
    requestHandler: { connectionTimeout: CONNECT_PATIENCE, socketTimeout: silence },
    maxAttempts: ATTEMPTS,
  })
  const Bucket = settings.bucket
  const at = ({ version }: Pick<Place, 'version'>) => ({ Bucket, Key: PREFIX + version })
  await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((error) => {
    client.destroy()
    throw new ConfigError([
      `S3_BUCKET: the bucket ${JSON.stringify(Bucket)} cannot be used (${error.name}: ${error.message}); ` +
        'correct the S3_ variables, or make the bucket',
    ])
  })

  tellMeanings(client)

  async function head(place: Place) {
    if (!isVersion(place.version)) throw new Missing(place)
    return client.send(new sdk.HeadObjectCommand(at(place))).catch(missing(place))
  }

  const backend: Backend = {
    async put(place, body, { maxBytes, contentType, cacheControl }) {
      if (!isVersion(place.version)) throw new TypeError(`${JSON.stringify(place.version)} is not a version`)
      const counted = new Counter(maxBytes)
      const upload = new Upload({
        client,
        params: { ...at(place), Body: counted, ContentType: contentType, CacheControl: cacheControl },
        partSize: Math.max(PART, Math.ceil(maxBytes / MOST_PARTS)),
        queueSize: 2,
      })
      const source = body instanceof Readable ? body : Readable.fromWeb(body as ReadableStream)
      const poured = pour(source, counted)
      try {
        await Promise.all([upload.done(), poured])
      } catch (error) {
        counted.destroy()
        await upload.abort().catch(() => {})
        // What the body failed with says more than what became of the upload then.
        throw await poured.then(
          () => error,
          (cause) => cause,
        )
      }
      return { size: counted.bytes, etag: etagOf(place), lastModified: new Date() }
    },

    async get(place, range) {
      if (!isVersion(place.version)) throw new Missing(place)
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await client.send(new sdk.GetObjectCommand({ ...at(place), Range })).catch(missing(place))
      const whole = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1]
      return { body: found.Body as Readable, size: whole ? Number(whole) : (found.ContentLength ?? 0) }
    },

    async copy(from, to) {
      if (!isVersion(to.version)) throw new TypeError(`${JSON.stringify(to.version)} is not a version`)
      const { ContentLength: size = 0, ContentType = '', CacheControl = '' } = await head(from)
      if (size > largestCopy) {
        // Past what S3 copies by itself, the bytes pass through here.
        const { body } = await backend.get(from)
        return backend.put(to, body, { maxBytes: size, contentType: ContentType, cacheControl: CacheControl })
      }
      const CopySource = `${Bucket}/${at(from).Key}`
      await client.send(new sdk.CopyObjectCommand({ ...at(to), CopySource }))
      return { size, etag: etagOf(to), lastModified: new Date() }
    },

    async remove(places) {
      const keys = places.filter(({ version }) => isVersion(version)).map((place) => ({ Key: at(place).Key }))
      for (let index = 0; index < keys.length; index += MOST_REMOVED) {
        const Objects = keys.slice(index, index + MOST_REMOVED)
        const { Errors } = await client.send(
          new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        )
        const failed = Errors?.find(({ Code }) => Code !== 'NoSuchKey')
        if (failed) throw new Error(`S3 did not remove ${failed.Key}: ${failed.Code} ${failed.Message}`)
      }
    },

    async *list(): AsyncGenerator<Kept> {
      for await (const page of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: PREFIX })) {
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const version = Key.slice(PREFIX.length)
          if (isVersion(version) && LastModified) yield { version, lastModified: LastModified }
        }
      }
    },

    pieces: s3Pieces(sdk, client, at),
    close: () => client.destroy(),
  }
  return backend
}

/** Passes bytes on and counts them; fails with TooLarge at the first one too many. */
class Counter extends Transform {
  /** Not `size`: the SDK would take that for the length of the whole body. */
  bytes = 0
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    super({ highWaterMark: MEBIBYTE })
    this.#maxBytes = maxBytes
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void) {
    this.bytes += chunk.length
    if (this.bytes > this.#maxBytes) done(new TooLarge())
    else done(null, chunk)
  }
}

function missing(place: Place) {
  return (error: { name: string; $metadata?: { httpStatusCode?: number } }): never => {
    throw error.$metadata?.httpStatusCode === 404 ? new Missing(place) : error
  }
}
