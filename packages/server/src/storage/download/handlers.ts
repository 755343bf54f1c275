// Handlers that read an object: by the caller's policies, from a public bucket, by a signed URL; its content, or its row.
import { type Answer, json } from '../../http/answer.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { Missing } from '../backend/backend.ts'
import { invalidSignature, noSuchObject } from '../errors.ts'
import { findAnyObject, findAsCaller, findPublic, findReadable, type StoredRow } from '../objects/rows.ts'
import { downloadOf, objectOf } from '../request.ts'
import type { Handler, StorageService } from '../service.ts'
import { readToken, requireToken } from '../signed-urls/tokens.ts'
import type { CallerContext } from '../transaction.ts'
import { representationOf, type ServeOptions, serve } from './serve.ts'

export const publicInfo: Handler = async (service, request) => {
  return info(await findPublic(service, objectOf(request, '/object/info/public/')))
}

export const authenticatedInfo: Handler<CallerContext> = async (service, request, context) => {
  return info(await findAsCaller(service, context, objectOf(request, '/object/info/authenticated/')))
}

export const objectInfo: Handler<CallerContext> = async (service, request, context) => {
  return info(await findReadable(service, context, objectOf(request, '/object/info/')))
}

export const downloadPublic: Handler = (service, request) => {
  const target = objectOf(request, '/object/public/')
  return send(service, request, () => findPublic(service, target))
}

export const downloadAuthenticated: Handler<CallerContext> = (service, request, context) => {
  const target = objectOf(request, '/object/authenticated/')
  return send(service, request, () => findAsCaller(service, context, target))
}

export const downloadSigned: Handler = async (service, request) => {
  const target = objectOf(request, '/object/sign/')
  const url = `${target.bucket}/${target.name}`
  const { exp, transformations } = await readToken(service.keys, requireToken(request), 'download', url)
  // A URL signed for a transformed image does not give access to the original.
  if (transformations) throw invalidSignature()
  return send(service, request, () => findAnyObject(service, target), { expires: new Date(exp * 1000) })
}

export const downloadObject: Handler<CallerContext> = (service, request, context) => {
  const target = objectOf(request, '/object/')
  return send(service, request, () => findReadable(service, context, target))
}

/** Sends what `find` finds; once more where it was replaced just after it was found. */
async function send(
  { backend }: StorageService,
  request: RequestContext,
  find: () => Promise<StoredRow>,
  options: ServeOptions = {},
): Promise<Answer> {
  const download = downloadOf(request)
  for (let row = await find(); ; ) {
    try {
      return await serve(request, representationOf(row, backend), { download, ...options })
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      const current = await find()
      if (current.version === row.version) throw noSuchObject()
      row = current
    }
  }
}

function info(row: StoredRow): Answer {
  const { size, mimetype, cacheControl, eTag } = row.metadata ?? {}
  const body = {
    id: row.id,
    name: row.name,
    version: row.version,
    bucket_id: row.bucket_id,
    size: size ?? null,
    content_type: mimetype ?? null,
    cache_control: cacheControl ?? null,
    etag: eTag ?? null,
    metadata: row.user_metadata ?? {},
    last_modified: row.updated_at,
    created_at: row.created_at,
  }
  return json(body, 200, { 'cache-control': 'no-store' })
}
