// The messages of one channel in the order they came. Those that have nothing to ask are handled at once; behind one that
// asks the database the others wait, but only so many, since what waits is memory.

import { inTime } from '../concurrency-limit.ts'
import type { Allowance } from '../limits.ts'
import type { Incoming } from './frames.ts'

/** Messages of one channel that may wait. */
const MAX_WAITING = 1000

export interface Handlers {
  handle(message: Incoming): Promise<void> | undefined
  failed(error: unknown): void
}

export class Line {
  private readonly room: Allowance
  private readonly handlers: Handlers
  private work: Promise<void> | null = null
  private waiting = 0

  /** What waits is held in `room`. */
  constructor(room: Allowance, handlers: Handlers) {
    this.room = room
    this.handlers = handlers
  }

  /** False, and nothing done, when too much waits already. */
  take(message: Incoming): boolean {
    if (!this.work) this.keep(this.begin(message))
    else {
      if (this.waiting >= MAX_WAITING || !this.room.hold(message.size)) return false
      this.waiting++
      this.keep(
        this.work.then(() => {
          this.waiting--
          this.room.release(message.size)
          return this.begin(message)
        }),
      )
    }
    return true
  }

  private begin(message: Incoming): Promise<void> | undefined {
    const work = this.handlers.handle(message)
    return work && inTime(work)
  }

  private keep(work: Promise<void> | undefined): void {
    if (!work) return
    const latest = work.catch((error: unknown) => this.handlers.failed(error))
    this.work = latest
    latest.then(() => {
      if (this.work === latest) this.work = null
    })
  }
}
