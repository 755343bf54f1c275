// The parts of the write-ahead log in a backup: wal/<timeline>/<checksum>-<first byte>-<byte after the last>[.gz]. Numbers
// are hexadecimal; the checksum is the beginning of the SHA-256 of the log's bytes. Earlier versions wrote none.
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DamagedError, unreadable } from './damage.ts'
import { formatLsn, hex } from './lsn.ts'
import type { BackupRepository } from './repository.ts'

export interface Part {
  name: string
  timeline: number
  /** Its first byte, and the byte after its last. */
  start: bigint
  end: bigint
  /** Bytes of the file. */
  size: number
  writtenAt: Date
  /** Null in parts that an earlier version wrote. */
  checksum: string | null
}

/** A piece of a timeline's log; `to` is the byte after its last, null for everything there is. */
export interface Stretch {
  timeline: number
  from: bigint
  to: bigint | null
}

/** The end of what can be read of a log. */
export interface LogEnd {
  lsn: bigint
  /** The timeline of the last byte. */
  timeline: number
  /** When the last part before it was written; null without a part. */
  at: Date | null
  /** Why the log cannot be read further; null at the end of everything that was kept. */
  fault: string | null
}

const NAME = /^wal\/([0-9A-F]{8})\/(?:([0-9a-f]{16})-)?([0-9A-F]{16})-([0-9A-F]{16})(?:\.gz)?$/
const CHECKSUM_DIGITS = 16

const checksumOf = (data: Buffer) => createHash('sha256').update(data).digest('hex').slice(0, CHECKSUM_DIGITS)

/** Every part of one timeline, or of all of them. */
export async function listParts(repository: BackupRepository, timeline?: number): Promise<Part[]> {
  const files = await repository.list(timeline === undefined ? 'wal/' : `wal/${hex(BigInt(timeline), 8)}/`)
  return files.flatMap(({ name, size, writtenAt }) => {
    const [, folder, checksum = null, start, end] = NAME.exec(name) ?? []
    if (!folder) return []
    const position = { start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) }
    return [{ name, timeline: Number.parseInt(folder, 16), ...position, size, writtenAt, checksum }]
  })
}

/** Keeps `data`, which begins at `start`; durable once it resolves. */
export async function writePart(
  repository: BackupRepository,
  {
    timeline,
    start,
    data,
    compressed,
  }: { timeline: number; start: bigint; data: Buffer; compressed: boolean },
): Promise<Part> {
  const end = start + BigInt(data.length)
  const checksum = checksumOf(data)
  const name = `wal/${hex(BigInt(timeline), 8)}/${checksum}-${hex(start, 16)}-${hex(end, 16)}${compressed ? '.gz' : ''}`
  const content = compressed ? await promisify(gzip)(data, { level: 4 }) : data
  await repository.write(name, content)
  return { name, timeline, start, end, size: content.length, writtenAt: new Date(), checksum }
}

/** The log's bytes of a part. Throws DamagedError unless they are the ones that were written. */
export async function readPart(
  repository: BackupRepository,
  { name, start, end, checksum }: Part,
): Promise<Buffer> {
  try {
    const content = await buffer(await repository.read(name))
    const data = name.endsWith('.gz') ? await promisify(gunzip)(content) : content
    if (BigInt(data.length) !== end - start)
      throw new DamagedError(
        `${name} is damaged: it has ${data.length} bytes of the log instead of ${end - start}`,
      )
    if (checksum !== null && checksumOf(data) !== checksum)
      throw new DamagedError(`${name} is damaged: its checksum differs`)
    return data
  } catch (error) {
    throw unreadable(name, error)
  }
}

/** Looks at a part's size alone, without reading it. Throws DamagedError where that is wrong. */
export async function weighPart({ name, start, end, size }: Part): Promise<Buffer> {
  if (name.endsWith('.gz') ? size > 0 : BigInt(size) === end - start) return Buffer.alloc(0)
  throw new DamagedError(`${name} is damaged: it has ${size} bytes instead of ${end - start}`)
}

/**
 * Follows the log along `path`: yields each piece with the byte at which it begins, and returns where that ends. Of parts
 * that hold the same bytes, one that cannot be loaded does not matter.
 */
export async function* followLog(
  path: readonly Stretch[],
  parts: readonly Part[],
  load: (part: Part) => Promise<Buffer>,
): AsyncGenerator<{ timeline: number; from: bigint; data: Buffer }, LogEnd> {
  const [first] = path
  let [reached, last, at] = [first?.from ?? 0n, first?.timeline ?? 1, null as Date | null]
  for (const { timeline, to } of path) {
    const left = parts.filter((part) => part.timeline === timeline).sort(byStart)
    let damage: string | null = null
    while (to === null || reached < to) {
      const part = partAt(left, reached)
      if (!part)
        return { lsn: reached, timeline: last, at, fault: damage ?? missing(left, timeline, reached, to) }
      let data: Buffer
      try {
        data = await load(part)
      } catch (error) {
        if (!(error instanceof DamagedError)) throw error
        damage ??= error.message
        left.splice(left.indexOf(part), 1)
        continue
      }
      const end = to !== null && to < part.end ? to : part.end
      yield {
        timeline,
        from: reached,
        data: data.subarray(Number(reached - part.start), Number(end - part.start)),
      }
      ;[reached, last, at, damage] = [end, timeline, part.writtenAt, null]
    }
  }
  return { lsn: reached, timeline: last, at, fault: null }
}

/** Times that a log with a fault is looked at anew: a running server joins parts while they are read. */
const LOOKS = 3

/** Calls `follow` with the parts that there are, and again where the log has a fault: they may have been joined meanwhile. */
export async function withParts(
  repository: BackupRepository,
  follow: (parts: Part[]) => Promise<LogEnd>,
): Promise<LogEnd> {
  for (let look = 1; ; look++) {
    const end = await follow(await listParts(repository))
    if (!end.fault || look === LOOKS) return end
  }
}

/** Follows the log to its end without keeping any of it. */
export function endOfLog(
  repository: BackupRepository,
  path: readonly Stretch[],
  load: (part: Part) => Promise<Buffer>,
): Promise<LogEnd> {
  return withParts(repository, async (parts) => {
    const pieces = followLog(path, parts, load)
    for (;;) {
      const next = await pieces.next()
      if (next.done) return next.value
    }
  })
}

const byStart = (a: Part, b: Part) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)

/** The longest part that has the byte at `lsn`; those before it are dropped from `sorted`. */
function partAt(sorted: Part[], lsn: bigint): Part | undefined {
  let past = 0
  while ((sorted[past]?.end ?? lsn + 1n) <= lsn) past += 1
  sorted.splice(0, past)
  let found: Part | undefined
  for (const part of sorted) {
    if (part.start > lsn) break
    if (part.end > lsn && part.end > (found?.end ?? 0n)) found = part
  }
  return found
}

/** Null where nothing follows, and nothing has to. */
function missing(left: Part[], timeline: number, lsn: bigint, to: bigint | null): string | null {
  const end = left.find(({ start }) => start > lsn)?.start ?? to
  return end === null
    ? null
    : `the log of timeline ${timeline} from ${formatLsn(lsn)} to ${formatLsn(end)} is missing (${end - lsn} bytes)`
}
