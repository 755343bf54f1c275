// API keys as an operator changes them: a new one replaces the one in use, which is accepted until it is revoked.
import { join } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import { runningUrl } from '../postgres/cluster/postmaster.ts'
import { fillVault } from '../postgres/migrate/prepare.ts'
import { connectClient } from '../sql/client.ts'
import { API_KEY_KINDS, type ApiKeyKind, type StoredApiKeys, withNewKey } from './api-keys.ts'
import { readSecretly, writeSecretly } from './keys.ts'

export type ApiKeyState = {
  /** The key's beginning, which names it and opens nothing. */
  name: string
  kind: ApiKeyKind
  state: 'current' | 'previous'
}

/** Characters after the prefix that tell a key from others. */
const NAMING_CHARACTERS = 6

type Place = Pick<Config, 'dataDir' | 'databaseUrl' | 'jwt'>

/** The keys in use and those that are still accepted. */
export function listApiKeys({ dataDir }: Place): ApiKeyState[] {
  const stored = read(dataDir)
  const state = (key: string, state: ApiKeyState['state']) => ({
    name: nameOf(key),
    kind: kindOf(key),
    state,
  })
  return [
    ...API_KEY_KINDS.map((kind) => state(stored[kind], 'current')),
    ...(stored.previous ?? []).map((key) => state(key, 'previous')),
  ]
}

/** Makes a new key and answers its name. Running servers read it within a second; the one before is accepted on. */
export async function rotateApiKey(place: Place, kind: ApiKeyKind): Promise<string> {
  const stored = withNewKey(read(place.dataDir), kind)
  writeSecretly(fileOf(place.dataDir), stored)
  if (kind === 'secret' && !place.jwt.secret) await tellDatabase(place, stored.secret)
  return nameOf(stored[kind])
}

/** Takes a replaced key away. Throws ConfigError for one in use and for one that is not there. */
export function revokeApiKey({ dataDir }: Place, name: string): void {
  const stored = read(dataDir)
  const isNamed = (key: string) => key === name || nameOf(key) === name
  if (API_KEY_KINDS.some((kind) => isNamed(stored[kind])))
    throw new ConfigError([`${name} is in use: run "rotate ${kindOf(name)}" first, then revoke it`])
  const left = (stored.previous ?? []).filter((key) => !isNamed(key))
  if (left.length === (stored.previous ?? []).length)
    throw new ConfigError([`there is no key "${name}"; "list" shows those that there are`])
  writeSecretly(fileOf(dataDir), { ...stored, previous: left })
}

const kindOf = (key: string): ApiKeyKind => (key.startsWith('sb_secret_') ? 'secret' : 'publishable')
const nameOf = (key: string) => key.slice(0, `sb_${kindOf(key)}_`.length + NAMING_CHARACTERS)
const fileOf = (dataDir: string) => join(dataDir, 'keys.json')
const read = (dataDir: string) => JSON.parse(readSecretly(fileOf(dataDir))) as StoredApiKeys

/** The database calls functions with the key that its vault holds; without a running one, the next start puts it there. */
async function tellDatabase({ dataDir, databaseUrl }: Place, secret: string): Promise<void> {
  const url = databaseUrl ?? runningUrl(join(dataDir, 'postgres'))
  if (!url) return
  const client = await connectClient({ connectionString: url })
  await fillVault(client, { supabase_service_role_key: secret }).finally(() => client.end())
}
