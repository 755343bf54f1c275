// Runs functions under Deno, one warm process each: a crash, a leak or an endless loop in one leaves the others
// alone, and each has its own environment and permissions. A process takes about 50 MB, so only so many stay warm.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type pino from 'pino'
import type { Here } from '../../config/local-names.mjs'
import { packageFile } from '../../package-root.ts'
import { removeSocketFolder, takeSocketFolder } from '../../postgres/cluster/sockets.ts'
import type { DenoSource } from '../source.ts'
import { sourcesOf } from '../source-stamps.ts'
import type { Held } from '../websocket.ts'
import { type DenoPlace, findDeno } from './binary.ts'
import { DENO_VERSION, fetchDeno } from './fetched.ts'
import { startDeno } from './process.ts'
import { createWorker, type Worker } from './worker.ts'

export type DenoOptions = DenoPlace & {
  /** Run functions that have a handler.ts under Deno as well. */
  always: boolean
  /** Where Deno stores its downloads; null for its default folder. */
  cacheDir: string | null
  /** Proxies and certificates of the server's own environment. */
  network: Record<string, string>
  /** Folders and files that no function may touch. */
  closed: string[]
  /** A process that had nothing to do for this many milliseconds is ended (5 minutes). */
  idleAfter?: number
  /** So many processes that have nothing to do stay warm (20); beyond that, the one idle longest is ended. */
  mostWarm?: number
  /** A process that does not react within this many milliseconds while it works is ended (10 seconds). */
  reactsWithin?: number
}

export type DenoHostOptions = DenoOptions & {
  project: string
  /** Where the host remembers the folder of its sockets. */
  memory: string
  environment: () => Record<string, string | undefined>
  here: () => Here
  reload: boolean
  log: pino.Logger
}

export type DenoHost = {
  /** Whether there is a Deno to run anything with; where there is none it is loaded from npm, once for all who wait. */
  available(): Promise<boolean>
  /** The function's answer. Throws a BootError, or the reason of `signal`. */
  fetch(source: DenoSource, request: Request, signal: AbortSignal): Promise<Response>
  /** The function's process, held for a connection that stays open. Throws a BootError. */
  hold(source: DenoSource): Promise<Held>
  /** Ends all processes; what they do in the background may finish for `grace` milliseconds. */
  stop(grace: number): Promise<void>
}

/** Packages may have to be downloaded. */
const START_TIMEOUT_MS = 60_000
const FETCH_PAUSE_MS = 60_000

export function createDenoHost(options: DenoHostOptions): DenoHost {
  const { project, log, memory, idleAfter = 300_000, reactsWithin = 10_000, mostWarm = 20 } = options
  const workers = new Map<string, { worker: Worker; source: string }>()
  const program = locateProgram(options)
  let sockets: string | undefined
  let inspections: NodeJS.Timeout | undefined

  function workerFor(source: DenoSource): Worker {
    const described = JSON.stringify(source)
    const known = workers.get(source.name)
    if (known?.source === described) return known.worker
    known?.worker.retire(0)
    const own = log.child({ function: source.name })
    const worker = createWorker({
      start() {
        mkdirSync(dirname(memory), { recursive: true })
        sockets ??= takeSocketFolder(memory, null)
        return startDeno({
          program: program.path as string,
          preload: packageFile('src/functions/deno/preload.mjs'),
          source,
          project,
          sockets,
          environment: options.environment(),
          here: options.here(),
          network: options.network,
          buildDir: dirname(memory),
          cacheDir: options.cacheDir,
          closed: options.closed,
          timeoutMs: START_TIMEOUT_MS,
          onLine: (level, text) => own[level](text),
        })
      },
      sources: async () => (options.reload ? sourcesOf(source) : []),
      idleAfter,
      reactsWithin,
      onCrash: (ending, working) => own.error({ ...ending, working }, 'the function ended by itself'),
      onTrouble: (words) => own.error(words),
    })
    inspections ??= setInterval(() => {
      for (const { worker } of workers.values()) worker.inspect()
    }, 1000).unref()
    workers.set(source.name, { worker, source: described })
    return worker
  }

  /** Ends the process idle longest when there are too many. */
  function makeRoom(): void {
    const idle = [...workers.values()]
      .map(({ worker }) => ({ worker, since: worker.idleSince() }))
      .filter((one): one is { worker: Worker; since: number } => one.since !== null)
      .sort((a, b) => a.since - b.since)
    if (idle.length >= mostWarm) idle[0]?.worker.retire(0)
  }

  function roomFor(source: DenoSource): Worker {
    const worker = workerFor(source)
    if (worker.idleSince() === null) makeRoom()
    return worker
  }

  return {
    available: program.find,
    fetch: (source, request, signal) => roomFor(source).fetch(request, signal),
    hold: (source) => roomFor(source).hold(),
    async stop(grace) {
      clearInterval(inspections)
      await Promise.all([...workers.values()].map(({ worker }) => worker.retire(grace)))
      if (sockets) removeSocketFolder(memory, sockets)
    },
  }
}

/** The path of Deno, null until `find` has found it. `find` loads it from npm where it is not installed. */
function locateProgram(options: DenoHostOptions): { readonly path: string | null; find(): Promise<boolean> } {
  const { project, log, memory } = options
  const fetched = join(dirname(memory), 'deno-from-npm')
  let path: string | null = null
  let fetching: Promise<void> | undefined

  /** Where it fails, the next call tries again, no sooner than after a minute. */
  async function load(): Promise<void> {
    log.info({ version: DENO_VERSION }, 'a function needs Deno: it is loaded from npm')
    try {
      await fetchDeno(fetched)
      path = findDeno(options, fetched)
    } catch (error) {
      log.error({ err: error }, 'Deno could not be loaded from npm')
      setTimeout(() => {
        fetching = undefined
      }, FETCH_PAUSE_MS).unref()
    }
  }

  return {
    get path() {
      return path
    },
    async find() {
      path ??= findDeno(options, project) ?? findDeno(options, fetched)
      if (path === null) {
        fetching ??= load()
        await fetching
      }
      return path !== null
    },
  }
}
