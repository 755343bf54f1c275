// The project's keys: API keys, the key that signs access tokens, and their verification with jose.
// Follows https://supabase.com/docs/guides/api/api-keys and https://supabase.com/docs/guides/auth/signing-keys.
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  errors,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { type Config, ConfigError } from '../config/config.ts'
import { fileProblem } from '../process/file-problem.ts'
import { type ApiKeyRole, acceptedKeys, digest, makeApiKey, type StoredApiKeys } from './api-keys.ts'
import { readKey, readSigningKeys, type SigningKey } from './signing-keys.ts'

export type Claims = Record<string, unknown>

/** Why a bearer token was refused; services answer it in their own words. */
export class TokenError extends Error {
  readonly reason: 'expired' | 'not_yet_valid' | 'malformed' | 'signature'

  constructor(reason: TokenError['reason'], message: string) {
    super(message)
    this.name = 'TokenError'
    this.reason = reason
  }
}

export interface Keys {
  /** The key browsers carry: an opaque `sb_publishable_…`, or the legacy anon JWT where JWT_SECRET is set. */
  publishable: string
  /** The key of trusted code, which bypasses row-level security. Never leaves the server. */
  secret: string
  /** The role an API key stands for; null when it is not one of ours. */
  roleOf(apiKey: string): ApiKeyRole | null
  /** Signs an access token; `claims` carry iat and exp (seconds) themselves. */
  sign(claims: JWTPayload): Promise<string>
  /** The claims of a token that is ours and valid now (30 s of skew allowed). Throws TokenError. */
  verify(token: string): Promise<Claims>
  /** Whether new tokens are signed by a key pair, so that anybody can verify them and not only who shares a secret. */
  readonly signsPublicly: boolean
  /** The algorithms by which tokens of now are signed and those of before were, as the public halves have them. */
  readonly algorithms: string[]
  /** The public halves, for `/auth/v1/.well-known/jwks.json`. Symmetric secrets are not in it. */
  readonly jwks: { keys: JWK[] }
  /**
   * Reads the files of the keys again; the earlier keys hold until the new ones are read. Throws ConfigError, and changes
   * nothing then.
   */
  reload(): Promise<void>
  /** Identifies the signing key and all verifying keys without their secrets. */
  readonly ids: { signs: string; verifies: string[]; api: { current: string[]; accepted: string[] } }
}

/** The keys at one moment. */
type Ring = {
  generation: number
  api: StoredKeys
  /** Roles of accepted API keys, by their digests. */
  roles: Map<string, ApiKeyRole>
  pairs: SigningKey[]
  byKid: Map<string, SigningKey>
  current: SigningKey | null
}

interface StoredKeys extends StoredApiKeys {
  /** Null once it is revoked, since the project has its own key pairs. */
  signing_key: JWK | null
}

const CLOCK_SKEW_SECONDS = 30
/** More than the people of a town; two kilobytes each. */
const MAX_KEPT_TOKENS = 20_000

/**
 * Reads the keys of DATA_DIR, making them at the first start, those of the environment and those of config.toml.
 * Tokens of each verify. New ones are signed by the first key of JWT_KEYS or `[auth] signing_keys_path`, else with
 * JWT_SECRET, which servers of one database can share, else by the key of DATA_DIR. `wellKnown` are additional valid
 * API keys.
 */
