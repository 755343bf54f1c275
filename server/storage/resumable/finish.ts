// The end of a resumable upload: its pieces become the object, once, whatever is interrupted on the way.

import { Missing } from '../backend/backend.ts'
import { StorageError } from '../errors.ts'
import { recordUpload, requireContent } from '../objects/upload.ts'
import type { StorageService } from '../service.ts'
import type { Act } from '../transaction.ts'
import type { HeldUpload } from './lease.ts'
import { expired, forgetUpload, type Upload } from './uploads.ts'

/**
 * Points the object's row to the bytes, by the rights of `act`. What policies, limits or the content's type refuse ends
 * the upload and throws the refusal; after any other failure it can be finished later.
 */
export async function finishUpload(service: StorageService, act: Act, held: HeldUpload): Promise<void> {
  const { upload } = held
  const { place, description } = upload
  if (!(await isRecorded(service, upload))) {
    try {
      const stored = await service.backend.pieces.finish(place, upload.progress, {
        contentType: description.mimeType,
        cacheControl: description.cacheControl,
      })
      await requireContent(service, place, upload.progress.offset, description.mimeType)
      await recordUpload(
        service,
        act,
        { ...place, upsert: upload.upsert, owner: upload.owner },
        place,
        description,
        stored,
      )
    } catch (error) {
      if (error instanceof StorageError && error.statusCode < 500 && error.statusCode !== 423) {
        await dropUpload(service, upload)
      }
      throw await lostOr(service, upload, error)
    }
  }
  await held.markFinished()
}

/** The error itself; where it says that the bytes are gone, the upload is over and its client must begin anew. */
export async function lostOr(service: StorageService, upload: Upload, error: unknown): Promise<unknown> {
  if (!(error instanceof Missing)) return error
  service.log.error({ err: error }, 'bytes of a resumable upload were lost')
  await dropUpload(service, upload)
  return expired()
}

/** Forgets an upload and its bytes. */
export async function dropUpload({ backend, database, log }: StorageService, upload: Upload): Promise<void> {
  await forgetUpload(database, upload)
  if (upload.finished) return
  const failed = (err: unknown) => log.warn({ err }, 'a dropped upload left bytes behind')
  await backend.pieces.abandon(upload.place, upload.progress).catch(failed)
  await backend.remove([upload.place]).catch(failed)
}

/** A crash may have come between the object's row and the upload's. */
async function isRecorded({ database }: StorageService, { place }: Upload): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    'select from storage.objects where bucket_id = $1 and name = $2 and version = $3',
    [place.bucket, place.name, place.version],
  )
  return rowCount === 1
}
