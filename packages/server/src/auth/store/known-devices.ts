// Rows of auth.known_devices: from where people have signed in to an account before, and from where they have proved a
// second factor, which somebody who has only the password has not. Only keyed hashes are kept.
import { limitKey } from '../../http/client-address.ts'
import type { Statement } from '../../sql/pipeline.ts'
import { prepared, type Queryable } from '../../sql/queryable.ts'
import { keyedHash } from './rate-limits.ts'
import type { Client } from './sessions.ts'

/** Devices remembered for an account, of each kind. */
const MAX_DEVICES = 20

/** A network address and a browser, hashed. */
export const deviceOf = (keys: { secret: string }, { ip, userAgent }: Client): string =>
  keyedHash(keys, 'device', limitKey(ip), userAgent ?? '')

/** The same as one that has proved a second factor. */
export const secondStepDeviceOf = (keys: { secret: string }, { ip, userAgent }: Client): string =>
  keyedHash(keys, 'second-step', limitKey(ip), userAgent ?? '')

export async function isKnownDevice(client: Queryable, userId: string, device: string): Promise<boolean> {
  const { rowCount } = await client.query(
    prepared('select 1 from auth.known_devices where user_id = $1 and device = $2', [userId, device]),
  )
  return rowCount !== 0
}

/** The statements that remember a device, and delete the least recently used ones of its kind. */
export const rememberDevice = (userId: string, device: string): Statement[] => [
  {
    text: `insert into auth.known_devices (user_id, device, seen_at) values ($1, $2, now())
      on conflict (user_id, device) do update set seen_at = now()`,
    values: [userId, device],
  },
  {
    text: `delete from auth.known_devices where user_id = $1 and starts_with(device, $2) and device not in (
      select device from auth.known_devices where user_id = $1 and starts_with(device, $2)
      order by seen_at desc limit ${MAX_DEVICES})`,
    values: [userId, device.slice(0, device.indexOf(':') + 1)],
  },
]
