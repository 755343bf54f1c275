// What a function takes that runs statements, in a transaction of its caller's or outside of one.
import type pg from 'pg'

/** Anything that can run one statement: a pool, or the client of a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>
