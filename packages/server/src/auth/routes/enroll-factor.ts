// POST /factors: adds a second factor, which counts once it has been proved.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkPhone } from '../addresses.ts'
import { text } from '../body.ts'
import { invalid, unprocessable } from '../errors.ts'
import { findSession, isVerified, requireEnabled, requireRoom } from '../flows/factors.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import { makeTotp } from '../flows/totp.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { deleteFactors, type FactorType, insertFactor } from '../store/factors.ts'

export const enrollFactorBody = z.object({
  friendly_name: text,
  factor_type: text,
  issuer: text,
  phone: text,
})

const TYPES = ['totp', 'phone', 'webauthn']
/** Characters; longer ones would not be read. */
const MAX_NAME = 255

/** Answers the factor, with its secret for totp. Throws what `requireEnabled` and `requireRoom` throw. */
export async function enrollFactor(
  service: AuthService,
  { body, claims, origin }: AuthRequest<z.output<typeof enrollFactorBody>, 'user'>,
): Promise<Answer> {
  const { database, settings } = service
  const { friendly_name: name, factor_type: type } = body
  if (!TYPES.includes(type)) throw invalid('factor_type needs to be totp, phone, or webauthn')
  requireEnabled(service, type as FactorType, 'enroll')
  if (name.length > MAX_NAME) throw invalid(`friendly_name has at most ${MAX_NAME} characters`)
  if (type === 'phone' && body.phone === '') throw invalid('Phone number required to enroll Phone factor')
  const phone = type === 'phone' ? checkPhone(body.phone) : undefined

  return database.transaction(async (client) => {
    const { user, session } = await findSession(client, claims, { lock: true })
    if (!user.factors.some(isVerified) || session.aal === 'aal2') {
      await requireRecentSignIn(client, service, user, session)
    }
    if (phone !== undefined) {
      if (user.factors.some((factor) => factor.phone === phone && isVerified(factor))) {
        throw unprocessable(
          'mfa_verified_factor_exists',
          'A verified phone factor already exists, unenroll the existing factor to continue',
        )
      }
      await deleteFactors(client, user.id, { unverified: 'phone', phone })
    }
    await requireRoom(client, service, { user, session }, name)
    const issuer = body.issuer || new URL(settings.site_url).host
    const totp = type === 'totp' ? makeTotp(issuer, user.email || user.phone || user.id) : undefined
    const factor = { userId: user.id, name, type: type as FactorType, phone, secret: totp?.secret }
    const id = await insertFactor(client, factor)
    await audit(client, origin.ip, user, 'factor_in_progress', { factor_id: id, factor_type: type })
    const shown = { ...(totp ? { totp } : {}), ...(phone === undefined ? {} : { phone: body.phone }) }
    return json({ id, type, friendly_name: name, ...shown })
  })
}
