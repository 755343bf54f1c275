// Writing objects: upload, replace, move, copy and delete, each by the caller's rights; and uploads to an address
// that somebody with the right to it has signed.
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { requireToken } from '../download/routes.ts'
import { noSuchObject } from '../errors.ts'
import { limitJson, readJson } from '../json-body.ts'
import { requireBucketName, requireKey } from '../names.ts'
import { bucketOf, contextOf, objectOf, requireCaller, subjectOf } from '../request.ts'
import type { StorageService } from '../service.ts'
import { requireSigner } from '../signed-urls/signer.ts'
import { readToken } from '../signed-urls/tokens.ts'
import { copy, move, remove } from './copy-move-delete.ts'
import { drainRejectedBody } from './drain-body.ts'
import { encodedMetadata, requireHeaderText, requireMimeType } from './metadata.ts'
import { upload } from './upload.ts'
import { readIncoming } from './upload-body.ts'

const transfer = {
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().nullish(),
}
const moveBody = z.object(transfer)
const copyBody = z.object({
  ...transfer,
  metadata: z.object({ cacheControl: z.string().optional(), mimetype: z.string().optional() }).nullish(),
  copyMetadata: z.boolean().nullish(),
})
const removeBody = z.object({ prefixes: z.array(z.string()).min(1).max(1000) })

/** POST, PUT and DELETE below /object. More particular paths come first. */
export function writeRoutes(service: StorageService): Hono {
  const app = new Hono()
  const json = limitJson(service)

  app.post('/object/move', json, async (c) => {
    const caller = requireCaller(c)
    const { from, to } = endsOf(await readJson(c, moveBody))
    const context = contextOf(c, caller, 'object.move')
    const { id, key } = await move(service, context, from, to, subjectOf(caller))
    return c.json({ message: 'Successfully moved', Id: id, Key: key })
  })

  app.post('/object/copy', json, async (c) => {
    const caller = requireCaller(c)
    const body = await readJson(c, copyBody)
    const { from, to } = endsOf(body)
    const { mimetype, cacheControl } = body.metadata ?? {}
    const context = contextOf(c, caller, 'object.copy')
    const target = { ...to, upsert: upserts(c), owner: subjectOf(caller) }
    const { id, key } = await copy(service, context, from, target, {
      copyMetadata: body.copyMetadata ?? true,
      changes: {
        ...(mimetype !== undefined && { mimeType: requireMimeType(mimetype) }),
        ...(cacheControl !== undefined && { cacheControl: requireHeaderText('cacheControl', cacheControl) }),
        userMetadata: encodedMetadata(c.req.header('x-metadata')),
      },
    })
    return c.json({ Id: id, Key: key, id, name: to.name, bucket_id: to.bucket })
  })

  app.put('/object/upload/sign/*', drainRejectedBody, async (c) => {
    const target = objectOf(c, '/object/upload/sign/')
    const url = `${target.bucket}/${target.name}`
    const token = await readToken(service.keys, requireToken(c), 'upload', url)
    const { owner = null, upsert } = token
    // Whoever signed is asked for the right; whoever uploads has it from the address.
    const context = contextOf(c, null, 'object.upload_signed')
    const recheck = () => requireSigner(service, context, target, token)
    await recheck()
    const incoming = await readIncoming(c, service)
    const { key } = await upload(service, context, { ...target, upsert, owner }, incoming, recheck)
    return c.json({ Key: key })
  })

  app.post('/object/:bucket/*', drainRejectedBody, (c) => uploadAs(c, 'object.upload', upserts(c)))
  app.put('/object/:bucket/*', drainRejectedBody, (c) => uploadAs(c, 'object.upload_update', true))

  async function uploadAs(c: Context, operation: string, upsert: boolean): Promise<Response> {
    const caller = requireCaller(c)
    const target = { ...objectOf(c, '/object/'), upsert, owner: subjectOf(caller) }
    const { id, key } = await upload(
      service,
      contextOf(c, caller, operation),
      target,
      await readIncoming(c, service),
    )
    return c.json({ Id: id, Key: key })
  }

  app.delete('/object/:bucket', json, async (c) => {
    const caller = requireCaller(c)
    const bucket = bucketOf(c, '/object/')
    const { prefixes } = await readJson(c, removeBody)
    return c.json(await remove(service, contextOf(c, caller, 'object.delete_many'), bucket, prefixes))
  })

  app.delete('/object/:bucket/*', async (c) => {
    const caller = requireCaller(c)
    const { bucket, name } = objectOf(c, '/object/')
    const deleted = await remove(service, contextOf(c, caller, 'object.delete'), bucket, [name])
    if (deleted.length === 0) throw noSuchObject()
    return c.json({ message: 'Successfully deleted' })
  })
  return app
}

function upserts(c: Context): boolean {
  return c.req.header('x-upsert') === 'true'
}

function endsOf(body: z.output<typeof moveBody>) {
  const from = { bucket: body.bucketId, name: body.sourceKey }
  const to = { bucket: body.destinationBucket || body.bucketId, name: body.destinationKey }
  for (const end of [from, to]) {
    requireBucketName(end.bucket)
    requireKey(end.name)
  }
  return { from, to }
}
