// Which statements are prepared on one connection: the most recently used ones, bounded in number and size.
// PostgreSQL keeps a plan for each on every connection, many times the size of its text: what strangers can make it keep
// has to be bounded.
import { LRUCache } from 'lru-cache'

const MAX_STATEMENTS = 200
const MAX_CHARACTERS = 200_000
const MAX_CHARACTERS_OF_ONE = 10_000

export class Prepared {
  private discarded: string[] = []
  private readonly names = new LRUCache<string, string>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => Math.max(text.length, 1),
    dispose: (name) => this.discarded.push(name),
  })
  private next = 0

  /** Name of the statement, empty when it is not worth keeping, and whether it still has to be parsed. */
  take(text: string): { name: string; parse: boolean } {
    if (text.length > MAX_CHARACTERS_OF_ONE) return { name: '', parse: true }
    const prepared = this.names.get(text)
    if (prepared !== undefined) return { name: prepared, parse: false }
    const name = `s${this.next++}`
    this.names.set(text, name)
    return { name, parse: true }
  }

  /** The statement failed: whether it was prepared is unknown, so it is closed and prepared again. */
  forget(text: string): void {
    this.names.delete(text)
  }

  forgetAll(): void {
    this.names.clear()
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
