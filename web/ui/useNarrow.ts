// Whether the window is as narrow as a phone, for the few things that styles alone cannot place.
import { useSyncExternalStore } from 'react'

// Tailwind's `sm` begins where this ends.
const narrow = () => window.matchMedia('(width < 40rem)')

function onChange(notify: () => void) {
  const query = narrow()
  query.addEventListener('change', notify)
  return () => query.removeEventListener('change', notify)
}

export function useNarrow(): boolean {
  return useSyncExternalStore(
    onChange,
    () => narrow().matches,
    () => false,
  )
}
