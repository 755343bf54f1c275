// The messages of one channel in the order they came: one that queries the database keeps those behind it waiting, all
// others are handled at once. The queue is bounded in number and bytes.
import { withTimeout } from '../concurrency-limit.ts'
import type { Quota } from '../limits.ts'
import type { Incoming } from './frames.ts'

/** Messages of one channel that may wait. */
const MAX_WAITING = 1000

export interface MessageHandlers {
  handle(message: Incoming): Promise<void> | undefined
  onError(error: unknown): void
}

export class MessageQueue {
  private readonly bytes: Quota
  private readonly handlers: MessageHandlers
  private last: Promise<void> | null = null
  private waiting = 0

  /** Messages that wait count against `bytes`. */
  constructor(bytes: Quota, handlers: MessageHandlers) {
    this.bytes = bytes
    this.handlers = handlers
  }

  /** False, and nothing done, when too much waits already. */
  push(message: Incoming): boolean {
    if (!this.last) this.chain(this.handle(message))
    else {
      if (this.waiting >= MAX_WAITING || !this.bytes.reserve(message.size)) return false
      this.waiting++
      this.chain(
        this.last.then(() => {
          this.waiting--
          this.bytes.release(message.size)
          return this.handle(message)
        }),
      )
    }
    return true
  }

  private handle(message: Incoming): Promise<void> | undefined {
    const work = this.handlers.handle(message)
    return work && withTimeout(work)
  }

  private chain(work: Promise<void> | undefined): void {
    if (!work) return
    const last = work.catch((error: unknown) => this.handlers.onError(error))
    this.last = last
    last.then(() => {
      if (this.last === last) this.last = null
    })
  }
}
