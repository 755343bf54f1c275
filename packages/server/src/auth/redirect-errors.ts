// Errors that a browser takes back to the application, in the parameters of an address (RFC 6749, section 4.1.2.1).
import { type AuthError, OAuthError } from './errors.ts'

/** OAuth's name of an error, by status. */
const BY_STATUS: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
}

const BY_CODE: Record<string, string> = {
  signup_disabled: 'access_denied',
  user_banned: 'access_denied',
  provider_email_needs_verification: 'access_denied',
}

/** `otherwise` is the name for a status that has none, where one is needed. */
export function errorParameters(known: AuthError, otherwise?: string): Record<string, string> {
  const { status, code, message } = known
  if (known instanceof OAuthError) return { error: code, error_description: message }
  const error = BY_CODE[code] ?? BY_STATUS[status] ?? otherwise
  return { ...(error ? { error } : {}), error_code: code, error_description: message }
}
