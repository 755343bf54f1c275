// Provisional second factors: for provisional_factor_period after its first proof, a factor that somebody added with a stolen
// token is removed by a reset by e-mail. An older factor keeps its power: while there is one, only `aal2` removes any.
import type { Queryable, Transaction } from '../../sql/queryable.ts'
import type { AuthService, Origin } from '../service.ts'
import {
  allowFactorRemoval,
  isFactorRemovalAllowed,
  isProvisional,
  setProvisional,
} from '../store/factors.ts'
import { type AuthenticationMethod, endSessions, type Session } from '../store/sessions.ts'
import { findUserById, type User } from '../store/users.ts'
import { startSession, type TokenResponse } from './sessions.ts'

/** In seconds; 0 where the project has no provisional factors. */
const periodOf = ({ settings }: AuthService): number =>
  settings.credential_change_max_age === undefined ? 0 : settings.provisional_factor_period

/** For a factor that has just been proved for the first time. */
export async function noteFirstProof(
  client: Queryable,
  service: AuthService,
  factorId: string,
): Promise<void> {
  const period = periodOf(service)
  if (period > 0) await setProvisional(client, factorId, period)
}

function hasOnlyProvisionalFactors(service: AuthService, { factors }: User): boolean {
  const verified = factors.filter(({ status }) => status === 'verified')
  return periodOf(service) > 0 && verified.length > 0 && verified.every(isProvisional)
}

/**
 * Starts the session of a reset by e-mail. Where the account's second factors are all provisional, it may remove them, and
 * every other session ends: whoever added them could otherwise end this one first.
 */
export async function startResetSession(
  client: Transaction,
  service: AuthService,
  userId: string,
  method: AuthenticationMethod,
  origin: Origin,
): Promise<TokenResponse> {
  const user = await findUserById(client, userId)
  if (!user || !hasOnlyProvisionalFactors(service, user)) {
    return startSession(client, service, userId, method, origin)
  }
  await endSessions(client, userId)
  const seconds = service.settings.credential_change_max_age ?? 0
  return startSession(client, service, userId, method, origin, {
    notes: (sessionId) => [allowFactorRemoval(sessionId, seconds)],
  })
}

/** Whether the session may remove the account's factors though it has proved none of them. */
export const mayRemoveUnproved = async (
  client: Queryable,
  service: AuthService,
  user: User,
  session: Session,
): Promise<boolean> =>
  hasOnlyProvisionalFactors(service, user) && (await isFactorRemovalAllowed(client, session.id))