export async function openKeys(
  { dataDir, jwt }: Pick<Config, 'dataDir' | 'jwt'>,
  wellKnown: [string, ApiKeyRole][] = [],
): Promise<Keys> {
  const keysFile = join(dataDir, 'keys.json')
  const shared = jwt.secret ? new TextEncoder().encode(jwt.secret) : null
  const stored = await readOrMake(keysFile)
  const legacy = await legacyKeys(jwt, shared)

  async function readRing(api: StoredKeys, generation: number): Promise<Ring> {
    const { signing_key: jwk } = api
    const listed = await readSigningKeys({ dataDir, jwt })
    const own =
      jwk &&
      (await readKey(jwk).catch(() => {
        throw damaged(keysFile)
      }))
    const pairs = own ? [...listed.filter(({ kid }) => kid !== own.kid), own] : listed
    const current = listed.find(({ signs }) => signs) ?? (shared ? null : own)
    if (!current && !shared) throw damaged(keysFile)
    const roles = new Map(
      [...acceptedKeys(api), ...legacy, ...wellKnown].map(([key, role]) => [digest(key), role]),
    )
    return { generation, api, roles, pairs, byKid: new Map(pairs.map((pair) => [pair.kid, pair])), current }
  }
  let ring = await readRing(stored, 0)

  const tokens = verifierOf(() => ring, shared)

  const sign = (claims: JWTPayload) => {
    const { current } = ring
    return current?.signs
      ? new SignJWT(claims)
          .setProtectedHeader({ alg: current.algorithm, typ: 'JWT', kid: current.kid })
          .sign(current.signs)
      : new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(shared as Uint8Array)
  }

  const publishable = () => legacy[0]?.[0] ?? ring.api.publishable
  const secretKey = () => legacy[1]?.[0] ?? ring.api.secret
  return {
    get publishable() {
      return publishable()
    },
    get secret() {
      return secretKey()
    },
    roleOf: (apiKey) => ring.roles.get(digest(apiKey)) ?? null,
    sign,
    verify: tokens.verify,
    get signsPublicly() {
      return Boolean(ring.current?.published)
    },
    get algorithms() {
      return [...new Set(ring.pairs.filter(({ published }) => published).map(({ algorithm }) => algorithm))]
    },
    get jwks() {
      return { keys: ring.pairs.flatMap(({ published }) => (published ? [published] : [])) }
    },
    async reload() {
      ring = await readRing(readStored(keysFile), ring.generation + 1)
      tokens.forget()
    },
    get ids() {
      const secret = shared ? [`secret ${digest(jwt.secret as string).slice(0, 16)}`] : []
      return {
        signs: ring.current?.signs ? ring.current.kid : (secret[0] as string),
        verifies: [...ring.byKid.keys(), ...secret],
        api: {
          current: [publishable(), secretKey()].map((key) => digest(key).slice(0, 16)),
          accepted: [...ring.roles.keys()].map((each) => each.slice(0, 16)),
        },
      }
    },
  }
}

/** Verifies tokens, each once and not with every request. `forget` when the keys change. */
function verifierOf(ring: () => Ring, shared: Uint8Array | null) {
  const verified = new LRUCache<string, Claims>({ max: MAX_KEPT_TOKENS })

  const verifyNow = async (token: string): Promise<Claims> => {
    const { payload } = await jwtVerify(
      token,
      ({ alg, kid = '' }) => {
        const pair = ring().byKid.get(kid)
        if (pair && alg === pair.algorithm) return pair.verifies
        if (alg === 'HS256' && shared) return shared
        throw new errors.JWKSNoMatchingKey()
      },
      { algorithms: ['ES256', 'RS256', 'EdDSA', 'HS256'], clockTolerance: CLOCK_SKEW_SECONDS },
    )
    return payload
  }

  const verify = async (token: string): Promise<Claims> => {
    const known = verified.get(token)
    if (known && stillValid(known)) return known
    const { generation } = ring()
    try {
      const claims = await verifyNow(token)
      if (typeof claims.iat === 'number' && claims.iat > Date.now() / 1000 + CLOCK_SKEW_SECONDS) {
        throw new TokenError('not_yet_valid', 'JWT issued at future')
      }
      // Results for a key that was removed meanwhile are not cached.
      if (generation === ring().generation) verified.set(token, claims)
      return claims
    } catch (error) {
      throw tokenError(error, token)
    }
  }

  return { verify, forget: () => verified.clear() }
}

