// Parses Range headers and writes multipart/byteranges bodies: RFC 9110, section 14.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ByteRange } from '../backend/backend.ts'

/** More ranges than this are ignored: they would make the answer larger than the file. */
const MAX_RANGES = 50

/**
 * The parts that a Range header asks for, overlapping ones joined; 'whole' when the header is to be ignored, 'none'
 * when nothing it names is there (416).
 */
export function requestedRanges(header: string | undefined, size: number): ByteRange[] | 'whole' | 'none' {
  const list = /^\s*bytes\s*=(.*)$/i.exec(header ?? '')?.[1]?.split(',')
  if (!list || list.length > MAX_RANGES) return 'whole'
  const ranges: ByteRange[] = []
  for (const text of list) {
    const [, first, last] = /^\s*(\d*)-(\d*)\s*$/.exec(text) ?? []
    // A header that makes no sense counts as none: RFC 9110, 14.2.
    if (first === undefined || last === undefined || (!first && !last)) return 'whole'
    if (first && last && Number(last) < Number(first)) return 'whole'
    const start = first ? Number(first) : Math.max(size - Number(last), 0)
    const end = first && last ? Math.min(Number(last), size - 1) : size - 1
    if (start <= end) ranges.push({ start, end })
  }
  return ranges.length > 0 ? joined(ranges) : 'none'
}

/** In the order of the file, each byte once. */
function joined(ranges: ByteRange[]): ByteRange[] {
  const result: ByteRange[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last && range.start <= last.end + 1) last.end = Math.max(last.end, range.end)
    else result.push(range)
  }
  return result
}

/** Several parts as `multipart/byteranges`: the type, the length in bytes and the body. */
export function multipart(
  ranges: ByteRange[],
  {
    size,
    contentType,
    open,
  }: { size: number; contentType: string; open(range: ByteRange): Promise<Readable> },
): { contentType: string; length: number; body(): Readable } {
  const boundary = randomUUID()
  const heads = ranges.map(({ start, end }) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: bytes ${start}-${end}/${size}\r\n\r\n`,
      'latin1',
    ),
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const contents = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0)
  async function* parts() {
    for (const [index, range] of ranges.entries()) {
      yield heads[index] as Buffer
      yield* await open(range)
    }
    yield tail
  }
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    length: heads.reduce((sum, head) => sum + head.length, 0) + contents + tail.length,
    body: () => Readable.from(parts(), { objectMode: false }),
  }
}
