// Whether the window is as narrow as a phone, or wide enough for two screens, for the few things that styles alone cannot place.
import { useCallback, useSyncExternalStore } from 'react'
import { WIDE_QUERY } from '../lib/wideMap.ts'

// Tailwind's `sm` begins where this ends.
const NARROW_QUERY = '(width < 40rem)'

export const useNarrow = () => useMedia(NARROW_QUERY)
export const useWide = () => useMedia(WIDE_QUERY)

function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (notify: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', notify)
      return () => media.removeEventListener('change', notify)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  )
}
