// An exclusive lease on a resumable upload while bytes are added to it, also across servers that share the database.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../sql/database.ts'
import type { Progress } from '../backend/backend.ts'
import { tusError } from './protocol.ts'
import { findUpload, type Upload } from './uploads.ts'

/** How long a lease lasts without being renewed. */
const LEASE_SECONDS = 20
const ACQUIRE_TIMEOUT_MS = 10_000

const locked = () => tusError(423, 'The upload is being written to by another request; try again in a moment')

/** An upload under a lease. Each change fails with 423 when another request has taken the lease over. */
export interface LeasedUpload {
  upload: Upload
  declareSize(size: number): Promise<void>
  save(progress: Progress): Promise<void>
  markFinished(): Promise<void>
}

/** Requests of this process that have a lease, by upload, and how to stop them. */
const working = new Map<string, { stop: () => void; done: Promise<unknown> }>()

/**
 * Runs `work` with an exclusive lease. `stop` is called when another request wants the upload: a client that comes back
 * means that its old connection is dead. Throws 423 when the lease is not released within 10 s.
 */
export async function withLease<T>(
  database: Database,
  id: string,
  stop: () => void,
  work: (lease: LeasedUpload) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS
  for (let other = working.get(id); other; other = working.get(id)) {
    other.stop()
    await Promise.race([other.done, sleep(ACQUIRE_TIMEOUT_MS, undefined, { ref: false })])
    if (performance.now() > deadline) throw locked()
  }
  const running = hold(database, id, deadline, work)
  // Nothing is awaited between looking and entering, so that two cannot both come in.
  const entry = { stop, done: running.catch(() => {}) }
  working.set(id, entry)
  try {
    return await running
  } finally {
    working.delete(id)
  }
}

async function hold<T>(
  database: Database,
  id: string,
  deadline: number,
  work: (lease: LeasedUpload) => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const change = async (assignments: string, values: unknown[]) => {
    const { rowCount } = await database.pool.query(
      `update storage.resumable_uploads set ${assignments} where id = $1 and holder = $2`,
      [id, holder, ...values],
    )
    if (rowCount === 0) throw locked()
  }
  while (!(await acquire(database, id, holder))) {
    if (performance.now() > deadline) throw locked()
    await sleep(250)
  }
  const renewal = setInterval(
    () => void change(`held_until = now() + interval '${LEASE_SECONDS} seconds'`, []).catch(() => {}),
    (LEASE_SECONDS * 1000) / 4,
  )
  try {
    const upload = await findUpload(database, id)
    return await work({
      upload,
      async declareSize(size) {
        await change('size = $3', [size])
        upload.size = size
      },
      async save(progress) {
        const { offset, state } = progress
        await change('received = $3, progress = $4', [
          offset,
          state === undefined ? null : JSON.stringify(state),
        ])
        upload.progress = progress
      },
      async markFinished() {
        await change('finished_at = now(), progress = null', [])
        upload.finished = true
      },
    })
  } finally {
    clearInterval(renewal)
    // Should this fail, the lease runs out by itself.
    await change('holder = null, held_until = null', []).catch(() => {})
  }
}

/** Takes the lease if it is free. Throws 404 when there is no such upload. */
async function acquire(database: Database, id: string, holder: string): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `update storage.resumable_uploads set holder = $2, held_until = now() + interval '${LEASE_SECONDS} seconds'
     where id = $1 and coalesce(held_until, '-infinity') < now()`,
    [id, holder],
  )
  if (rowCount === 0) await findUpload(database, id)
  return rowCount === 1
}
