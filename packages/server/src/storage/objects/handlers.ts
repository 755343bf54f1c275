// Handlers that write objects: upload, replace, move, copy and delete under the caller's policies, and uploads to a
// signed URL.
import { z } from 'zod'
import { json } from '../../http/answer.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { noSuchObject } from '../errors.ts'
import { readJson } from '../json-body.ts'
import { requireBucketName, requireKey } from '../names.ts'
import { bucketOf, contextOf, objectOf, subjectOf, upsertOf } from '../request.ts'
import type { Handler, StorageService } from '../service.ts'
import { requireSigner } from '../signed-urls/signer.ts'
import { readToken, requireToken } from '../signed-urls/tokens.ts'
import type { KnownCaller } from '../transaction.ts'
import { copy, move, remove } from './copy-move-delete.ts'
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

export const moveObject: Handler<KnownCaller> = async (service, request, context) => {
  const { from, to } = endsOf(readJson(request, moveBody))
  const { id, key } = await move(service, context, from, to, subjectOf(context.caller))
  return json({ message: 'Successfully moved', Id: id, Key: key })
}

export const copyObject: Handler<KnownCaller> = async (service, request, context) => {
  const body = readJson(request, copyBody)
  const { from, to } = endsOf(body)
  const { mimetype, cacheControl } = body.metadata ?? {}
  const target = { ...to, upsert: upsertOf(request), owner: subjectOf(context.caller) }
  const { id, key } = await copy(service, context, from, target, {
    copyMetadata: body.copyMetadata ?? true,
    changes: {
      ...(mimetype !== undefined && { mimeType: requireMimeType(mimetype) }),
      ...(cacheControl !== undefined && { cacheControl: requireHeaderText('cacheControl', cacheControl) }),
      userMetadata: encodedMetadata(request.headers['x-metadata']),
    },
  })
  return json({ Id: id, Key: key, id, name: to.name, bucket_id: to.bucket })
}

/** POST: uploads a new object, or replaces one where the header x-upsert says so. */
export const uploadObject: Handler<KnownCaller> = (service, request, context) => {
  return uploadAs(service, request, context, upsertOf(request))
}

/** PUT: uploads an object or replaces one. */
export const replaceObject: Handler<KnownCaller> = (service, request, context) => {
  return uploadAs(service, request, context, true)
}

async function uploadAs(
  service: StorageService,
  request: RequestContext,
  context: KnownCaller,
  upsert: boolean,
) {
  const target = { ...objectOf(request, '/object/'), upsert, owner: subjectOf(context.caller) }
  const { id, key } = await upload(service, context, target, await readIncoming(request, service))
  return json({ Id: id, Key: key })
}

/** PUT to a signed URL: the signer's rights are checked, not those of the client. */
export const uploadToSignedUrl: Handler = async (service, request) => {
  const object = objectOf(request, '/object/upload/sign/')
  const url = `${object.bucket}/${object.name}`
  const token = await readToken(service.keys, requireToken(request), 'upload', url)
  const { owner = null, upsert } = token
  const context = contextOf(request, null, 'object.upload_signed')
  const recheck = () => requireSigner(service, context, object, token)
  await recheck()
  const incoming = await readIncoming(request, service)
  const { key } = await upload(service, context, { ...object, upsert, owner }, incoming, recheck)
  return json({ Key: key })
}

export const deleteObjects: Handler<KnownCaller> = async (service, request, context) => {
  const bucket = bucketOf(request, '/object/')
  const { prefixes } = readJson(request, removeBody)
  return json(await remove(service, context, bucket, prefixes))
}

export const deleteObject: Handler<KnownCaller> = async (service, request, context) => {
  const { bucket, name } = objectOf(request, '/object/')
  const deleted = await remove(service, context, bucket, [name])
  if (deleted.length === 0) throw noSuchObject()
  return json({ message: 'Successfully deleted' })
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
