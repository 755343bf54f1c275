// The interface for running statements, inside or outside of a caller's transaction.
import { createHash } from 'node:crypto'
import type pg from 'pg'

/** Anything that can run one statement: a pool, or the client of a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

/** The client of a transaction, which can run several in one round trip (see pipeline.ts). */
export type Transaction = pg.ClientBase

const names = new Map<string, string>()

/**
 * A statement that each connection parses once and plans a few times, for frequent statements. Its text is one of
 * few, and names its columns: with `*` it would fail once the table has another one.
 * https://www.postgresql.org/docs/18/sql-prepare.html
 */
export function prepared(text: string, values: readonly unknown[] = []): pg.QueryConfig {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url')
    names.set(text, name)
  }
  return { name, text, values: [...values] }
}
