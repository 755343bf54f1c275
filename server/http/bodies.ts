// The one place where bodies of requests are read. Three things are bounded: how large a body may be, how slowly it may
// come, and how many bytes of unfinished requests are in memory at once (see memory-budget.ts).
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Exhausted, MemoryBudget, type MemoryLimits, type Reservation } from './memory-budget.ts'

export interface BodiesOptions {
  memory: MemoryLimits
  /** In every so many milliseconds, MIN_BYTES_PER_SECOND bytes a second have to come on average. */
  windowMs: number
  /** From which address a request comes. */
  addressOf: (incoming: IncomingMessage) => string
  /** Called with a request whose body is refused for what no client does by mistake. */
  onAbuse?: (incoming: IncomingMessage) => void
}

/** Bytes a second: what the slowest of mobile connections still do. */
const MIN_BYTES_PER_SECOND = 500
/** What a body that is only passed on keeps in memory, in buffers on its way. */
const STREAM_BUFFER_BYTES = 256 * 1024
/** What each part that a body comes in costs besides its bytes, where the parts are kept as they came. */
const PART_OVERHEAD_BYTES = 512
/** After so many pieces they must have so many bytes on average. */
const MANY_PIECES = 1000
const SMALL_PIECE_BYTES = 32
/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER_SECONDS = 5

const REASONS = {
  large: [413, 'The request body is too large'],
  pieces: [413, 'The request body comes in too many small pieces'],
  slow: [408, 'The request body came too slowly'],
  address: [429, 'Too many request bodies are being read from your address; try again in a few seconds'],
  all: [503, 'Too many request bodies are being read; try again in a few seconds'],
} as const

/** A body is not read, or not to its end. The connection cannot carry another request. */
export class BodyRefused extends Error {
  readonly status: 408 | 413 | 429 | 503
  /** To be put on the answer. */
  readonly headers: Record<string, string>
  readonly reason: keyof typeof REASONS

