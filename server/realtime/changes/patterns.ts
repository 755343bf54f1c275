// How many regular expressions may be listened with. A session of PostgreSQL remembers 32 that it has compiled; more of
// them would be compiled anew for every change, which can take it seconds and would keep everybody else waiting.
import { BindingError } from '../changes-contract.ts'
import type { Wanted } from './request.ts'

/** Different ones in use at the same time. */
const MOST = 30

export class Patterns {
  private readonly users = new Map<string, number>()

  /** Counts those of one subscription in, and returns what counts them out. Throws BindingError when there are too many. */
  take(wanted: readonly Wanted[]): () => void {
    const taken = new Set(wanted.flatMap(({ conditions }) => conditions.filter(isPattern).map(keyOf)))
    const fresh = [...taken].filter((key) => !this.users.has(key))
    if (fresh.length > 0 && this.users.size + fresh.length > MOST) {
      throw new BindingError(
        `Unable to subscribe to changes: at most ${MOST} different match and imatch filters are listened to at once`,
      )
    }
    for (const key of taken) this.users.set(key, (this.users.get(key) ?? 0) + 1)
    return () => {
      for (const key of taken) {
        const left = (this.users.get(key) ?? 0) - 1
        if (left > 0) this.users.set(key, left)
        else this.users.delete(key)
      }
      taken.clear()
    }
  }
}

/** Whether the condition is a regular expression. */
export function isPattern({ operator }: Wanted['conditions'][number]): boolean {
  return operator === 'match' || operator === 'imatch'
}

function keyOf({ operator, value }: Wanted['conditions'][number]): string {
  return `${operator} ${value}`
}
