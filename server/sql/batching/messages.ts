// PostgreSQL's messages as bytes: what a lane sends, gathered into one write, and what it reads, cut out of the
// chunks as they come without being copied or decoded.
// https://www.postgresql.org/docs/18/protocol-message-formats.html
import pg from 'pg'
import { SLAB, takeSlab } from './buffer-pool.ts'

const INITIAL = 16 * 1024
/** A buffer that grew beyond this for one large statement is not kept. */
const KEPT = 256 * 1024

/** Messages waiting to be written. */
export class Outgoing {
  private buffer = Buffer.allocUnsafe(INITIAL)
  private at = 0

  parse(name: string, text: string): void {
    const start = this.begin(0x50)
    this.text(name)
    this.text(text)
    this.short(0)
    this.end(start)
  }

  /** Parameters and results in text form, through the unnamed portal. */
  bind(name: string, values: readonly (string | null)[]): void {
    const start = this.begin(0x42)
    this.byte(0)
    this.text(name)
    this.short(0)
    this.short(values.length)
    for (const value of values) this.value(value)
    this.short(0)
    this.end(start)
  }

  execute(): void {
    const start = this.begin(0x45)
    this.byte(0)
    this.long(0)
    this.end(start)
  }

  closeStatement(name: string): void {
    const start = this.begin(0x43)
    this.byte(0x53)
    this.text(name)
    this.end(start)
  }

  sync(): void {
    this.end(this.begin(0x53))
  }

  /** All that was gathered, which is then gone from here. */
  take(): Buffer {
    const taken = Buffer.from(this.buffer.subarray(0, this.at))
    this.at = 0
    if (this.buffer.length > KEPT) this.buffer = Buffer.allocUnsafe(INITIAL)
    return taken
  }

  private begin(type: number): number {
    this.reserve(5)
    this.buffer[this.at] = type
    this.at += 5
    return this.at - 4
  }

  /** The length of a message counts itself and not the type before it. */
  private end(start: number): void {
    this.buffer.writeInt32BE(this.at - start, start)
  }

  private text(text: string): void {
    this.reserve(mostBytes(text) + 1)
    this.at += this.buffer.write(text, this.at)
    this.buffer[this.at++] = 0
  }

  private value(value: string | null): void {
    if (value === null) {
      this.long(-1)
      return
    }
    this.reserve(mostBytes(value) + 4)
    const bytes = this.buffer.write(value, this.at + 4)
    this.buffer.writeInt32BE(bytes, this.at)
    this.at += 4 + bytes
  }

  private byte(value: number): void {
    this.reserve(1)
    this.buffer[this.at++] = value
  }

  private short(value: number): void {
    this.reserve(2)
    this.at = this.buffer.writeUInt16BE(value, this.at)
  }

  private long(value: number): void {
    this.reserve(4)
    this.at = this.buffer.writeInt32BE(value, this.at)
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}

/** An upper bound that costs nothing for short texts, the exact number for long ones. */
function mostBytes(text: string): number {
  return text.length < 4096 ? text.length * 3 : Buffer.byteLength(text)
}

/**
 * Told of each message: its type, and where in `bytes` its content lies. The bytes change after the call, unless it was
 * allowed to keep them (`mayKeep`) and returns true.
 */
export type OnMessage = (type: number, bytes: Buffer, from: number, to: number, mayKeep: boolean) => boolean

const NOTHING = Buffer.alloc(0)

/** Cuts what a connection receives into messages. */
export class Incoming {
  /** Where a message that came in part is put together. */
  private part: Buffer = NOTHING
  private filled = 0
  /** Length of that message, or of its head while that is all that is known. */
  private whole = 0
  private readonly onMessage: OnMessage

  constructor(onMessage: OnMessage) {
    this.onMessage = onMessage
  }