  constructor(reason: keyof typeof REASONS) {
    const [status, message] = REASONS[reason]
    super(message)
    this.reason = reason
    this.status = status
    this.headers = {
      connection: 'close',
      ...(status === 429 || status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    }
  }
}

/** The sender went away before its end: nobody reads an answer. */
export class BodyCutOff extends Error {
  constructor() {
    super('The request body was cut off')
  }
}

export interface WholeBody {
  bytes: Buffer
  /** To be called when the request was answered: until then the bytes count as held. */
  release(): void
}

export interface Bodies {
  /** Bytes of unfinished requests in memory now. */
  readonly held: number
  /** Reads a body whole. Rejects with BodyRefused or BodyCutOff. `limit` is in bytes. */
  read(incoming: IncomingMessage, limit: number): Promise<WholeBody>
  /**
   * Watches over a body that somebody else reads and passes on as it comes; ended by itself when the request is over.
   * Throws BodyRefused when there is no room. One that comes too slowly or in too small pieces, or has to make way later,
   * is answered here and its connection closed. It may be long, and its sender on a train: it has twice as long.
   * `refuseTooManyParts` does so where the reader finds its parts to be too many.
   */
  pass(incoming: IncomingMessage, outgoing: ServerResponse): { refuseTooManyParts(): void }
  /**
   * Counts the parts of a body that somebody else reads and keeps. `refuse` is called once when it becomes too large,
   * comes too slowly or has to make way; no part is wanted from then on, which `part` says with false.
   */
  count(
    incoming: IncomingMessage,
    limit: number,
    refuse: (why: BodyRefused) => void,
  ): { part(bytes: number): boolean; release(): void }
}

export function createBodies({ memory, windowMs, addressOf, onAbuse }: BodiesOptions): Bodies {
  const budget = new MemoryBudget(memory)

  /** Calls `tooMany` once when the pieces that a body comes in are too small, and keeps back what follows. */
  function countPieces(incoming: IncomingMessage, tooMany: () => void): void {
    const { push } = incoming
    let pieces = 0
    let size = 0
    let over = false
    // Where Node's parser puts the pieces in: whoever listened for them would set the stream flowing, or take them.
    incoming.push = (chunk: Buffer | null, encoding) => {
      if (over) return true
      size += chunk?.length ?? 0
      over = areTiny(++pieces, size)
      if (!over) return push.call(incoming, chunk, encoding)
      tooMany()
      return true
    }
  }

  return {
    get held() {
      return budget.size
    },

    async read(incoming, limit) {
      requireLength(incoming, limit)
      const reading = new Reading(incoming, limit)
      const reservation = budget.open(addressOf(incoming), (exhausted) =>
        reading.refuse(new BodyRefused(exhausted)),
      )
      const lacking = reservation.lacks(Number(incoming.headers['content-length'] ?? 0))
      if (lacking) {
        reservation.release()
        throw new BodyRefused(lacking)
      }
      const unwatch = watch(incoming, windowMs, () => reading.refuse(new BodyRefused('slow')))
      countPieces(incoming, () => {
        onAbuse?.(incoming)
        reading.refuse(new BodyRefused('pieces'))
      })
      try {
        const bytes = await reading.start(reservation)
        reservation.keep()
        return { bytes, release: reservation.release }
      } catch (error) {
        reservation.release()
        throw error
      } finally {
        unwatch()
      }
    },

    pass(incoming, outgoing) {
      let reservation: Reservation | undefined
      const turnAway = (reason: 'slow' | 'pieces' | Exhausted) => {
        if (reason === 'pieces') onAbuse?.(incoming)
        answerAndClose(incoming, outgoing, new BodyRefused(reason))
      }
      reservation = budget.open(addressOf(incoming), turnAway)
      const exhausted = reservation.grow(STREAM_BUFFER_BYTES)
      if (exhausted) {
        reservation.release()
        throw new BodyRefused(exhausted)
      }
      const unwatch = watch(incoming, windowMs * 2, () => turnAway('slow'))
      countPieces(incoming, () => turnAway('pieces'))
      incoming.once('close', () => {
        unwatch()
        reservation.release()
      })
      return { refuseTooManyParts: () => turnAway('pieces') }
    },

    count(incoming, limit, refuse) {
      let size = 0
      let parts = 0
      let over = false
      const end = (reason: keyof typeof REASONS) => {
        if (over) return
        over = true
        unwatch()
        if (reason === 'pieces') onAbuse?.(incoming)
        refuse(new BodyRefused(reason))
      }
      const unwatch = watch(incoming, windowMs, () => end('slow'))
      countPieces(incoming, () => end('pieces'))
      const reservation = budget.open(addressOf(incoming), end)
      return {
        part(bytes) {
          size += bytes
          if (over) return false
          // Of what came before it was counted here, too.
          const tiny = areTiny(++parts, size) ? 'pieces' : null
          const exhausted = size > limit ? 'large' : (tiny ?? reservation.grow(bytes + PART_OVERHEAD_BYTES))
          if (exhausted) end(exhausted)
          return !over
        },
        release() {
          over = true
          unwatch()
          reservation.release()
        },
      }
    },
  }
}

/** Whether pieces are so small that taking them costs more than all that could be done with them. */
function areTiny(pieces: number, size: number): boolean {
  return pieces > MANY_PIECES && size < pieces * SMALL_PIECE_BYTES
}

/** Refuses before anything is read what says itself that it is too large. */
function requireLength(incoming: IncomingMessage, limit: number): void {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw new BodyRefused('large')
}

/** Whether a request brings a body: by its headers, as HTTP says it (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Calls `tooSlow` when the connection brings less than MIN_BYTES_PER_SECOND within `windowMs`, unless bytes
 * wait that nobody here has taken: then it is not the sender who is slow. The returned function ends the watch, as does
 * the end of the body.
 */
function watch(incoming: IncomingMessage, windowMs: number, tooSlow: () => void): () => void {
  const { socket } = incoming
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const came = socket.bytesRead - before
    before = socket.bytesRead
    if (incoming.complete || incoming.destroyed) clearInterval(timer)
    else if (came < (MIN_BYTES_PER_SECOND * windowMs) / 1000 && incoming.readableLength === 0) {
      clearInterval(timer)
      tooSlow()
    }
  }, windowMs).unref()
  return () => clearInterval(timer)
}

