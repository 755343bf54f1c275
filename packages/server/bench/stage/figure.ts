// One figure of the bench: what was measured, what it is measured against, and what the ratio must be.

export type Figure = {
  /** The measured case: "open tasks with their giver, anonymous". */
  name: string
  ours: number
  /** The comparison: a peer, the bare machine, or a limit. */
  against: string
  theirs: number
  /** The unit of both: "requests/s", "µs", "MB". */
  unit: string
  /** The bound of `ours / theirs`; left out for figures that are only reported. */
  bound?: { atLeast: number } | { atMost: number }
}

/** Printed for a topic, or a part of it, that could not be measured. */
type Unmeasured = { name: string; error: string }

export type Measured = Figure | Unmeasured

/** The middle one, or the mean of the middle two. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low, high] = [sorted[middle - 1], sorted[middle]]
  if (high === undefined) throw new Error('There is no median of nothing')
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2
}

/** The number below which `share` (0 to 1) of the others lie. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] as number
}
