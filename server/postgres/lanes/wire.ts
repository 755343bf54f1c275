// PostgreSQL's messages as bytes: what a lane sends, gathered into one write, and what it reads, cut out of the
// chunks as they come without being copied or decoded.
// https://www.postgresql.org/docs/18/protocol-message-formats.html
import pg from 'pg'

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
 * Told of each message: its type, and where in `bytes` its content lies. Unless the bytes are `kept`, they change
 * after the call.
 */
export type OnMessage = (type: number, bytes: Buffer, from: number, to: number, kept: boolean) => void

/** Cuts what a connection receives into messages. */
export class Incoming {
  /** A message that came in part: its beginning, in a buffer that is as long as it, once that is known. */
  private part = Buffer.alloc(0)
  private filled = 0
  private readonly onMessage: OnMessage

  constructor(onMessage: OnMessage) {
    this.onMessage = onMessage
  }

  /** Takes what was received; `chunk` may be used again afterwards. */
  push(chunk: Buffer): void {
    let at = this.filled > 0 ? this.complete(chunk) : 0
    while (at + 5 <= chunk.length) {
      const end = at + 1 + chunk.readInt32BE(at + 1)
      if (end > chunk.length) break
      this.onMessage(chunk[at] as number, chunk, at + 5, end, false)
      at = end
    }
    if (at < chunk.length) this.keep(chunk, at)
  }

  /** The beginning of a message: into a buffer of its length, or of the length of a head while that is unknown. */
  private keep(chunk: Buffer, from: number): void {
    const whole = chunk.length - from < 5 ? 5 : 1 + chunk.readInt32BE(from + 1)
    this.part = Buffer.allocUnsafe(whole)
    this.filled = chunk.copy(this.part, 0, from)
  }

  /** Adds to the message that came in part; returns how much of `chunk` belonged to it. */
  private complete(chunk: Buffer): number {
    let used = this.fill(chunk, 0)
    if (this.filled === 5 && this.part.length === 5) {
      const whole = 1 + this.part.readInt32BE(1)
      if (whole > 5) {
        const head = this.part
        this.part = Buffer.allocUnsafe(whole)
        head.copy(this.part)
        used += this.fill(chunk, used)
      }
    }
    if (this.filled === this.part.length) {
      const { part } = this
      this.filled = 0
      this.onMessage(part[0] as number, part, 5, part.length, true)
    }
    return used
  }

  private fill(chunk: Buffer, from: number): number {
    const bytes = chunk.copy(this.part, this.filled, from)
    this.filled += bytes
    return bytes
  }
}

/** The columns of a DataRow, each a part of `bytes`. */
export function readRow(bytes: Buffer, from: number): (Buffer | null)[] {
  const columns = new Array<Buffer | null>(bytes.readUInt16BE(from))
  let at = from + 2
  for (let index = 0; index < columns.length; index++) {
    const length = bytes.readInt32BE(at)
    at += 4
    columns[index] = length < 0 ? null : bytes.subarray(at, at + length)
    if (length > 0) at += length
  }
  return columns
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
