// Removes and moves files by the storage service, so that the bytes go with the rows: on hosted Supabase there is no other
// way to them.
import { type Environment, storageAsService } from './supabase.ts'

export type StoredFile = { bucket_id: string; name: string }

/**
 * Removes what `list` answers, again and again, until it answers nothing; resolves with how many there were. Several calls may
 * remove the same files at once. Rejects when the service removes none of them twice in a row.
 */
export async function removeFiles(env: Environment, list: () => Promise<StoredFile[]>): Promise<number> {
  const storage = storageAsService(env)
  let count = 0
  let idle = false
  for (;;) {
    const files = await list()
    if (files.length === 0) return count
    let removed = 0
    for (const bucket of new Set(files.map(({ bucket_id }) => bucket_id))) {
      const names = files.filter(({ bucket_id }) => bucket_id === bucket).map(({ name }) => name)
      const { data, error } = await storage.from(bucket).remove(names)
      if (error) throw error
      removed += data.length
    }
    if (removed === 0 && idle) throw new Error(`none of ${files.length} files was removed`)
    idle = removed === 0
    count += removed
  }
}

export type MovedFile = { name: string; from_bucket: string; to_bucket: string }

/**
 * Moves what `list` answers to a bucket of the same project, again and again, until it answers nothing. A file that somebody
 * else moved meanwhile is skipped. Rejects with the last failure when nothing could be moved twice in a row.
 */
export async function moveFiles(env: Environment, list: () => Promise<MovedFile[]>): Promise<void> {
  const storage = storageAsService(env)
  let idle = false
  for (;;) {
    const files = await list()
    if (files.length === 0) return
    let failure: unknown
    let moved = 0
    for (const { name, from_bucket, to_bucket } of files) {
      const { error } = await storage.from(from_bucket).move(name, name, { destinationBucket: to_bucket })
      if (error) failure = error
      else moved++
    }
    if (moved === 0 && idle) throw failure
    idle = moved === 0
  }
}
