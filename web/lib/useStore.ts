// The value of a store (store.ts), kept current on the screen. Apart from it, since pages begin without React.
import { useSyncExternalStore } from 'react'
import type { Store } from './store.ts'

export function useStore<Value>({ subscribe, get, initial }: Store<Value>): Value {
  return useSyncExternalStore(subscribe, get, () => initial)
}
