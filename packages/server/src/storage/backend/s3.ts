// Objects in a bucket of S3, or of anything that speaks its protocol: keys are objects/<version>. The SDK is loaded
// only here and only when S3 is configured: it costs start-up time and memory that a disk does not need.
import { Readable, Transform } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Upload } from '@aws-sdk/lib-storage'
import type pino from 'pino'
import { type Config, ConfigError } from '../../config/config.ts'
import {
  type Backend,
  etagOf,
  isVersion,
  Missing,
  type ObjectVersion,
  type StoredFile,
  TooLarge,
} from './backend.ts'
import { pipe } from './file-writer.ts'
import { mapErrors } from './s3-errors.ts'
import { createOutageLog } from './s3-outage.ts'
import { S3Parts } from './s3-parts.ts'

type Settings = NonNullable<Config['s3']>
type Sdk = typeof import('@aws-sdk/client-s3')

const PREFIX = 'objects/'
const MEBIBYTE = 1024 * 1024
/** Limits of S3: parts of an upload, bytes of a copy, keys of a removal. */
const MAX_PARTS = 10_000
const MAX_COPY_BYTES = 5 * 1024 * MEBIBYTE
const MAX_KEYS_PER_REMOVAL = 1000
/** Bytes of a part: two at a time are in memory for each upload. */
const PART_BYTES = 8 * MEBIBYTE

/** Timeouts of connecting and of an idle connection, and how often a request is sent at most. */
const CONNECT_TIMEOUT_MS = 5_000
const IDLE_TIMEOUT_MS = 15_000
const MAX_ATTEMPTS = 2

/**
 * Connects to the bucket. Throws ConfigError when it cannot be used. `log` records why it cannot be used later on;
 * `maxCopyBytes` and `idleTimeoutMs` are for tests.
 */
export async function openS3(
  settings: Settings,
  {
    maxCopyBytes = MAX_COPY_BYTES,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
    log,
  }: { maxCopyBytes?: number; idleTimeoutMs?: number; log?: pino.Logger } = {},
): Promise<Backend> {
  const sdk = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const client = await connect(sdk, settings, idleTimeoutMs)
  mapErrors(client, log ? createOutageLog(log, settings) : null)
  const Bucket = settings.bucket
  const at = ({ version }: Pick<ObjectVersion, 'version'>) => ({ Bucket, Key: PREFIX + version })

  async function head(place: ObjectVersion) {
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
        partSize: Math.max(PART_BYTES, Math.ceil(maxBytes / MAX_PARTS)),
        queueSize: 2,
      })
      await send(upload, counted, body)
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
      if (size > maxCopyBytes) {
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
      for (let index = 0; index < keys.length; index += MAX_KEYS_PER_REMOVAL) {
        const Objects = keys.slice(index, index + MAX_KEYS_PER_REMOVAL)
        const { Errors } = await client.send(
          new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        )
        const failed = Errors?.find(({ Code }) => Code !== 'NoSuchKey')
        if (failed) throw new Error(`S3 did not remove ${failed.Key}: ${failed.Code} ${failed.Message}`)
      }
    },

    list: () => listFiles(sdk, client, Bucket),
    parts: new S3Parts(sdk, client, at),
    close: () => client.destroy(),
  }
  return backend
}

/** A client whose bucket answers. */
async function connect(sdk: Sdk, settings: Settings, idleTimeoutMs: number): Promise<S3Client> {
  const client = new sdk.S3Client({
    region: settings.region,
    endpoint: settings.endpoint ?? undefined,
    forcePathStyle: settings.forcePathStyle,
    credentials: settings.credentials ?? undefined,
    // Some S3-compatible servers reject the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // One that hangs is given up like one that is away.
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: idleTimeoutMs },
    maxAttempts: MAX_ATTEMPTS,
  })
  const { bucket: Bucket } = settings
  await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((error) => {
    client.destroy()
    throw new ConfigError([
      `S3_BUCKET: the bucket ${JSON.stringify(Bucket)} cannot be used (${error.name}: ${error.message}); ` +
        'correct the S3_ variables, or make the bucket',
    ])
  })
  return client
}

/** Uploads a body, which `upload` reads through `counted`. Leaves no parts behind when either fails. */
async function send(
  upload: Upload,
  counted: Counter,
  body: Readable | ReadableStream<Uint8Array>,
): Promise<void> {
  const source = body instanceof Readable ? body : Readable.fromWeb(body as ReadableStream)
  const piped = pipe(source, counted)
  try {
    await Promise.all([upload.done(), piped])
  } catch (error) {
    counted.destroy()
    await upload.abort().catch(() => {})
    // The error of the body is the cause; that of the upload only follows from it.
    throw await piped.then(
      () => error,
      (cause) => cause,
    )
  }
}

async function* listFiles(sdk: Sdk, client: S3Client, Bucket: string): AsyncGenerator<StoredFile> {
  for await (const page of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: PREFIX })) {
    for (const { Key = '', LastModified } of page.Contents ?? []) {
      const version = Key.slice(PREFIX.length)
      if (isVersion(version) && LastModified) yield { version, lastModified: LastModified }
    }
  }
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

function missing(place: ObjectVersion) {
  return (error: { name: string; $metadata?: { httpStatusCode?: number } }): never => {
    throw error.$metadata?.httpStatusCode === 404 ? new Missing(place) : error
  }
}
