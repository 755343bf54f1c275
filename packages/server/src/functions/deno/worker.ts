// Keeps the Deno process of one function warm: starts it at the first request, again after a crash or a change of its
// sources, ends it when it has been idle or is stuck. Requests go through it.
import { resourceLimit, thrown, workerError } from '../errors.ts'
import { changed, type Stamps, stamped } from '../source-stamps.ts'
import { whenRead } from '../streams.ts'
import type { Held } from '../websocket.ts'
import type { DenoProcess, Ending } from './process.ts'
import { send } from './request.ts'
import { type Usage, usageOf } from './usage.ts'

export type WorkerOptions = {
  start: () => Promise<DenoProcess>
  /** The files the function is made of, for a restart when one changes; none outside development. */
  sources: () => Promise<string[]>
  /** An idle process is ended after this many milliseconds. */
  idleAfter: number
  /** While it works on a request, a process must react within this many milliseconds. */
  reactsWithin: number
  /** Called when a process ended by itself, with the number of requests it worked on. */
  onCrash: (ending: Ending, working: number) => void
  /** Called with why a process is ended for what it uses, and of answers that are no HTTP. */
  onTrouble: (words: string) => void
}

export type Worker = {
  /** The function's answer, or the platform's when it ended meanwhile. Throws a BootError, or the reason of `signal`. */
  fetch(request: Request, signal: AbortSignal): Promise<Response>
  /** Where its process listens, for a connection that stays open; it counts as work until `release`. */
  hold(): Promise<Held>
  /** Ends a process that uses too much of the machine; to be called every second. */
  inspect(): void
  /** Since when its process has had nothing to do (milliseconds since 1970); null while it works or none is there. */
  idleSince(): number | null
  /** Ends the process; background work may finish for `grace` milliseconds. The next request starts another. */
  retire(grace: number): Promise<void>
}

type Running = {
  process: DenoProcess
  working: number
  lastUse: number
  sources: Stamps
  /** Usage at the last inspection, and for how many inspections in a row the process was busy without requests. */
  used: Usage | null
  restless: number
  /** For how many inspections in a row it has been above what it may use for long. */
  heavy: number
}
type Failure = { error: unknown; until: number; sources: Stamps }

/** After a failed start the next is not tried before 0.25, 0.5, … 10 seconds have passed. */
const MIN_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000
/** Milliseconds for which an old process may go on with background work, as long as for a request. */
const BACKGROUND_TIMEOUT_MS = 150_000
/** Bytes of memory, for what lies outside of V8's heap: many large bodies at once pass, what grows or stays does not. */
const MAX_BYTES = 1536 * 1024 ** 2
const MAX_LASTING_BYTES = 512 * 1024 ** 2
/** Inspections in a row, a second apart, in which a process may use more than what it may use for long. */
const MAX_HEAVY = 10
/** Inspections in a row, a second apart, in which a process without a request may need most of a processor. */
const MAX_RESTLESS = 30
/** V8 ends a process that has no memory left with one of these. */
const OUT_OF_MEMORY = ['SIGTRAP', 'SIGABRT', 'SIGILL', 'SIGKILL']

export function createWorker(options: WorkerOptions): Worker {
  return new WarmProcess(options)
}

/** The process that runs now, if any, and how earlier starts ended. */
class WarmProcess implements Worker {
  private readonly options: WorkerOptions
  private starting: Promise<Running> | null = null
  private running: Running | null = null
  private failure: Failure | null = null
  private failures = 0
  private idleTimer: NodeJS.Timeout | undefined

  constructor(options: WorkerOptions) {
    this.options = options
  }

  async fetch(request: Request, signal: AbortSignal): Promise<Response> {
    const { reactsWithin, onTrouble } = this.options
    const one = await this.ready()
    const ended = this.begun(one)
    const watch = setInterval(async () => {
      if (!(await one.process.reacts(reactsWithin))) one.process.kill()
    }, reactsWithin)
    watch.unref()
    const done = () => {
      clearInterval(watch)
      ended()
    }
    try {
      const answer = await send(one.process.socket, request, signal)
      this.failures = 0
      return whenRead(answer, done)
    } catch (error) {
      done()
      if (signal.aborted) throw signal.reason
      // A status that is none (Deno.serve lets it pass), or more headers than are read.
      if (error instanceof RangeError || /^HPE_/.test((error as NodeJS.ErrnoException).code ?? '')) {
        onTrouble(`the function's answer cannot be read: ${(error as Error).message}`)
        return thrown()
      }
      return broken(one.process)
    }
  }

