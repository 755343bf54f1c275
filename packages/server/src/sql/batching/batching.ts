// Sends queries to PostgreSQL on a few connections. Writing to a connection and being woken by it costs this process
// more than everything else in a small query. So queries of quick kinds share connections: those that arrive together
// leave in one write and come back in one read. Anything else gets a connection to itself, so nothing waits behind
// what may be slow.

import type { ByteRows } from '../bytes.ts'
import { CONNECT_TIMEOUT_MS } from '../client.ts'
import type { CommitMark } from '../commit-mark.ts'
import type { LatencyEstimate } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import { type BatchingOptions, Dispatcher } from './dispatcher.ts'

export interface Batching {
  /**
   * Runs `statements` in one transaction and resolves with the rows of each. Rejects with PostgreSQL's error
   * (pg.DatabaseError) or a connection failure (see isUnavailable in errors.ts).
   *
   * `latency` is that of queries of this kind, and only for such as change nothing: they share transactions'
   * frames, and one that turns out to be stuck behind another is sent once more elsewhere. `statementTimeoutMs` is what
   * the statements set for themselves; null where they leave it as the session has it. `mark` is by which is found out
   * how they ended, null for such as change nothing: these are sent again when PostgreSQL restarts. `until` is how long
   * a connection is waited for, by performance.now().
   */
  run(
    statements: readonly Statement[],
    latency: LatencyEstimate | null,
    options?: { statementTimeoutMs?: number | null; mark?: CommitMark | null; until?: number | undefined },
  ): Promise<ByteRows[]>
  /** Connections open, of these idle, and queries waiting for one. */
  counts(): { open: number; idle: number; waiting: number }
  end(): Promise<void>
}

const STOPS = 'Connection terminated: the server stops'

export function openBatching(url: string, options: BatchingOptions): Batching {
  const dispatcher = new Dispatcher(url, options)
  return {
    run: (statements, latency, { statementTimeoutMs = null, mark = null, until } = {}) =>
      new Promise((resolve, reject) => {
        if (dispatcher.ended) {
          reject(new Error(STOPS))
          return
        }
        dispatcher.add({
          statements,
          latency,
          statementTimeoutMs,
          mark,
          resolve,
          reject,
          until: until ?? performance.now() + CONNECT_TIMEOUT_MS,
          retries: 0,
          repeats: 0,
          alone: false,
          apart: false,
        })
      }),
    counts: () => dispatcher.counts(),
    end: () => dispatcher.end(new Error(STOPS)),
  }
}
