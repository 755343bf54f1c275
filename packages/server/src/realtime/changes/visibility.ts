// Which rows each group of principals may see now, by the database's own row-level security: one statement per distinct
// claims and table, many of them in one round trip.
import type pg from 'pg'
import { withClient } from '../../sql/client.ts'
import { pipeline, type Statement, type StatementResult } from '../../sql/pipeline.ts'
import { identity } from '../../sql/roles.ts'
import type { PrincipalGroup } from './binding.ts'
import { isolateFailures } from './isolate-failures.ts'
import { readOnceVisible, requireVisible } from './snapshot.ts'
import type { Table } from './tables.ts'

/** Rows of one table, by their primary key in the order of table.key. */
interface Rows {
  table: Table
  keys: (string | null)[][]
}

/** The rows that one group wants to see. */
export interface VisibilityQuery {
  group: PrincipalGroup
  rows: Rows[]
}

/** Per `rows` of the query, for each key whether the row can be seen; null when a policy failed. */
export type Visibility = boolean[][] | null

const SETTINGS = { search_path: '"$user", public, extensions' }

/**
 * Results in the order of the queries, from one round trip. `xids` are the transactions that the rows come from: the
 * log has a commit an instant before other sessions see it, and until they do there is nothing to check against.
 * Rejects with a connection failure when the database stays away.
 */
export async function queryVisibility(
  pool: pg.Pool,
  queries: readonly VisibilityQuery[],
  xids: readonly number[],
): Promise<Visibility[]> {
  return readOnceVisible(() =>
    withClient(pool, (client) =>
      isolateFailures(queries, async (some) => {
        const results = await pipeline(client, statementsOf(some))
        requireVisible(results[0]?.rows[0]?.[0] ?? '', xids)
        return visibilitiesOf(some, results)
      }),
    ),
  )
}

function statementsOf(queries: readonly VisibilityQuery[]): Statement[] {
  const statements: Statement[] = [{ text: 'select pg_current_snapshot()' }]
  let role: string | null = null
  for (const { group, rows } of queries) {
    if (group.role !== role) {
      role = group.role
      statements.push(identity(role, SETTINGS))
    }
    for (const [index, { table, keys }] of rows.entries()) {
      statements.push(rowQuery(table, keys, role, index === 0 ? group.claims : null))
    }
  }
  return statements
}

/**
 * The numbers of the keys whose rows can be seen. `claims` are set in the same statement, which costs a third less
 * than a separate one. The nested loop that `lateral` demands reads its outer side, the claims, before the table.
 * Expressions that policies evaluate once (`(select auth.uid())`) are evaluated when first needed. `offset 0` keeps
 * the planner from joining the two in any other way.
 */
function rowQuery(table: Table, keys: (string | null)[][], role: string, claims: string | null): Statement {
  const single = keys.length === 1
  const kind = `${claims === null ? 'same claims' : 'claims'} ${single ? 'one' : 'many'} ${role}`
  let text = table.queries.get(kind)
  if (text === undefined) {
    text = rowQueryText(table, single, role, claims !== null)
    table.queries.set(kind, text)
  }
  const values = single
    ? (keys[0] ?? [])
    : table.key.map((_, index) => arrayLiteral(keys.map((one) => one[index] ?? null)))
  return { text, values: claims === null ? values : [claims, ...values] }
}

function rowQueryText(table: Table, single: boolean, role: string, withClaims: boolean): string {
  // PostgreSQL plans row-level security for one role: each has its own statement, which differs by a comment.
  const mark = `/* ${Buffer.from(role).toString('hex')} */`
  const first = withClaims ? 2 : 1
  const sql = single ? oneKey(table, first) : manyKeys(table, first)
  if (!withClaims) return `select x.n ${mark} from (${sql}) x`
  return (
    `select x.n ${mark} from (select set_config('request.jwt.claims', $1, true) as claims offset 0) c, ` +
    `lateral (${sql} and c.claims is not null offset 0) x`
  )
}

function oneKey({ sql, key }: Table, first: number): string {
  const same = key.map(({ sql: name, type }, index) => `t.${name} = $${index + first}::${type}`)
  return `select 1 as n from ${sql} t where ${same.join(' and ')}`
}

function manyKeys({ sql, key }: Table, first: number): string {
  const names = key.map((_, index) => `k${index + 1}`)
  const lists = key.map(({ type }, index) => `$${index + first}::${type}[]`)
  const same = key.map(({ sql: name }, index) => `t.${name} = k.k${index + 1}`)
  return (
    `select k.n from unnest(${lists.join(', ')}) with ordinality as k (${names.join(', ')}, n) ` +
    `where exists (select from ${sql} t where ${same.join(' and ')})`
  )
}

function visibilitiesOf(queries: readonly VisibilityQuery[], results: StatementResult[]): Visibility[] {
  let at = 1
  let role: string | null = null
  return queries.map(({ group, rows }) => {
    if (group.role !== role) at++
    role = group.role
    return rows.map(({ keys }) => {
      const numbers = new Set((results[at++]?.rows ?? []).map(([number]) => Number(number)))
      return keys.map((_, index) => numbers.has(index + 1))
    })
  })
}

/** A text array as a parameter. */
export function arrayLiteral(values: (string | null)[]): string {
  const items = values.map((value) => (value === null ? 'NULL' : `"${value.replace(/[\\"]/g, '\\$&')}"`))
  return `{${items.join(',')}}`
}
