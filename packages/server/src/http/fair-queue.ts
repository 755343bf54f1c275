// How much work each caller may have under way at once: on the database, or making images. A caller with more than their
// share waits, and others go first. Only a little slow work runs at a time, which leaves a connection and a processor for the rest.
import { availableParallelism } from 'node:os'

/** One request, from when it may wait until it was answered. */
export interface Work {
  /** The caller's key. */
  caller: string
  /** Milliseconds that it is expected to take. */
  costMs: number
  /** Known to be quick: shares a connection with others (see `read` of src/sql/bytes.ts). */
  quick: boolean
  /** Whether nobody waits for its answer any more. */
  isGone(): boolean
  /** When it began to run, by performance.now(); null while it does not. */
  began: number | null
}

/** Work that was not begun: too much of its caller's own is under way (`own`), or of everybody's. */
export class Busy extends Error {
  readonly own: boolean

  constructor(own: boolean) {
    super(own ? 'Too much of yours is under way' : 'Too much is under way')
    this.own = own
  }
}

export interface FairQueueOptions {
  /** How much work that is not quick may be under way at once. */
  atOnce: number
  /** The same for one caller; by default a little more than half of it. */
  ofCaller?: number
  /** Work is refused after this time in the queue. */
  timeoutMs?: number
  processors?: number
}

/** Longer work is slow: as much of it runs at a time as there are processors, two at least, and little of each caller. */
const SLOW_MS = 100
/** Quick work that a caller may have under way, whatever else is. */
const MAX_QUICK_MS_OF_CALLER = 500
/** A caller who has so much slow work under way begins nothing that might be slow; half of all where that is less. */
const MAX_SLOW_OF_CALLER = 2
/** The same for work that was not expected to be slow. */
const MAX_LATE_OF_CALLER = 4
/** The part of the work that is not quick that one caller may have under way. */
const SHARE_OF_CALLER = 0.6
/** Requests of a caller that may wait. */
const MAX_WAITING_OF_CALLER = 200
const TIMEOUT_MS = 10_000

/** `turn`: when the caller came, or work of theirs last began or ended, counted in such events. Lower ones go first. */
type Caller = { running: Set<Work>; waiting: Waiting[]; turn: number }
type Waiting = { work: Work; since: number; begin(): void; refuse(why: Error): void }

export class FairQueue {
  private readonly callers = new Map<string, Caller>()
  private readonly running = new Set<Work>()
  private readonly slowAtOnce: number
  private readonly slowOfCaller: number
  private readonly atOnce: number
  private readonly ofCaller: number
  private readonly timeoutMs: number
  private waiting = 0
  private waitingQuick = 0
  private turns = 0
  private timer: NodeJS.Timeout | null = null

  constructor({
    atOnce,
    ofCaller = atOnce * SHARE_OF_CALLER,
    timeoutMs = TIMEOUT_MS,
    processors = availableParallelism(),
  }: FairQueueOptions) {
    this.slowAtOnce = Math.max(2, processors)
    this.slowOfCaller = Math.min(MAX_SLOW_OF_CALLER, this.slowAtOnce / 2)
    this.atOnce = atOnce
    this.ofCaller = ofCaller
    this.timeoutMs = timeoutMs
  }

  /** Begins `work` at once and returns null, or resolves when its turn has come. Rejects with Busy. */
  begin(work: Work): Promise<void> | null {
    let caller = this.callers.get(work.caller)
    if (!caller) {
      caller = { running: new Set(), waiting: [], turn: this.turns }
      this.callers.set(work.caller, caller)
    }
    // Fitting work overtakes work that does not fit: many callers may share an address, and one's slow work stops
    // nobody else.
    if (this.fits(work, caller)) {
      this.run(work, caller)
      return null
    }
    if (caller.waiting.length >= MAX_WAITING_OF_CALLER) return Promise.reject(new Busy(true))
    const { waiting } = caller
    return new Promise((begin, refuse) => {
      waiting.push({ work, since: performance.now(), begin, refuse })
      this.waiting++
      if (work.quick) this.waitingQuick++
      this.timer ??= setInterval(() => this.check(), this.timeoutMs / 40).unref()
    })
  }

  /** To be called once for all that began. */
  end(work: Work): void {
    this.running.delete(work)
    const caller = this.callers.get(work.caller)
    if (caller) {
      caller.running.delete(work)
      caller.turn = ++this.turns
      this.forgetIdle(work.caller, caller)
    }
    if (this.waiting > 0) this.admit()
  }

