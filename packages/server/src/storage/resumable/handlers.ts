// Handlers of resumable uploads, as tus-js-client and Supabase's storage service speak tus 1.0.0. Errors are plain text
// under their own status, as tus clients expect them. `signed` uploads bring a token in the header x-signature.
import { type Answer, empty } from '../../http/answer.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { outageOf, tooLarge } from '../errors.ts'
import { requireBucketName, requireKey } from '../names.ts'
import { describe } from '../objects/metadata.ts'
import { planUpload } from '../objects/upload.ts'
import { projectMaxBytes, type StorageService } from '../service.ts'
import { append, finishIfComplete } from './append.ts'
import { authorize, authorizeContinuation } from './authorization.ts'
import { dropUpload } from './finish.ts'
import { withLease } from './lease.ts'
import {
  byteCount,
  CHECKSUM_ALGORITHMS,
  CHUNK_CONTENT_TYPE,
  EXTENSIONS,
  readMetadata,
  tusError,
  VERSION,
} from './protocol.ts'
import { createUpload, findUpload, type Upload } from './uploads.ts'

export function options(service: StorageService): Answer {
  return empty(204, {
    'tus-version': VERSION,
    'tus-extension': EXTENSIONS,
    'tus-max-size': String(projectMaxBytes(service)),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS,
  })
}

/** Creates an upload, with its first bytes or without any. */
export async function create(
  service: StorageService,
  request: RequestContext,
  signed: boolean,
): Promise<Answer> {
  requireVersion(request)
  const { headers } = request
  const size = byteCount(headers, 'Upload-Length')
  if ((size === null) !== (headers['upload-defer-length'] === '1'))
    throw tusError(400, 'Upload-Length or Upload-Defer-Length header required')
  const givenMetadata = headers['upload-metadata'] ?? ''
  const metadata = readMetadata(givenMetadata)
  const target = { bucket: metadata.bucketName ?? '', name: metadata.objectName ?? '' }
  requireBucketName(target.bucket)
  requireKey(target.name)
  const authorization = await authorize(request, service, target, signed, 'tus.upload.create')
  const { context, owner, upsert } = authorization
  const { contentType, cacheControl = '', metadata: userMetadata } = metadata
  const description = describe(
    {
      ...(contentType && { contentType }),
      ...(/^\d+$/.test(cacheControl) && { cacheControl }),
      ...(userMetadata && { metadata: userMetadata }),
    },
    'application/octet-stream',
  )
  const planned = { ...target, upsert, owner }
  const { place, maxBytes } = await planUpload(service, context, planned, description, size)
  const upload = await createUpload(
    service.database,
    { place, owner, upsert, signed, description, givenMetadata, size, maxSize: maxBytes },
    isService(request) ? null : (owner ?? `address ${request.limitKey}`),
    service.config.limits.openUploadsPerOwner,
  )
  const created = {
    location: addressOf(service, upload),
    'upload-expires': upload.expiresAt.toUTCString(),
  }
  const withChunk = headers['content-type'] === CHUNK_CONTENT_TYPE
  if (!withChunk && size !== 0) return empty(201, created)
  try {
    const offset = await withLease(service.database, upload.id, stopping(request), async (lease) => {
      if (withChunk) await append(request, service, lease)
      return finishIfComplete(service, authorization, lease)
    })
    return empty(201, { ...created, 'upload-offset': String(offset) })
  } catch (error) {
    // The client never learned the address of an upload that found no room.
    if (outageOf(error)?.statusCode === 507) await dropUpload(service, upload)
    throw error
  }
}

/** Whether the request has the secret key. */
const isService = ({ callerOrError }: RequestContext) =>
  !(callerOrError instanceof Error) && callerOrError.role === 'service_role'