/** Says why on the connection itself, as Node does for heads that come too slowly, and closes it. */
function answerAndClose(incoming: IncomingMessage, outgoing: ServerResponse, why: BodyRefused): void {
  const { socket } = incoming
  parseNoMore(socket)
  if (outgoing.headersSent || !socket.writable) incoming.destroy()
  else socket.end(answerText(why.status, why.message, why.headers), () => incoming.destroy())
}

/**
 * What still comes on a connection is read and dropped without being parsed: whoever listens to its bytes takes them from
 * the parser, which for chunks of one byte works as long as for a thousand requests. It can carry no other request.
 */
export function parseNoMore(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {})
}

/** A whole answer as it stands on the wire, for where no request is there to be answered. */
export function answerText(status: number, message: string, headers: Record<string, string>): string {
  const body = JSON.stringify({ message })
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  const all = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  for (const [name, value] of Object.entries(all)) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** One body on its way into memory. */
class Reading {
  private parts: Buffer[] = []
  private size = 0
  /** The last of the parts, where small ones are put together, and how much of it is filled. */
  private block: Buffer | null = null
  private filled = 0
  private pending: { resolve(bytes: Buffer): void; reject(error: Error): void } | null = null
  private readonly incoming: IncomingMessage
  private readonly limit: number

  constructor(incoming: IncomingMessage, limit: number) {
    this.incoming = incoming
    this.limit = limit
  }

  start(reservation: Reservation): Promise<Buffer> {
    const { incoming } = this
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject }
      incoming.on('data', (chunk: Buffer) => this.take(chunk, reservation))
      incoming.once('end', () => {
        this.closeBlock()
        const [only = NOTHING, ...more] = this.parts
        this.finish()?.resolve(more.length === 0 ? only : Buffer.concat(this.parts, this.size))
        this.parts = []
      })
      // Every request closes in the end, and an error that nobody sees costs as much as reading the body.
      const cutOff = () => this.pending && this.refuse(new BodyCutOff())
      incoming.on('error', cutOff)
      incoming.once('close', cutOff)
      if (incoming.destroyed) cutOff()
    })
  }

  refuse(why: Error): void {
    this.parts = []
    this.block = null
    this.finish()?.reject(why)
  }

  private finish() {
    const { pending } = this
    this.pending = null
    return pending
  }

  private take(chunk: Buffer, reservation: Reservation): void {
    if (!this.pending) return
    if (this.size + chunk.length > this.limit) {
      this.refuse(new BodyRefused('large'))
      return
    }
    // The first is most often all there is. Small ones are put together as they come: kept as they are, parts of one
    // byte cost hundreds of times their length.
    const whole = chunk.length >= LARGE_PART_BYTES || this.size === 0
    const fits = !whole && this.block && this.filled + chunk.length <= this.block.length
    if (!fits) {
      // As large as what came so far, within bounds: one that drips holds next to nothing.
      const block = Math.max(Math.min(this.size, MAX_BLOCK_BYTES), MIN_BLOCK_BYTES, chunk.length)
      const exhausted = reservation.grow(whole ? chunk.length : block)
      // Others made way for it, or it could not be had.
      if (exhausted) this.refuse(new BodyRefused(exhausted))
      if (!this.pending) return
      this.closeBlock()
      if (!whole) this.block = Buffer.allocUnsafeSlow(block)
    }
    this.size += chunk.length
    if (whole || !this.block) this.parts.push(chunk)
    else this.filled += chunk.copy(this.block, this.filled)
  }

  private closeBlock(): void {
    if (this.block) this.parts.push(this.block.subarray(0, this.filled))
    this.block = null
    this.filled = 0
  }
}

const NOTHING = Buffer.alloc(0)
/** Parts of so many bytes and more are kept as they came: they fill half of what was read from the connection at once. */
const LARGE_PART_BYTES = 32 * 1024
const MIN_BLOCK_BYTES = 1024
const MAX_BLOCK_BYTES = 64 * 1024
