// Adds to the write-ahead log in a backup. The newest bytes are in small parts; those of a whole segment, and many small
// ones, are joined and compressed.

import type { BackupRepository } from './repository.ts'
import { followLog, listParts, type Part, readPart, writePart } from './wal-parts.ts'

/** Parts of one segment that may lie side by side before they are joined. */
const MAX_PARTS = 200

export interface WalArchive {
  readonly timeline: number
  /** The byte after the last that is kept; null while nothing is. */
  readonly position: bigint | null
  /** Keeps `data`, which begins at `lsn`; durable once it resolves. Bytes that are kept already are left out. */
  append(lsn: bigint, data: Buffer): Promise<void>
}

/** Opens the log of a timeline, whose segments have `segmentBytes`. `onDamage` receives parts that cannot be read back. */
export async function openWalArchive(
  repository: BackupRepository,
  {
    timeline,
    segmentBytes,
    onDamage,
  }: { timeline: number; segmentBytes: bigint; onDamage: (fault: string) => void },
): Promise<WalArchive> {
  const startOf = (lsn: bigint) => lsn - (lsn % segmentBytes)
  const kept = await listParts(repository, timeline)
  let position = kept.reduce<bigint | null>(
    (last, { end }) => (last === null || end > last ? end : last),
    null,
  )
  /** Those of the segment that is being written. */
  let parts = kept.filter(({ start }) => start >= startOf(position ?? 0n))
  let isBroken = false

  /** The small parts go when the joined one was read back. */
  async function join(): Promise<void> {
    const from = parts.reduce((least, { start }) => (start < least ? start : least), position ?? 0n)
    const pieces: Buffer[] = []
    const following = followLog([{ timeline, from, to: position }], parts, (part) =>
      readPart(repository, part),
    )
    for (;;) {
      const next = await following.next()
      if (!next.done) pieces.push(next.value.data)
      else if (next.value.fault) {
        isBroken = true
        return onDamage(next.value.fault)
      } else break
    }
    const joined = await writePart(repository, {
      timeline,
      start: from,
      data: Buffer.concat(pieces),
      compressed: true,
    })
    await readPart(repository, joined)
    const old = parts.filter(({ name }) => name !== joined.name)
    parts = [joined]
    await repository.remove(old.map(({ name }) => name))
  }

  return {
    timeline,
    get position() {
      return position
    },
    async append(lsn, data) {
      const skip = position !== null && position > lsn ? Number(position - lsn) : 0
      // No part reaches beyond its segment, so that segments are joined one by one.
      for (let from = skip; from < data.length; ) {
        const start = lsn + BigInt(from)
        const end = startOf(start) + segmentBytes
        const to = Math.min(data.length, from + Number(end - start))
        if (parts.some((part: Part) => startOf(part.start) !== startOf(start))) {
          parts = []
          isBroken = false
        }
        const part = await writePart(repository, {
          timeline,
          start,
          data: data.subarray(from, to),
          compressed: false,
        })
        parts.push(part)
        position = part.end
        if (!isBroken && parts.length > 1 && (part.end === end || parts.length > MAX_PARTS)) await join()
        from = to
      }
    },
  }
}
