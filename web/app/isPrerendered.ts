// Whether a page that was rendered at build (prerender.tsx) is the one that belongs at this address, for this visitor.
import { plainPath } from '../i18n/preference.ts'
import { mayHaveSession } from '../lib/storedSession.ts'

/** True for a stranger, without anything in the address that changes the page. */
export function isPrerendered(): boolean {
  const { page } = document.documentElement.dataset
  return page === plainPath(location.pathname) && !location.search && !history.state?.usr && !mayHaveSession()
}
