// Handlers of /bucket, and of /cdn, where Supabase's clients ask for a cache to be purged.
import { z } from 'zod'
import { json } from '../../http/answer.ts'
import { readJson, readQuery } from '../json-body.ts'
import { requireBucketName } from '../names.ts'
import { findAnyObject, findBucket } from '../objects/rows.ts'
import { bucketOf, objectOf, subjectOf } from '../request.ts'
import type { Handler } from '../service.ts'
import type { CallerContext, KnownCaller } from '../transaction.ts'
import { notEnabled } from '../unsupported.ts'
import { createBucket, deleteBucket, emptyBucket, getBucket, listBuckets, updateBucket } from './buckets.ts'

const MAX_INT32 = 2 ** 31 - 1
const whole = z.coerce.number('must be integer').pipe(z.int().min(0).max(MAX_INT32)).optional()
const listQuery = z.object({
  limit: whole,
  offset: whole,
  search: z.string().optional(),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).default('name'),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
})

const settings = {
  public: z.boolean().nullish(),
  file_size_limit: z.union([z.int().min(0), z.string()], 'must be integer or string').nullish(),
  allowed_mime_types: z.array(z.string()).nullish(),
}
const createBody = z.object({
  ...settings,
  name: z.string(),
  id: z.string().nullish(),
  type: z.string().nullish(),
})
const updateBody = z.object(settings)

export const list: Handler<CallerContext> = async (service, request, context) => {
  return json(await listBuckets(service, context, readQuery(request, listQuery)))
}

export const create: Handler<KnownCaller> = async (service, request, context) => {
  const { name, id, type, ...rest } = readJson(request, createBody)
  if (type && type !== 'STANDARD') throw notEnabled(`bucket type ${type.slice(0, 100)}`)
  const bucket = { id: id || name, name, owner: subjectOf(context.caller) }
  requireBucketName(bucket.id)
  requireBucketName(bucket.name)
  await createBucket(service, context, bucket, settingsOf(rest))
  return json({ name })
}

export const get: Handler<CallerContext> = async (service, request, context) => {
  return json(await getBucket(service, context, bucketOf(request, '/bucket/')))
}

export const update: Handler<CallerContext> = async (service, request, context) => {
  const id = bucketOf(request, '/bucket/')
  await updateBucket(service, context, id, settingsOf(readJson(request, updateBody)))
  return json({ message: 'Successfully updated' })
}

/** Answers once the bucket is empty, in Supabase's words, which its client shows. */
export const empty: Handler<CallerContext> = async (service, request, context) => {
  await emptyBucket(service, context, bucketOf(request, '/bucket/', '/empty'))
  return json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
}

export const remove: Handler<CallerContext> = async (service, request, context) => {
  await deleteBucket(service, context, bucketOf(request, '/bucket/'))
  return json({ message: 'Successfully deleted' })
}

/** There is no cache to purge: only whether the bucket is there is checked. */
export const purgeBucket: Handler<KnownCaller> = async (service, request) => {
  await findBucket(service, bucketOf(request, '/cdn/'))
  return json({ message: 'success' })
}

export const purgeObject: Handler<KnownCaller> = async (service, request) => {
  await findAnyObject(service, objectOf(request, '/cdn/'))
  return json({ message: 'success' })
}

function settingsOf(body: z.output<typeof updateBody>) {
  return {
    public: body.public ?? undefined,
    fileSizeLimit: body.file_size_limit,
    allowedMimeTypes: body.allowed_mime_types?.filter((type) => type !== '') ?? body.allowed_mime_types,
  }
}
