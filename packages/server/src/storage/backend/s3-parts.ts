// Parts of resumable uploads in S3: a multipart upload whose parts have the size that S3 requires. A remainder
// smaller than a part waits under a separate key, so that any server can continue where another one stopped.
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { S3Client } from '@aws-sdk/client-s3'
import {
  etagOf,
  isVersion,
  Missing,
  type ObjectVersion,
  type Parts,
  type Progress,
  type Stored,
  TooLarge,
} from './backend.ts'

/** Bytes of a part, buffered in memory for each request; S3 wants 5 MiB at least and 10,000 parts at maxBytes. */
const PART_BYTES = 8 * 1024 * 1024
const MAX_PARTS = 10_000

type Sdk = typeof import('@aws-sdk/client-s3')
type Location = { Bucket: string; Key: string }
/** The object's place in the bucket. */
type Locate = (place: ObjectVersion) => Location
type FinishOptions = Parameters<Parts['finish']>[2]
type State = { uploadId: string; parts: { PartNumber: number; ETag: string | undefined }[]; tail: number }

export class S3Parts implements Parts {
  private readonly sdk: Sdk
  private readonly client: S3Client
  private readonly at: Locate

  constructor(sdk: Sdk, client: S3Client, at: Locate) {
    this.sdk = sdk
    this.client = client
    this.at = at
  }

  async append(
    place: ObjectVersion,
    from: Progress,
    body: Readable,
    maxBytes: number,
    save: (progress: Progress) => Promise<void>,
  ): Promise<void> {
    if (!isVersion(place.version)) throw new Missing(place)
    let state = stateOf(from) ?? (await this.begin(place))
    let gathered = [await this.readTail(place, state)]
    let length = state.tail
    let offset = from.offset
    try {
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        if (offset + chunk.length - from.offset > maxBytes) throw new TooLarge()
        gathered.push(chunk)
        length += chunk.length
        offset += chunk.length
        if (length < PART_BYTES) continue
        state = await this.upload(place, state, Buffer.concat(gathered))
        gathered = []
        length = 0
        await save({ offset, state })
      }
    } finally {
      if (length !== state.tail) {
        const Body = Buffer.concat(gathered)
        await this.client.send(new this.sdk.PutObjectCommand({ ...this.atTail(place), Body }))
        await save({ offset, state: { ...state, tail: length } })
      } else if (offset === from.offset && !stateOf(from)) await save({ offset, state })
    }
  }

  async finish(
    place: ObjectVersion,
    progress: Progress,
    { contentType, cacheControl }: FinishOptions,
  ): Promise<Stored> {
    const { sdk, client, at } = this
    const done = { size: progress.offset, etag: etagOf(place), lastModified: new Date() }
    const state = stateOf(progress)
    const known = await client.send(new sdk.HeadObjectCommand(at(place))).catch((error) => {
      if (error.$metadata?.httpStatusCode !== 404) throw error
      return null
    })
    if (known) return done
    if (!state || state.parts.length === 0) {
      const Body = state ? await this.readTail(place, state) : Buffer.alloc(0)
      const whole = { ...at(place), Body, ContentType: contentType, CacheControl: cacheControl }
      await client.send(new sdk.PutObjectCommand(whole))
      await this.abandon(place, progress)
      return done
    }
    const tail = await this.readTail(place, state)
    const { uploadId: UploadId, parts } = tail.length > 0 ? await this.upload(place, state, tail) : state
    const MultipartUpload = { Parts: parts }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...at(place), UploadId, MultipartUpload }))
    await client.send(new sdk.DeleteObjectCommand(this.atTail(place)))
    return done
  }

  async abandon(place: ObjectVersion, progress: Progress): Promise<void> {
    const { sdk, client, at } = this
    const state = stateOf(progress)
    if (!state) return
    const UploadId = state.uploadId
    // One that is complete, or gone already, cannot be given up.
    await client.send(new sdk.AbortMultipartUploadCommand({ ...at(place), UploadId })).catch(() => {})
    await client.send(new sdk.DeleteObjectCommand(this.atTail(place)))
  }

  private atTail(place: ObjectVersion): Location {
    return { ...this.at(place), Key: `resumable/${place.version}` }
  }

  private async begin(place: ObjectVersion): Promise<State> {
    const { UploadId = '' } = await this.client.send(
      new this.sdk.CreateMultipartUploadCommand(this.at(place)),
    )
    return { uploadId: UploadId, parts: [], tail: 0 }
  }

  private async readTail(place: ObjectVersion, { tail }: State): Promise<Buffer> {
    if (tail === 0) return Buffer.alloc(0)
    const found = await this.client.send(new this.sdk.GetObjectCommand(this.atTail(place)))
    return (await buffer(found.Body as Readable)).subarray(0, tail)
  }

  private async upload(place: ObjectVersion, state: State, Body: Buffer): Promise<State> {
    const PartNumber = state.parts.length + 1
    if (PartNumber > MAX_PARTS) throw new TooLarge()
    const part = { ...this.at(place), UploadId: state.uploadId, PartNumber, Body }
    const { ETag } = await this.client.send(new this.sdk.UploadPartCommand(part))
    return { ...state, parts: [...state.parts, { PartNumber, ETag }], tail: 0 }
  }
}

function stateOf({ state }: Progress): State | null {
  return (state as State | undefined) ?? null
}
