// The database of requests with quick reads that share connections (see batching.ts). Transactions with an isolation
// level of their own, or that are rolled back, run on the pool of `requests`.
import { type ByteDatabase, inBytes } from '../bytes.ts'
import { type CommitFlush, HAS_WRITTEN, UNSYNCED } from '../commit-flush.ts'
import type { Database } from '../database.ts'
import { timeoutOf } from '../response-timeout.ts'
import { identity } from '../roles.ts'
import { inTransactionSpan } from '../transaction-span.ts'
import { type BatchingOptions, openBatching } from './batching.ts'

export function openBatchingDatabase(
  requests: Database,
  { commits = null, ...options }: BatchingOptions & { commits?: CommitFlush | null },
): ByteDatabase {
  const batching = openBatching(requests.url, options)
  return {
    as({ role }, settings) {
      const timeoutMs = timeoutOf(settings.statement_timeout)
      const framed = () => requests.as({ role }, settings)
      return {
        async read(statements, latency) {
          const [, ...rows] = await inTransactionSpan(role, () =>
            batching.run([identity(role, settings, true), ...statements], latency, timeoutMs),
          )
          return rows
        },
        async query(statements, options = {}) {
          if (options.isolation) {
            return { result: await inBytes(framed().query(statements, options)), onDisk: null }
          }
          const run = async (together: boolean) => {
            const first = identity(role, together ? { ...settings, ...UNSYNCED } : settings, options.readOnly)
            const last = together ? [HAS_WRITTEN] : []
            const [, ...rows] = await inTransactionSpan(role, () =>
              batching.run([first, ...statements, ...last], null, timeoutMs),
            )
            return { result: rows, written: together && rows.pop()?.[0]?.[0] === 't' }
          }
          if (options.readOnly || !commits) return { result: (await run(false)).result, onDisk: null }
          return commits.run(run)
        },
        dryRun: (statements, options) => inBytes(framed().dryRun(statements, options)),
      }
    },
    counts: () => batching.counts(),
    close: () => batching.end(),
  }
}
