// Counts the calls that run, so that a server that stops can wait for their end.

export function countRunning() {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    /** The returned function ends the piece of work; called again, it does nothing. */
    begin(): () => void {
      count++
      let over = false
      return () => {
        if (over) return
        over = true
        count--
        if (count === 0) for (const tell of waiting) tell()
      }
    },
    /** Resolves once nothing runs, or after `timeoutMs` milliseconds. */
    async settled(timeoutMs: number): Promise<void> {
      if (count === 0) return
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
        timer = setTimeout(resolve, timeoutMs)
        timer.unref()
      })
      waiting.clear()
      clearTimeout(timer)
    },
  }
}
