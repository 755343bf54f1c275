// /bucket: the calls of storage-js upon buckets, and what a content network would be asked at /cdn.
import { Hono } from 'hono'
import { z } from 'zod'
import { accessDenied } from '../errors.ts'
import { limitJson, readJson, readQuery } from '../json-body.ts'
import { requireBucketName } from '../names.ts'
import { findAnyObject, findBucket } from '../objects/rows.ts'
import { bucketOf, contextOf, objectOf, requireCaller, subjectOf } from '../request.ts'
import type { StorageService } from '../service.ts'
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

export function bucketRoutes(service: StorageService): Hono {
  const app = new Hono()
  const json = limitJson(service)

  app.get('/bucket', async (c) => {
    const context = contextOf(c, requireCaller(c), 'bucket.list')
    return c.json(await listBuckets(service, context, readQuery(c, listQuery)))
  })

  app.post('/bucket', json, async (c) => {
    const caller = requireCaller(c)
    const { name, id, type, ...rest } = await readJson(c, createBody)
    if (type && type !== 'STANDARD') {
      throw notEnabled(`bucket type ${type.slice(0, 100)}`)
    }
    const bucket = { id: id || name, name, owner: subjectOf(caller) }
    requireBucketName(bucket.id)
    requireBucketName(bucket.name)
    await createBucket(service, contextOf(c, caller, 'bucket.create'), bucket, settingsOf(rest))
    return c.json({ name })
  })

  app.get('/bucket/:id', async (c) => {
    const context = contextOf(c, requireCaller(c), 'bucket.get')
    return c.json(await getBucket(service, context, bucketOf(c, '/bucket/')))
  })

  app.put('/bucket/:id', json, async (c) => {
    const context = contextOf(c, requireCaller(c), 'bucket.update')
    const id = bucketOf(c, '/bucket/')
    await updateBucket(service, context, id, settingsOf(await readJson(c, updateBody)))
    return c.json({ message: 'Successfully updated' })
  })

  app.post('/bucket/:id/empty', async (c) => {
    const context = contextOf(c, requireCaller(c), 'bucket.empty')
    await emptyBucket(service, context, bucketOf(c, '/bucket/', '/empty'))
    // The client shows these words of Supabase's; here it has been done.
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' })
  })

  app.delete('/bucket/:id', async (c) => {
    const context = contextOf(c, requireCaller(c), 'bucket.delete')
    await deleteBucket(service, context, bucketOf(c, '/bucket/'))
    return c.json({ message: 'Successfully deleted' })
  })

  // No cache stands between this server and the browser, so there is nothing to purge but the question is right.
  app.delete('/cdn/:id', async (c) => {
    requireService(requireCaller(c).role)
    await findBucket(service, bucketOf(c, '/cdn/'))
    return c.json({ message: 'success' })
  })
  app.delete('/cdn/:id/*', async (c) => {
    requireService(requireCaller(c).role)
    await findAnyObject(service, objectOf(c, '/cdn/'))
    return c.json({ message: 'success' })
  })
  return app
}

function requireService(role: string): void {
  if (role !== 'service_role') throw accessDenied('Access denied')
}

function settingsOf(body: z.output<typeof updateBody>) {
  return {
    public: body.public ?? undefined,
    fileSizeLimit: body.file_size_limit,
    allowedMimeTypes: body.allowed_mime_types?.filter((type) => type !== '') ?? body.allowed_mime_types,
  }
}
