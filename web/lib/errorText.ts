// What to tell a person about a failure: the service's own words, or plain ones when it could not be reached. The one place
// that knows how browsers and client libraries name a lost connection.
import type { AuthWeakPasswordError } from '@supabase/supabase-js'
import i18next from 'i18next'
import { sentence } from '../i18n/written.ts'

const LOST =
  /failed to fetch|networkerror|load failed|network request failed|failed to send a request|error sending|dynamically imported module/i

/** Whether nobody answered: no network, or no server at its end. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The auth client's name for it, whatever the browser's message.
  return error.name === 'AuthRetryableFetchError' || LOST.test(error.message)
}

/** What the Data API says where its database did not answer, here and on hosted Supabase; functions say 503. */
const DATABASE_AWAY = /^(PGRST00\d|08...|57P0\d)$/

/** Whether nobody knows if what was asked for was done: no answer came, or only that the database did not answer in time. */
export function isUncertain(error: unknown): boolean {
  if (isUnreachable(error)) return true
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  return status === 503 || (typeof code === 'string' && DATABASE_AWAY.test(code))
}

/** Whether a password was refused because it stands in a list of leaked ones. */
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

/** PostgreSQL's words where a policy refuses a row, as for an upload of somebody who is suspended. */
const ROW_REFUSED = /violates row-level security policy/

/** The statuses of an answer that refuses the person, whatever its body says. */
const REFUSED = [401, 403]

/** The message of an error as a sentence to show, the database's in the reader's language; `fallback` where the service sent none. */
export function errorText(error: unknown, fallback?: string): string {
  if (isUnreachable(error)) return i18next.t(navigator.onLine ? 'errors.unreachable' : 'errors.offline')
  if (error instanceof Error && 'code' in error && error.code === 'captcha_failed')
    return i18next.t('errors.captchaFailed')
  if (isException(error)) return fallback ?? i18next.t('errors.pageBody')
  if (isLeakedPassword(error)) return i18next.t('errors.passwordLeaked')
  const message = error instanceof Error ? error.message : ''
  if (ROW_REFUSED.test(message)) return i18next.t('errors.notAllowed')
  if (message && message !== '{}') return sentence(message)
  if (error instanceof Error && 'status' in error && REFUSED.includes(Number(error.status)))
    return i18next.t('errors.notAllowed')
  return fallback ?? i18next.t('errors.unreachable')
}
