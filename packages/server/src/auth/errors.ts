// Errors of the auth service: GoTrue's status, error code and message, in the two shapes its clients know.
// Follows https://supabase.com/docs/guides/auth/debugging/error-codes and the X-Supabase-Api-Version header.
import { type Answer, json } from '../http/answer.ts'
import { raisedCodeOf } from '../sql/raised-code.ts'

/** An error that the caller is answered with. */
export class AuthError extends Error {
  readonly status: number
  readonly code: string
  /** For weak_password: which rules the password breaks. */
  readonly reasons: string[] | undefined
  /** Additional members of the answer. */
  readonly more: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    reasons?: string[],
    more: Record<string, string> = {},
  ) {
    super(message)
    this.name = 'AuthError'
    this.status = status
    this.code = code
    this.reasons = reasons
    this.more = more
  }
}

/** An error in the form of OAuth 2 (RFC 6749, section 5.2). */
export class OAuthError extends AuthError {
  constructor(error: string, description: string) {
    super(400, error, description)
  }
}

/** The presented code, token or signed message is not valid. */
export class InvalidGrant extends OAuthError {
  constructor(message: string) {
    super('invalid_grant', message)
  }
}

export const badRequest = (code: string, message: string) => new AuthError(400, code, message)
export const unauthorized = (code: string, message: string) => new AuthError(401, code, message)
export const forbidden = (code: string, message: string) => new AuthError(403, code, message)
export const notFound = (code: string, message: string) => new AuthError(404, code, message)
export const unprocessable = (code: string, message: string) => new AuthError(422, code, message)
export const tooMany = (code: string, message: string) => new AuthError(429, code, message)

/** One more message of a kind to a recipient within `max_frequency`. */
export class TooSoon extends AuthError {
  constructor(code: string, seconds: number) {
    super(429, code, `For security purposes, you can only request this after ${Math.ceil(seconds)} seconds.`)
  }
}

/** A malformed field: the message names the field and the rule. */
export const invalid = (message: string) => badRequest('validation_failed', message)

/** A weak password, with the rules it breaks: `length`, `characters`, `pwned`. */
export const weakPassword = (message: string, reasons: string[]) =>
  new AuthError(422, 'weak_password', message, reasons)

/** A fault of the project or the server, in words for the caller. */
export const unexpected = (message: string) => new AuthError(500, 'unexpected_failure', message)

export const UNEXPECTED = unexpected('Unexpected failure, please check server logs for more information')

const VERSION_HEADER = 'X-Supabase-Api-Version'
const CURRENT_VERSION = '2024-01-01'

/** The answer in the shape of the API version that the request names (the first one when it names none). */
export function answerTo(error: AuthError, headers: Record<string, string | undefined>): Answer {
  const { status, code, message } = error
  if (error instanceof OAuthError) return json({ error: code, error_description: message }, status)
  const more = { ...(error.reasons ? { weak_password: { reasons: error.reasons } } : {}), ...error.more }
  const version = headers[VERSION_HEADER.toLowerCase()] ?? ''
  if (/^\d{4}-\d{2}-\d{2}$/.test(version) && version >= CURRENT_VERSION) {
    return json({ code, message, ...more }, status, { [VERSION_HEADER]: CURRENT_VERSION })
  }
  return json({ code: status, error_code: code, msg: message, ...more }, status)
}

/** The error that the caller is answered with; null for a fault of the project or the server. */
export const authErrorOf = (error: unknown): AuthError | null =>
  error instanceof AuthError ? error : raisedByTrigger(error)

/** PostgreSQL's error fields, as far as the auth service looks at them. */
type DatabaseError = Error & { code?: string; constraint?: string; where?: string; detail?: string }

/** True when `error` is PostgreSQL refusing a second row in the named unique index. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = error as DatabaseError
  return code === '23505' && broken === constraint
}

/**
 * The error when one of the application's triggers on auth's tables refuses a change. It has the text of RAISE, which
 * is for a person to read, and the status of PTxyz codes as in PostgREST. The code comes from its detail
 * (sql/raised-code.ts). Null for anything else, which is a fault of the project or the server.
 */
function raisedByTrigger(error: unknown): AuthError | null {
  const { code = '', message, where = '' } = error as DatabaseError
  const status = /^PT([45]\d\d)$/.exec(code)?.[1]
  const raisedCode = raisedCodeOf(error)?.code
  if (status) return new AuthError(Number(status), raisedCode ?? 'unexpected_failure', message)
  const raised = code === 'P0001' || /^PL\/pgSQL function .* at RAISE$/.test(where.split('\n', 1)[0] ?? '')
  return raised ? unprocessable(raisedCode ?? 'validation_failed', message) : null
}
