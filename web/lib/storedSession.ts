// The session in localStorage: whether this browser may hold one, known without the client library, and how that reads it.
import { tokenPayload } from './secondStep.ts'
import { secondsAhead } from './serverClock.ts'

const STORED_SESSION = /^sb-.+-auth-token$/
/** Session parameters in links of e-mails and returns from providers. */
const BROUGHT_SESSION = /[#&?](access_token|code|error|error_description)=/

/** Whether somebody may be signed in here, or is about to be by what the address brings. */
export function mayHaveSession(): boolean {
  if (typeof location === 'undefined') return false
  if (BROUGHT_SESSION.test(location.search + location.hash)) return true
  try {
    return Object.keys(localStorage).some((key) => STORED_SESSION.test(key))
  } catch {
    return false
  }
}

/** Calls back when another tab signs in; returns the end of it. */
export function onSessionStored(callback: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (newValue !== null && STORED_SESSION.test(key ?? '')) callback()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

/**
 * Forgets the session of an account that is gone: a service that no longer knows the person would refuse to end it.
 * The `signOut` of supabase-js then informs the screens, here and in other tabs, without a request.
 */
export function forgetStoredSession() {
  for (const key of Object.keys(localStorage)) if (STORED_SESSION.test(key)) localStorage.removeItem(key)
}

/** localStorage for auth-js, in which the stored session expires by the device's clock of now. */
export const storageForAuth = {
  getItem(key: string): string | null {
    const stored = localStorage.getItem(key)
    return stored && byDeviceClock(stored)
  },
  setItem: (key: string, value: string) => localStorage.setItem(key, value),
  removeItem: (key: string) => localStorage.removeItem(key),
}

/** Whatever clock `expires_at` was written by, the token itself says when it expires. */
function byDeviceClock(stored: string): string {
  try {
    const session = JSON.parse(stored)
    const { exp } = tokenPayload(session.access_token)
    return typeof exp === 'number' ? JSON.stringify({ ...session, expires_at: exp + secondsAhead() }) : stored
  } catch {
    // Not a session, or none that can be read: auth-js decides.
    return stored
  }
}

/** Whether this browser lets the app store anything. */
export function canStore(): boolean {
  try {
    localStorage.setItem('storage-check', '')
    localStorage.removeItem('storage-check')
    return true
  } catch {
    return false
  }
}
