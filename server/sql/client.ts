// One connection to PostgreSQL that notices when the other end has gone without a word.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { patienceFor, SilenceWatch } from './idle-timeout.ts'

/** Milliseconds: an idle connection is tried after so long, and after ten tries a second apart counts as lost. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** Milliseconds that a new connection may take, and that one is waited for. */
export const CONNECT_PATIENCE = 10_000

/** A client of pg. Whatever waits for an answer is rejected with Unanswered when none will come. */
export class Client extends pg.Client {
  /** Milliseconds that PostgreSQL may be silent for while a statement runs. */
  patience = CONNECT_PATIENCE
  /** Statements that are answered together: each may take its time. */
  statements = 1
  private readonly silence: SilenceWatch

  constructor(config: pg.ClientConfig) {
    super({ ...KEEP_ALIVE, ...config })
    this.silence = new SilenceWatch({
      stream: () => streamOf(this),
      patience: () => this.patience * this.statements,
      address: () => this,
    })
    this.on('drain', () => this.silence.end())
    this.on('end', () => this.silence.end())
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen overloads, which all pass through here.
  override query(...given: any[]): any {
    this.silence.begin()
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (super.query as (...given: any[]) => any)(...given)
  }

  /** Expects answers as soon as the session's own statement_timeout promises them. */
  async trustStatementTimeout(): Promise<void> {
    this.patience = patienceFor(await statementTimeoutOf(this))
  }
}

/** The connection's socket, which changes when it is encrypted. */
export function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** Milliseconds that the session lets a statement take; 0 for as long as it wants. */
export async function statementTimeoutOf(client: pg.ClientBase): Promise<number> {
  const text = `select setting from pg_settings where name = 'statement_timeout'`
  // Not every connection is watched while it is new.
  const asked = { text, query_timeout: CONNECT_PATIENCE }
  const { rows } = await client.query<{ setting: string }>(asked)
  return Number(rows[0]?.setting ?? 0)
}

/** True when PostgreSQL, or a pooler before it, has no connection to give just now. */
export function isOutOfConnections(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return code === '53300' || /no more connections allowed|max client connections reached/i.test(message)
}

/** The pause before attempt `refusals` + 1 at a connection, in milliseconds; never the same for two servers. */
export function pauseAfter(refusals: number): number {
  return Math.min(25 * 2 ** refusals, 400) * (0.5 + Math.random())
}

/**
 * A connection of one's own, whose statements may take as long as they want. While the database has none to give, it is
 * asked again for `patience` milliseconds.
 */
export async function connectClient(
  config: pg.ClientConfig,
  patience = CONNECT_PATIENCE,
): Promise<pg.Client> {
  const deadline = performance.now() + patience
  for (let refusals = 0; ; refusals++) {
    const client = new Client({ connectionTimeoutMillis: CONNECT_PATIENCE, ...config })
    client.patience = Number.POSITIVE_INFINITY
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      void client.end().catch(() => {})
      if (!isOutOfConnections(error) || performance.now() > deadline) throw error
    }
    await sleep(pauseAfter(refusals))
  }
}
