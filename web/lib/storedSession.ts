// Whether this browser may hold a session, known without the client library, which keeps it in localStorage.

const STORED_SESSION = /^sb-.+-auth-token$/
/** What links of e-mails and ways back from providers bring. */
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
 * supabase-js's `signOut` then tells the screens, here and in other tabs, without a request.
 */
export function forgetStoredSession() {
  for (const key of Object.keys(localStorage)) if (STORED_SESSION.test(key)) localStorage.removeItem(key)
}
