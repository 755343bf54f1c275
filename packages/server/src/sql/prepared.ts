// Which statements are prepared on one connection: the most recently used ones, bounded in number and size.
// PostgreSQL keeps a plan for each on every connection, many times the size of its text: what strangers can make it keep
// has to be bounded.
import { LRUCache } from 'lru-cache'

const MAX_STATEMENTS = 200
const MAX_CHARACTERS = 200_000
const MAX_CHARACTERS_OF_ONE = 10_000
/**
 * After so many uses, and ten times as many and so on, a statement is prepared anew. PostgreSQL keeps its plan until
 * the table is analyzed, and one that was made while the table was empty reads all of it when it is full.
 */
const FIRST_RENEWAL = 100

/** A prepared statement's name, how often it was used, and at which use it is prepared anew. */
type Entry = { name: string; uses: number; renewal: number }

export class Prepared {
  private discarded: string[] = []
  private readonly entries = new LRUCache<string, Entry>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => Math.max(text.length, 1),
    dispose: ({ name }) => this.discarded.push(name),
  })
  private next = 0

  /** Name of the statement, empty when it is not worth keeping, and whether it still has to be parsed. */
  take(text: string): { name: string; parse: boolean } {
    if (text.length > MAX_CHARACTERS_OF_ONE) return { name: '', parse: true }
    const known = this.entries.get(text)
    if (known && ++known.uses < known.renewal) return { name: known.name, parse: false }
    const name = `s${this.next++}`
    const renewal = known ? known.renewal * 10 : FIRST_RENEWAL
    this.entries.set(text, { name, uses: known?.uses ?? 1, renewal })
    return { name, parse: true }
  }

  /** The statement failed: whether it was prepared is unknown, so it is closed and prepared again. */
  forget(text: string): void {
    this.entries.delete(text)
  }

  forgetAll(): void {
    this.entries.clear()
  }

  /** Names of statements that PostgreSQL should close. */
  takeDiscarded(): string[] {
    return this.discarded.splice(0)
  }

  /** After a failure PostgreSQL skipped what followed, the closing too. */
  putBack(names: string[]): void {
    this.discarded.push(...names)
  }
}
