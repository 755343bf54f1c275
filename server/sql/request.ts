// Runs a request's SQL as the caller's role: role, claims and statement in one round trip and one transaction.
// The connection belongs to `authenticator`, who may become anon, authenticated or service_role and nothing else.
import pg from 'pg'
import { Client } from './client.ts'
import { millisecondsOf, patienceFor } from './idle-timeout.ts'
import { pipeline, type Statement, type StatementResult } from './pipeline.ts'
import { openPool } from './pool.ts'

export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

export interface RequestOptions {
  /** Database role of the caller. A role that authenticator was not granted fails with SQLSTATE 42501 or 22023. */
  role: string
  /**
   * Settings for this transaction only, by name: `request.jwt.claims`, `request.method`, `search_path`,
   * `statement_timeout`, … Every value is text.
   */
  settings: Record<string, string>
  /** Run in this order, in the same transaction. */
  statements: readonly Statement[]
  /** Refuse writes (SQLSTATE 25006). */
  readOnly?: boolean
  /** Isolation level of the transaction, where it is not the default one. */
  isolation?: Isolation
  /**
   * Looks at the results before the transaction ends: it is rolled back when this returns 'rollback' or throws
   * (the error is passed on). Costs a second round trip, so leave it out where it is not needed.
   */
  decide?: (results: StatementResult[]) => 'commit' | 'rollback'
}

/**
 * The database at `ownerUrl` as `authenticator`, signing in with the owner's password, as all service roles of a
 * self-hosted Supabase do.
 */
export function requestUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  // Takes precedence over a user that stands before the host.
  url.searchParams.set('user', 'authenticator')
  return url.href
}

/** A pool of connections as `authenticator`. */
export function openRequestPool(ownerUrl: string, options: { max?: number } = {}): pg.Pool {
  return openPool(requestUrl(ownerUrl), { max: options.max ?? 10, name: 'meadowlark-requests' })
}

/**
 * Runs `statements` as `role` and resolves with one result per statement. All or nothing is kept. Rejects with
 * PostgreSQL's error (pg.DatabaseError), or with a connection failure (see isUnavailable in database.ts).
 */
export async function execute(pool: pg.Pool, options: RequestOptions): Promise<StatementResult[]> {
  const client = await pool.connect()
  const usual = allowTime(client, options.settings.statement_timeout)
  let broken = false
  try {
    const group = [identity(options), ...options.statements]
    if (options.decide) return await decided(client, begin(options), group, options.decide)
    if (options.isolation) return await framed(client, begin(options), group)
    return (await pipeline(client, group)).slice(1)
  } catch (error) {
    broken = !(error instanceof pg.DatabaseError) || error.severity === 'FATAL'
    throw error
  } finally {
    if (client instanceof Client) client.patience = usual
    client.release(broken && !isUsable(client))
  }
}

/** Lets the connection be silent for as long as the request's own statement_timeout; returns what it had before. */
function allowTime(client: pg.PoolClient, statementTimeout: string | undefined): number {
  if (!(client instanceof Client)) return 0
  const { patience } = client
  const own = millisecondsOf(statementTimeout ?? '')
  if (own !== null) client.patience = patienceFor(own)
  return patience
}

function begin({ isolation }: RequestOptions): Statement {
  return { text: isolation ? `begin isolation level ${isolation}` : 'begin' }
}

/** The level must be set before the first statement, so this transaction begins and ends by name. */
async function framed(
  client: pg.PoolClient,
  first: Statement,
  group: Statement[],
): Promise<StatementResult[]> {
  try {
    return (await pipeline(client, [first, ...group, { text: 'commit' }])).slice(2, -1)
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function decided(
  client: pg.PoolClient,
  first: Statement,
  group: Statement[],
  decide: NonNullable<RequestOptions['decide']>,
): Promise<StatementResult[]> {
  try {
    const results = (await pipeline(client, [first, ...group])).slice(2)
    await pipeline(client, [{ text: decide(results) }])
    return results
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/**
 * One statement that takes on the role and every setting and gives no row. Its text depends only on the settings'
 * names, so it stays prepared.
 */
export function identity({ role, settings, readOnly }: Omit<RequestOptions, 'statements'>): Statement {
  return identityOf(Object.keys(settings), Object.values(settings), role, readOnly === true)
}

/** The same from names and their values. The text for an array of names is made once. */
export function identityOf(
  names: readonly string[],
  values: readonly string[],
  role: string,
  readOnly: boolean,
): Statement {
  let texts = identities.get(names)
  if (!texts) {
    texts = [identityText(names, false), identityText(names, true)]
    identities.set(names, texts)
  }
  return { text: texts[readOnly ? 1 : 0] as string, values: [...values, role] }
}

const identities = new WeakMap<readonly string[], [string, string]>()

function identityText(names: readonly string[], readOnly: boolean): string {
  const calls = names.map((name, index) => `set_config(${pg.escapeLiteral(name)}, $${index + 1}, true)`)
  // The role comes last: it may not be allowed to set what comes before it.
  calls.push(`set_config('role', $${names.length + 1}, true)`)
  if (readOnly) calls.unshift("set_config('transaction_read_only', 'on', true)")
  return `select where ${calls.map((call) => `${call} is null`).join(' or ')}`
}

function isUsable(client: pg.PoolClient): boolean {
  return (client as unknown as { _queryable: boolean })._queryable
}