  /** Takes what was received; `chunk` may be used again afterwards. */
  push(chunk: Buffer): void {
    let at = this.filled > 0 ? this.complete(chunk) : 0
    while (at + HEAD <= chunk.length) {
      const end = at + 1 + chunk.readInt32BE(at + 1)
      if (end > chunk.length) break
      this.onMessage(chunk[at] as number, chunk, at + HEAD, end, false)
      at = end
    }
    if (at < chunk.length) this.fill(chunk, at)
  }

  /** Adds to the message that came in part; returns how much of `chunk` belonged to it. */
  private complete(chunk: Buffer): number {
    const used = this.fill(chunk, 0)
    if (this.filled === this.whole) {
      this.filled = 0
      const kept = this.onMessage(this.part[0] as number, this.part, HEAD, this.whole, true)
      if (kept || this.part.length > SLAB) this.part = NOTHING
    }
    return used
  }

  /** Copies from `chunk` until the message is whole; returns up to where. */
  private fill(chunk: Buffer, from: number): number {
    if (this.filled < HEAD) this.whole = HEAD
    let at = this.copy(chunk, from)
    if (this.filled === HEAD && this.whole === HEAD) {
      this.whole = 1 + this.part.readInt32BE(1)
      at = this.copy(chunk, at)
    }
    return at
  }

  private copy(chunk: Buffer, from: number): number {
    if (this.part.length < this.whole) {
      const larger = this.whole > SLAB ? Buffer.allocUnsafeSlow(this.whole) : takeSlab()
      this.part.copy(larger, 0, 0, this.filled)
      this.part = larger
    }
    const bytes = Math.min(this.whole - this.filled, chunk.length - from)
    chunk.copy(this.part, this.filled, from, from + bytes)
    this.filled += bytes
    return from + bytes
  }
}

/** Type and length of a message. */
const HEAD = 5

/**
 * A column's value as PostgreSQL's text form in UTF-8: a string with one character for each byte, which costs the
 * garbage collector next to nothing, or a buffer where it is long, perhaps of a slab.
 */
export type Column = string | Buffer | null

/** Longer strings are not made where short-lived things are. */
const LONGEST_STRING = 8 * 1024

/** The columns of a DataRow. With `keep`, the first long one is a part of `bytes`; see `isKept`. */
export function readRow(bytes: Buffer, from: number, keep = false): Column[] {
  const columns = new Array<Column>(bytes.readUInt16BE(from))
  let mayKeep = keep
  let at = from + 2
  for (let index = 0; index < columns.length; index++) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) {
      columns[index] = null
      continue
    }
    const end = at + length
    if (length <= LONGEST_STRING) columns[index] = bytes.toString('latin1', at, end)
    else {
      columns[index] = mayKeep ? bytes.subarray(at, end) : copyOf(bytes, at, end)
      mayKeep = false
    }
    at = end
  }
  return columns
}

/** Whether one of the columns is a part of `bytes`. */
export function isKept(columns: readonly Column[], bytes: Buffer): boolean {
  for (const column of columns)
    if (column !== null && typeof column !== 'string' && column.buffer === bytes.buffer) return true
  return false
}

function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  if (to - from > SLAB) return Buffer.from(bytes.subarray(from, to))
  const slab = takeSlab()
  bytes.copy(slab, 0, from, to)
  return slab.subarray(0, to - from)
}

const FIELDS: Record<string, string> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  p: 'internalPosition',
  q: 'internalQuery',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  F: 'file',
  L: 'line',
  R: 'routine',
}

/** PostgreSQL's error as pg would throw it. */
export function readError(bytes: Buffer, from: number, to: number): pg.DatabaseError {
  const error = new pg.DatabaseError('', to - from, 'error')
  let at = from
  while (bytes[at] !== 0) {
    const end = bytes.indexOf(0, at + 1)
    const field = String.fromCharCode(bytes[at] as number)
    const text = bytes.toString('utf8', at + 1, end)
    if (field === 'M') error.message = text
    else if (FIELDS[field]) (error as unknown as Record<string, string>)[FIELDS[field]] = text
    at = end + 1
  }
  return error
}
