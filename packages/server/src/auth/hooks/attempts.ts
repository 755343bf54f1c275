// The hooks that are called with each password and each code of a second factor that was tried, and may refuse it. Follow
// https://supabase.com/docs/guides/auth/auth-hooks/password-verification-hook and …/mfa-verification-hook.
import type { Transaction } from '../../sql/queryable.ts'
import { type AuthError, badRequest, forbidden } from '../errors.ts'
import type { AuthService } from '../service.ts'
import type { Factor } from '../store/factors.ts'
import { endSessions } from '../store/sessions.ts'
import { isHookEnabled, runHook } from './hooks.ts'

/**
 * Calls the hook with a password that was tried on the account. Throws invalid_credentials in the hook's words when it rejects the
 * attempt, which may end the account's sessions.
 */
export async function passwordTried(
  service: AuthService,
  { userId, valid, ip }: { userId: string; valid: boolean; ip: string | null },
): Promise<void> {
  const name = 'password_verification_attempt'
  if (!isHookEnabled(service, name)) return
  const answer = await runHook(service, name, { user_id: userId, valid }, { ip })
  if (answer.decision !== 'reject') return
  if (answer.should_logout_user === true) await endSessions(service.database.pool, userId)
  throw badRequest(
    'invalid_credentials',
    wordsOf(answer) || 'Further password verification attempts will be rejected.',
  )
}

/**
 * Calls the hook with a code that was tried on a factor. Answers mfa_verification_rejected, to be thrown once the transaction is
 * committed, when the hook rejects the attempt: that ends all the person's sessions.
 */
export async function factorTried(
  client: Transaction,
  service: AuthService,
  { id, user_id: userId, factor_type: type }: Pick<Factor, 'id' | 'user_id' | 'factor_type'>,
  { valid, ip }: { valid: boolean; ip: string | null },
): Promise<AuthError | null> {
  const name = 'mfa_verification_attempt'
  if (!isHookEnabled(service, name)) return null
  const input = { user_id: userId, factor_id: id, factor_type: type, valid }
  const answer = await runHook(service, name, input, { ip, client })
  if (answer.decision !== 'reject') return null
  await endSessions(client, userId)
  return forbidden(
    'mfa_verification_rejected',
    wordsOf(answer) || 'Further MFA verification attempts will be rejected.',
  )
}

const wordsOf = ({ message }: Record<string, unknown>): string => (typeof message === 'string' ? message : '')
