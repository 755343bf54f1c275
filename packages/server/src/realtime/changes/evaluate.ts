// Evaluates in PostgreSQL what only it knows: whether a value meets a condition, and how a value is written as JSON. Many
// statements go in one round trip, as the role that owns the project's own types and operators.
import type pg from 'pg'
import { withClient } from '../../sql/client.ts'
import { pipeline, type Statement } from '../../sql/pipeline.ts'
import { projectIdentity } from '../../sql/roles.ts'
import { concurrencyLimit } from '../concurrency-limit.ts'
import { isPattern } from './filter-quota.ts'
import { isolateFailures } from './isolate-failures.ts'
import type { Condition, Operator } from './parse-binding.ts'
import type { ColumnType } from './types.ts'

const SYMBOLS: Record<Exclude<Operator, 'is'>, string> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: '= any',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
}

/** For one evaluation, and for the trial of a condition when a client subscribes. */
const STATEMENT_TIMEOUT_MS = 2000
const TRIAL_TIMEOUT_MS = 500

/** Not as the superuser: a project's own types may run the project's code. */
const asProject = (timeoutMs: number): Statement =>
  projectIdentity({ search_path: '"$user", public, extensions', statement_timeout: String(timeoutMs) })

/** The first use of a regular expression can keep a connection busy for its whole timeout: one at a time. */
const patternTrials = concurrencyLimit(1)

/** `left op right` in SQL, null where either is null. */
function comparison(condition: Condition, type: ColumnType, left: string, right: string): string {
  const { operator, negate } = condition
  if (operator === 'is') return `${left}::${type.sql} is ${negate ? 'not ' : ''}${keyword(condition.value)}`
  const other = operator === 'in' ? `(${right}::${type.sql}[])` : `${right}::${type.sql}`
  const compared = `(${left}::${type.sql} ${SYMBOLS[operator]} ${other})`
  return negate ? `(not ${compared})` : compared
}

function keyword(value: string): string {
  return ['null', 'true', 'false', 'unknown'].find((one) => one === value) ?? 'null'
}

export interface Evaluation {
  condition: Condition
  type: ColumnType
  value: string | null
}

/** Whether each value meets its condition. A comparison that fails in PostgreSQL is not met. */
export async function evaluate(pool: pg.Pool, evaluations: readonly Evaluation[]): Promise<boolean[]> {
  const statements = evaluations.map(({ condition, type, value }): Statement => {
    if (condition.operator === 'is') {
      return { text: `select ${comparison(condition, type, '$1', '')}`, values: [value] }
    }
    return { text: `select ${comparison(condition, type, '$1', '$2')}`, values: [value, condition.value] }
  })
  const cells = await queryCells(pool, statements)
  return cells.map((cell) => cell === 't')
}

/** Each value as PostgreSQL's JSON; one that it cannot encode stays its text. */
export async function encodeJson(
  pool: pg.Pool,
  values: readonly { type: ColumnType; text: string }[],
): Promise<string[]> {
  const statements = values.map(({ type, text }) => ({
    text: `select to_jsonb($1::${type.sql})`,
    values: [text],
  }))
  const cells = await queryCells(pool, statements)
  return cells.map((cell, index) => cell ?? JSON.stringify(values[index]?.text))
}

/** Throws PostgreSQL's own error when the condition cannot be applied to a column of this type, or takes too long. */
export async function tryCondition(pool: pg.Pool, condition: Condition, type: ColumnType): Promise<void> {
  const { operator, value } = condition
  const statements: Statement[] = []
  if (isPattern(condition)) statements.push({ text: `select '' ~ $1`, values: [value] })
  if (operator === 'is') {
    statements.push({ text: `select ${comparison(condition, type, 'null', '')}` })
  } else {
    const sample = operator === 'in' ? null : value
    statements.push({ text: `select ${comparison(condition, type, '$1', '$2')}`, values: [sample, value] })
  }
  const trial = () =>
    withClient(pool, (client) => pipeline(client, [asProject(TRIAL_TIMEOUT_MS), ...statements]))
  await (isPattern(condition) ? patternTrials(trial) : trial())
}

/** The only cell of each statement; null for those that fail. */
async function queryCells(pool: pg.Pool, statements: Statement[]): Promise<(string | null)[]> {
  return withClient(pool, (client) =>
    isolateFailures(statements, async (some) => {
      const results = await pipeline(client, [asProject(STATEMENT_TIMEOUT_MS), ...some])
      return results.slice(1).map(({ rows }) => rows[0]?.[0] ?? null)
    }),
  )
}
