// Which bindings a change meets, by their filters: most are decided here, the rest by PostgreSQL in one round trip
// for a whole batch.
import type pg from 'pg'
import type { Binding } from './bindings.ts'
import { type Test, testOf } from './compare.ts'
import { decide, type Question } from './evaluate.ts'
import type { RowEvent } from './event.ts'

/** An event with the bindings that want it. */
export interface Match {
  event: RowEvent
  bindings: Binding[]
}

interface Undecided {
  match: Match
  binding: Binding
  questions: number[]
}

/** Keeps of each candidate the bindings whose conditions all hold. A column that the log does not hold meets none. */
export async function match(pool: pg.Pool, candidates: readonly Match[]): Promise<Match[]> {
  const questions = new Questions()
  const undecided: Undecided[] = []
  const matches = candidates.map(({ event, bindings }): Match => {
    const kept: Match = { event, bindings: [] }
    for (const binding of bindings) {
      const open = openQuestions(event, binding, questions)
      if (open === null) continue
      if (open.length === 0) kept.bindings.push(binding)
      else undecided.push({ match: kept, binding, questions: open })
    }
    return kept
  })
  if (undecided.length > 0) {
    const answers = await decide(pool, questions.list)
    for (const one of undecided) {
      if (one.questions.every((number) => answers[number])) one.match.bindings.push(one.binding)
    }
  }
  return matches.filter(({ bindings }) => bindings.length > 0)
}

/** Numbers of the questions left to PostgreSQL; null when a condition fails already. */
function openQuestions(event: RowEvent, { wanted }: Binding, questions: Questions): number[] | null {
  const open: number[] = []
  for (const condition of wanted.conditions) {
    const type = event.typeOf(condition.column)
    const value = event.row[condition.column]
    if (!type || value === undefined) return null
    const test = testOf(condition, type)
    if (!test.local) open.push(questions.number(test, value))
    else if (!test.local(value)) return null
  }
  return open
}

/** Equal questions are asked once. */
class Questions {
  readonly list: Question[] = []
  private readonly numbers = new Map<Test, Map<string | null, number>>()

  number(test: Test, value: string | null): number {
    const known = this.numbers.get(test) ?? new Map<string | null, number>()
    this.numbers.set(test, known)
    const number = known.get(value) ?? this.list.push({ ...test, value }) - 1
    known.set(value, number)
    return number
  }
}
