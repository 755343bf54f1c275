// Runs SQL as a caller: their role and settings hold for one transaction, under row-level security.
import type pg from 'pg'
import { withClient } from './client.ts'
import { pipeline, type Statement, type StatementResult } from './pipeline.ts'
import { timeoutOf } from './response-timeout.ts'
import { identity, OWN_ROLE, requireApiRole, type Settings } from './roles.ts'
import { inTransactionSpan } from './transaction-span.ts'

export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

export interface QueryOptions {
  /** Refuse writes (SQLSTATE 25006). */
  readOnly?: boolean
  /** Isolation level of the transaction, where it is not the default one. */
  isolation?: Isolation | undefined
}

export interface CallerStatement extends Statement {
  /** 'owner': past every policy, as the role that the connection signed in with. */
  as?: 'caller' | 'owner'
}

export type Query = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<pg.QueryResult<Row>>

export interface CallerTransaction {
  /** Runs under the caller's policies. */
  asCaller: Query
  /** Runs past every policy, as the role that the connection signed in with. */
  asOwner: Query
}

/**
 * All of these reject with PostgreSQL's error (pg.DatabaseError), among them SQLSTATE 42501 or 22023 for a role that the
 * caller may not have, or with a connection failure (see isUnavailable in errors.ts); nothing is kept then.
 */
export interface AsCaller {
  /** Runs the statements in one transaction and one round trip; resolves with one result for each. */
  query(statements: readonly CallerStatement[], options?: QueryOptions): Promise<StatementResult[]>
  /** The same, but nothing of it is kept. */
  dryRun(statements: readonly CallerStatement[], options?: QueryOptions): Promise<StatementResult[]>
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (transaction: CallerTransaction) => Promise<T>): Promise<T>
}

export interface AsCallerOptions {
  pool: pg.Pool
  /** Null for the platform itself, to which no policy applies. */
  role: string | null
  settings: Settings
  /** The connections are the owner's, who could become anybody. */
  ofOwner: boolean
}

export function asCaller({ pool, role: callersRole, settings, ofOwner }: AsCallerOptions): AsCaller {
  const role = callersRole ?? OWN_ROLE

  /** A connection for the role, which has been checked; it may take as long as the statements may. */
  function connected<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    { transaction = false } = {},
  ): Promise<T> {
    return withClient(
      pool,
      async (client) => {
        if (ofOwner && callersRole !== null) await requireApiRole(client, role)
        return work(client)
      },
      { transaction, statementTimeoutMs: timeoutOf(settings.statement_timeout) },
    )
  }

  async function framed(
    statements: readonly CallerStatement[],
    { isolation }: QueryOptions,
    { sequence, places }: Sequence,
    end: 'commit' | 'rollback',
  ): Promise<StatementResult[]> {
    const begin = { text: isolation ? `begin isolation level ${isolation}` : 'begin' }
    const work = (client: pg.PoolClient) => pipeline(client, [begin, ...sequence, { text: end }])
    const results = await connected(work, TRANSACTION)
    return statements.map((_, at) => results[(places[at] as number) + 1] as StatementResult)
  }

  return {
    query: (statements, options = {}) => inTransactionSpan(callersRole, () => query(statements, options)),
    dryRun: (statements, options = {}) =>
      inTransactionSpan(callersRole, () =>
        framed(statements, options, withRoleSwitches(role, settings, statements, options), 'rollback'),
      ),
    transaction: (work) => inTransactionSpan(callersRole, () => transaction(work)),
  }

  async function query(
    statements: readonly CallerStatement[],
    options: QueryOptions,
  ): Promise<StatementResult[]> {
    const planned = withRoleSwitches(role, settings, statements, options)
    if (options.isolation) return framed(statements, options, planned, 'commit')
    const results = await connected((client) => pipeline(client, planned.sequence))
    return planned.places.map((at) => results[at] as StatementResult)
  }

  function transaction<T>(work: (transaction: CallerTransaction) => Promise<T>): Promise<T> {
    return connected(async (client) => {
      await pipeline(client, [{ text: 'begin' }, identity(role, settings)])
      let current = role
      let last: Promise<unknown> = Promise.resolve()
      // One after the other, whoever calls: between the switch and its statement there is nothing else.
      const as =
        (wanted: string): Query =>
        (text, values) => {
          const result = last.then(async () => {
            if (current !== wanted) await switchRole(client, wanted)
            current = wanted
            return client.query(text, values)
          })
          last = result.catch(() => {})
          return result as never
        }
      const result = await work({ asCaller: as(role), asOwner: as(OWN_ROLE) })
      await client.query('commit')
      return result
    }, TRANSACTION)
  }
}

const TRANSACTION = { transaction: true }

async function switchRole(client: pg.PoolClient, role: string): Promise<void> {
  const { text, values = [] } = identity(role)
  await client.query(text, [...values])
}

type Sequence = {
  /** The statements, and before each the switch to its role where that is not the one before it. */
  sequence: Statement[]
  /** Where each of the statements stands in it. */
  places: number[]
}

function withRoleSwitches(
  role: string,
  settings: Settings,
  statements: readonly CallerStatement[],
  { readOnly = false }: QueryOptions,
): Sequence {
  const roleOf = (statement: CallerStatement | undefined) => (statement?.as === 'owner' ? OWN_ROLE : role)
  let current = roleOf(statements[0])
  const sequence = [identity(current, settings, readOnly)]
  const places = statements.map((statement) => {
    if (roleOf(statement) !== current) {
      current = roleOf(statement)
      sequence.push(identity(current))
    }
    return sequence.push(statement) - 1
  })
  return { sequence, places }
}
