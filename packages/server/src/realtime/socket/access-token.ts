// Verifies the API key or access token that a channel is joined with, and words its errors as Supabase's Realtime does.
import { decodeJwt } from 'jose'
import { type Keys, TokenError } from '../../keys/keys.ts'
import type { Principal } from '../authorization.ts'
import { JoinError } from './join-error.ts'

export interface VerifiedToken extends Principal {
  /** When the token expires, in seconds since 1970; null for an API key. */
  expires: number | null
  /** The token or the key itself. */
  token: string
}

/** Throws JoinError. */
export async function verifyToken(keys: Keys, token: string): Promise<VerifiedToken> {
  const keyRole = keys.roleOf(token)
  if (keyRole) return { role: keyRole, claims: { role: keyRole }, expires: null, token }
  const claims = await keys.verify(token).catch((error: unknown) => {
    throw error instanceof TokenError ? joinError(error, token) : error
  })
  const { role, exp } = claims
  if (typeof role !== 'string' || role === '' || typeof exp !== 'number') {
    throw new JoinError('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT')
  }
  // Stricter than the skew that `verify` allows: a channel closes when its token expires.
  if (exp <= Date.now() / 1000) throw tokenExpired(exp)
  return { role, claims, expires: exp, token }
}

/** `exp` in seconds since 1970. */
export function tokenExpired(exp: number): JoinError {
  const ago = Math.max(0, Math.floor(Date.now() / 1000 - exp))
  return new JoinError('InvalidJWTToken', `Token has expired ${ago} seconds ago`)
}

function joinError(error: TokenError, token: string): JoinError {
  if (error.reason === 'expired') return tokenExpired(Number(decodeJwt(token).exp))
  if (error.reason === 'not_yet_valid') return new JoinError('InvalidJWTToken', error.message)
  if (error.reason === 'signature') {
    return new JoinError('JwtSignatureError', 'Failed to validate JWT signature')
  }
  return new JoinError('MalformedJWT', 'The token provided is not a valid JWT')
}
