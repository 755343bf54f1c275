// Which rows which readers may see at this moment, by the database's own row-level security: one statement per
// distinct set of claims and table, whole crowds of them in one round trip.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isUnavailable } from '../../sql/database.ts'
import { pipeline, type Statement, type StatementResult } from '../../sql/pipeline.ts'
import type { Group } from './bindings.ts'
import type { Table } from './tables.ts'

/** Rows of one table, by their primary key in the order of table.key. */
export interface Rows {
  table: Table
  keys: (string | null)[][]
}

/** What one group of readers asks. */
export interface Asking {
  group: Group
  rows: Rows[]
}

/** Per `rows` of the asking, for each key whether the row can be seen; null when a policy failed. */
export type Answer = boolean[][] | null

const SEARCH_PATH = '"$user", public, extensions'
const PATIENCE = 10_000
const FIRST_PAUSE = 1
const LONGEST_PAUSE = 100

/**
 * Answers in the order asked, in one round trip. `xids` are the transactions that the rows come from: the log tells
 * of a commit an instant before other sessions see it, and until they do there is nothing to check against.
 * Rejects with a connection failure when the database stays away.
 */
export async function ask(
  pool: pg.Pool,
  asked: readonly Asking[],
  xids: readonly number[],
): Promise<Answer[]> {
  const deadline = Date.now() + PATIENCE
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const answers = await askOnce(pool, asked, xids)
      if (answers) return answers
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > deadline) throw error
    }
    await sleep(pause)
  }
}

/** Null when one of the transactions cannot be seen yet. */
async function askOnce(
  pool: pg.Pool,
  asked: readonly Asking[],
  xids: readonly number[],
): Promise<Answer[] | null> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await askOn(client, asked, xids)
  } catch (error) {
    if (!isAnswer(error)) broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

async function askOn(
  client: pg.PoolClient,
  asked: readonly Asking[],
  xids: readonly number[],
): Promise<Answer[] | null> {
  let results: StatementResult[]
  try {
    results = await pipeline(client, statementsOf(asked))
  } catch (error) {
    if (!isAnswer(error)) throw error
    // Somebody's claims make a policy fail, which must cost nobody else: halve until they stand alone.
    if (asked.length === 1) return [null]
    const half = asked.length >> 1
    const first = await askOn(client, asked.slice(0, half), xids)
    const second = first && (await askOn(client, asked.slice(half), xids))
    return second && [...first, ...second]
  }
  if (!seesAll(results[0]?.rows[0]?.[0] ?? '', xids)) return null
  return answersOf(asked, results)
}

function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && !isUnavailable(error)
}

function statementsOf(asked: readonly Asking[]): Statement[] {
  const statements: Statement[] = [{ text: 'select pg_current_snapshot()' }]
  let role: string | null = null
  for (const { group, rows } of asked) {
    if (group.role !== role) {
      role = group.role
      statements.push({ text: IDENTITY, values: [SEARCH_PATH, role] })
    }
    for (const [index, { table, keys }] of rows.entries()) {
      statements.push(lookUp(table, keys, role, index === 0 ? group.claims : null))
    }
  }
  return statements
}

const IDENTITY = `select set_config('search_path', $1, true), set_config('role', $2, true)`

/**
 * The numbers of the keys whose rows can be seen. With `claims` they are taken on first, in the same statement, which
 * costs a third less than one of their own: the nested loop that `lateral` demands reads its outer side, the claims,
 * before it first looks at the table, and what policies ask for once (`(select auth.uid())`) is found when first
 * needed. `offset 0` keeps the planner from joining the two in any other way.
 */
function lookUp(table: Table, keys: (string | null)[][], role: string, claims: string | null): Statement {
  const single = keys.length === 1
  const kind = `${claims === null ? 'as before' : 'with claims'} ${single ? 'one' : 'many'} ${role}`
  let text = table.lookUps.get(kind)
  if (text === undefined) {
    text = lookUpText(table, single, role, claims !== null)
    table.lookUps.set(kind, text)
  }
  const values = single
    ? (keys[0] ?? [])
    : table.key.map((_, index) => arrayLiteral(keys.map((one) => one[index] ?? null)))
  return { text, values: claims === null ? values : [claims, ...values] }
}

function lookUpText(table: Table, single: boolean, role: string, withClaims: boolean): string {
  // PostgreSQL plans row-level security for one role: each has a statement of its own, told apart by a comment.
  const mark = `/* ${Buffer.from(role).toString('hex')} */`
  const first = withClaims ? 2 : 1
  const sql = single ? oneKey(table, first) : manyKeys(table, first)
  if (!withClaims) return `select x.n ${mark} from (${sql}) x`
  return (
    `select x.n ${mark} from (select set_config('request.jwt.claims', $1, true) as taken offset 0) c, ` +
    `lateral (${sql} and c.taken is not null offset 0) x`
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

function answersOf(asked: readonly Asking[], results: StatementResult[]): Answer[] {
  let at = 1
  let role: string | null = null
  return asked.map(({ group, rows }) => {
    if (group.role !== role) at++
    role = group.role
    return rows.map(({ keys }) => {
      const numbers = new Set((results[at++]?.rows ?? []).map(([number]) => Number(number)))
      return keys.map((_, index) => numbers.has(index + 1))
    })
  })
}

/** Whether a snapshot, written `xmin:xmax:xid,xid`, sees these transactions as ended. */
function seesAll(snapshot: string, xids: readonly number[]): boolean {
  const [xmin = '0', xmax = '0', running = ''] = snapshot.split(':')
  const open = running === '' ? [] : running.split(',').map(low)
  return xids.every((xid) => {
    if (before(xid, low(xmin))) return true
    return before(xid, low(xmax)) && !open.includes(xid)
  })
}

/** The stream tells only the lower half of a transaction's number. */
function low(xid: string): number {
  return Number(BigInt(xid) & 0xffffffffn)
}

/** Whether `a` comes before `b` on the circle of 32-bit numbers. */
function before(a: number, b: number): boolean {
  return ((a - b) | 0) < 0
}

function arrayLiteral(values: (string | null)[]): string {
  const items = values.map((value) => (value === null ? 'NULL' : `"${value.replace(/[\\"]/g, '\\$&')}"`))
  return `{${items.join(',')}}`
}
