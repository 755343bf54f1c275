// How many cards are side by side, where the number must be known beyond the styles.
import { useSyncExternalStore } from 'react'

// Tailwind's own.
const small = () => window.matchMedia('(width >= 40rem)')
const large = () => window.matchMedia('(width >= 64rem)')

function onChange(notify: () => void) {
  const queries = [small(), large()]
  for (const query of queries) query.addEventListener('change', notify)
  return () => {
    for (const query of queries) query.removeEventListener('change', notify)
  }
}

/** One, or as many as are given from Tailwind's widths on. */
export function useColumns({ sm = 1, lg = sm }: { sm?: number; lg?: number }): number {
  return useSyncExternalStore(
    onChange,
    () => (large().matches ? lg : small().matches ? sm : 1),
    () => 1,
  )
}
