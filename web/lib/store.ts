// A value that changes while the page is open, with those who follow it. The module that creates a store owns it.

export type Store<Value> = {
  /** The value when the store was made: that of pages rendered at build. */
  initial: Value
  get(): Value
  set(next: Value): void
  /** Calls back after each `set`; returns the end of it. */
  subscribe(listener: () => void): () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  const listeners = new Set<() => void>()
  let value = initial
  return {
    initial,
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
