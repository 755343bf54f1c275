// Completes a resumable upload: its parts become the object exactly once, also after a crash at any step.

import { Missing } from '../backend/backend.ts'
import { StorageError } from '../errors.ts'
import { recordUpload, requireContent } from '../objects/upload.ts'
import type { StorageService } from '../service.ts'
import type { CallerContext } from '../transaction.ts'
import type { LeasedUpload } from './lease.ts'
import { expired, forgetUpload, type Upload } from './uploads.ts'

/**
 * Points the object's row to the bytes, under the caller's policies. When policies, limits or the content's type deny it
 * the upload is deleted and the error thrown; after any other failure it can be finished later.
 */
export async function finishUpload(
  service: StorageService,
  context: CallerContext,
  lease: LeasedUpload,
): Promise<void> {
  const { upload } = lease
  const { place, description } = upload
  if (!(await isRecorded(service, upload))) {
    try {
      const stored = await service.backend.parts.finish(place, upload.progress, {
        contentType: description.mimeType,
        cacheControl: description.cacheControl,
      })
      await requireContent(service, place, upload.progress.offset, description.mimeType)
      await recordUpload(
        service,
        context,
        { ...place, upsert: upload.upsert, owner: upload.owner },
        place,
        description,
        stored,
      )
    } catch (error) {
      if (error instanceof StorageError && error.statusCode < 500 && error.statusCode !== 423) {
        await dropUpload(service, upload)
      }
      throw await dropIfLost(service, upload, error)
    }
  }
  await lease.markFinished()
}

/** The error itself; or 410 where it says that the bytes are lost: the upload is deleted and its client starts again. */
export async function dropIfLost(service: StorageService, upload: Upload, error: unknown): Promise<unknown> {
  if (!(error instanceof Missing)) return error
  service.log.error({ err: error }, 'bytes of a resumable upload were lost')
  await dropUpload(service, upload)
  return expired()
}

/** Deletes an upload and its bytes. */
export async function dropUpload({ backend, database, log }: StorageService, upload: Upload): Promise<void> {
  await forgetUpload(database, upload)
  if (upload.finished) return
  const failed = (err: unknown) => log.warn({ err }, 'a dropped upload left bytes behind')
  await backend.parts.abandon(upload.place, upload.progress).catch(failed)
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
