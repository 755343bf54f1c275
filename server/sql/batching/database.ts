// The database of requests with quick reads that share connections (see batching.ts). Transactions with an isolation
// level of their own, or that are rolled back, run on the pool of `requests`.
import { type ByteDatabase, inBytes } from '../bytes.ts'
import type { Database } from '../database.ts'
import { timeoutOf } from '../response-timeout.ts'
import { identity } from '../roles.ts'
import { type BatchingOptions, openBatching } from './batching.ts'

export function openBatchingDatabase(requests: Database, options: BatchingOptions): ByteDatabase {
  const batching = openBatching(requests.url, options)
  return {
    as({ role }, settings) {
      const timeoutMs = timeoutOf(settings.statement_timeout)
      const framed = () => requests.as({ role }, settings)
      return {
        async read(statements, latency) {
          const [, ...rows] = await batching.run(
            [identity(role, settings, true), ...statements],
            latency,
            timeoutMs,
          )
          return rows
        },
        async query(statements, options = {}) {
          if (options.isolation) return inBytes(framed().query(statements, options))
          const first = identity(role, settings, options.readOnly)
          const [, ...rows] = await batching.run([first, ...statements], null, timeoutMs)
          return rows
        },
        dryRun: (statements, options) => inBytes(framed().dryRun(statements, options)),
      }
    },
    counts: () => batching.counts(),
    close: () => batching.end(),
  }
}
