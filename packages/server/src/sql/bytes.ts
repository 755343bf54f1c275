// Results as the bytes that PostgreSQL sent, for whom its JSON is only passed on.
import type { AsCaller, QueryOptions } from './as-caller.ts'
import type { Database } from './database.ts'
import type { LatencyEstimate } from './latency.ts'
import type { Statement } from './pipeline.ts'
import type { Settings } from './roles.ts'

/**
 * A column's value as PostgreSQL's text form in UTF-8: a string with one character for each byte, which costs the
 * garbage collector next to nothing, or a buffer where it is long.
 */
export type Bytes = string | Buffer | null

/** The rows of one statement. */
export type ByteRows = Bytes[][]

/** As AsCaller (as-caller.ts), with the rows of each statement. */
interface AsCallerInBytes {
  /** For statements that change nothing: quick ones may share a connection. `latency` is that of their kind. */
  read(statements: readonly Statement[], latency: LatencyEstimate): Promise<ByteRows[]>
  query(statements: readonly Statement[], options?: QueryOptions): Promise<ByteRows[]>
  dryRun(statements: readonly Statement[], options?: QueryOptions): Promise<ByteRows[]>
}

export interface ByteDatabase {
  as(caller: { role: string }, settings: Settings): AsCallerInBytes
  /** Connections open, of these idle, and statements waiting for one. */
  counts(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** The same database with results in bytes, each transaction on a connection of its pool. `close` leaves it open. */
export function inBytes({ as, pool }: Database): ByteDatabase {
  return {
    as(caller, settings) {
      const session = as(caller, settings)
      return {
        read: (statements) => bytesOf(session.query(statements, { readOnly: true })),
        query: (statements, options) => bytesOf(session.query(statements, options)),
        dryRun: (statements, options) => bytesOf(session.dryRun(statements, options)),
      }
    },
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {},
  }
}

async function bytesOf(results: ReturnType<AsCaller['query']>): Promise<ByteRows[]> {
  const latin1 = (text: string | null) => (text === null ? null : Buffer.from(text).toString('latin1'))
  return (await results).map(({ rows }) => rows.map((row) => row.map(latin1)))
}
