// Resumable uploads over HTTP, as tus-js-client and Supabase's storage service speak them: below /upload/resumable by
// a person's rights, below /upload/resumable/sign by the token of a signed upload in the header x-signature.
import { type Context, Hono } from 'hono'
import { BodyRefused } from '../../http/bodies.ts'
import { outageOf, StorageError, tooLarge } from '../errors.ts'
import { requireBucketName, requireKey } from '../names.ts'
import { describe } from '../objects/metadata.ts'
import { planUpload } from '../objects/upload.ts'
import { projectMaxBytes, type StorageService } from '../service.ts'
import { append, finishIfComplete, incomingOf } from './append.ts'
import { authorize, authorizeContinuation } from './authorization.ts'
import { dropUpload } from './finish.ts'
import { withLease } from './lease.ts'
import {
  byteCount,
  CHECKSUM_ALGORITHMS,
  CHUNK_CONTENT_TYPE,
  EXPOSED_HEADERS,
  EXTENSIONS,
  readMetadata,
  tusError,
  VERSION,
} from './protocol.ts'
import { createUpload, findUpload, type Upload } from './uploads.ts'

const PATH = '/upload/resumable'

/** Makes the routes. Errors are plain text under their own status, as tus clients expect them. */
export function resumableRoutes(service: StorageService): Hono {
  const app = new Hono()
  app.use(`${PATH}/*`, async (c, next) => {
    await next()
    c.res.headers.set('tus-resumable', VERSION)
    c.res.headers.set('cache-control', 'no-store')
    c.res.headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  })
  app.onError((error, c) => {
    const known = error instanceof StorageError ? error : outageOf(error)
    if (known) return c.text(known.message, known.statusCode as 400, known.headers())
    if (error instanceof BodyRefused) return c.text(error.message, error.status, error.headers)
    // Whoever sent it has gone, and comes back for the rest.
    if (incomingOf(c)?.destroyed || c.req.raw.signal.aborted) return c.body(null, 400)
    service.log.error({ err: error, method: c.req.method, path: c.req.path }, 'a resumable upload failed')
    return c.text('Internal Server Error', 500)
  })
  for (const path of [PATH, `${PATH}/`, `${PATH}/sign`, `${PATH}/sign/`]) {
    app.options(path, (c) => options(c, service))
    app.post(path, (c) => create(c, service, path.includes('/sign')))
  }
  for (const signed of [true, false]) {
    const path = `${PATH}${signed ? '/sign' : ''}/:id` as const
    app.options(path, (c) => options(c, service))
    app.on(['HEAD', 'PATCH', 'DELETE', 'POST'], path, (c) => {
      requireVersion(c)
      const method = c.req.header('x-http-method-override')?.toUpperCase() ?? methodOf(c)
      const id = c.req.param('id') ?? ''
      if (method === 'HEAD') return head(c, service, id, signed)
      if (method === 'PATCH') return patch(c, service, id, signed)
      if (method === 'DELETE') return terminate(c, service, id, signed)
      throw tusError(405, 'Method not allowed')
    })
    // Frameworks answer HEAD by way of GET.
    app.get(path, (c) => {
      if (methodOf(c) !== 'HEAD') throw tusError(405, 'Method not allowed')
      requireVersion(c)
      return head(c, service, c.req.param('id') ?? '', signed)
    })
  }
  return app
}

function options(c: Context, service: StorageService): Response {
  return c.body(null, 204, {
    'tus-version': VERSION,
    'tus-extension': EXTENSIONS,
    'tus-max-size': String(projectMaxBytes(service)),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS,
  })
}

async function create(c: Context, service: StorageService, signed: boolean): Promise<Response> {
  requireVersion(c)
  const { headers } = c.req.raw
  const size = byteCount(headers, 'Upload-Length')
  const deferred = headers.get('upload-defer-length')
  if ((size === null) !== (deferred === '1'))
    throw tusError(400, 'Upload-Length or Upload-Defer-Length header required')
  const givenMetadata = headers.get('upload-metadata') ?? ''
  const metadata = readMetadata(givenMetadata)
  const target = { bucket: metadata.bucketName ?? '', name: metadata.objectName ?? '' }
  requireBucketName(target.bucket)
  requireKey(target.name)
  const right = await authorize(c, service, target, signed, 'tus.upload.create')
  const { context, owner, upsert } = right
  const description = describe(
    {
      ...(metadata.contentType && { contentType: metadata.contentType }),
      ...(/^\d+$/.test(metadata.cacheControl ?? '') && { cacheControl: metadata.cacheControl as string }),
      ...(metadata.metadata && { metadata: metadata.metadata }),
    },
    'application/octet-stream',
  )
  const { place, maxBytes } = await planUpload(
    service,
    context,
    { ...target, upsert, owner },
    description,
    size,
  )
  const upload = await createUpload(service.database, {
    ...{ place, owner, upsert, signed, description, givenMetadata, size, maxSize: maxBytes },
  })
  c.header('location', addressOf(c, service, upload))
  c.header('upload-expires', upload.expiresAt.toUTCString())
  const withChunk = headers.get('content-type') === CHUNK_CONTENT_TYPE
  if (!withChunk && size !== 0) return c.body(null, 201)
  const offset = await withLease(
    service.database,
    upload.id,
    () => incomingOf(c)?.destroy(),
    async (lease) => {
      if (withChunk)
        await append(c, service, lease).catch((error) => dropWithoutRoom(c, service, upload, error))
      return finishIfComplete(service, right, lease)
    },
  )
  c.header('upload-offset', String(offset))
  return c.body(null, 201)
}