  /** Refuses all that wait: what they wait for has no answer for anybody, so that they need not find out one by one. */
  refuseWaiting(why: Error): void {
    for (const [name, caller] of this.callers) {
      for (const { work, refuse } of caller.waiting.splice(0)) {
        refuse(why)
        this.leaveQueue(work)
      }
      this.forgetIdle(name, caller)
    }
  }

  /** Requests under way, and those that wait for their turn. */
  counts(): { running: number; waiting: number } {
    return { running: this.running.size, waiting: this.waiting }
  }

  private run(work: Work, caller: Caller): void {
    work.began = performance.now()
    caller.turn = ++this.turns
    caller.running.add(work)
    this.running.add(work)
  }

  /** Whether `work` may begin now, given the running work of its caller and of everybody (`all`). */
  private fits(work: Work, { running }: Caller, all = () => tally(this.running)): boolean {
    // Most callers have next to nothing under way.
    if (running.size === 0 && this.running.size < Math.min(this.slowAtOnce, this.atOnce)) return true
    const own = tally(running)
    if (work.quick) return own.quickMs + work.costMs <= MAX_QUICK_MS_OF_CALLER
    if (own.unshared >= this.ofCaller || own.slow >= MAX_LATE_OF_CALLER) return false
    if (all().unshared >= this.atOnce) return false
    return work.costMs < SLOW_MS || (own.slow < this.slowOfCaller && all().slow < this.slowAtOnce)
  }

  /**
   * Begins the waiting requests that fit now. It runs after each answer, while thousands may wait: it counts the running
   * requests once, and looks through the waiting ones once for each request that it begins.
   */
  private admit(): void {
    const all = tally(this.running)
    for (let next = this.next(all); next; next = this.next(all)) {
      const [name, caller, place] = next
      const [{ work, begin, refuse }] = caller.waiting.splice(place, 1) as [Waiting]
      this.leaveQueue(work)
      if (work.isGone()) refuse(new Busy(true))
      else {
        this.run(work, caller)
        if (!work.quick) all.unshared++
        if (work.costMs >= SLOW_MS) all.slow++
        begin()
      }
      this.forgetIdle(name, caller)
    }
  }

  /**
   * The first request that fits of the caller with the least under way, among equals of the one whose last turn is longest
   * ago; null if none fits.
   */
  private next(all: Tally): [name: string, caller: Caller, place: number] | null {
    // Only quick work can begin, and none waits.
    if (all.unshared >= this.atOnce && this.waitingQuick === 0) return null
    let first: [string, Caller, number] | null = null
    for (const [name, caller] of this.callers) {
      if (caller.waiting.length === 0 || (first && !goesBefore(caller, first[1]))) continue
      const place = caller.waiting.findIndex(({ work }) => this.fits(work, caller, () => all))
      if (place >= 0) first = [name, caller, place]
    }
    return first
  }

  /** Refuses requests that have waited for too long or whose clients have gone, and begins what has become possible. */
  private check(): void {
    const now = performance.now()
    for (const [name, caller] of this.callers) {
      caller.waiting = caller.waiting.filter(({ work, since, refuse }) => {
        if (!work.isGone() && now - since <= this.timeoutMs) return true
        refuse(new Busy(work.isGone() || caller.running.size > 0))
        this.leaveQueue(work)
        return false
      })
      this.forgetIdle(name, caller)
    }
    this.admit()
    if (this.waiting > 0 || !this.timer) return
    clearInterval(this.timer)
    this.timer = null
  }

  private leaveQueue(work: Work): void {
    this.waiting--
    if (work.quick) this.waitingQuick--
  }

  private forgetIdle(name: string, { running, waiting }: Caller): void {
    if (running.size === 0 && waiting.length === 0) this.callers.delete(name)
  }
}

const goesBefore = (one: Caller, other: Caller) =>
  one.running.size < other.running.size || (one.running.size === other.running.size && one.turn < other.turn)

/** Work under way: milliseconds of quick work, how much is slow or has become so, and how much shares no connection. */
type Tally = { quickMs: number; slow: number; unshared: number }

function tally(running: ReadonlySet<Work>): Tally {
  const now = performance.now()
  let [quickMs, slow, unshared] = [0, 0, 0]
  for (const work of running) {
    if (work.quick) quickMs += work.costMs
    else unshared++
    if (Math.max(work.costMs, now - (work.began ?? now)) >= SLOW_MS) slow++
  }
  return { quickMs, slow, unshared }
}
