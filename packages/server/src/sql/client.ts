// One connection to PostgreSQL that notices when the other end has gone without a word.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isLost, isOutOfConnections, isPassing, isRestarting, Unanswered } from './errors.ts'
import { attemptAt } from './hosts.ts'
import { answerTimeout, ResponseTimeout } from './response-timeout.ts'

/** An idle connection is tried after 10 s, and after ten tries a second apart counts as lost. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** How long a new connection may take, and how long one is waited for. */
export const CONNECT_TIMEOUT_MS = 10_000

const MAX_RETRY_PAUSE_MS = 400

/** A client of pg. Whatever waits for an answer is rejected with Unanswered when none will come. */
export class Client extends pg.Client {
  /** How long PostgreSQL may be silent while a statement runs. */
  answerTimeoutMs = CONNECT_TIMEOUT_MS
  /** Statements that are answered together: each may take its time. */
  statements = 1
  /** See CommitMark.sentOn in commit-mark.ts. */
  wire: Wire | null = null
  private readonly watch: ResponseTimeout

  constructor(config: pg.ClientConfig) {
    const attempt = config.connectionString === undefined ? null : attemptAt(config.connectionString)
    super({ ...KEEP_ALIVE, ...config, ...(attempt && { connectionString: attempt.connectionString }) })
    attempt?.watch(this)
    this.watch = new ResponseTimeout({
      stream: () => streamOf(this),
      timeoutMs: () => this.answerTimeoutMs * this.statements,
      address: () => this,
    })
    this.on('drain', () => this.watch.end())
    this.on('end', () => this.watch.end())
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen overloads, which all pass through here.
  override query(...given: any[]): any {
    this.watch.begin()
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.query as (...given: any[]) => any)(...given)
  }

  /** Expects answers as soon as the session's own statement_timeout promises them. */
  async trustStatementTimeout(): Promise<void> {
    const { statementTimeoutMs, wire } = await sessionOf(this)
    this.answerTimeoutMs = answerTimeout(statementTimeoutMs)
    this.wire = wire
  }
}

/** The connection's socket, which changes when it is encrypted. */
export function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** The kind of connection to PostgreSQL. */
export type Wire = 'network' | 'unix socket'

export interface Session {
  /** Milliseconds that it lets a statement take; 0 for as long as it wants. */
  statementTimeoutMs: number
  /** How PostgreSQL itself is reached; null where a pooler or proxy may be at the other end. */
  wire: Wire | null
}

/** The state of a new connection. */
export async function sessionOf(client: pg.Client): Promise<Session> {
  const text = `select setting, pg_backend_pid() as process, inet_client_port() as port
    from pg_settings where name = 'statement_timeout'`
  // Not every connection is watched while it is new.
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: CONNECT_TIMEOUT_MS }
  const { rows } = await client.query<{ setting: string; process: number; port: number | null }>(query)
  const { setting = '0', process, port = null } = rows[0] ?? {}
  const { processID } = client as unknown as { processID: number | null }
  const isOwn = process === processID && (port === null || port === streamOf(client).localPort)
  const wire = port === null ? 'unix socket' : 'network'
  return { statementTimeoutMs: Number(setting), wire: isOwn ? wire : null }
}

/** The pause before attempt `failures` + 1 at a connection, in milliseconds; never the same for two servers. */
export function pauseAfter(failures: number): number {
  return Math.min(25 * 2 ** failures, MAX_RETRY_PAUSE_MS) * (0.5 + Math.random())
}

/**
 * A dedicated connection, whose statements may take as long as they want. While the database has none to give, or
 * none of its hosts can be written to, it tries again for `timeoutMs`.
 */
export async function connectClient(
  config: pg.ClientConfig,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<pg.Client> {
  const deadline = performance.now() + timeoutMs
  for (let failures = 0; ; failures++) {
    const client = new Client({ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config })
    client.answerTimeoutMs = Number.POSITIVE_INFINITY
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      void client.end().catch(() => {})
      const waits = isOutOfConnections(error) || isPassing(error)
      if (!waits || performance.now() > deadline) throw error
    }
    await sleep(pauseAfter(failures))
  }
}

export interface WithClientOptions {
  /** `work` begins a transaction, which is rolled back when it fails. */
  transaction?: boolean
  /** Milliseconds that the statements set for themselves; null where they leave it as the session has it. */
  statementTimeoutMs?: number | null
  /** Until when a connection is waited for, by performance.now(); by default as long as the pool waits. */
  until?: number
}

/** A connection of the pool; rejects when there is none by then. */
async function connectBefore(pool: pg.Pool, until = Number.POSITIVE_INFINITY): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  if (until === Number.POSITIVE_INFINITY) return connecting
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, Math.max(until - performance.now(), 0), null)
  })
  const client = await Promise.race([connecting, late]).finally(() => clearTimeout(timer))
  if (client) return client
  connecting.then((unwanted) => unwanted.release()).catch(() => {})
  throw new Unanswered()
}

/** Runs `work` with a connection of the pool. One that is lost, or cannot even roll back, is closed and not used again. */
export async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { transaction = false, statementTimeoutMs = null, until }: WithClientOptions = {},
): Promise<T> {
  const client = (await connectBefore(pool, until)) as Client & pg.PoolClient
  const { answerTimeoutMs } = client
  if (statementTimeoutMs !== null) client.answerTimeoutMs = answerTimeout(statementTimeoutMs)
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    const failed = (failure: Error) => {
      broken = failure
    }
    if (transaction) await client.query('rollback').catch(failed)
    else if (isLost(error) || isRestarting(error)) failed(error as Error)
    throw error
  } finally {
    client.answerTimeoutMs = answerTimeoutMs
    client.release(broken)
  }
}
