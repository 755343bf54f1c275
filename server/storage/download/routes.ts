// Reading an object: by the caller's rights, from a public bucket, by a signed address; its content, its headers
// alone, or what is known of it.
import { type Context, Hono } from 'hono'
import { Missing } from '../backend/backend.ts'
import { invalidShape, invalidSignature, noSuchObject } from '../errors.ts'
import { findAnyObject, findAsCaller, findPublic, findReadable, type StoredRow } from '../objects/rows.ts'
import { callerOrNobody, contextOf, objectOf, requireCaller } from '../request.ts'
import type { StorageService } from '../service.ts'
import { readToken } from '../signed-urls/tokens.ts'
import { representationOf, type ServeOptions, serve } from './serve.ts'

/** GET and HEAD below /object. More particular paths come first. */
export function readRoutes(service: StorageService): Hono {
  const app = new Hono()

  app.get('/object/info/public/*', async (c) => {
    const target = objectOf(c, '/object/info/public/')
    return info(c, await findPublic(service, target))
  })
  app.get('/object/info/authenticated/*', async (c) => {
    const context = contextOf(c, requireCaller(c), 'object.info_authenticated')
    return info(c, await findAsCaller(service, context, objectOf(c, '/object/info/authenticated/')))
  })
  app.get('/object/info/*', async (c) => {
    const context = contextOf(c, callerOrNobody(c), 'object.info_authenticated')
    return info(c, await findReadable(service, context, objectOf(c, '/object/info/')))
  })

  app.get('/object/public/*', (c) => {
    const target = objectOf(c, '/object/public/')
    return send(c, service, () => findPublic(service, target))
  })
  app.get('/object/authenticated/*', (c) => {
    const context = contextOf(c, requireCaller(c), 'object.get_authenticated')
    const target = objectOf(c, '/object/authenticated/')
    return send(c, service, () => findAsCaller(service, context, target))
  })
  app.get('/object/sign/*', async (c) => {
    const target = objectOf(c, '/object/sign/')
    const { exp, transformations } = await readToken(
      service.keys,
      requireToken(c),
      'download',
      `${target.bucket}/${target.name}`,
    )
    // A URL signed for a transformed image does not give access to the original.
    if (transformations) throw invalidSignature()
    return send(c, service, () => findAnyObject(service, target), { expires: new Date(exp * 1000) })
  })
  app.get('/object/:bucket/*', (c) => {
    const context = contextOf(c, callerOrNobody(c), 'object.get_authenticated')
    const target = objectOf(c, '/object/')
    return send(c, service, () => findReadable(service, context, target))
  })
  return app
}

/** The token of a signed address. */
export function requireToken(c: Context): string {
  const token = c.req.query('token')
  if (!token) throw invalidShape("querystring must have required property 'token'")
  return token
}

/** Sends what `find` finds; once more where it was replaced just after it was found. */
async function send(
  c: Context,
  { backend }: StorageService,
  find: () => Promise<StoredRow>,
  options: ServeOptions = {},
): Promise<Response> {
  const how = { download: c.req.query('download'), ...options }
  for (let row = await find(); ; ) {
    try {
      return await serve(c.req.raw, representationOf(row, backend), how)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      const current = await find()
      if (current.version === row.version) throw noSuchObject()
      row = current
    }
  }
}

function info(c: Context, row: StoredRow): Response {
  const { size, mimetype, cacheControl, eTag } = row.metadata ?? {}
  c.header('cache-control', 'no-store')
  return c.json({
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
  })
}
