// API keys of DATA_DIR/keys.json: the publishable and the secret key in use, and earlier ones that are still accepted.
// Follows https://supabase.com/docs/guides/api/api-keys.
import { createHash, randomBytes } from 'node:crypto'

export type ApiKeyRole = 'anon' | 'service_role'

export type ApiKeyKind = 'publishable' | 'secret'

const ROLES: Record<ApiKeyKind, ApiKeyRole> = { publishable: 'anon', secret: 'service_role' }
export const API_KEY_KINDS = Object.keys(ROLES) as ApiKeyKind[]

export interface StoredApiKeys {
  publishable: string
  secret: string
  /** Replaced keys, accepted until they are revoked. */
  previous?: string[]
}

const prefixOf = (kind: ApiKeyKind) => `sb_${kind}_`

/** As Supabase makes them: a prefix, 22 random characters, and 8 characters of checksum. */
export function makeApiKey(kind: ApiKeyKind): string {
  const random = randomBytes(16).toString('base64url')
  return `${prefixOf(kind)}${random}_${digest(prefixOf(kind) + random).slice(0, 8)}`
}

/** Every accepted key with the role it stands for. */
export function acceptedKeys({ publishable, secret, previous = [] }: StoredApiKeys): [string, ApiKeyRole][] {
  const roleOf = (key: string) => ROLES[key.startsWith(prefixOf('secret')) ? 'secret' : 'publishable']
  return [
    [publishable, 'anon'],
    [secret, 'service_role'],
    ...previous.map((key): [string, ApiKeyRole] => [key, roleOf(key)]),
  ]
}

/** Replaces the key in use; the one before it is accepted until it is revoked. */
export function withNewKey<T extends StoredApiKeys>(stored: T, kind: ApiKeyKind): T {
  return { ...stored, [kind]: makeApiKey(kind), previous: [...(stored.previous ?? []), stored[kind]] }
}

/** Keys are looked up by their digest, so the time it takes says nothing about them. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
