// POST /factors/:id/verify: proves a factor, which raises the session to aal2.
import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { object, text } from '../body.ts'
import { AuthError, invalid, unprocessable } from '../errors.ts'
import {
  type AuthenticatorAnswer,
  provesAuthenticator,
  readAuthenticatorAnswer,
} from '../flows/authenticators.ts'
import {
  acceptFactor,
  CHALLENGE_LIFETIME_S,
  findFactor,
  findSession,
  isVerified,
  requireEnabled,
} from '../flows/factors.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import type { TokenResponse } from '../flows/sessions.ts'
import { typedCode } from '../flows/texts.ts'
import { totpStepOf } from '../flows/totp.ts'
import { factorTried } from '../hooks/attempts.ts'
import { countFactorAttempt } from '../limits/attempts.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import {
  type Challenge,
  deleteChallenge,
  type Factor,
  findChallenge,
  noteVerified,
  spendTotpStep,
} from '../store/factors.ts'
import { hashCode } from '../store/one-time-tokens.ts'
import { NO_ADDRESS } from './challenge-factor.ts'

export const verifyFactorBody = z.object({
  challenge_id: text.refine((id) => id === '' || isUuid(id), { error: 'must be a UUID' }),
  code: text,
  webauthn: z
    .object({ type: text, credential_response: object })
    .nullish()
    .transform((value) => value ?? null),
})

type Request = AuthRequest<z.output<typeof verifyFactorBody>, 'user'>

/**
 * Answers a token of aal2. Throws mfa_verification_failed (for an authenticator webauthn_verification_failed),
 * mfa_challenge_expired, mfa_ip_address_mismatch, and over_request_rate_limit.
 */
export async function verifyFactor(service: AuthService, request: Request): Promise<Answer> {
  const { body, claims, origin, params } = request
  const { user, session } = await findSession(service.database.pool, claims)
  const factor = findFactor(user, params.id)
  const isAuthenticator = factor.factor_type === 'webauthn'
  if (body.code === '' && !isAuthenticator) throw invalid('Code needs to be non-empty')
  requireEnabled(service, factor.factor_type, 'verify')
  if (isAuthenticator) readAuthenticatorAnswer(body.webauthn)
  // Before it is looked at, and outside of the transaction, so that guesses at the same moment count as well.
  const guess = { userId: user.id, sessionId: session.id, guessable: !isAuthenticator }
  const counted = await countFactorAttempt(service, guess, origin)
  const code =
    factor.factor_type === 'phone' ? await typedCode(service, factor.phone as string, body.code) : body.code
  const checked = { ...request, body: { ...body, code } }
  const outcome = await service.database.transaction((client) => verifyOnce(client, service, checked))
  // Refused only after the transaction is committed that removes an expired challenge, or ends sessions.
  if (outcome instanceof AuthError) throw outcome
  await service.shared.giveBack(counted)
  return json(outcome)
}

async function verifyOnce(
  client: Transaction,
  service: AuthService,
  { body, claims, origin, params }: Request,
): Promise<TokenResponse | AuthError> {
  const { user, session } = await findSession(client, claims, { lock: true })
  const factor = findFactor(user, params.id)
  if (!isVerified(factor)) await requireRecentSignIn(client, service, user, session)
  const challenge = isUuid(body.challenge_id)
    ? await findChallenge(client, factor.id, body.challenge_id)
    : null
  if (!challenge) {
    return unprocessable('mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  }
  if (challenge.verified_at || challenge.ip !== (origin.ip ?? NO_ADDRESS)) {
    return unprocessable('mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  }
  if (challenge.created_at.getTime() + CHALLENGE_LIFETIME_S * 1000 < Date.now()) {
    await deleteChallenge(client, challenge.id)
    return unprocessable(
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
  }
  if (factor.factor_type === 'webauthn') {
    const proof = body.webauthn as AuthenticatorAnswer
    const refused = await provesAuthenticator(client, service, factor, challenge, proof)
    if (refused) return refused
  } else {
    const refused = await refuseCode(client, service, factor, challenge, { code: body.code, ip: origin.ip })
    if (refused) return refused
  }
  const traits = { factor_id: factor.id, challenge_id: challenge.id, factor_type: factor.factor_type }
  await audit(client, origin.ip, user, 'verification_attempted', traits)
  // As GoTrue has it, an authenticator's challenge is removed once it was answered; others are kept as answered.
  if (factor.factor_type === 'webauthn') await deleteChallenge(client, challenge.id)
  else await noteVerified(client, challenge.id)
  return acceptFactor(client, service, { user, session }, factor, origin)
}

/** The error for a code that is wrong, or that the project's hook does not take; null for one that is taken. */
async function refuseCode(
  client: Transaction,
  service: AuthService,
  factor: Factor,
  challenge: Challenge,
  { code, ip }: { code: string; ip: string | null },
): Promise<AuthError | null> {
  const reason = await reasonAgainst(client, service, factor, challenge, code)
  const rejected = await factorTried(client, service, factor, { valid: reason === null, ip })
  if (rejected || reason === null) return rejected
  return unprocessable('mfa_verification_failed', reason)
}

/** Why the code is not accepted; null for a right one, which is used up with that. */
async function reasonAgainst(
  client: Transaction,
  { keys }: AuthService,
  factor: Factor,
  challenge: Challenge,
  code: string,
): Promise<string | null> {
  if (factor.factor_type === 'totp') {
    const step = totpStepOf(factor.secret as string, code)
    if (step === null) return 'Invalid TOTP code entered'
    return (await spendTotpStep(client, factor.id, step)) ? null : 'This TOTP code was already used'
  }
  const given = Buffer.from(hashCode(keys, challenge.id, code))
  const sent = Buffer.from(challenge.otp_code ?? '')
  const isSame = given.length === sent.length && timingSafeEqual(given, sent)
  return isSame ? null : 'Invalid MFA Phone code entered'
}
