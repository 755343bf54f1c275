// Third-party secrets that are stored in the database and needed in plain text. They are sealed with jose (RFC 7516,
// A256GCM) by a key derived from this server's secret. A copy of the database alone reveals none of them.
import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt } from 'jose'

type Secrets = { secret: string }

const keyFor = ({ secret }: Secrets): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'secrets of custom providers', 32))

/** The secret as it is stored. */
export const seal = (keys: Secrets, secret: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(keyFor(keys))

/** The secret in plain; null where it was sealed by another key, since the server has other keys now. */
export async function unseal(keys: Secrets, sealed: string): Promise<string | null> {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyFor(keys))
    return new TextDecoder().decode(plaintext)
  } catch {
    return null
  }
}
