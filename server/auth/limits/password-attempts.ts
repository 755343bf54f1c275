// How many passwords may be tried on an account: per address that tries, and in all. Devices that have signed in to
// the account before have a limit of their own, so that strangers' tries do not lock them out.

import { limitKey } from '../../http/client-address.ts'
import type { Queryable } from '../../jobs/jobs.ts'
import { tooMany } from '../errors.ts'
import type { AuthService, Origin } from '../service.ts'
import { limitKeyOf, type SharedLimit } from './shared.ts'

/** Tries in five minutes: far more than a person mistypes. */
const PER_ADDRESS = 30
const IN_ALL = 100
const WINDOW = 300

/** Devices remembered for an account. */
const MOST_DEVICES = 20

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Counts a password as tried on the account with this e-mail address or phone number; `userId` is null where there is
 * no such account, which makes no difference to be seen. Answers what to give back once the password proved right.
 * Throws over_request_rate_limit.
 */
export async function takePasswordTry(
  { database, keys, shared, settings }: AuthService,
  account: { address: string; userId: string | null },
  origin: Origin,
): Promise<SharedLimit[]> {
  const signIns = settings.rate_limit.sign_in_sign_ups
  const device = deviceOf(keys, origin)
  const { rowCount } = await database.pool.query(
    'select 1 from auth.known_devices where user_id = $1 and device = $2',
    [account.userId ?? nobody, device],
  )
  const source = rowCount ? device : limitKey(origin.ip)
  const limits = [
    {
      key: limitKeyOf(keys, 'password', account.address, source),
      amount: Math.min(signIns, PER_ADDRESS),
      window: WINDOW,
    },
  ]
  if (!rowCount) {
    limits.push({
      key: limitKeyOf(keys, 'password', account.address),
      amount: Math.min(signIns * 10, IN_ALL),
      window: WINDOW,
    })
  }
  for (const [index, limit] of limits.entries()) {
    if ((await shared.take(limit)) === 0) continue
    await shared.giveBack(limits.slice(0, index))
    throw tooMany('over_request_rate_limit', 'Request rate limit reached')
  }
  return limits
}

/** An address and a browser, as far as a request tells; only a hash is kept. */
const deviceOf = (keys: { secret: string }, { ip, userAgent }: Origin): string =>
  limitKeyOf(keys, 'device', limitKey(ip), userAgent ?? '')

/** Remembers that somebody has signed in to the account from here, and forgets what was used longest ago. */
export async function rememberDevice(
  client: Queryable,
  keys: { secret: string },
  userId: string,
  origin: Origin,
): Promise<void> {
  await client.query(
    `insert into auth.known_devices (user_id, device, seen_at) values ($1, $2, now())
     on conflict (user_id, device) do update set seen_at = now()`,
    [userId, deviceOf(keys, origin)],
  )
  await client.query(
    `delete from auth.known_devices where user_id = $1 and device not in (
       select device from auth.known_devices where user_id = $1 order by seen_at desc limit $2)`,
    [userId, MOST_DEVICES],
  )
}
