// Signing: addresses by which anyone may read an object for a while, or upload one, by the right of whoever signs.
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { optionsText, readOptions } from '../images/options.ts'
import { limitJson, readJson } from '../json-body.ts'
import { findBucket, findObject } from '../objects/rows.ts'
import { bucketOf, contextOf, objectOf, requireCaller, subjectOf } from '../request.ts'
import type { StorageService } from '../service.ts'
import { withTransaction } from '../transaction.ts'
import { describeSigner, requireRightToUpload } from './signer.ts'
import { signToken } from './tokens.ts'

/** Ten years, in seconds: longer than that nobody meant. */
const MAX_TTL_SECONDS = 10 * 366 * 86_400
const expiresIn = z.int().min(1).max(MAX_TTL_SECONDS)

const signBody = z.object({ expiresIn, transform: z.record(z.string(), z.unknown()).nullish() })
/** More than that in one answer is a burden to both sides. */
const MAX_PATHS = 10_000
const signManyBody = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(MAX_PATHS) })

export function signRoutes(service: StorageService): Hono {
  const app = new Hono()
  const json = limitJson(service)

  app.post('/object/upload/sign/*', json, async (c) => {
    const caller = requireCaller(c)
    const target = objectOf(c, '/object/upload/sign/')
    const owner = subjectOf(caller)
    const upsert = c.req.header('x-upsert') === 'true'
    await findBucket(service, target.bucket)
    const context = contextOf(c, caller, 'object.sign_upload_url')
    await requireRightToUpload(service, context, { ...target, upsert, owner })
    const { signer, lifetime } = await describeSigner(service, caller)
    const url = `${target.bucket}/${target.name}`
    const token = await signToken(
      service.keys,
      { scope: 'upload', url, upsert, ...(owner !== null && { owner }), signer },
      lifetime,
    )
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token })
  })

  // Before the next one, which would take a missing name for an empty one.
  app.post('/object/sign/:bucket', json, (c) => signMany(c, service))

  app.post('/object/sign/:bucket/*', json, async (c) => {
    const context = contextOf(c, requireCaller(c), 'object.sign')
    const target = objectOf(c, '/object/sign/')
    const { expiresIn: lifetime, transform } = await readJson(c, signBody)
    await findBucket(service, target.bucket)
    await withTransaction(service.database, context, (transaction) => findObject(transaction, target))
    const url = `${target.bucket}/${target.name}`
    const transformations = transform ? optionsText(readOptions(transform, 'body/transform')) : ''
    const token = await signToken(
      service.keys,
      { scope: 'download', url, ...(transformations && { transformations }) },
      lifetime,
    )
    return c.json({ signedURL: `/${transformations ? 'render/image' : 'object'}/sign/${url}?token=${token}` })
  })

  return app
}

const NOT_FOUND_OR_FORBIDDEN = 'Either the object does not exist or you do not have access to it'

async function signMany(c: Context, service: StorageService): Promise<Response> {
  const context = contextOf(c, requireCaller(c), 'object.sign_many')
  const bucket = bucketOf(c, '/object/sign/')
  const { expiresIn: lifetime, paths } = await readJson(c, signManyBody)
  const seen = await withTransaction(service.database, context, async ({ asCaller }) => {
    const { rows } = await asCaller<{ name: string }>(
      'select name from storage.objects where bucket_id = $1 and name = any($2)',
      [bucket, paths],
    )
    return rows.map(({ name }) => name)
  })
  // Signed once each, however often it is asked for.
  const addresses = new Map<string, string>()
  for (const name of seen) {
    const url = `${bucket}/${name}`
    const token = await signToken(service.keys, { scope: 'download', url }, lifetime)
    addresses.set(name, `/object/sign/${url}?token=${token}`)
  }
  return c.json(
    paths.map((path) => {
      const signedURL = addresses.get(path) ?? null
      return { error: signedURL ? null : NOT_FOUND_OR_FORBIDDEN, path, signedURL }
    }),
  )
}
