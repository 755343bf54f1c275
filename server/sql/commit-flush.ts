// Commits that wait for the disk together. A commit holds its connection until the disk has it, several milliseconds in
// which that connection does nothing else; with few connections, few transactions are in one wait. So where several are
// under way they commit without waiting, give their connection back, and then all wait for one commit on a connection of
// its own, which PostgreSQL can only finish when everything before it is on disk.
// https://www.postgresql.org/docs/18/wal-async-commit.html
import type pg from 'pg'
import { withClient } from './client.ts'
import { Reconnected } from './errors.ts'
import type { Statement } from './pipeline.ts'

/** Settings of a transaction that commits without waiting for the disk. */
export const UNSYNCED = { synchronous_commit: 'off' } as const

/** The same as a statement of the transaction. */
export const SET_UNSYNCED: Statement = { text: `set local synchronous_commit = 'off'` }

/** Writes a little, so that its commit waits for the disk as the session's settings say. */
export const WAIT_FOR_DISK = `select pg_catalog.pg_logical_emit_message(true, 'meadowlark', '')`

/** What a transaction gave, and what it has given once that is on disk; null where it is already. */
export type Committed<T> = { result: T; onDisk: Promise<T> | null }

export class CommitFlush {
  private underWay = 0
  /** The wait that begins when the one before it is over. */
  private next: Promise<number> | null = null
  private current: Promise<unknown> = Promise.resolve()
  private readonly pool: pg.Pool
  private readonly connectedAt = new WeakMap<pg.ClientBase, number>()

  /** The pool has one connection, for nothing else. */
  constructor(pool: pg.Pool) {
    this.pool = pool
    pool.on('connect', (client) => this.connectedAt.set(client, performance.now()))
  }

  /**
   * Runs a transaction. `together` tells `work` to commit UNSYNCED and to say whether it has written: then `onDisk`
   * resolves when that is on disk, before which nobody may learn of it, or rejects when that is unknown. One that is
   * alone has nobody to wait with, and waits itself.
   */
  async run<T>(work: (together: boolean) => Promise<{ result: T; written: boolean }>): Promise<Committed<T>> {
    const together = this.underWay++ > 0
    let onDisk: Promise<T> | null = null
    try {
      const { result, written } = await work(together)
      if (together && written) onDisk = this.wait().then(() => result)
      return { result, onDisk }
    } finally {
      const leave = () => {
        this.underWay--
      }
      if (onDisk) onDisk.then(leave, leave)
      else leave()
    }
  }

  private async wait(): Promise<void> {
    const committedAt = performance.now()
    this.next ??= this.current.then(() => {
      this.next = null
      const written = this.write()
      this.current = written.catch(() => {})
      return written
    })
    if ((await this.next) > committedAt) throw new Reconnected()
  }

  /** Resolves with when its connection was opened. */
  private async write(): Promise<number> {
    return withClient(this.pool, async (client) => {
      await client.query(WAIT_FOR_DISK)
      return this.connectedAt.get(client) ?? Number.POSITIVE_INFINITY
    })
  }

  async close(): Promise<void> {
    await this.current
    await this.pool.end()
  }
}
