// Commits that wait for the disk together. A commit holds its connection until the disk has it, several milliseconds in
// which that connection does nothing else; with few connections, few transactions are in one wait. So where several are
// under way they commit without waiting, give their connection back, and then all wait for one commit on a connection of
// its own, which PostgreSQL can only finish when everything before it is on disk.
// https://www.postgresql.org/docs/18/wal-async-commit.html
import type pg from 'pg'
import type { Statement } from './pipeline.ts'

/** Settings of a transaction that commits without waiting for the disk. */
export const UNSYNCED = { synchronous_commit: 'off' } as const

/** The same as a statement of the transaction. */
export const SET_UNSYNCED: Statement = { text: `set local synchronous_commit = 'off'` }

/** Whether the transaction has written anything, and so has something to wait for. */
export const HAS_WRITTEN: Statement = {
  text: 'select pg_catalog.pg_current_xact_id_if_assigned() is not null as written',
}

/** Writes a little, so that its commit waits for the disk as the session's settings say. */
const WRITE = `select pg_catalog.pg_logical_emit_message(true, 'meadowlark', '')`

/** What a transaction gave, and when it is on disk; null where it is already. */
export type Committed<T> = { result: T; onDisk: Promise<void> | null }

export class CommitFlush {
  private underWay = 0
  /** The wait that begins when the one before it is over. */
  private next: Promise<void> | null = null
  private current: Promise<unknown> = Promise.resolve()
  private readonly pool: pg.Pool

  /** The pool has one connection, for nothing else. */
  constructor(pool: pg.Pool) {
    this.pool = pool
  }

  /**
   * Runs a transaction. `together` tells `work` to commit UNSYNCED and to say whether it has written: then `onDisk`
   * resolves when that is on disk, before which nobody may learn of it, or rejects when it stays unknown. One that is
   * alone has nobody to wait with, and waits itself.
   */
  async run<T>(work: (together: boolean) => Promise<{ result: T; written: boolean }>): Promise<Committed<T>> {
    const together = this.underWay++ > 0
    let onDisk: Promise<void> | null = null
    try {
      const { result, written } = await work(together)
      if (together && written) onDisk = this.wait()
      return { result, onDisk }
    } finally {
      const leave = () => {
        this.underWay--
      }
      if (onDisk) onDisk.then(leave, leave)
      else leave()
    }
  }

  private wait(): Promise<void> {
    this.next ??= this.current.then(() => {
      this.next = null
      const written = this.pool.query(WRITE)
      this.current = written.catch(() => {})
      return written.then(() => {})
    })
    return this.next
  }

  async close(): Promise<void> {
    await this.current
    await this.pool.end()
  }
}
