// Handlers that sign URLs, by which anyone may read or upload an object for a while, under the policies of the signer.
import { z } from 'zod'
import { json } from '../../http/answer.ts'
import { optionsText, readOptions } from '../images/options.ts'
import { readJson } from '../json-body.ts'
import { findBucket, findObject } from '../objects/rows.ts'
import { bucketOf, objectOf, subjectOf, upsertOf } from '../request.ts'
import type { Handler } from '../service.ts'
import { type CallerContext, type KnownCaller, withTransaction } from '../transaction.ts'
import { describeSigner, requireRightToUpload } from './signer.ts'
import { signToken } from './tokens.ts'

/** Ten years, in seconds: longer than that nobody meant. */
const MAX_TTL_SECONDS = 10 * 366 * 86_400
const expiresIn = z.int().min(1).max(MAX_TTL_SECONDS)

const signBody = z.object({ expiresIn, transform: z.record(z.string(), z.unknown()).nullish() })
/** More than that in one answer is a burden to both sides. */
const MAX_PATHS = 10_000
const signManyBody = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(MAX_PATHS) })

export const signUpload: Handler<KnownCaller> = async (service, request, context) => {
  const target = objectOf(request, '/object/upload/sign/')
  const owner = subjectOf(context.caller)
  const upsert = upsertOf(request)
  await findBucket(service, target.bucket)
  await requireRightToUpload(service, context, { ...target, upsert, owner })
  const { signer, lifetime } = await describeSigner(service, context.caller)
  const url = `${target.bucket}/${target.name}`
  const token = await signToken(
    service.keys,
    { scope: 'upload', url, upsert, ...(owner !== null && { owner }), signer },
    lifetime,
  )
  return json({ url: `/object/upload/sign/${url}?token=${token}`, token })
}

export const signDownload: Handler<CallerContext> = async (service, request, context) => {
  const target = objectOf(request, '/object/sign/')
  const { expiresIn: lifetime, transform } = readJson(request, signBody)
  await findBucket(service, target.bucket)
  await withTransaction(service.database, context, (transaction) => findObject(transaction, target))
  const url = `${target.bucket}/${target.name}`
  const transformations = transform ? optionsText(readOptions(transform, 'body/transform')) : ''
  const token = await signToken(
    service.keys,
    { scope: 'download', url, ...(transformations && { transformations }) },
    lifetime,
  )
  return json({ signedURL: `/${transformations ? 'render/image' : 'object'}/sign/${url}?token=${token}` })
}

const NOT_FOUND_OR_FORBIDDEN = 'Either the object does not exist or you do not have access to it'

export const signDownloads: Handler<CallerContext> = async (service, request, context) => {
  const bucket = bucketOf(request, '/object/sign/')
  const { expiresIn: lifetime, paths } = readJson(request, signManyBody)
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
  return json(
    paths.map((path) => {
      const signedURL = addresses.get(path) ?? null
      return { error: signedURL ? null : NOT_FOUND_OR_FORBIDDEN, path, signedURL }
    }),
  )
}
