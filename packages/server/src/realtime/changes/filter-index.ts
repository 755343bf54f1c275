// The bindings of one table, indexed by the value of their equality filter: ten thousand subscribers to one row each
// must not cost ten thousand comparisons.
import type { Binding, ColumnLookup } from './binding.ts'
import type { Condition } from './parse-binding.ts'

/** Values whose text is the same for every type that is compared by text: whole numbers and ids. */
const CANONICAL = /^(0|-?[1-9]\d{0,17}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export class FilterIndex {
  private readonly unindexed = new Set<Binding>()
  /** By column, then by the text that it has to equal. */
  private readonly byColumn = new Map<string, Map<string, Set<Binding>>>()
  size = 0

  add(binding: Binding): void {
    this.size++
    const condition = indexedCondition(binding)
    if (!condition) {
      this.unindexed.add(binding)
      return
    }
    const { column, value } = condition
    const values = this.byColumn.get(column) ?? new Map<string, Set<Binding>>()
    this.byColumn.set(column, values)
    values.set(value, (values.get(value) ?? new Set()).add(binding))
  }

  delete(binding: Binding): void {
    this.size--
    const condition = indexedCondition(binding)
    if (!condition) {
      this.unindexed.delete(binding)
      return
    }
    const { column, value } = condition
    const values = this.byColumn.get(column)
    const bindings = values?.get(value)
    bindings?.delete(binding)
    if (bindings?.size === 0) values?.delete(value)
    if (values?.size === 0) this.byColumn.delete(column)
  }

  /** All that the row may match. */
  *find(lookup: ColumnLookup): Iterable<Binding> {
    yield* this.unindexed
    for (const [column, values] of this.byColumn) {
      const { text, exact } = lookup(column)
      if (!exact) for (const bindings of values.values()) yield* bindings
      else if (typeof text === 'string') yield* values.get(text) ?? []
    }
  }
}

function indexedCondition({ parsed }: Binding): Condition | undefined {
  return parsed.conditions.find(
    ({ operator, negate, value }) => operator === 'eq' && !negate && CANONICAL.test(value),
  )
}
