// Work of which only so much goes on at once.

/** Runs at most `limit` at once; the others wait in the order they came. */
export function inTurn(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // Whoever is next takes this place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
