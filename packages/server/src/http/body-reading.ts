// One body on its way into memory, in parts that cost little more than their bytes.
import type { IncomingMessage } from 'node:http'
import { BodyCutOff, BodyRefused } from './body-refused.ts'
import type { Reservation } from './memory-budget.ts'

const NOTHING = Buffer.alloc(0)
/** Parts of so many bytes and more are kept as they came: they fill half of one read from the connection. */
const LARGE_PART_BYTES = 32 * 1024
const MIN_BLOCK_BYTES = 1024
const MAX_BLOCK_BYTES = 64 * 1024

/** `start` may be called once, `refuse` at any time. */
export class BodyReading {
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
