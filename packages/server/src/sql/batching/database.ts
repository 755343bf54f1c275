// The database of requests with quick reads that share connections (see batching.ts). Transactions that set an
// isolation level, or that are rolled back, run on the pool of `requests`.

import type pg from 'pg'
import type { QueryOptions } from '../as-caller.ts'
import { type ByteDatabase, type ByteRows, inBytes } from '../bytes.ts'
import type { CommitMark } from '../commit-mark.ts'
import type { Database } from '../database.ts'
import type { LatencyEstimate } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import { throughRestarts } from '../reconnect.ts'
import { timeoutOf } from '../response-timeout.ts'
import { identity } from '../roles.ts'
import { inTransactionSpan } from '../transaction-span.ts'
import { openBatching } from './batching.ts'
import type { BatchingOptions } from './dispatcher.ts'

export interface BatchingDatabaseOptions {
  /** Finds out how an interrupted transaction ended. The owner sees more than the caller. */
  owner?: pg.Pool
}

export function openBatchingDatabase(
  requests: Database,
  { owner = requests.pool, ...options }: BatchingOptions & BatchingDatabaseOptions,
): ByteDatabase {
  const batching = openBatching(requests.url, options)
  const unbatched = inBytes(requests)
  const { reconnectTimeoutMs = 0 } = options
  return {
    as({ role }, settings) {
      const statementTimeoutMs = timeoutOf(settings.statement_timeout)
      const session = unbatched.as({ role }, settings)

      const read = async (statements: readonly Statement[], latency: LatencyEstimate | null) => {
        const sent = [identity(role, settings, true), ...statements]
        const rows = await inTransactionSpan(role, () =>
          batching.run(sent, latency, { statementTimeoutMs, mark: null }),
        )
        return rows.slice(1)
      }

      async function write(statements: readonly Statement[]): Promise<ByteRows[]> {
        const attempt = {
          async run(mark: CommitMark, until?: number) {
            const sent = [identity(role, settings), ...statements, mark.statement]
            const rows = await inTransactionSpan(role, () =>
              batching.run(sent, null, { statementTimeoutMs, mark, until }),
            )
            return rows.slice(1, -1)
          },
          kept: (mark: CommitMark) => mark.before.slice(1) as ByteRows[],
        }
        return throughRestarts(owner, attempt, performance.now() + reconnectTimeoutMs)
      }

      return {
        read,
        async query(statements: readonly Statement[], options: QueryOptions = {}) {
          if (options.isolation) return session.query(statements, options)
          return options.readOnly ? read(statements, null) : write(statements)
        },
        dryRun: session.dryRun,
      }
    },
    counts: () => batching.counts(),
    close: () => batching.end(),
  }
}
