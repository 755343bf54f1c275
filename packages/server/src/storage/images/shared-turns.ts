// Makes each result once for everybody who waits for it. Every request waits in the fair queue for its own caller's turn, and
// the first turn makes the result for all of them, so nobody waits behind another caller's requests for the same image.
import type { FairQueue, Work } from '../../http/fair-queue.ts'
import type { RequestContext } from '../../http/request-context.ts'

interface Wanted<Result> {
  result: Promise<Result>
  resolve(result: Result): void
  reject(error: unknown): void
  begun: boolean
  /** How many requests wait for it. */
  requests: number
}

export class SharedTurns<Result> {
  private readonly queue: FairQueue
  private readonly wanted = new Map<string, Wanted<Result>>()

  constructor(queue: FairQueue) {
    this.queue = queue
  }

  /** The result of `make` for `key`, once a caller who wants it gets a turn. Rejects with Busy if no turn comes. */
  async get(
    key: string,
    { queueKey, signal }: Pick<RequestContext, 'queueKey' | 'signal'>,
    make: () => Promise<Result>,
  ): Promise<Result> {
    const wanted = this.wanted.get(key) ?? this.open(key)
    // Its cost is not known in advance; the queue notices by itself what takes long.
    const work: Work = {
      caller: queueKey,
      costMs: 0,
      quick: false,
      began: null,
      isGone: () => wanted.begun || signal.aborted,
    }
    wanted.requests++
    try {
      if (!wanted.begun) await this.turn(work, wanted)
      if (!wanted.begun) {
        wanted.begun = true
        make().then(wanted.resolve, wanted.reject)
      }
      return await wanted.result
    } finally {
      if (work.began !== null) this.queue.end(work)
      if (--wanted.requests === 0) this.wanted.delete(key)
    }
  }

  /** Resolves once `work` may begin, or somebody else's has made the result. */
  private async turn(work: Work, wanted: Wanted<Result>): Promise<void> {
    const turn = this.queue.begin(work)
    if (!turn) return
    const own = turn.catch((busy) => {
      if (!wanted.begun) throw busy
    })
    await Promise.race([own, wanted.result])
  }

  private open(key: string): Wanted<Result> {
    const opened = { begun: false, requests: 0 } as Wanted<Result>
    opened.result = new Promise((resolve, reject) => Object.assign(opened, { resolve, reject }))
    this.wanted.set(key, opened)
    return opened
  }
}
