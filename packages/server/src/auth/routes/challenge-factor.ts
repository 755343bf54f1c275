// POST /factors/:id/challenge: begins the proof of a factor; for a phone, by texting it a code, for an authenticator, with
// what it is to sign.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { checkChannel } from '../addresses.ts'
import { text } from '../body.ts'
import { TooSoon } from '../errors.ts'
import { askAuthenticator } from '../flows/authenticators.ts'
import { CHALLENGE_LIFETIME_S, findFactor, findSession, requireEnabled } from '../flows/factors.ts'
import { APPROVED, carrierChecks, requireCarrier, sendText } from '../flows/texts.ts'
import { countMessage, countRecipients } from '../limits/messages.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Factor, insertChallenge } from '../store/factors.ts'
import { hashCode, makeCode } from '../store/one-time-tokens.ts'
import type { User } from '../store/users.ts'

export const challengeFactorBody = z.object({ channel: text })

/** Where a request has no address (a socket of this machine), as it is stored. */
export const NO_ADDRESS = '127.0.0.1'

/** Answers the challenge and when it ends, in Unix seconds. Throws over_sms_send_rate_limit. */
export async function challengeFactor(
  service: AuthService,
  { body, claims, origin, params }: AuthRequest<z.output<typeof challengeFactorBody>, 'user'>,
): Promise<Answer> {
  return service.database.transaction(async (client) => {
    const { user } = await findSession(client, claims, { lock: true })
    const factor = findFactor(user, params.id)
    requireEnabled(service, factor.factor_type, 'verify')
    const id = randomUUID()
    const hash =
      factor.factor_type === 'phone'
        ? await textCode(client, service, user, factor, { id, channel: body.channel, ip: origin.ip })
        : undefined
    const webauthn =
      factor.factor_type === 'webauthn' ? await askAuthenticator(service, user, factor) : undefined
    const begun = await insertChallenge(client, {
      id,
      factorId: factor.id,
      ip: origin.ip ?? NO_ADDRESS,
      hash,
      toSign: webauthn?.credential_options.publicKey.challenge,
    })
    await audit(client, origin.ip, user, 'challenge_created', {
      factor_id: factor.id,
      factor_status: factor.status,
    })
    const expires = Math.floor(begun.getTime() / 1000) + CHALLENGE_LIFETIME_S
    return json({ id, type: factor.factor_type, expires_at: expires, ...(webauthn ? { webauthn } : {}) })
  })
}

/** Texts a code; answers its hash, which is all that is kept. */
async function textCode(
  client: Transaction,
  service: AuthService,
  user: User,
  { phone, last_challenged_at: last }: Factor,
  challenge: { id: string; channel: string; ip: string | null },
): Promise<string> {
  const { settings, keys } = service
  const { max_frequency: pause, otp_length: digits } = settings.mfa.phone
  const to = phone as string
  const channel = checkChannel(challenge.channel, service)
  const left = last === null ? 0 : pause - (Date.now() - Date.parse(last)) / 1000
  if (left > 0) throw new TooSoon('over_sms_send_rate_limit', left)
  requireCarrier(service)
  await countRecipients(client, service, 'phone', 'mfa', [to])
  countMessage(service, 'phone', true)
  const code = carrierChecks(service, to) ? APPROVED : makeCode(digits)
  await sendText(client, service, user, { purpose: 'mfa', to, code, channel, ip: challenge.ip })
  return hashCode(keys, challenge.id, code)
}
