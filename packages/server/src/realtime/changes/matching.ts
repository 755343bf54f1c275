// Which bindings a change matches, by their filters: most conditions are evaluated here, the rest by PostgreSQL in one
// round trip for a whole batch.
import type pg from 'pg'
import type { Binding } from './binding.ts'
import { type TypedCondition, typedCondition } from './compare.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import type { RowEvent } from './event.ts'

/** An event with the bindings that it matches. */
export interface Match {
  event: RowEvent
  bindings: Binding[]
}

/** A binding whose match depends on evaluations by PostgreSQL. */
interface Pending {
  match: Match
  binding: Binding
  evaluations: number[]
}

/** Keeps of each candidate the bindings whose conditions all hold. A column that the log does not hold meets none. */
export async function match(pool: pg.Pool, candidates: readonly Match[]): Promise<Match[]> {
  const evaluations = new Evaluations()
  const pending: Pending[] = []
  const matches = candidates.map(({ event, bindings }): Match => {
    const matched: Match = { event, bindings: [] }
    for (const binding of bindings) {
      const remote = remoteEvaluations(event, binding, evaluations)
      if (remote === null) continue
      if (remote.length === 0) matched.bindings.push(binding)
      else pending.push({ match: matched, binding, evaluations: remote })
    }
    return matched
  })
  if (pending.length > 0) {
    const results = await evaluate(pool, evaluations.list)
    for (const one of pending) {
      if (one.evaluations.every((index) => results[index])) one.match.bindings.push(one.binding)
    }
  }
  return matches.filter(({ bindings }) => bindings.length > 0)
}

/** Indexes of the evaluations left to PostgreSQL; null when a condition fails already. */
function remoteEvaluations(event: RowEvent, { parsed }: Binding, evaluations: Evaluations): number[] | null {
  const remote: number[] = []
  for (const condition of parsed.conditions) {
    const type = event.typeOf(condition.column)
    const value = event.row[condition.column]
    if (!type || value === undefined) return null
    const typed = typedCondition(condition, type)
    if (!typed.local) remote.push(evaluations.indexOf(typed, value))
    else if (!typed.local(value)) return null
  }
  return remote
}

/** Equal evaluations are done once. */
class Evaluations {
  readonly list: Evaluation[] = []
  private readonly indexes = new Map<TypedCondition, Map<string | null, number>>()

  indexOf(typed: TypedCondition, value: string | null): number {
    const byValue = this.indexes.get(typed) ?? new Map<string | null, number>()
    this.indexes.set(typed, byValue)
    const index = byValue.get(value) ?? this.list.push({ ...typed, value }) - 1
    byValue.set(value, index)
    return index
  }
}
