// Runs the handlers of a project in this process: compiled and imported once each; while developing, again when a
// source changed.
import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type pino from 'pino'
import { WebSocket } from 'ws'
import { type Here, localRequest } from '../config/local-names.mjs'
import { compile } from './compile.ts'
import { functionConsole, withConsole } from './console.ts'
import { BootError, thrown } from './errors.ts'
import { changed, type Stamps } from './source-stamps.ts'

/** The environment a function sees: what `Deno.env.toObject()` is on hosted Supabase. */
export type FunctionEnvironment = Record<string, string | undefined>

/** The default export of supabase/functions/<name>/handler.ts. */
type Handler = (request: Request, env: FunctionEnvironment) => Promise<Response> | Response

export type LoaderOptions = {
  buildDir: string
  environment: () => FunctionEnvironment
  /** Where the local names lead that functions fetch from. */
  here: () => Here
  reload: boolean
  log: pino.Logger
}

export type Loader = {
  /** The handler's answer. Throws a BootError when it does not compile or is none, else what the handler threw. */
  fetch(name: string, file: string, request: Request): Promise<Response>
  /** Compiles and imports a handler before its first request. Throws a BootError like `fetch`. */
  load(name: string, file: string): Promise<void>
  /** Waits for background work, `grace` milliseconds at most. */
  stop(grace: number): Promise<void>
}

type Loaded = { handler: Handler; sources: Stamps }

// Functions are written for Deno, where supabase-js finds a WebSocket; Node 20 has none.
if (!('WebSocket' in globalThis)) Object.defineProperty(globalThis, 'WebSocket', { value: WebSocket })

const background = new Set<Promise<unknown>>()

const here = new AsyncLocalStorage<Here>()
const ownFetch = globalThis.fetch
/** In a function, local names lead to this machine; the server's own requests go where they say. */
globalThis.fetch = (input, init) => {
  const places = here.getStore()
  return ownFetch(places ? localRequest(input, places) : input, init)
}

/** Supabase's: the function lives on until the promise settles, after its answer went out. */
const EdgeRuntime = {
  waitUntil<Work>(work: Work): Work {
    const tracked: Promise<unknown> = Promise.resolve(work)
      .catch((error) => console.error('background work failed:', error))
      .finally(() => background.delete(tracked))
    background.add(tracked)
    return work
  },
}
if (!('EdgeRuntime' in globalThis)) Object.defineProperty(globalThis, 'EdgeRuntime', { value: EdgeRuntime })

export function createLoader({ buildDir, environment, reload, log, ...options }: LoaderOptions): Loader {
  const loaded = new Map<string, Promise<Loaded>>()
  const consoles = new Map<string, Console>()

  function consoleOf(name: string): Console {
    const own = consoles.get(name) ?? functionConsole(log.child({ function: name }))
    consoles.set(name, own)
    return own
  }

  async function start(name: string, file: string): Promise<Loaded> {
    try {
      const compiled = await compile(file, name, buildDir)
      const address = pathToFileURL(compiled.file).href
      const module = await withConsole(consoleOf(name), () => import(/* @vite-ignore */ address))
      if (typeof module.default !== 'function') {
        throw new Error(`${path.basename(file)} must export default a function (request, env) => Response`)
      }
      return { handler: module.default, sources: compiled.sources }
    } catch (error) {
      throw new BootError((error as Error).message)
    }
  }

  async function load(name: string, file: string): Promise<Loaded> {
    const known = loaded.get(name)
    if (known && !(reload && (await changed((await known).sources)))) return known
    // Requests that come while one compiles wait for the same work.
    const newer = loaded.get(name)
    if (newer && newer !== known) return newer
    const starting = start(name, file)
    loaded.set(name, starting)
    // Only what runs is kept: what does not is looked at afresh by the next request.
    starting.catch(() => loaded.get(name) === starting && loaded.delete(name))
    return starting
  }

  return {
    async load(name, file) {
      await load(name, file)
    },
    async fetch(name, file, request) {
      const { handler } = await load(name, file)
      // A failure is reported here and not where it is answered: after a timeout nobody waits for the handler.
      try {
        const response = await withConsole(consoleOf(name), () =>
          here.run(options.here(), () => handler(request, environment())),
        )
        if (response instanceof Response) return response
        throw new TypeError('the function returned no Response')
      } catch (error) {
        if (!request.signal.aborted) log.error({ err: error, function: name }, 'the function threw')
        return thrown()
      }
    },
    async stop(grace) {
      const done = Promise.all(background)
      await Promise.race([done, new Promise((resolve) => setTimeout(resolve, grace).unref())])
    },
  }
}
