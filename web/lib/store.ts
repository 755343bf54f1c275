// A value that changes while the page is open, with those who follow it. The module that creates a store owns it.

/** A store as other modules see it. */
export type ReadonlyStore<Value> = {
  /** The value when the store was made: that of pages rendered at build. */
  readonly initial: Value
  get(): Value
  /** Calls back after each change; returns the end of it. */
  subscribe(listener: () => void): () => void
}

type Store<Value> = ReadonlyStore<Value> & {
  /** For its owner alone: a store is exported as a ReadonlyStore. */
  set(next: Value): void
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
