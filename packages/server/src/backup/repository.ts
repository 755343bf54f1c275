// Where backups are kept: the one interface over a folder and a bucket of S3.
import type { Readable } from 'node:stream'

/**
 * Bytes that are read, packed and unpacked at once. Each piece goes to another thread and back, which takes longer than its
 * work where the machine is busy: with Node's own 16 KB a gigabyte took four times as long.
 */
export const CHUNK_BYTES = 1024 * 1024

/** A file of a backup as list() returns it; `size` counts bytes. */
export type KeptFile = { name: string; size: number; writtenAt: Date }

export interface BackupRepository {
  /** Keeps `body` under `name`, whole or not at all, in place of an earlier file. Durable once it resolves. */
  write(name: string, body: Readable | Buffer): Promise<void>
  /** Rejects when there is no such file. */
  read(name: string): Promise<Readable>
  /** Every file whose name begins with `prefix`, a folder's name with its slash; in the order of their names. */
  list(prefix: string): Promise<KeptFile[]>
  /** Files that are not there count as removed. */
  remove(names: string[]): Promise<void>
  close(): void
}
