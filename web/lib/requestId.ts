// By which a failure is found again in the server's log: each request of the app has an id, and where the server failed,
// the screen that says so names the newest.
import i18next from 'i18next'
import { createStore } from './store.ts'

/** Milliseconds for which a failure is taken for the reason of a screen that comes up. */
const RECENT_MS = 10_000

/** The newest failure of the server. */
const newest = createStore<{ id: string; at: number } | null>(null)

export const urlOf = (input: RequestInfo | URL): string =>
  input instanceof Request ? input.url : String(input)

/**
 * The request with an id of its own. Not for another origin, which would have to allow the header first; and where the
 * browser makes none (a page without TLS), the server does.
 */
export function withRequestId(input: RequestInfo | URL, init: RequestInit = {}): RequestInit {
  const isOwn = typeof location !== 'undefined' && urlOf(input).startsWith(`${location.origin}/`)
  if (!isOwn || typeof crypto.randomUUID !== 'function') return init
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set('x-request-id', crypto.randomUUID())
  return { ...init, headers }
}

/** Keeps the id of an answer by which the server failed; a refusal needs none. */
export function noteFailure({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
  const id = headers.get('sb-request-id')
  if (status >= 500 && id) newest.set({ id, at: performance.now() })
}

/** "Reference: …" of a failure of these seconds, in the reader's language; undefined where there was none. */
export function referenceText(): string | undefined {
  const failure = newest.get()
  if (!failure || performance.now() - failure.at > RECENT_MS) return undefined
  return i18next.t('errors.reference', { id: failure.id })
}
