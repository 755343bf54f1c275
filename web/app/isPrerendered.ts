// Whether a page that was rendered at build (prerender.tsx) is the one that belongs at this address, for this visitor.
import { plainPath } from '../i18n/preference.ts'
import { mayHaveSession } from '../lib/storedSession.ts'
import { storedWideMap, WIDE_QUERY } from '../lib/wideMap.ts'

const BROWSE = '/browse'

/** True for a stranger, without anything in the address or on the device that changes the page. */
export function isPrerendered(): boolean {
  const { page } = document.documentElement.dataset
  return (
    page === plainPath(location.pathname) &&
    !location.search &&
    !history.state?.usr &&
    !mayHaveSession() &&
    !(page === BROWSE && storedWideMap() && matchMedia(WIDE_QUERY).matches)
  )
}
