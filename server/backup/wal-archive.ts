// The write-ahead log as it is kept in a backup: wal/<timeline>/<first byte>-<byte after the last>, in hexadecimal.
// What came lately lies in small parts; those of a whole segment, and many small ones, are joined and compressed.
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { hex, segmentName } from './lsn.ts'
import type { BackupPlace } from './place.ts'

/** Parts of one segment that may lie side by side before they are joined. */
const MAX_PARTS = 200

type Part = { name: string; start: bigint; end: bigint }

export interface WalArchive {
  readonly timeline: number
  /** The byte after the last that is kept; null while nothing is. */
  readonly position: bigint | null
  /** Keeps `data`, which begins at `lsn`; durable once it resolves. What is there already is left out. */
  append(lsn: bigint, data: Buffer): Promise<void>
  /** Removes what lies wholly before `lsn`. */
  removeBefore(lsn: bigint): Promise<void>
  /** Segments from the one of `lsn` on, by name, the last filled with zeros; ends where something is missing. */
  segments(lsn: bigint): AsyncIterable<{ name: string; data: Buffer }>
}

/** Opens the archive of a timeline, whose segments have `segmentBytes`. */
export async function openWalArchive(
  place: BackupPlace,
  { timeline, segmentBytes }: { timeline: number; segmentBytes: bigint },
): Promise<WalArchive> {
  const folder = `wal/${hex(BigInt(timeline), 8)}/`
  let parts = (await place.list(folder)).map(({ name }) => readName(name))
  const startOf = (lsn: bigint) => lsn - (lsn % segmentBytes)

  const keep = async (start: bigint, data: Buffer, compressed: boolean): Promise<Part> => {
    const end = start + BigInt(data.length)
    const name = `${folder}${hex(start, 16)}-${hex(end, 16)}${compressed ? '.gz' : ''}`
    await place.write(name, compressed ? await promisify(gzip)(data, { level: 4 }) : data)
    return { name, start, end }
  }
  const load = async ({ name }: Part): Promise<Buffer> => {
    const data = await buffer(await place.read(name))
    return name.endsWith('.gz') ? promisify(gunzip)(data) : data
  }
  /** The parts from `lsn` on that follow each other without a gap, without those that others contain. */
  const following = (lsn: bigint): Part[] => {
    const found: Part[] = []
    let reached = lsn
    for (const part of parts.toSorted(byStart)) {
      if (part.end <= reached) continue
      if (part.start > reached) break
      // Of two that begin here, the sort has put the longer first.
      found.push(part)
      reached = part.end
    }
    return found
  }
  const bytesOf = async (from: bigint, chosen: Part[]): Promise<Buffer> => {
    const pieces: Buffer[] = []
    let reached = from
    for (const part of chosen) {
      pieces.push((await load(part)).subarray(Number(reached - part.start)))
      reached = part.end
    }
    return Buffer.concat(pieces)
  }

  /** Joins the parts of a segment into one. The old ones go when the new one is there. */
  async function join(segment: bigint): Promise<void> {
    const end = segment + segmentBytes
    const own = parts.filter((part) => part.start >= segment && part.end <= end).toSorted(byStart)
    const first = own[0]
    if (!first || own.length === 1) return
    const chosen = following(first.start).filter((part) => part.end <= end)
    const joined = await keep(first.start, await bytesOf(first.start, chosen), true)
    const old = own.filter(
      (part) => part.name !== joined.name && part.start >= joined.start && part.end <= joined.end,
    )
    parts = [...parts.filter((part) => !old.includes(part)), joined]
    await place.remove(old.map(({ name }) => name))
  }

  const position = () =>
    parts.reduce<bigint | null>((last, { end }) => (last === null || end > last ? end : last), null)

  return {
    timeline,
    get position() {
      return position()
    },
    async append(lsn, data) {
      const known = position()
      const skip = known !== null && known > lsn ? Number(known - lsn) : 0
      // No part reaches beyond its segment, so that segments are joined one by one.
      for (let from = skip; from < data.length; ) {
        const start = lsn + BigInt(from)
        const segment = startOf(start)
        const to = Math.min(data.length, from + Number(segment + segmentBytes - start))
        const part = await keep(start, data.subarray(from, to), false)
        parts.push(part)
        const count = parts.filter(({ start: each }) => startOf(each) === segment).length
        if (part.end === segment + segmentBytes || count > MAX_PARTS) await join(segment)
        from = to
      }
    },
    async removeBefore(lsn) {
      const old = parts.filter(({ end }) => end <= startOf(lsn))
      parts = parts.filter((part) => !old.includes(part))
      await place.remove(old.map(({ name }) => name))
    },
    async *segments(lsn) {
      const chosen = following(startOf(lsn))
      for (let segment = startOf(lsn); ; segment += segmentBytes) {
        const own = chosen.filter((part) => part.start >= segment && part.start < segment + segmentBytes)
        if (own.length === 0) return
        const data = Buffer.alloc(Number(segmentBytes))
        ;(await bytesOf(segment, own)).copy(data)
        yield { name: segmentName(timeline, segment, segmentBytes), data }
      }
    },
  }
}

const byStart = (a: Part, b: Part) =>
  a.start !== b.start ? (a.start < b.start ? -1 : 1) : a.end > b.end ? -1 : 1

function readName(name: string): Part {
  const [, start = '', end = ''] = /([0-9A-F]{16})-([0-9A-F]{16})(?:\.gz)?$/.exec(name) ?? []
  return { name, start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) }
}
