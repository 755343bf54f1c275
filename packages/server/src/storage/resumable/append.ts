// The body of one request of a resumable upload: read from the socket, checked, and appended to the stored bytes.
import { Readable } from 'node:stream'
import type { RequestContext } from '../../http/request-context.ts'
import { TooLarge } from '../backend/backend.ts'
import { ContentMismatch, checkedContent, HEAD_BYTES } from '../content-type.ts'
import { StorageError, tooLarge } from '../errors.ts'
import type { StorageService } from '../service.ts'
import type { Authorization } from './authorization.ts'
import { dropIfLost, finishUpload } from './finish.ts'
import type { LeasedUpload } from './lease.ts'
import { byteCount, readChecksum, tusError } from './protocol.ts'

/** Appends the request's body to the stored bytes. */
export async function append(
  { headers, incoming, outgoing }: RequestContext,
  service: StorageService,
  lease: LeasedUpload,
): Promise<void> {
  const { place, progress, size, maxSize, description } = lease.upload
  const maxBytes = (size ?? maxSize) - progress.offset
  const contentLength = byteCount(headers, 'Content-Length')
  if (contentLength !== null && contentLength > maxBytes) throw tooLarge()
  const checksum = readChecksum(headers['upload-checksum'])
  service.bodies.pass(incoming, outgoing)
  let body: Readable = incoming
  try {
    // A file of another type than declared is rejected with its first bytes.
    if (progress.offset === 0 && (contentLength ?? 0) >= HEAD_BYTES)
      body = await checkedContent(body, description.mimeType)
    if (checksum) {
      let reached = progress
      const hashed = hashing(body, checksum.hash)
      await service.backend.parts.append(place, progress, hashed, maxBytes, async (safe) => {
        reached = safe
      })
      if (!checksum.holds()) throw tusError(460, 'Checksum mismatch')
      await lease.save(reached)
    } else await service.backend.parts.append(place, progress, body, maxBytes, lease.save)
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge()
    if (error instanceof ContentMismatch) throw new StorageError(415, 'invalid_mime_type', error.message)
    throw await dropIfLost(service, lease.upload, error)
  }
}

/** Finishes the upload if it is whole; resolves with its offset. */
export async function finishIfComplete(
  service: StorageService,
  { context, recheck }: Authorization,
  lease: LeasedUpload,
): Promise<number> {
  const { upload } = lease
  if (!upload.finished && upload.progress.offset === upload.size) {
    await recheck()
    await finishUpload(service, context, lease)
  }
  return upload.progress.offset
}

function hashing(body: Readable, hash: { update(chunk: Buffer): unknown }): Readable {
  async function* chunks() {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      hash.update(chunk)
      yield chunk
    }
  }
  return Readable.from(chunks(), { objectMode: false })
}
