// The body of one request of a resumable upload: read from the socket, checked, and added to what is there.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { TooLarge } from '../backend/backend.ts'
import { ContentMismatch, checkedContent, HEAD_SIZE } from '../content-type.ts'
import { StorageError, tooLarge } from '../errors.ts'
import type { StorageService } from '../service.ts'
import type { Right } from './authorization.ts'
import { finishUpload, lostOr } from './finish.ts'
import type { HeldUpload } from './lease.ts'
import { byteCount, readChecksum, refusal } from './protocol.ts'

/** Adds the request's body to what is there. */
export async function append(c: Context, service: StorageService, held: HeldUpload): Promise<void> {
  const { headers } = c.req.raw
  const { place, progress, size, maxSize, description } = held.upload
  const most = (size ?? maxSize) - progress.offset
  const announced = byteCount(headers, 'Content-Length')
  if (announced !== null && announced > most) throw tooLarge()
  const checksum = readChecksum(headers.get('upload-checksum'))
  let body = bodyOf(c, service)
  try {
    // A file that is not what it says need not be sent to its end.
    if (progress.offset === 0 && (announced ?? 0) >= HEAD_SIZE)
      body = await checkedContent(body, description.mimeType)
    if (checksum) {
      let reached = progress
      const hashed = hashing(body, checksum.hash)
      await service.backend.pieces.append(place, progress, hashed, most, async (safe) => {
        reached = safe
      })
      if (!checksum.holds()) throw refusal(460, 'Checksum mismatch')
      await held.save(reached)
    } else await service.backend.pieces.append(place, progress, body, most, held.save)
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge()
    if (error instanceof ContentMismatch) throw new StorageError(415, 'invalid_mime_type', error.message)
    throw await lostOr(service, held.upload, error)
  }
}

/** Finishes the upload if it is whole; resolves with its offset. */
export async function settle(
  service: StorageService,
  { act, mayStill }: Right,
  held: HeldUpload,
): Promise<number> {
  const { upload } = held
  if (!upload.finished && upload.progress.offset === upload.size) {
    await mayStill()
    await finishUpload(service, act, held)
  }
  return upload.progress.offset
}

/** The request as Node has it; none where the app is called without a socket. */
export function incomingOf(c: Context): HttpBindings['incoming'] | undefined {
  return (c.env as HttpBindings | undefined)?.incoming
}

/** The request's body as Node reads it, watched over. Throws BodyRefused where there is no room for another. */
function bodyOf(c: Context, { bodies }: StorageService): Readable {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  if (!incoming || !outgoing) return Readable.fromWeb((c.req.raw.body ?? new Blob().stream()) as never)
  bodies.pass(incoming as IncomingMessage, outgoing as ServerResponse)
  return incoming
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
