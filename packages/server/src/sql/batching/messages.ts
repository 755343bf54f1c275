// PostgreSQL's messages, cut out of the chunks of a connection as they come, without being decoded.
// https://www.postgresql.org/docs/18/protocol-message-formats.html
import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { parse } from 'pg-protocol'
import type { Bytes } from '../bytes.ts'

/** Type and length of a message. */
const HEAD_BYTES = 5
/** Longer values are not made strings. */
const MAX_STRING_BYTES = 8 * 1024

/** Called for each message: its type, and where in `bytes` its content lies. */
export type OnMessage = (type: number, bytes: Buffer, from: number, to: number) => void

/** Cuts what a connection receives into messages. */
export class MessageReader {
  /** The beginning of a message that came in part. */
  private parts: Buffer[] = []
  private held = 0
  /** Length of that message, or of its head while that is all that is known. */
  private needed = 0
  private readonly onMessage: OnMessage

  constructor(onMessage: OnMessage) {
    this.onMessage = onMessage
  }

  push(chunk: Buffer): void {
    const bytes = this.withHeld(chunk)
    if (!bytes) return
    let at = 0
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) break
      this.onMessage(bytes[at] as number, bytes, at + HEAD_BYTES, end)
      at = end
    }
    if (at < bytes.length) this.hold(bytes.subarray(at))
  }

  /** The held bytes together with `chunk`; null while the message is incomplete. */
  private withHeld(chunk: Buffer): Buffer | null {
    if (this.held === 0) return chunk
    this.parts.push(chunk)
    this.held += chunk.length
    if (this.held < this.needed) return null
    const bytes = Buffer.concat(this.parts)
    this.parts = []
    this.held = 0
    return bytes
  }

  private hold(rest: Buffer): void {
    this.parts = [rest]
    this.held = rest.length
    this.needed = rest.length < HEAD_BYTES ? HEAD_BYTES : 1 + rest.readInt32BE(1)
  }
}

/** The columns of a DataRow; long ones are parts of `bytes`. */
export function readRow(bytes: Buffer, from: number): Bytes[] {
  const columns = new Array<Bytes>(bytes.readUInt16BE(from))
  let at = from + 2
  for (let index = 0; index < columns.length; index++) {
    const length = bytes.readInt32BE(at)
    const start = at + 4
    at = start + Math.max(length, 0)
    if (length < 0) columns[index] = null
    else if (length <= MAX_STRING_BYTES) columns[index] = bytes.toString('latin1', start, at)
    else columns[index] = bytes.subarray(start, at)
  }
  return columns
}

const errors = new EventEmitter()
let lastError: pg.DatabaseError
void parse(errors as unknown as NodeJS.ReadableStream, (message) => {
  lastError = message as pg.DatabaseError
})

/** PostgreSQL's error as pg would throw it, from an ErrorResponse whose content is there. */
export function readError(bytes: Buffer, from: number, to: number): pg.DatabaseError {
  errors.emit('data', bytes.subarray(from - HEAD_BYTES, to))
  return lastError
}
