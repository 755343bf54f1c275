// The project's own keys, of JWT_KEYS or the file of `[auth] signing_keys_path`: a JSON array of private JWKs, as
// `supabase gen signing-key` writes it, shared secrets (`kty: oct`) among them.
// Follows https://supabase.com/docs/guides/auth/signing-keys.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { ConfigError } from '../config/config-error.ts'

export type SigningKey = {
  kid: string
  algorithm: 'ES256' | 'RS256' | 'EdDSA' | 'HS256'
  verifies: CryptoKey | Uint8Array
  /** Null for a key that only verifies: a public one, or one whose `key_ops` leave out "sign". */
  signs: CryptoKey | Uint8Array | null
  /** The public half, as the key set at .well-known/jwks.json has it; null for a shared secret. */
  published: JWK | null
}

export type KeySource = { dataDir: string; jwt: { keys?: string | null; signingKeysPath?: string | null } }

/** The file of the project's keys: the one that config.toml names, else one in DATA_DIR, which the command keys makes. */
export function signingKeysFile({ dataDir, jwt }: KeySource): string {
  return jwt.signingKeysPath ?? join(dataDir, 'signing_keys.json')
}

/**
 * The project's keys, in the order of their list; none where there is no list, or it is empty. The first that signs
 * is the one that signs new tokens; where none may yet, another of the server's keys does. Throws ConfigError naming
 * the setting, the key's place and its error, never the key itself.
 */
export async function readSigningKeys(source: KeySource): Promise<SigningKey[]> {
  const { keys, signingKeysPath } = source.jwt
  if (keys) return readList(keys, (rule) => new ConfigError([`JWT_KEYS: ${rule}`]))
  const path = signingKeysFile(source)
  if (!signingKeysPath && !existsSync(path)) return []
  const setting = signingKeysPath ? '[auth] signing_keys_path' : 'DATA_DIR'
  const refuse = (rule: string) => new ConfigError([`${setting}: ${path} ${rule}`])
  try {
    return await readList(readFileSync(path, 'utf8'), refuse)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw refuse(
      `cannot be read (${(error as NodeJS.ErrnoException).code}); correct the path or add the file`,
    )
  }
}

async function readList(text: string, refuse: (rule: string) => ConfigError): Promise<SigningKey[]> {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw refuse('is not JSON; make it anew with "supabase gen signing-key --append"')
  }
  if (!Array.isArray(list)) {
    throw refuse(
      'must be a JSON array of keys; "supabase gen signing-key --append" adds to one that begins as []',
    )
  }
  const keys: SigningKey[] = []
  for (const [index, jwk] of list.entries()) {
    const key = await readKey(jwk).catch((error: Error) => {
      throw refuse(`has a key that cannot be used, number ${index + 1}: ${error.message}`)
    })
    if (keys.some(({ kid }) => kid === key.kid)) throw refuse(`has two keys with the kid "${key.kid}"`)
    keys.push(key)
  }
  if (keys.length > 0 && !list.some((jwk) => jwk.d || jwk.k)) {
    throw refuse(
      'has no private key; add one with the command "keys add" or "supabase gen signing-key --append"',
    )
  }
  return keys
}

/** Reads one JWK and tries it out. Throws what is wrong with it. */
export async function readKey(value: unknown): Promise<SigningKey> {
  const jwk = (typeof value === 'object' && value !== null ? value : {}) as JWK
  const algorithm = algorithmOf(jwk)
  if (jwk.alg !== undefined && jwk.alg !== algorithm) throw new Error(`alg must be "${algorithm}"`)
  if (algorithm === 'HS256') return readSecret(jwk)
  const names = NAMES[jwk.kty as keyof typeof NAMES]
  const half = Object.fromEntries(names.map((name) => [name, jwk[name as 'x']])) as JWK
  const kid = jwk.kid || (await calculateJwkThumbprint({ kty: jwk.kty, ...half } as JWK))
  const published = { kty: jwk.kty, ...half, kid, alg: algorithm, use: 'sig', key_ops: ['verify'] } as JWK
  const verifies = (await importJWK({ kty: jwk.kty, ...half } as JWK, algorithm)) as CryptoKey
  const maySign = jwk.d !== undefined && (jwk.key_ops?.includes('sign') ?? true)
  if (!maySign) return { kid, algorithm, verifies, signs: null, published }
  // Web Crypto refuses a private key that says it verifies, as the CLI's do.
  const { key_ops: _, ext: __, use: ___, ...secret } = jwk
  const signs = (await importJWK(secret as JWK, algorithm)) as CryptoKey
  const token = await new SignJWT({}).setProtectedHeader({ alg: algorithm }).sign(signs)
  await jwtVerify(token, verifies).catch(() => {
    throw new Error('its private half does not belong to its public half')
  })
  return { kid, algorithm, verifies, signs, published }
}

/** RFC 7518, section 3.2: a key of HS256 is as long as its hash, at least. */
const SHORTEST_SECRET = 32

async function readSecret(jwk: JWK): Promise<SigningKey> {
  const secret = new Uint8Array(Buffer.from(jwk.k ?? '', 'base64url'))
  if (secret.length < SHORTEST_SECRET)
    throw new Error(`k must have ${SHORTEST_SECRET} bytes at least, in base64url`)
  const kid = jwk.kid || (await calculateJwkThumbprint({ kty: 'oct', k: jwk.k as string }))
  const signs = (jwk.key_ops?.includes('sign') ?? true) ? secret : null
  return { kid, algorithm: 'HS256', verifies: secret, signs, published: null }
}

/** The members of a public half. */
const NAMES = { EC: ['crv', 'x', 'y'], OKP: ['crv', 'x'], RSA: ['n', 'e'] }

function algorithmOf({ kty, crv }: JWK): SigningKey['algorithm'] {
  if (kty === 'RSA') return 'RS256'
  if (kty === 'EC' && crv === 'P-256') return 'ES256'
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA'
  if (kty === 'oct') return 'HS256'
  throw new Error('kty must be "EC" with crv "P-256", "OKP" with crv "Ed25519", "RSA", or "oct"')
}
