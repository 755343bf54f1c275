// The project's key pairs as an operator changes them: a new one is on standby until every server knows it, then
// signs; the one before verifies on, without its private half, until it is revoked. They are in the file of [auth]
// signing_keys_path, or in DATA_DIR.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { type Config, ConfigError } from '../config/config.ts'
import { readSecretly, writeSecretly } from './keys.ts'
import { readSigningKeys, type SigningKey, signingKeysFile } from './signing-keys.ts'

type Algorithm = SigningKey['algorithm']
/** Of pairs; a shared secret is written by hand. */
export const ALGORITHMS: readonly Algorithm[] = ['ES256', 'RS256', 'EdDSA']

export type KeyState = {
  kid: string
  algorithm: Algorithm
  /** `own` is the pair of DATA_DIR, which signs where the project has none. */
  state: 'current' | 'standby' | 'previous' | 'own'
}

type Place = Pick<Config, 'dataDir' | 'jwt'>

/** Throws ConfigError where the keys are in JWT_KEYS, or the file is wrong. */
export async function listKeys(place: Place): Promise<KeyState[]> {
  const path = pathOf(place)
  const keys = existsSync(path) ? await readSigningKeys(place) : []
  const current = keys.find(({ signs }) => signs)
  const own = ownKey(place.dataDir)
  const listed = read(path).map((jwk, index): KeyState => {
    const { kid, algorithm } = keys[index] as SigningKey
    return { kid, algorithm, state: kid === current?.kid ? 'current' : jwk.d ? 'standby' : 'previous' }
  })
  return own?.kid ? [...listed, { kid: own.kid, algorithm: 'ES256', state: 'own' }] : listed
}

/** Makes a standby pair. Answers its kid. */
export async function addKey(place: Place, algorithm: Algorithm): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  const path = pathOf(place)
  writeSecretly(path, [...read(path), { ...jwk, kid, alg: algorithm, use: 'sig', key_ops: ['verify'] }])
  return kid
}

/** Lets the first standby pair sign; the one before keeps its public half alone. Answers the new one's kid. */
export async function rotateKeys(place: Place): Promise<string> {
  const next = (await listKeys(place)).find(({ state }) => state === 'standby')
  if (!next) {
    throw new ConfigError(['no key stands by: add one first, let every server read it, then rotate'])
  }
  const list = read(pathOf(place))
  const chosen = list.find(({ kid }) => kid === next.kid) as JWK
  const rest = list.filter((jwk) => jwk !== chosen).map((jwk) => (signs(jwk) ? publicHalf(jwk) : jwk))
  writeSecretly(pathOf(place), [{ ...chosen, key_ops: ['sign', 'verify'] }, ...rest])
  return next.kid
}

/** Takes a key away for good: what it signed is refused. Throws ConfigError for the current one and an unknown one. */
export async function revokeKey(place: Place, kid: string): Promise<void> {
  const keys = await listKeys(place)
  const found = keys.find((key) => key.kid === kid)
  if (!found) throw new ConfigError([`there is no key "${kid}"; "list" shows those that there are`])
  if (found.state === 'current') throw new ConfigError(['this key signs: rotate first, then revoke it'])
  if (found.state !== 'own') {
    const left = read(pathOf(place)).filter((jwk) => jwk.kid !== kid)
    writeSecretly(pathOf(place), left)
  } else if (keys.some(({ state }) => state === 'current')) {
    const path = join(place.dataDir, 'keys.json')
    writeSecretly(path, { ...JSON.parse(readSecretly(path)), signing_key: null })
  } else {
    throw new ConfigError(['this key signs while no other does: add one and rotate first, then revoke it'])
  }
}

function pathOf(place: Place): string {
  if (!place.jwt.keys) return signingKeysFile(place)
  throw new ConfigError([
    'JWT_KEYS: is set, so the keys are changed there, where this command does not reach',
  ])
}

const read = (path: string): JWK[] => (existsSync(path) ? (JSON.parse(readSecretly(path)) as JWK[]) : [])

/** The pair that the first start made; null where there was none, or it is revoked. */
function ownKey(dataDir: string): JWK | null {
  const path = join(dataDir, 'keys.json')
  if (!existsSync(path)) return null
  return (JSON.parse(readSecretly(path)) as { signing_key: JWK | null }).signing_key
}

const signs = (jwk: JWK): boolean => jwk.d !== undefined && (jwk.key_ops?.includes('sign') ?? true)

function publicHalf({ d: _, p: __, q: ___, dp: ____, dq: _____, qi: ______, ...jwk }: JWK): JWK {
  return { ...jwk, key_ops: ['verify'] }
}
