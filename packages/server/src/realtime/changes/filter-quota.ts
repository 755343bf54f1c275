// Limits on the filters that PostgreSQL has to evaluate for every change: more of them would keep all other subscribers
// waiting.
import { BindingError } from './contract.ts'
import type { Condition, ParsedBinding } from './parse-binding.ts'

/**
 * Different regular expressions. A session of PostgreSQL caches 32 compiled ones; more of them would be compiled anew
 * for every change, which can take it seconds.
 */
const MAX_PATTERNS = 30
/** Conditions of different bindings, each some fifty microseconds of PostgreSQL's for every change. */
const MAX_REMOTE_CONDITIONS = 2000

/** A quota on weighted keys, each of which counts once however many subscriptions use it. */
class FilterQuota {
  private readonly entries = new Map<string, { users: number; weight: number }>()
  private weight = 0
  private readonly max: number
  private readonly message: string

  constructor(max: number, message: string) {
    this.max = max
    this.message = message
  }

  /** Reserves the keys that one subscription uses, with their weights; returns their release. Throws BindingError. */
  reserve(weights: ReadonlyMap<string, number>): () => void {
    let added = 0
    for (const [key, weight] of weights) if (!this.entries.has(key)) added += weight
    if (added > 0 && this.weight + added > this.max) {
      throw new BindingError(`Unable to subscribe to changes: ${this.message}`)
    }
    this.weight += added
    const used = [...weights].map(([key, weight]) => {
      const entry = this.entries.get(key) ?? { users: 0, weight }
      entry.users++
      this.entries.set(key, entry)
      return { key, entry }
    })
    return () => {
      for (const { key, entry } of used) {
        if (--entry.users > 0) continue
        this.entries.delete(key)
        this.weight -= entry.weight
      }
    }
  }
}

/** By operator and expression: see patternsOf. */
export const patternQuota = () =>
  new FilterQuota(
    MAX_PATTERNS,
    `at most ${MAX_PATTERNS} different match and imatch filters are listened to at once`,
  )

/** By binding. */
export const remoteConditionQuota = () =>
  new FilterQuota(
    MAX_REMOTE_CONDITIONS,
    `at most ${MAX_REMOTE_CONDITIONS} filters that PostgreSQL has to decide are listened to at once`,
  )

export function patternsOf(bindings: readonly ParsedBinding[]): Map<string, number> {
  const patterns = bindings.flatMap(({ conditions }) => conditions.filter(isPattern))
  return new Map(patterns.map(({ operator, value }) => [`${operator} ${value}`, 1]))
}

/** Whether the condition is a regular expression. */
export function isPattern({ operator }: Condition): boolean {
  return operator === 'match' || operator === 'imatch'
}
