// The content of an upload as it arrives: a raw body with its headers, or a form whose first file is the object.
// The body stays a stream and is read as fast as it is written.
import type { RequestContext } from '../../http/request-context.ts'
import type { StorageService } from '../service.ts'
import { encodedMetadata, type IncomingUpload, requireHeaderText, requireMimeType } from './metadata.ts'
import { readForm } from './multipart-form.ts'

/**
 * Reads the head of an upload. Throws a StorageError for a form without a file, or with texts that no header can carry,
 * and BodyRefused where there is no room for another upload.
 */
export async function readIncoming(
  { headers, incoming, outgoing }: RequestContext,
  { bodies }: StorageService,
): Promise<IncomingUpload> {
  const { refuseTooManyParts } = bodies.pass(incoming, outgoing)
  const given = headers['x-robots-tag']
  const robots = given && requireHeaderText('x-robots-tag', given)
  const type = headers['content-type']
  if (type?.toLowerCase().startsWith('multipart/form-data'))
    return readForm(incoming, type, { robots, onTooManyParts: refuseTooManyParts })
  const description = {
    mimeType: requireMimeType(type ?? 'application/octet-stream'),
    cacheControl: requireHeaderText('cache-control', headers['cache-control'] ?? 'no-cache'),
    userMetadata: encodedMetadata(headers['x-metadata']),
    robots,
  }
  const length = Number(headers['content-length'] ?? Number.NaN)
  return {
    ...description,
    body: incoming,
    contentLength: Number.isSafeInteger(length) ? length : null,
    final: async () => description,
  }
}
