// Shared by the endpoints of second factors: reading the factor and its session, checking whether another factor may
// be added, and accepting a verified factor.
import { queryTogether } from '../../sql/pipeline.ts'
import type { Queryable, Transaction } from '../../sql/queryable.ts'
import { notifyByEmail } from '../emails/send.ts'
import { AuthError, forbidden, notFound, unprocessable } from '../errors.ts'
import { isUuid, type UserClaims } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import {
  deleteExpiredFactors,
  deleteFactors,
  type Factor,
  type FactorType,
  updateFactor,
} from '../store/factors.ts'
import { rememberDevice, secondStepDeviceOf } from '../store/known-devices.ts'
import { replaceRefreshTokens } from '../store/refresh-tokens.ts'
import { lowerSessions, raiseSession, type SecondFactorMethod, type Session } from '../store/sessions.ts'
import { reloadUser, type User } from '../store/users.ts'
import { noteFirstProof } from './provisional-factors.ts'
import { findSignedIn, readWhose, type TokenResponse, tokenResponse } from './sessions.ts'

/** Seconds in which a challenge may be answered, and after which a factor that nobody went on with is forgotten. */
export const CHALLENGE_LIFETIME_S = 300
const FACTOR_LIFETIME_S = 300

/** The name of each kind in the token's `amr`, and in messages. */
const METHODS: Record<FactorType, SecondFactorMethod> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
}
const NAMES = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' } as const
/** In config.toml. */
const KEYS = { totp: 'totp', phone: 'phone', webauthn: 'web_authn' } as const

export const isVerified = ({ status }: Factor): boolean => status === 'verified'

/** The account and session of the caller; factors belong to sessions, which tokens made elsewhere have none of. */
export async function findSession(
  client: Queryable,
  claims: UserClaims,
  options: { lock?: boolean } = {},
): Promise<{ user: User; session: Session }> {
  const { user, session } = await findSignedIn(client, claims, options)
  if (!session) throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist')
  return { user, session }
}

/** The user's factor with this id. Throws mfa_factor_not_found, or validation_failed for an id that is no UUID. */
export function findFactor(user: User, id = ''): Factor {
  if (!isUuid(id)) throw notFound('validation_failed', 'factor_id must be an UUID')
  const factor = user.factors.find((one) => one.id === id.toLowerCase())
  if (!factor) throw notFound('mfa_factor_not_found', 'Factor not found')
  return factor
}

/** Throws mfa_totp_verify_not_enabled and its like where config.toml does not let factors of this kind be used. */
export function requireEnabled({ settings }: AuthService, type: FactorType, what: 'enroll' | 'verify'): void {
  if (settings.mfa[KEYS[type]][`${what}_enabled`]) return
  const verb = what === 'enroll' ? 'enroll' : 'verification'
  throw unprocessable(`mfa_${type}_${what}_not_enabled`, `MFA ${verb} is disabled for ${NAMES[type]}`)
}

/**
 * Throws mfa_factor_name_conflict, too_many_enrolled_mfa_factors, or insufficient_aal where a verified factor has to be
 * proved before another one is added. Answers the factors that there are.
 */
export async function requireRoom(
  client: Queryable,
  { settings }: AuthService,
  { user, session }: { user: User; session: Session },
  name: string,
): Promise<void> {
  await deleteExpiredFactors(client, user.id, FACTOR_LIFETIME_S)
  const { factors } = await reloadUser(client, user.id)
  if (factors.some(({ friendly_name: taken }) => (taken ?? '') === name)) {
    throw unprocessable(
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`,
    )
  }
  if (factors.length >= settings.mfa.max_enrolled_factors) {
    throw unprocessable(
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  }
  if (factors.some(isVerified) && session.aal !== 'aal2')
    throw forbidden('insufficient_aal', 'AAL2 required to enroll a new factor')
}

/** Records a verified factor, raises the session's assurance level and ends the person's sessions of a lower level. */
export async function acceptFactor(
  client: Transaction,
  service: AuthService,
  { user, session }: { user: User; session: Session },
  factor: Factor,
  origin: Origin,
): Promise<TokenResponse> {
  const method = METHODS[factor.factor_type]
  if (!isVerified(factor)) {
    await updateFactor(client, factor.id, { status: 'verified' })
    await noteFirstProof(client, service, factor.id)
    await notifyByEmail(client, service, user, 'mfa_factor_enrolled', { factorType: factor.factor_type })
  }
  await raiseSession(client, { id: session.id, userId: user.id }, factor.id, method)
  await queryTogether(client, rememberDevice(user.id, secondStepDeviceOf(service.keys, origin)))
  const refreshToken = await replaceRefreshTokens(client, { userId: user.id, sessionId: session.id })
  await deleteFactors(client, user.id, { unverified: factor.factor_type })
  const whose = await readWhose(client, { userId: user.id, sessionId: session.id })
  return tokenResponse(client, service, { ...whose, refreshToken, method })
}

/** Removes a factor; sessions that it had raised are aal1 again. */
export async function removeFactor(client: Queryable, factor: Factor): Promise<void> {
  await lowerSessions(client, factor.id, METHODS[factor.factor_type])
  await deleteFactors(client, factor.user_id, { id: factor.id })
}

/** Throws insufficient_aal for a change that takes a second factor, where the account has one. */
export function requireSecondFactor(user: User, session: Session | null, what = 'email or password'): void {
  if (!user.factors.some(isVerified) || session?.aal === 'aal2') return
  throw new AuthError(
    401,
    'insufficient_aal',
    `AAL2 session is required to update ${what} when MFA is enabled.`,
  )
}