const damaged = (path: string) =>
  new ConfigError([
    `DATA_DIR: ${path} is damaged. Restore it from a backup: it holds the API keys, and the key of everybody's session`,
  ])

/** Writes a file that only this account reads, whole or not at all: a string as it is, anything else as JSON. */
export function writeSecretly(path: string, value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}

/** Reads a file of DATA_DIR. Throws ConfigError where this account may not, or the disk is at fault. */
export function readSecretly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const problem = fileProblem(error)
    throw problem ? new ConfigError([`DATA_DIR: ${problem}`]) : error
  }
}

function readStored(path: string): StoredKeys {
  const text = readSecretly(path)
  try {
    const stored = JSON.parse(text) as StoredKeys
    if (stored.publishable && stored.secret && (stored.signing_key === null || stored.signing_key?.d))
      return stored
  } catch {
    // The error below names the file.
  }
  throw damaged(path)
}

async function readOrMake(path: string): Promise<StoredKeys> {
  if (existsSync(path)) return readStored(path)
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const keys: StoredKeys = {
    publishable: makeApiKey('publishable'),
    secret: makeApiKey('secret'),
    signing_key: { ...jwk, alg: 'ES256', kid: await calculateJwkThumbprint(jwk) },
  }
  writeSecretly(path, keys)
  return keys
}

/** The anon and the service_role key that JWT_SECRET signs; none without it. */
async function legacyKeys(
  { anonKey, serviceRoleKey }: Config['jwt'],
  shared: Uint8Array | null,
): Promise<[string, ApiKeyRole][]> {
  if (shared)
    return [
      [await legacyKey('ANON_KEY', 'anon', anonKey, shared), 'anon'],
      [await legacyKey('SERVICE_ROLE_KEY', 'service_role', serviceRoleKey, shared), 'service_role'],
    ]
  if (!anonKey && !serviceRoleKey) return []
  throw new ConfigError([
    `${anonKey ? 'ANON_KEY' : 'SERVICE_ROLE_KEY'}: is set, but JWT_SECRET is not; set the secret that signed it, or remove it`,
  ])
}

/** The configured legacy key, or one made from the secret that is the same in every replica. */
async function legacyKey(
  name: string,
  role: ApiKeyRole,
  configured: string | null,
  secret: Uint8Array,
): Promise<string> {
  if (configured) {
    const payload = await jwtVerify(configured, secret, { algorithms: ['HS256'] })
      .then((result) => result.payload)
      .catch((error: Error) => {
        throw new ConfigError([`${name}: does not verify with JWT_SECRET (${error.message}); make it anew`])
      })
    if (payload.role !== role) {
      throw new ConfigError([`${name}: its role is "${payload.role}", but must be "${role}"; make it anew`])
    }
    return configured
  }
  return new SignJWT({ role, iss: 'supabase', iat: 1_700_000_000, exp: 2_500_000_000 })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(secret)
}

function stillValid(claims: Claims): boolean {
  return typeof claims.exp !== 'number' || claims.exp > Date.now() / 1000 - CLOCK_SKEW_SECONDS
}

/** PostgREST's words for each failure. */
function tokenError(error: unknown, token: string): TokenError {
  if (error instanceof TokenError) return error
  if (error instanceof errors.JWTExpired) return new TokenError('expired', 'JWT expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') {
      return new TokenError('not_yet_valid', 'JWT not yet valid')
    }
    return new TokenError('malformed', 'Parsing claims failed')
  }
  const parts = token.split('.').length
  if (token === '') return new TokenError('malformed', 'Empty JWT is sent in Authorization header')
  if (parts !== 3) return new TokenError('malformed', `Expected 3 parts in JWT; got ${parts}`)
  try {
    decodeProtectedHeader(token)
  } catch {
    return new TokenError('malformed', 'JWT cryptographic operation failed')
  }
  return new TokenError('signature', 'No suitable key or wrong key type')
}
