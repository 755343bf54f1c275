// Access to resumable uploads: the caller by policies, or the holder of a signed upload token.
import type { RequestContext } from '../../http/request-context.ts'
import { invalidSignature } from '../errors.ts'
import { contextOf, type ObjectName, subjectOf, upsertOf } from '../request.ts'
import type { StorageService } from '../service.ts'
import { requireSigner } from '../signed-urls/signer.ts'
import { readToken } from '../signed-urls/tokens.ts'
import type { CallerContext } from '../transaction.ts'
import { noSuchUpload, type Upload } from './uploads.ts'

export interface Authorization {
  context: CallerContext
  owner: string | null
  upsert: boolean
  /** Throws when a signed token has lost its worth since. Policies are checked again when the row is written. */
  recheck: () => Promise<void>
}

/** Authorizes the request for the target. Throws when its token is wrong. */
export async function authorize(
  request: RequestContext,
  service: StorageService,
  target: ObjectName,
  signed: boolean,
  operation: string,
): Promise<Authorization> {
  if (signed) {
    const signature = request.headers['x-signature']
    if (!signature) throw invalidSignature('Missing x-signature header')
    const token = await readToken(service.keys, signature, 'upload', `${target.bucket}/${target.name}`)
    const context = contextOf(request, null, operation)
    const recheck = () => requireSigner(service, context, target, token)
    await recheck()
    return { context, owner: token.owner ?? null, upsert: token.upsert, recheck }
  }
  const { caller } = request
  return {
    context: contextOf(request, caller, operation),
    owner: subjectOf(caller),
    upsert: upsertOf(request),
    recheck: async () => {},
  }
}

/** Only the creator of an upload may continue it; for anybody else it is "not found". */
export async function authorizeContinuation(
  request: RequestContext,
  service: StorageService,
  upload: Upload,
  signed: boolean,
): Promise<Authorization> {
  if (upload.signed !== signed) throw noSuchUpload()
  const right = await authorize(request, service, upload.place, signed, 'tus.upload.part')
  const isService = right.context.caller?.role === 'service_role'
  if (right.owner !== upload.owner && !isService) throw noSuchUpload()
  return right
}
