// Who may begin a resumable upload and go on with it: a person by their own rights, or whoever holds the token of a
// signed upload.
import type { Context } from 'hono'
import { invalidSignature } from '../errors.ts'
import { actOf, type ObjectName, requireCaller, subjectOf } from '../request.ts'
import type { StorageService } from '../service.ts'
import { requireSigner } from '../signed-urls/signer.ts'
import { readToken } from '../signed-urls/tokens.ts'
import type { Act } from '../transaction.ts'
import { noSuchUpload, type Upload } from './uploads.ts'

export interface Right {
  act: Act
  owner: string | null
  upsert: boolean
  /** Throws where the right has ended since; a policy's own word is asked for as the row is written. */
  mayStill: () => Promise<void>
}

/** By which right the request acts on the target. Throws what is wrong with its token. */
export async function rightOf(
  c: Context,
  service: StorageService,
  target: ObjectName,
  signed: boolean,
  operation: string,
): Promise<Right> {
  if (signed) {
    const signature = c.req.header('x-signature')
    if (!signature) throw invalidSignature('Missing x-signature header')
    const token = await readToken(service.keys, signature, 'upload', `${target.bucket}/${target.name}`)
    const act = actOf(c, null, operation)
    const mayStill = () => requireSigner(service, act, target, token)
    await mayStill()
    return { act, owner: token.owner ?? null, upsert: token.upsert, mayStill }
  }
  const caller = requireCaller(c)
  return {
    act: actOf(c, caller, operation),
    owner: subjectOf(caller),
    upsert: c.req.header('x-upsert') === 'true',
    mayStill: async () => {},
  }
}

/** Lets only whoever began the upload go on with it; for anybody else there is none. */
export async function mayContinue(
  c: Context,
  service: StorageService,
  upload: Upload,
  signed: boolean,
): Promise<Right> {
  if (upload.signed !== signed) throw noSuchUpload()
  const right = await rightOf(c, service, upload.place, signed, 'tus.upload.part')
  const isService = right.act.caller?.role === 'service_role'
  if (right.owner !== upload.owner && !isService) throw noSuchUpload()
  return right
}
