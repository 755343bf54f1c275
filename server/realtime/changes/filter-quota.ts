// What PostgreSQL has to decide for every change, of which only so much may be listened with at once: more would keep
// all other listeners waiting.
import { BindingError } from './contract.ts'
import type { Wanted } from './parse-binding.ts'

/**
 * Different regular expressions. A session of PostgreSQL remembers 32 that it has compiled; more of them would be
 * compiled anew for every change, which can take it seconds.
 */
const MOST_PATTERNS = 30
/** Conditions of different bindings, each some fifty microseconds of PostgreSQL's for every change. */
const MOST_ASKED = 2000

/** Each thing counts once, however many use it. */
class InUse {
  private readonly things = new Map<string, { users: number; weight: number }>()
  private weight = 0
  private readonly most: number
  private readonly complaint: string

  constructor(most: number, complaint: string) {
    this.most = most
    this.complaint = complaint
  }

  /** Counts in the things that one subscription uses, with their weights; returns what counts them out. Throws BindingError. */
  take(things: ReadonlyMap<string, number>): () => void {
    let fresh = 0
    for (const [key, weight] of things) if (!this.things.has(key)) fresh += weight
    if (fresh > 0 && this.weight + fresh > this.most) {
      throw new BindingError(`Unable to subscribe to changes: ${this.complaint}`)
    }
    this.weight += fresh
    const used = [...things].map(([key, weight]) => {
      const thing = this.things.get(key) ?? { users: 0, weight }
      thing.users++
      this.things.set(key, thing)
      return { key, thing }
    })
    return () => {
      for (const { key, thing } of used) {
        if (--thing.users > 0) continue
        this.things.delete(key)
        this.weight -= thing.weight
      }
    }
  }
}

/** By operator and expression: see patternsOf. */
export const patternsInUse = () =>
  new InUse(
    MOST_PATTERNS,
    `at most ${MOST_PATTERNS} different match and imatch filters are listened to at once`,
  )

/** By binding. */
export const askedInUse = () =>
  new InUse(MOST_ASKED, `at most ${MOST_ASKED} filters that PostgreSQL has to decide are listened to at once`)

export function patternsOf(wanted: readonly Wanted[]): Map<string, number> {
  const patterns = wanted.flatMap(({ conditions }) => conditions.filter(isPattern))
  return new Map(patterns.map(({ operator, value }) => [`${operator} ${value}`, 1]))
}

/** Whether the condition is a regular expression. */
export function isPattern({ operator }: Wanted['conditions'][number]): boolean {
  return operator === 'match' || operator === 'imatch'
}