  async hold(): Promise<Held> {
    const one = await this.ready()
    return { socket: one.process.socket, release: this.begun(one) }
  }

  inspect(): void {
    const { running } = this
    const used = running && usageOf(running.process.pid)
    if (!running || !used) return
    const busy = used.processor - (running.used?.processor ?? used.processor) > 0.8
    running.restless = busy && running.working === 0 ? running.restless + 1 : 0
    running.heavy = used.memory > MAX_LASTING_BYTES ? running.heavy + 1 : 0
    running.used = used
    if (used.memory > MAX_BYTES || running.heavy > MAX_HEAVY) {
      const megabytes = Math.round(used.memory / 1024 ** 2)
      this.options.onTrouble(`the function is ended: it uses ${megabytes} MB of memory`)
      running.process.kill()
    } else if (running.restless > MAX_RESTLESS) {
      this.options.onTrouble('the function is ended: it keeps a processor busy without a request')
      running.process.kill()
    }
  }

  idleSince(): number | null {
    return this.running && this.running.working === 0 ? this.running.lastUse : null
  }

  async retire(grace: number): Promise<void> {
    await this.starting?.catch(() => {})
    await this.end(grace)
  }

  private async ready(): Promise<Running> {
    if (this.running && (await changed(this.running.sources))) this.end(BACKGROUND_TIMEOUT_MS)
    const { failure } = this
    if (failure && performance.now() < failure.until && !(await changed(failure.sources))) throw failure.error
    if (this.running) return this.running
    this.starting ??= this.begin().finally(() => {
      this.starting = null
    })
    return this.starting
  }

  private async begin(): Promise<Running> {
    const sources = await stamped(await this.options.sources())
    try {
      // Crashes in a row are spaced as failed starts are; the first is made good at once.
      if (this.failures > 1) await new Promise((resolve) => setTimeout(resolve, pause(this.failures - 1)))
      const process = await this.options.start()
      const made: Running = {
        process,
        sources,
        working: 0,
        lastUse: performance.now(),
        used: null,
        restless: 0,
        heavy: 0,
      }
      process.ended.then((ending) => this.ended(made, ending))
      this.failure = null
      this.running = made
      return made
    } catch (error) {
      this.failures++
      this.failure = { error, until: performance.now() + pause(this.failures), sources }
      throw error
    }
  }

  private ended(one: Running, ending: Ending): void {
    if (this.running !== one) return
    this.running = null
    if (ending.code !== 0) this.failures++
    this.options.onCrash(ending, one.working)
  }

  /** Ends the process. Requests that it works on are finished first; new ones go to its successor. */
  private async end(grace: number): Promise<void> {
    clearTimeout(this.idleTimer)
    const one = this.running
    this.running = null
    if (!one) return
    for (const end = performance.now() + grace; one.working > 0 && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await one.process.stop(grace)
  }

  /** Counts a piece of work; the returned function ends it. */
  private begun(one: Running): () => void {
    clearTimeout(this.idleTimer)
    one.working++
    return () => {
      one.working--
      one.lastUse = performance.now()
      if (one.working > 0 || this.running !== one) return
      clearTimeout(this.idleTimer)
      this.idleTimer = setTimeout(() => this.end(BACKGROUND_TIMEOUT_MS), this.options.idleAfter)
      this.idleTimer.unref()
    }
  }
}

/** The answer to a request whose process ended. */
async function broken(process: DenoProcess): Promise<Response> {
  const ending = await Promise.race([
    process.ended,
    new Promise<null>((resolve) => setTimeout(resolve, 1000, null)),
  ])
  return ending?.signal && OUT_OF_MEMORY.includes(ending.signal) ? resourceLimit() : workerError()
}

function pause(times: number): number {
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (times - 1))
}