/** HEAD, PATCH and DELETE of one upload; clients that cannot send these send POST with the method in a header. */
export function change(service: StorageService, request: RequestContext, signed: boolean): Promise<Answer> {
  requireVersion(request)
  const method = request.headers['x-http-method-override']?.toUpperCase() ?? request.method
  if (method === 'HEAD') return head(service, request, signed)
  if (method === 'PATCH') return patch(service, request, signed)
  if (method === 'DELETE') return terminate(service, request, signed)
  return methodNotAllowed()
}

export function methodNotAllowed(): never {
  throw tusError(405, 'Method not allowed')
}

/** The upload that the path names, and the authorization to continue it. */
async function continued(service: StorageService, request: RequestContext, signed: boolean) {
  const upload = await findUpload(service.database, request.params.id ?? '')
  return { upload, authorization: await authorizeContinuation(request, service, upload, signed) }
}

async function patch(service: StorageService, request: RequestContext, signed: boolean): Promise<Answer> {
  const { headers } = request
  if (headers['content-type'] !== CHUNK_CONTENT_TYPE)
    throw tusError(415, `Content-Type must be ${CHUNK_CONTENT_TYPE}`)
  const offset = byteCount(headers, 'Upload-Offset')
  if (offset === null) throw tusError(403, 'Upload-Offset header required')
  const { upload: found, authorization } = await continued(service, request, signed)
  return withLease(service.database, found.id, stopping(request), async (lease) => {
    const { upload } = lease
    if (upload.finished || upload.progress.offset !== offset) throw tusError(409, 'Upload-Offset conflict')
    const size = byteCount(headers, 'Upload-Length')
    if (size !== null && size !== upload.size) {
      if (upload.size !== null || size < offset) throw tusError(400, 'Invalid upload-length')
      if (size > upload.maxSize) throw tooLarge()
      await lease.declareSize(size)
    }
    await append(request, service, lease)
    const reached = await finishIfComplete(service, authorization, lease)
    return empty(204, {
      'upload-offset': String(reached),
      ...(upload.finished ? { 'tus-complete': '1' } : { 'upload-expires': upload.expiresAt.toUTCString() }),
    })
  })
}

async function head(service: StorageService, request: RequestContext, signed: boolean): Promise<Answer> {
  let { upload, authorization } = await continued(service, request, signed)
  // All bytes are there but not the row: the server was stopped in between. The client would take it for done.
  if (!upload.finished && upload.progress.offset === upload.size) {
    upload = await withLease(
      service.database,
      upload.id,
      () => {},
      async (lease) => {
        await finishIfComplete(service, authorization, lease)
        return lease.upload
      },
    )
  }
  return empty(200, {
    'upload-offset': String(upload.progress.offset),
    ...(upload.size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(upload.size) }),
    ...(upload.givenMetadata && { 'upload-metadata': upload.givenMetadata }),
    ...(!upload.finished && { 'upload-expires': upload.expiresAt.toUTCString() }),
  })
}

async function terminate(service: StorageService, request: RequestContext, signed: boolean): Promise<Answer> {
  const { upload: found } = await continued(service, request, signed)
  return withLease(
    service.database,
    found.id,
    () => {},
    async ({ upload }) => {
      if (upload.finished) throw tusError(400, 'Cannot terminate an already completed upload')
      await dropUpload(service, upload)
      return empty(204)
    },
  )
}

/** How a request is stopped whose upload another one wants: its connection is dead. */
function stopping({ incoming }: RequestContext) {
  return () => void incoming.destroy()
}

function addressOf({ config }: StorageService, { id, signed }: Upload): string {
  const path = `/storage/v1/upload/resumable${signed ? '/sign' : ''}/${id}`
  // Without a known address, a path is right behind any proxy.
  return config.originIsFixed ? config.publicUrl + path : path
}

function requireVersion({ headers }: RequestContext): void {
  const given = headers['tus-resumable']
  if (given === VERSION) return
  throw tusError(
    412,
    given === undefined ? 'Tus-Resumable Required' : `Unsupported Tus-Resumable; this is ${VERSION}`,
  )
}
