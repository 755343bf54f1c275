// How often the passwords and codes of an account may be guessed: per client address, and from all addresses
// together. Devices that have signed in to the account before have a separate limit, so that strangers cannot lock
// them out.
import { limitKey } from '../../http/client-address.ts'
import { tooMany } from '../errors.ts'
import type { AuthService, Origin } from '../service.ts'
import { deviceOf, isKnownDevice, secondStepDeviceOf } from '../store/known-devices.ts'
import { keyedHash, type SharedLimit } from '../store/rate-limits.ts'

const WINDOW_S = 300

/** Passwords tried in five minutes: far more than a person mistypes. */
const MAX_PASSWORDS_PER_SOURCE = 30
const MAX_PASSWORDS = 100

/** Codes tried in five minutes. */
const MAX_CODES = 10

const DAY_S = 24 * 3600
/** Codes of second factors tried in a day from all devices that have never proved one; see docs/security.md. */
const MAX_UNKNOWN_FACTOR_CODES = 50
/** The same from one device that has. */
const MAX_KNOWN_FACTOR_CODES = 100

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export const rateLimited = () => tooMany('over_request_rate_limit', 'Request rate limit reached')

/**
 * Counts a password as tried on the account with this e-mail address or phone number; `userId` is null where there is
 * no such account, which is not visible from outside. Answers what to give back once the password proved right.
 * Throws over_request_rate_limit.
 */
export async function countPasswordAttempt(
  service: AuthService,
  account: { address: string; userId: string | null },
  origin: Origin,
): Promise<SharedLimit[]> {
  const { database, keys, settings } = service
  const quota = settings.rate_limit.sign_in_sign_ups
  const device = deviceOf(keys, origin)
  const known = await isKnownDevice(database.pool, account.userId ?? NIL_UUID, device)
  const limit = (amount: number, ...source: string[]): SharedLimit => ({
    key: keyedHash(keys, 'password', account.address, ...source),
    amount,
    window: WINDOW_S,
  })
  const perSource = limit(Math.min(quota, MAX_PASSWORDS_PER_SOURCE), known ? device : limitKey(origin.ip))
  const inAll = limit(Math.min(quota * 10, MAX_PASSWORDS))
  return takeAll(service, known ? [perSource] : [perSource, inAll])
}

/**
 * Counts a code as tried for the address that it was sent to. Answers what to give back once it proved right. Throws
 * over_request_rate_limit.
 */
export function countCodeAttempt(service: AuthService, address: string): Promise<SharedLimit[]> {
  const amount = Math.min(service.settings.rate_limit.token_verifications * 10, MAX_CODES)
  return takeAll(service, [{ key: keyedHash(service.keys, 'code', address), amount, window: WINDOW_S }])
}

/**
 * Counts a code of a second factor as tried, whichever of the person's factors it is for: for the session and for the
 * client address, and from all of them together. A device that has proved a second factor before has separate tries,
 * so that somebody who has only the password cannot use them up. Proofs that nobody can guess (a security key's
 * signature) have no limit over all devices. Answers what to give back once the code proved right. Throws
 * over_request_rate_limit.
 */
export async function countFactorAttempt(
  service: AuthService,
  { userId, sessionId, guessable }: { userId: string; sessionId: string; guessable: boolean },
  origin: Origin,
): Promise<SharedLimit[]> {
  const { database, keys, settings } = service
  const amount = Math.min(settings.rate_limit.token_verifications * 10, MAX_CODES)
  const kind = guessable ? [] : ['key']
  const limit = (source: string[], tries = amount, window = WINDOW_S): SharedLimit => ({
    key: keyedHash(keys, 'factor', userId, ...kind, ...source),
    amount: tries,
    window,
  })
  const device = secondStepDeviceOf(keys, origin)
  if (await isKnownDevice(database.pool, userId, device)) {
    return takeAll(service, [limit([device]), limit([device, 'day'], MAX_KNOWN_FACTOR_CODES, DAY_S)])
  }
  const own = [limit(['session', sessionId]), limit(['address', limitKey(origin.ip)])]
  return takeAll(service, guessable ? [...own, limit(['day'], MAX_UNKNOWN_FACTOR_CODES, DAY_S)] : own)
}

async function takeAll({ shared }: AuthService, limits: SharedLimit[]): Promise<SharedLimit[]> {
  for (const [index, limit] of limits.entries()) {
    if ((await shared.take(limit)) === 0) continue
    await shared.giveBack(limits.slice(0, index))
    throw rateLimited()
  }
  return limits
}
