// The value of a store (store.ts), kept current on the screen. Apart from it, since pages begin without React.
import { useSyncExternalStore } from 'react'
import type { ReadonlyStore } from './store.ts'

export function useStore<Value>({ subscribe, get, initial }: ReadonlyStore<Value>): Value {
  return useSyncExternalStore(subscribe, get, () => initial)
}
