// The database of requests with quick reads that share connections (see batching.ts). Transactions with an isolation
// level of their own, or that are rolled back, run on the pool of `requests`.

import type pg from 'pg'
import type { QueryOptions } from '../as-caller.ts'
import { type ByteDatabase, type ByteRows, inBytes } from '../bytes.ts'
import { type CommitFlush, type Committed, UNSYNCED } from '../commit-flush.ts'
import type { CommitMark } from '../commit-mark.ts'
import type { Database } from '../database.ts'
import type { LatencyEstimate } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import { throughRestarts, wasKept } from '../reconnect.ts'
import { timeoutOf } from '../response-timeout.ts'
import { identity } from '../roles.ts'
import { inTransactionSpan } from '../transaction-span.ts'
import { openBatching } from './batching.ts'
import type { BatchingOptions } from './dispatcher.ts'

export interface BatchingDatabaseOptions {
  commits?: CommitFlush | null
  /** Who finds out how a transaction ended that broke off: the owner sees more. */
  owner?: pg.Pool
}

export function openBatchingDatabase(
  requests: Database,
  { commits = null, owner = requests.pool, ...options }: BatchingOptions & BatchingDatabaseOptions,
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

      async function write(
        statements: readonly Statement[],
        mark: CommitMark,
        together: boolean,
        until?: number,
      ) {
        mark.unsynced = together
        const first = identity(role, together ? { ...settings, ...UNSYNCED } : settings)
        const sent = [first, ...statements, mark.statement]
        const rows = await inTransactionSpan(role, () =>
          batching.run(sent, null, { statementTimeoutMs, mark, until }),
        )
        return { result: { rows: rows.slice(1, -1), mark }, written: mark.written }
      }

      async function commit(
        statements: readonly Statement[],
        until = performance.now() + reconnectTimeoutMs,
      ): Promise<Committed<ByteRows[]>> {
        const attempt = {
          async run(mark: CommitMark, by?: number) {
            if (commits) return commits.run((together) => write(statements, mark, together, by))
            return { result: (await write(statements, mark, false, by)).result, onDisk: null }
          },
          kept: (mark: CommitMark) => ({
            ...{ result: { rows: mark.before.slice(1) as ByteRows[], mark }, onDisk: null },
          }),
        }
        const { result, onDisk } = await throughRestarts(owner, attempt, until)
        if (!onDisk) return { result: result.rows, onDisk }
        const known = onDisk.then(
          () => result.rows,
          async (error) => {
            if (await wasKept(owner, result.mark, error, until)) return result.rows
            const again = await commit(statements, until)
            return again.onDisk ?? again.result
          },
        )
        return { result: result.rows, onDisk: known }
      }

      return {
        read,
        async query(statements: readonly Statement[], options: QueryOptions = {}) {
          if (options.isolation) return session.query(statements, options)
          if (options.readOnly) return { result: await read(statements, null), onDisk: null }
          return commit(statements)
        },
        dryRun: session.dryRun,
      }
    },
    counts: () => batching.counts(),
    close: () => batching.end(),
  }
}
