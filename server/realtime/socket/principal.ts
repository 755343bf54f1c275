// Who joins a channel: an API key or an access token, and the words in which Supabase's Realtime refuses one.
import { decodeJwt } from 'jose'
import { type Claims, type Keys, TokenError } from '../../keys.ts'

export interface Identity {
  role: string
  claims: Claims
  /** When the token ends, in seconds since 1970; null for an API key. */
  expires: number | null
  /** What was shown: the token or the key. */
  token: string
}

/** A refusal; clients read `reason`. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }

  get reason(): string {
    return `${this.code}: ${this.message}`
  }
}

/** Finds out whose `token` it is. Throws Refusal. */
export async function identify(keys: Keys, token: string): Promise<Identity> {
  const keyRole = keys.roleOf(token)
  if (keyRole) return { role: keyRole, claims: { role: keyRole }, expires: null, token }
  const claims = await keys.verify(token).catch((error: unknown) => {
    throw error instanceof TokenError ? refusal(error, token) : error
  })
  const { role, exp } = claims
  if (typeof role !== 'string' || role === '' || typeof exp !== 'number') {
    throw new Refusal('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT')
  }
  // Stricter than the skew that `verify` allows: a channel closes when its token ends.
  if (exp <= Date.now() / 1000) throw expired(exp)
  return { role, claims, expires: exp, token }
}

/** The token was good until `exp` (seconds since 1970). */
export function expired(exp: number): Refusal {
  const ago = Math.max(0, Math.floor(Date.now() / 1000 - exp))
  return new Refusal('InvalidJWTToken', `Token has expired ${ago} seconds ago`)
}

function refusal(error: TokenError, token: string): Refusal {
  if (error.reason === 'expired') return expired(Number(decodeJwt(token).exp))
  if (error.reason === 'not_yet_valid') return new Refusal('InvalidJWTToken', error.message)
  if (error.reason === 'signature')
    return new Refusal('JwtSignatureError', 'Failed to validate JWT signature')
  return new Refusal('MalformedJWT', 'The token provided is not a valid JWT')
}
