// The one place where bodies of requests are read. Three things are bounded: how large a body may be, how slowly it may
// come, and how many bytes of unfinished requests are in memory at once (see memory-budget.ts).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { areTiny, countChunks, watchRate } from './body-rate.ts'
import { BodyReading } from './body-reading.ts'
import { BodyRefused, type Reason } from './body-refused.ts'
import { type Exhausted, MemoryBudget, type MemoryLimits } from './memory-budget.ts'
import { answerAndClose } from './raw-answer.ts'

export interface BodiesOptions {
  memory: MemoryLimits
  /** In every so many milliseconds, 500 bytes a second have to come on average. */
  windowMs: number
  /** From which address a request comes. */
  addressOf: (incoming: IncomingMessage) => string
  /** Called with a request whose body is refused for what no client does by mistake. */
  onAbuse?: (incoming: IncomingMessage) => void
}

/** Memory for a body that is only passed on, in buffers on its way. */
const STREAM_BUFFER_BYTES = 256 * 1024
/** Overhead in bytes of each stored chunk of a body. */
const PART_OVERHEAD_BYTES = 512

interface WholeBody {
  bytes: Buffer
  /** To be called when the request was answered: until then the bytes count as held. */
  release(): void
}

interface CountedBody {
  /** So many bytes more have come; false once the body is refused. */
  part(bytes: number): boolean
  release(): void
}

export interface UnfinishedMessages {
  /** So many bytes more of a message that has not all come. */
  part(bytes: number): void
  /** The message is there, or nobody waits for it any more. */
  release(): void
}

export class Bodies {
  private readonly budget: MemoryBudget
  private readonly options: BodiesOptions

  constructor(options: BodiesOptions) {
    this.budget = new MemoryBudget(options.memory)
    this.options = options
  }

  /** Bytes of unfinished requests in memory now. */
  get held(): number {
    return this.budget.size
  }

  /** Reads a body whole. Rejects with BodyRefused or BodyCutOff. `limit` is in bytes. */
  async read(incoming: IncomingMessage, limit: number): Promise<WholeBody> {
    const { windowMs, addressOf, onAbuse } = this.options
    requireLength(incoming, limit)
    const reading = new BodyReading(incoming, limit)
    const reservation = this.budget.open(addressOf(incoming), (exhausted) =>
      reading.refuse(new BodyRefused(exhausted)),
    )
    const lacking = reservation.lacks(Number(incoming.headers['content-length'] ?? 0))
    if (lacking) {
      reservation.release()
      throw new BodyRefused(lacking)
    }
    const unwatch = watchRate(incoming, windowMs, () => reading.refuse(new BodyRefused('slow')))
    countChunks(incoming, () => {
      onAbuse?.(incoming)
      reading.refuse(new BodyRefused('chunks'))
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
  }

  /**
   * Watches a body that somebody else reads and passes on as it arrives, until the request is over.
   * Throws BodyRefused when there is no memory for it. One that comes too slowly or in too small chunks, or has to make
   * way later, is answered here and its connection closed. It may be long and its network poor: it has twice as long.
   * `refuseTooManyParts` does so where the reader finds its parts to be too many.
   */
  pass(incoming: IncomingMessage, outgoing: ServerResponse): { refuseTooManyParts(): void } {
    const { windowMs, addressOf, onAbuse } = this.options
    const turnAway = (reason: 'slow' | 'chunks' | Exhausted) => {
      if (reason === 'chunks') onAbuse?.(incoming)
      answerAndClose(incoming, outgoing, new BodyRefused(reason))
    }
    const reservation = this.budget.open(addressOf(incoming), turnAway)
    const exhausted = reservation.grow(STREAM_BUFFER_BYTES)
    if (exhausted) {
      reservation.release()
      throw new BodyRefused(exhausted)
    }
    const unwatch = watchRate(incoming, windowMs * 2, () => turnAway('slow'))
    countChunks(incoming, () => turnAway('chunks'))
    incoming.once('close', () => {
      unwatch()
      reservation.release()
    })
    return { refuseTooManyParts: () => turnAway('chunks') }
  }

  /**
   * Counts the parts of a body that somebody else reads and keeps. `refuse` is called once when it becomes too large,
   * comes too slowly or has to make way. `part` returns false from then on: the reader must keep no more.
   */
  count(incoming: IncomingMessage, limit: number, refuse: (why: BodyRefused) => void): CountedBody {
    const { windowMs, addressOf, onAbuse } = this.options
    let size = 0
    let parts = 0
    let over = false
    const end = (reason: Reason) => {
      if (over) return
      over = true
      unwatch()
      if (reason === 'chunks') onAbuse?.(incoming)
      refuse(new BodyRefused(reason))
    }
    const unwatch = watchRate(incoming, windowMs, () => end('slow'))
    countChunks(incoming, () => end('chunks'))
    const reservation = this.budget.open(addressOf(incoming), end)
    return {
      part(bytes) {
        size += bytes
        if (over) return false
        // Of what came before it was counted here, too.
        const tiny = areTiny(++parts, size) ? 'chunks' : null
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
  }

  /**
   * Counts the bytes of unfinished messages from an address, on a connection that has left HTTP. `refuse` is called when a
   * message has to make way: nothing of it may be kept then.
   */
  messages(address: string, refuse: () => void): UnfinishedMessages {
    const { grow, release } = this.budget.open(address, refuse)
    return {
      part(bytes) {
        if (grow(bytes + PART_OVERHEAD_BYTES)) refuse()
      },
      release,
    }
  }
}

/** Refuses before anything is read what says itself that it is too large. */
function requireLength(incoming: IncomingMessage, limit: number): void {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw new BodyRefused('large')
}

/** Whether a request brings a body: by its headers, as HTTP says it (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
