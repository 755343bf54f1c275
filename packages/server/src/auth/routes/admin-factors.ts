// /admin/users/:id/factors: second factors as administrators list, rename and remove them.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkPhone } from '../addresses.ts'
import { text } from '../body.ts'
import { findFactor, removeFactor } from '../flows/factors.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { factorJson, updateFactor } from '../store/factors.ts'
import { reloadUser } from '../store/users.ts'
import { findUser } from './admin-users.ts'

export const adminFactorBody = z.object({ friendly_name: text, phone: text })

export async function listFactors({ database }: AuthService, { params }: AuthRequest): Promise<Answer> {
  const { factors } = await findUser(database.pool, params.id)
  return json(factors.map(factorJson))
}

export async function deleteFactor(
  { database }: AuthService,
  { params, origin }: AuthRequest<null, 'service'>,
): Promise<Answer> {
  return database.transaction(async (client) => {
    const user = await findUser(client, params.id, { lock: true })
    const factor = findFactor(user, params.factor)
    await audit(client, origin.ip, user, 'factor_deleted', { user_id: user.id, factor_id: factor.id })
    await removeFactor(client, factor)
    return json(factorJson(factor))
  })
}

export async function changeFactor(
  { database }: AuthService,
  { params, body, admin }: AuthRequest<z.output<typeof adminFactorBody>, 'service'>,
): Promise<Answer> {
  return database.transaction(async (client) => {
    const user = await findUser(client, params.id, { lock: true })
    const factor = findFactor(user, params.factor)
    const { id, factor_type: type } = factor
    if (body.friendly_name !== '') await updateFactor(client, id, { friendly_name: body.friendly_name })
    if (body.phone !== '' && type === 'phone')
      await updateFactor(client, id, { phone: checkPhone(body.phone) })
    await audit(client, '', admin, 'factor_updated', { user_id: user.id, factor_id: id, factor_type: type })
    return json(factorJson(findFactor(await reloadUser(client, user.id), id)))
  })
}
