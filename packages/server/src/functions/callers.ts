// Verifies callers of functions with `verify_jwt`, with the errors of Supabase's platform
// (https://supabase.com/docs/guides/functions/error-codes#authentication-errors).
import { decodeProtectedHeader } from 'jose'
import { relayError } from './errors.ts'

/** Whether a bearer token or an API key is one this server would accept. */
export type AcceptsToken = (token: string) => Promise<boolean>

/** 401 unless the request carries a token, or at least an API key, that this server accepts; null lets it in. */
export async function refuseCaller(headers: Headers, accepts: AcceptsToken): Promise<Response | null> {
  const authorization = headers.get('authorization')
  if (!authorization) {
    const apiKey = headers.get('apikey')
    if (apiKey && (await accepts(apiKey))) return null
    return unauthorized('NO_AUTH_HEADER', 'Missing authorization header')
  }
  const token = /^bearer\s+(\S+)$/i.exec(authorization)?.[1]
  if (!token) return unauthorized('INVALID_JWT_FORMAT', "Auth header is not 'Bearer {token}'")
  if (await accepts(token)) return null
  const algorithm = algorithmOf(token)
  if (algorithm === undefined) return unauthorized('INVALID_JWT_FORMAT', 'Invalid JWT')
  if (algorithm === 'HS256') return unauthorized('LEGACY_JWT', 'Invalid JWT')
  if (algorithm === 'ES256' || algorithm === 'RS256') return unauthorized('ASYMMETRIC_JWT', 'Invalid JWT')
  return unauthorized('UNSUPPORTED_TOKEN_ALGORITHM', `Unsupported JWT algorithm ${algorithm}`)
}

function unauthorized(reason: string, message: string): Response {
  return relayError(401, `UNAUTHORIZED_${reason}`, message)
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}
