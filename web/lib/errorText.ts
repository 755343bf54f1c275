// Messages about failures: the text of the error's code in the reader's language, the service's own English text, or
// a plain one if the service could not be reached. The only place that knows how browsers and client libraries name a
// lost connection.
import type { AuthWeakPasswordError } from '@supabase/supabase-js'
import i18next from 'i18next'
import { codedErrorText } from '../i18n/databaseTexts.ts'
import type { TextKey } from '../i18n/index.ts'
import { codedErrorOf } from './codedErrors.ts'
import { secondsToWait } from './secondsToWait.ts'

const LOST =
  /failed to fetch|networkerror|load failed|network request failed|failed to send a request|error sending|dynamically imported module/i

/** Whether nobody answered: no network, or no server at its end. */
export function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  // The auth client's name for it, whatever the browser's message.
  return error.name === 'AuthRetryableFetchError' || LOST.test(error.message)
}

/** Codes of the Data API for an unavailable database, here and on hosted Supabase; functions answer 503. */
const DATABASE_AWAY = /^(PGRST00\d|08...|57P0\d)$/

/** Whether the outcome of a request is unknown: no answer came, or only that the database did not answer in time. */
export function isUncertain(error: unknown): boolean {
  if (isUnreachable(error)) return true
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  return status === 503 || (typeof code === 'string' && DATABASE_AWAY.test(code))
}

/** Whether a password was refused because it is in a list of leaked ones. */
const isLeakedPassword = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'AuthWeakPasswordError' &&
  (error as AuthWeakPasswordError).reasons.some((reason) => reason === 'pwned')

/** Whether the browser or a library threw it, for programmers: what it says means nothing to a reader. */
function isException(error: unknown): boolean {
  if (typeof DOMException !== 'undefined' && error instanceof DOMException) return true
  const kinds = [TypeError, RangeError, ReferenceError, SyntaxError]
  return (
    kinds.some((kind) => error instanceof kind) || (error instanceof Error && /ZodError$/.test(error.name))
  )
}

/** Codes of the auth service that have words of ours (https://supabase.com/docs/guides/auth/debugging/error-codes). */
const AUTH_CODES: Record<string, TextKey> = {
  captcha_failed: 'errors.captchaFailed',
  same_password: 'errors.samePassword',
  over_request_rate_limit: 'errors.tooManyRequests',
  over_sms_send_rate_limit: 'errors.tooManyRequests',
  over_email_send_rate_limit: 'errors.tooManyEmails',
}

/** PostgreSQL refused the caller without a rule of the marketplace: a policy or a missing right. */
const INSUFFICIENT_PRIVILEGE = '42501'

/** The statuses of an answer that refuses the person, whatever its body says. */
const REFUSED = [401, 403]

/** Failures first shown while the browser was offline: their text is the same after the connection is back. */
const failedOffline = new WeakSet<object>()

function unreachableText(error: object): string {
  if (!navigator.onLine) failedOffline.add(error)
  return i18next.t(failedOffline.has(error) ? 'errors.offline' : 'errors.unreachable')
}

/** The error's message as a sentence to show, in the reader's language where it has a code; `fallback` where the service sent none. */
export function errorText(error: unknown, fallback?: string): string {
  if (isUnreachable(error)) return unreachableText(error)
  if (isException(error)) return fallback ?? i18next.t('errors.pageBody')
  if (isLeakedPassword(error)) return i18next.t('errors.passwordLeaked')
  const coded = codedErrorOf(error)
  const message = error instanceof Error && error.message !== '{}' ? error.message : ''
  if (coded) return codedErrorText(coded) ?? message
  return ofService(error) ?? (message || fallback || i18next.t('errors.unreachable'))
}

/** Our words for a refusal that has no code of the marketplace; undefined where the service's message is shown. */
function ofService(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, status, statusCode, message } = error as Error &
    Record<'code' | 'status' | 'statusCode', unknown>
  const seconds = secondsToWait(error)
  if (seconds !== null) return i18next.t('errors.tooSoon', { seconds })
  const words = AUTH_CODES[String(code)]
  if (words) return i18next.t(words)
  // The storage service says 403 in the body of an answer of status 400.
  const isRefused = code === INSUFFICIENT_PRIVILEGE || statusCode === '403'
  const isWordless = !message || message === '{}'
  if (isRefused || (isWordless && REFUSED.includes(Number(status)))) return i18next.t('errors.notAllowed')
  return undefined
}
