// The bindings of one table, found by the value that their filter wants: ten thousand people who listen to a row each
// must not cost ten thousand comparisons.
import type { Binding, Look } from './bindings.ts'
import type { Condition } from './parse-binding.ts'

/** Values whose text is the same for every type that is compared by text: whole numbers and ids. */
const CANONICAL = /^(0|-?[1-9]\d{0,17}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export class Shelf {
  private readonly plain = new Set<Binding>()
  /** By column, then by the text that it has to equal. */
  private readonly byColumn = new Map<string, Map<string, Set<Binding>>>()
  size = 0

  add(binding: Binding): void {
    this.size++
    const key = keyOf(binding)
    if (!key) {
      this.plain.add(binding)
      return
    }
    const values = this.byColumn.get(key.column) ?? new Map<string, Set<Binding>>()
    this.byColumn.set(key.column, values)
    values.set(key.value, (values.get(key.value) ?? new Set()).add(binding))
  }

  delete(binding: Binding): void {
    this.size--
    const key = keyOf(binding)
    if (!key) {
      this.plain.delete(binding)
      return
    }
    const values = this.byColumn.get(key.column)
    const found = values?.get(key.value)
    found?.delete(binding)
    if (found?.size === 0) values?.delete(key.value)
    if (values?.size === 0) this.byColumn.delete(key.column)
  }

  /** All that may want the row. */
  *find(look: Look): Iterable<Binding> {
    yield* this.plain
    for (const [column, values] of this.byColumn) {
      const { text, exact } = look(column)
      if (!exact) for (const bindings of values.values()) yield* bindings
      else if (typeof text === 'string') yield* values.get(text) ?? []
    }
  }
}

function keyOf({ wanted }: Binding): Condition | undefined {
  return wanted.conditions.find(
    ({ operator, negate, value }) => operator === 'eq' && !negate && CANONICAL.test(value),
  )
}
