// Writes one statement with its parameters. A parameter is a value of the request (by index), a text that is
// part of the request's shape, or the body; the same value used twice is one parameter.

import { literal } from '../schema-cache/quote.ts'

export type Slot = { value: number } | { elements: number[] } | { constant: string } | { body: true }

/** An operand for which a column has only a few values. */
export type Choice = { value: number; labels: readonly string[] }

/** With more, one shape of request would have too many statements. */
const MAX_CHOICES = 2

/** A statement whose parameters are still to be filled from a request. */
export type Template = {
  text: string
  slots: Slot[]
  /** Operands that are written into the text itself if they are one of the labels. */
  choices: Choice[]
  /** The text for each role by its number, once used (see execute.ts). */
  texts?: string[]
}

export class SqlWriter {
  private text = ''
  private readonly slots: Slot[] = []
  private readonly numbers = new Map<string, number>()
  private readonly choices: Choice[] = []
  private readonly values: readonly string[]

  /** `values` are the operands of the request that is compiled. */
  constructor(values: readonly string[]) {
    this.values = values
  }

  add(text: string): this {
    this.text += text
    return this
  }

  /** The request's value with this index. */
  value(index: number): this {
    return this.parameter(`v${index}`, { value: index })
  }

  /**
   * The request's value with this index, written out if it is one of the labels of its column. PostgreSQL then plans
   * once with it, by its frequency and with the partial indexes made for it, and not at each execution.
   */
  choice(index: number, labels: readonly string[]): this {
    const value = this.values[index] as string
    if (!this.choices.some((known) => known.value === index)) {
      if (labels.length === 0 || this.choices.length >= MAX_CHOICES) return this.value(index)
      this.choices.push({ value: index, labels })
    }
    return labels.includes(value) ? this.add(literal(value)) : this.value(index)
  }

  /** Several values as one array. */
  elements(indexes: number[]): this {
    return this.parameter(`e${indexes.join()}`, { elements: indexes })
  }

  /** A text that equal shapes share: keys of JSON paths, names of text search configurations. */
  constant(text: string): this {
    return this.parameter(`c${text}`, { constant: text })
  }

  /** The request's body. */
  body(): this {
    return this.parameter('b', { body: true })
  }

  /** Writes each item, `separator` between them. */
  list<Item>(items: readonly Item[], separator: string, write: (item: Item, index: number) => void): this {
    items.forEach((item, index) => {
      if (index > 0) this.add(separator)
      write(item, index)
    })
    return this
  }

  template(): Template {
    return { text: this.text, slots: this.slots, choices: this.choices }
  }

  private parameter(key: string, slot: Slot): this {
    let number = this.numbers.get(key)
    if (number === undefined) {
      number = this.slots.push(slot)
      this.numbers.set(key, number)
    }
    return this.add(`$${number}`)
  }
}
