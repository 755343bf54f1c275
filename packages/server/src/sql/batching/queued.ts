// A query that waits for a connection, and how many of them fit into one batch.
import type { BatchedQuery } from './batch.ts'

export type Queued = BatchedQuery & {
  /** When it has waited for too long. */
  until: number
  retries: number
  repeats: number
  /** Was stuck: has a connection to itself. */
  alone: boolean
  /** Was skipped after another's failure: has a Sync of its own. */
  apart: boolean
}

/** Queries that do the same have the same text. */
export function kindOf({ statements }: BatchedQuery): string {
  return statements.at(-1)?.text ?? ''
}

/** Takes up to `max` queries out, as many as usually are done in `maxMs`. */
export function takeQuick(quick: Queued[], max: number, maxMs: number): Queued[] {
  let ms = 0
  let count = 0
  while (count < quick.length && count < max) {
    ms += (quick[count] as Queued).latency?.ms ?? 0
    if (ms > maxMs && count > 0) break
    count++
  }
  return quick.splice(0, count)
}
