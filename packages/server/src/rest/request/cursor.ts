// A position in a text that is being parsed, which remembers the furthest failure.
// From it come messages in the form that PostgREST's parser gives them:
// `unexpected "x" expecting "asc", "desc" or end of input`.
import { type RestError, syntaxError } from '../errors/errors.ts'

export class Cursor {
  readonly text: string
  at = 0
  private furthest = 0
  private unexpected: string | undefined
  private expected: string[] = []

  constructor(text: string) {
    this.text = text
  }

  /** The character at the position, empty at the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.at + ahead)
  }

  done(): boolean {
    return this.at >= this.text.length
  }

  /** Takes `word` if it is here. */
  literal(word: string, label = JSON.stringify(word)): boolean {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length
      return true
    }
    let same = 0
    while (same < word.length && this.text[this.at + same] === word[same]) same++
    this.failed(this.at, label, describe(this.text.charAt(this.at + same)))
    return false
  }

  /** Succeeds only at the end of the text. */
  end(): boolean {
    if (this.done()) return true
    this.failed(this.at, 'end of input', `'${this.peek()}'`, true)
    return false
  }

  /** Spaces and tabs. */
  blanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.at++
  }

  /** Records that `label` was expected at `position`; always false. */
  failed(position: number, label: string, unexpected?: string, strong = false): false {
    if (position > this.furthest) {
      this.furthest = position
      this.expected = []
      this.unexpected = undefined
    }
    if (position === this.furthest) {
      if (!this.expected.includes(label)) this.expected.push(label)
      // "Unexpected 'x'" of a failed end outweighs the others, as in PostgREST's messages.
      if (strong || this.unexpected === undefined) {
        this.unexpected = unexpected ?? describe(this.text.charAt(position))
      }
    }
    return false
  }

  /** Replaces what was expected at the furthest failure, from `start` on, by one name for all of it. */
  named(start: number, label: string): void {
    if (this.furthest >= start) this.expected = [label]
  }

  /** Adds an expectation in front of the others, if the furthest failure is at `position`. */
  expectedBefore(position: number, label: string): void {
    if (this.furthest === position) this.expected.unshift(label)
  }

  /** The error for the furthest failure; `what` names the text, e.g. `failed to parse order (a.b)`. */
  error(what: string): RestError {
    const message = `"${what}" (line 1, column ${this.furthest + 1})`
    const unexpected = `unexpected ${this.unexpected ?? describe(this.text.charAt(this.furthest))}`
    const expecting = this.expected.length > 0 ? ` expecting ${listed(this.expected)}` : ''
    return syntaxError(message, unexpected + expecting)
  }
}

function describe(character: string): string {
  return character === '' ? 'end of input' : JSON.stringify(character)
}

function listed(labels: string[]): string {
  const last = labels[labels.length - 1] as string
  return labels.length === 1 ? last : `${labels.slice(0, -1).join(', ')} or ${last}`
}