/** The client of a creation that found no room never learned the address, so the upload is deleted. */
async function dropWithoutRoom(
  c: Context,
  service: StorageService,
  upload: Upload,
  error: unknown,
): Promise<never> {
  if (outageOf(error)?.statusCode === 507) {
    await dropUpload(service, upload)
    c.header('location', undefined)
  }
  throw error
}

async function patch(c: Context, service: StorageService, id: string, signed: boolean): Promise<Response> {
  const { headers } = c.req.raw
  if (headers.get('content-type') !== CHUNK_CONTENT_TYPE)
    throw tusError(415, `Content-Type must be ${CHUNK_CONTENT_TYPE}`)
  const offset = byteCount(headers, 'Upload-Offset')
  if (offset === null) throw tusError(403, 'Upload-Offset header required')
  const right = await authorizeContinuation(c, service, await findUpload(service.database, id), signed)
  return withLease(
    service.database,
    id,
    () => incomingOf(c)?.destroy(),
    async (lease) => {
      const { upload } = lease
      if (upload.finished || upload.progress.offset !== offset) throw tusError(409, 'Upload-Offset conflict')
      const size = byteCount(headers, 'Upload-Length')
      if (size !== null && size !== upload.size) {
        if (upload.size !== null || size < offset) throw tusError(400, 'Invalid upload-length')
        if (size > upload.maxSize) throw tooLarge()
        await lease.declareSize(size)
      }
      await append(c, service, lease)
      c.header('upload-offset', String(await finishIfComplete(service, right, lease)))
      if (upload.finished) c.header('tus-complete', '1')
      else c.header('upload-expires', upload.expiresAt.toUTCString())
      return c.body(null, 204)
    },
  )
}

async function head(c: Context, service: StorageService, id: string, signed: boolean): Promise<Response> {
  let upload = await findUpload(service.database, id)
  const right = await authorizeContinuation(c, service, upload, signed)
  // Bytes all there, row not: the server was stopped in between. The client would take it for done.
  if (!upload.finished && upload.progress.offset === upload.size) {
    upload = await withLease(
      service.database,
      id,
      () => {},
      async (lease) => {
        await finishIfComplete(service, right, lease)
        return lease.upload
      },
    )
  }
  c.header('upload-offset', String(upload.progress.offset))
  if (upload.size === null) c.header('upload-defer-length', '1')
  else c.header('upload-length', String(upload.size))
  if (upload.givenMetadata) c.header('upload-metadata', upload.givenMetadata)
  if (!upload.finished) c.header('upload-expires', upload.expiresAt.toUTCString())
  return c.body(null, 200)
}

async function terminate(
  c: Context,
  service: StorageService,
  id: string,
  signed: boolean,
): Promise<Response> {
  await authorizeContinuation(c, service, await findUpload(service.database, id), signed)
  return withLease(
    service.database,
    id,
    () => {},
    async ({ upload }) => {
      if (upload.finished) throw tusError(400, 'Cannot terminate an already completed upload')
      await dropUpload(service, upload)
      return c.body(null, 204)
    },
  )
}

function addressOf(c: Context, { config }: StorageService, { id, signed }: Upload): string {
  const path = `${c.req.path.slice(0, c.req.path.indexOf(PATH))}${PATH}${signed ? '/sign' : ''}/${id}`
  // Without a known address, a path is right behind any proxy.
  return config.originIsFixed ? config.publicUrl + path : path
}

function requireVersion(c: Context): void {
  const given = c.req.header('tus-resumable')
  if (given === VERSION) return
  throw tusError(
    412,
    given === undefined ? 'Tus-Resumable Required' : `Unsupported Tus-Resumable; this is ${VERSION}`,
  )
}

function methodOf(c: Context): string {
  return c.req.raw.method
}
