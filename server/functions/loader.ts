// Finds, compiles and imports the functions of a project, once each; while developing, again when a source changed.
import { access } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { WebSocket } from 'ws'
import { type Compiled, compile, modified } from './compile.ts'

/** The environment a function sees: what `Deno.env.toObject()` is on hosted Supabase. */
export type FunctionEnvironment = Record<string, string | undefined>

/** What supabase/functions/<name>/handler.ts exports as default. */
export type Handler = (request: Request, env: FunctionEnvironment) => Promise<Response> | Response

export type Found =
  | { kind: 'handler'; handler: Handler }
  | { kind: 'missing' }
  /** There is an index.ts, which only Deno can run. */
  | { kind: 'deno-only' }

export type LoaderOptions = { directory: string; buildDir: string; reload: boolean }

// Functions are written for Deno, where supabase-js finds a WebSocket; Node 20 has none.
if (!('WebSocket' in globalThis)) Object.defineProperty(globalThis, 'WebSocket', { value: WebSocket })

/** Returns `load(name)`. It rejects when the function does not compile or exports no handler. */
export function createLoader({
  directory,
  buildDir,
  reload,
}: LoaderOptions): (name: string) => Promise<Found> {
  const loaded = new Map<string, Promise<{ handler: Handler; compiled: Compiled }>>()

  async function loadHandler(name: string, file: string) {
    const compiled = await compile(file, name, buildDir)
    const module = await import(/* @vite-ignore */ pathToFileURL(compiled.file).href)
    if (typeof module.default !== 'function') {
      throw new Error(`${file} must export default a function (request, env) => Response`)
    }
    return { handler: module.default as Handler, compiled }
  }

  return async function load(name) {
    const known = loaded.get(name)
    if (known && !(reload && (await changed(known))))
      return { kind: 'handler', handler: (await known).handler }

    const folder = path.join(directory, name)
    const file = path.join(folder, 'handler.ts')
    if (!(await exists(file))) {
      loaded.delete(name)
      return { kind: (await exists(path.join(folder, 'index.ts'))) ? 'deno-only' : 'missing' }
    }
    const loading = loadHandler(name, file)
    loaded.set(name, loading)
    // A function that failed to load is tried afresh at the next request.
    loading.catch(() => loaded.get(name) === loading && loaded.delete(name))
    return { kind: 'handler', handler: (await loading).handler }
  }
}

async function changed(known: Promise<{ compiled: Compiled }>): Promise<boolean> {
  const { compiled } = await known
  for (const [source, time] of compiled.sources) {
    if ((await modified(source)) !== time) return true
  }
  return false
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
