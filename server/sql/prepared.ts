// Which statements are prepared on one connection: the most recently used ones, bounded in number and size.

// PostgreSQL keeps a plan for each prepared statement, many times the size of its text, on every connection:
// what strangers can make it keep has to be bounded.
const MAX_PREPARED = 200
const MAX_PREPARED_CHARACTERS = 200_000
const MAX_CHARACTERS_OF_ONE = 10_000

/** Statements prepared on one connection, least recently used first. */
export class Prepared {
  private readonly names = new Map<string, string>()
  private readonly discarded: string[] = []
  private characters = 0
  private next = 0

  /** Name of the statement, empty when it is not worth keeping, and whether it still has to be parsed. */
  take(text: string): { name: string; parse: boolean } {
    if (text.length > MAX_CHARACTERS_OF_ONE) return { name: '', parse: true }
    const known = this.names.get(text)
    // Which one was used last matters only where one will have to go.
    if (
      known !== undefined &&
      this.names.size < MAX_PREPARED / 2 &&
      this.characters < MAX_PREPARED_CHARACTERS / 2
    )
      return { name: known, parse: false }
    const name = known ?? `s${this.next++}`
    if (known === undefined) this.characters += text.length
    else this.names.delete(text)
    this.names.set(text, name)
    while (this.names.size > MAX_PREPARED || this.characters > MAX_PREPARED_CHARACTERS) {
      this.forget(this.names.keys().next().value as string)
    }
    return { name, parse: known === undefined }
  }

  /** The statement failed: whether it was prepared is unknown, so it is closed and prepared again. */
  forget(text: string): void {
    const name = this.names.get(text)
    if (name === undefined) return
    this.names.delete(text)
    this.characters -= text.length
    this.discarded.push(name)
  }

  forgetAll(): void {
    for (const text of [...this.names.keys()]) this.forget(text)
  }

  takeDiscarded(): string[] {
    return this.discarded.splice(0)
  }

  /** After a failure PostgreSQL skipped what followed, the closing too. */
  giveBack(names: string[]): void {
    this.discarded.push(...names)
  }
}
