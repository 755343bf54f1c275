// Runs SQL as a caller: their role and settings hold for one transaction, under row-level security.
import type pg from 'pg'
import { type Client, withClient } from './client.ts'
import type { CommitMark } from './commit-mark.ts'
import { pipeline, type Statement, type StatementResult } from './pipeline.ts'
import { throughRestarts } from './reconnect.ts'
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

type Query = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
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
 * All of these reject with PostgreSQL's error (pg.DatabaseError) or with a connection failure (see isUnavailable in
 * errors.ts). A role that the caller may not have is SQLSTATE 42501 or 22023. Nothing is kept then, unless the
 * connection failed as it committed. Where PostgreSQL restarts before that, they begin once more.
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
  /** See DatabaseOptions. */
  reconnectTimeoutMs: number
}

export function asCaller({
  pool,
  role: callersRole,
  settings,
  ofOwner,
  reconnectTimeoutMs,
}: AsCallerOptions): AsCaller {
  const role = callersRole ?? OWN_ROLE

  /** A connection for the role, which has been checked; it may take as long as the statements may. */
  function connected<T>(
    until: number | undefined,
    work: (client: pg.PoolClient) => Promise<T>,
    { transaction = false } = {},
  ): Promise<T> {
    return withClient(
      pool,
      async (client) => {
        if (ofOwner && callersRole !== null) await requireApiRole(client, role)
        return work(client)
      },
      { transaction, statementTimeoutMs: timeoutOf(settings.statement_timeout), until },
    )
  }

  const through = <T>(run: (mark: CommitMark, until?: number) => Promise<T>, kept: (mark: CommitMark) => T) =>
    inTransactionSpan(callersRole, () =>
      throughRestarts(pool, { run, kept }, performance.now() + reconnectTimeoutMs),
    )

  /** The statements with those before and behind them; those that `keep` anything tell how they end. */
  function sent(
    statements: readonly CallerStatement[],
    options: QueryOptions,
    before: readonly Statement[],
    behind: readonly Statement[],
    keep = !options.readOnly,
  ): Promise<StatementResult[]> {
    const { sequence, places } = withRoleSwitches(role, settings, statements, options)
    const ofPlaces = (results: readonly unknown[]) =>
      places.map((at) => results[at + before.length] as StatementResult)
    return through(
      async (mark, until) => {
        mark.keeps = keep
        const last = keep ? [mark.statement] : []
        const work = (client: pg.PoolClient) => {
          mark.sentOn(wireOf(client))
          return pipeline(client, [...before, ...sequence, ...last, ...behind])
        }
        return ofPlaces(await connected(until, work, { transaction: before.length > 0 }))
      },
      (mark) => ofPlaces(mark.before),
    )
  }

  return {
    query: (statements, options = {}) =>
      options.isolation
        ? sent(statements, options, [begin(options)], [COMMIT])
        : sent(statements, options, [], []),
    dryRun: (statements, options = {}) =>
      sent(statements, options, [begin(options)], [{ text: 'rollback' }], false),
    transaction(work) {
      const run = async (client: pg.PoolClient, mark: CommitMark) => {
        await pipeline(client, [begin(), identity(role, settings)])
        const result = await work(takingTurns(client, role))
        mark.result = result
        mark.sentOn(wireOf(client))
        await pipeline(client, [mark.statement, COMMIT])
        return result
      }
      return through(
        (mark, until) => connected(until, (client) => run(client, mark), { transaction: true }),
        ({ result }) => result as Awaited<ReturnType<typeof work>>,
      )
    },
  }
}

const COMMIT: Statement = { text: 'commit' }

function begin({ isolation }: QueryOptions = {}): Statement {
  return { text: isolation ? `begin isolation level ${isolation}` : 'begin' }
}

const wireOf = (client: pg.PoolClient) => (client as pg.PoolClient & Partial<Client>).wire ?? null

/** Statements one after the other, whoever calls: between the switch to a role and its statement there is nothing else. */
function takingTurns(client: pg.PoolClient, role: string): CallerTransaction {
  let current = role
  let last: Promise<unknown> = Promise.resolve()
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
  return { asCaller: as(role), asOwner: as(OWN_ROLE) }
}

async function switchRole(client: pg.PoolClient, role: string): Promise<void> {
  const { text, values = [] } = identity(role)
  await client.query(text, [...values])
}

type Sequence = {
  /** The statements, and before each the switch to its role where that is not the one before it. */
  sequence: Statement[]
  /** The place of each statement in it. */
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
