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
  TooLarge,
} from './backend.ts'

/** Bytes of a part, buffered in memory for each request; S3 wants 5 MiB at least and 10,000 parts at maxBytes. */
const PART_BYTES = 8 * 1024 * 1024
const MAX_PARTS = 10_000

type State = { uploadId: string; parts: { PartNumber: number; ETag: string | undefined }[]; tail: number }

/** `at` gives the object's place in the bucket. */
export function s3Parts(
  sdk: typeof import('@aws-sdk/client-s3'),
  client: S3Client,
  at: (place: ObjectVersion) => { Bucket: string; Key: string },
): Parts {
  const tailOf = (place: ObjectVersion) => ({ ...at(place), Key: `resumable/${place.version}` })

  async function readTail(place: ObjectVersion, { tail }: State): Promise<Buffer> {
    if (tail === 0) return Buffer.alloc(0)
    const found = await client.send(new sdk.GetObjectCommand(tailOf(place)))
    return (await buffer(found.Body as Readable)).subarray(0, tail)
  }

  async function upload(place: ObjectVersion, state: State, Body: Buffer): Promise<State> {
    const PartNumber = state.parts.length + 1
    if (PartNumber > MAX_PARTS) throw new TooLarge()
    const part = { ...at(place), UploadId: state.uploadId, PartNumber, Body }
    const { ETag } = await client.send(new sdk.UploadPartCommand(part))
    return { ...state, parts: [...state.parts, { PartNumber, ETag }], tail: 0 }
  }

  return {
    async append(place, from, body, maxBytes, save) {
      if (!isVersion(place.version)) throw new Missing(place)
      let state = stateOf(from) ?? (await begin())
      let gathered = [await readTail(place, state)]
      let length = state.tail
      let offset = from.offset
      async function begin(): Promise<State> {
        const { UploadId = '' } = await client.send(new sdk.CreateMultipartUploadCommand(at(place)))
        return { uploadId: UploadId, parts: [], tail: 0 }
      }
      try {
        for await (const chunk of body.iterator({ destroyOnReturn: false })) {
          if (offset + chunk.length - from.offset > maxBytes) throw new TooLarge()
          gathered.push(chunk)
          length += chunk.length
          offset += chunk.length
          if (length < PART_BYTES) continue
          state = await upload(place, state, Buffer.concat(gathered))
          gathered = []
          length = 0
          await save({ offset, state })
        }
      } finally {
        if (length !== state.tail) {
          const Body = Buffer.concat(gathered)
          await client.send(new sdk.PutObjectCommand({ ...tailOf(place), Body }))
          await save({ offset, state: { ...state, tail: length } })
        } else if (offset === from.offset && !stateOf(from)) await save({ offset, state })
      }
    },

    async finish(place, progress, { contentType, cacheControl }) {
      const done = { size: progress.offset, etag: etagOf(place), lastModified: new Date() }
      const state = stateOf(progress)
      const known = await client.send(new sdk.HeadObjectCommand(at(place))).catch((error) => {
        if (error.$metadata?.httpStatusCode !== 404) throw error
        return null
      })
      if (known) return done
      if (!state || state.parts.length === 0) {
        const Body = state ? await readTail(place, state) : Buffer.alloc(0)
        const whole = { ...at(place), Body, ContentType: contentType, CacheControl: cacheControl }
        await client.send(new sdk.PutObjectCommand(whole))
        await this.abandon(place, progress)
        return done
      }
      const tail = await readTail(place, state)
      const { uploadId: UploadId, parts: Parts } = tail.length > 0 ? await upload(place, state, tail) : state
      await client.send(
        new sdk.CompleteMultipartUploadCommand({ ...at(place), UploadId, MultipartUpload: { Parts } }),
      )
      await client.send(new sdk.DeleteObjectCommand(tailOf(place)))
      return done
    },

    async abandon(place, progress) {
      const state = stateOf(progress)
      if (!state) return
      const UploadId = state.uploadId
      // One that is complete, or gone already, cannot be given up.
      await client.send(new sdk.AbortMultipartUploadCommand({ ...at(place), UploadId })).catch(() => {})
      await client.send(new sdk.DeleteObjectCommand(tailOf(place)))
    },
  }
}

function stateOf({ state }: Progress): State | null {
  return (state as State | undefined) ?? null
}
