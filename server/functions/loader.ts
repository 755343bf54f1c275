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

type Loaded = Found & { sources?: Compiled['sources'] }

/** Returns `load(name)`. It rejects when the function does not compile or exports no handler. */
export function createLoader({
  directory,
  buildDir,
  reload,
}: LoaderOptions): (name: string) => Promise<Found> {
  const loaded = new Map<string, Promise<Loaded>>()

  async function start(name: string): Promise<Loaded> {
    const folder = path.join(directory, name)
    const file = path.join(folder, 'handler.ts')
    if (!(await exists(file))) {
      return { kind: (await exists(path.join(folder, 'index.ts'))) ? 'deno-only' : 'missing' }
    }
    const compiled = await compile(file, name, buildDir)
    const module = await import(/* @vite-ignore */ pathToFileURL(compiled.file).href)
    if (typeof module.default !== 'function') {
      throw new Error(`${file} must export default a function (request, env) => Response`)
    }
    return { kind: 'handler', handler: module.default, sources: compiled.sources }
  }

  return async function load(name) {
    const known = loaded.get(name)
    if (known && !(reload && (await changed(await known)))) return known
    // Requests that come while one compiles wait for the same work.
    const newer = loaded.get(name)
    if (newer && newer !== known) return newer
    const starting = start(name)
    loaded.set(name, starting)
    const forget = () => loaded.get(name) === starting && loaded.delete(name)
    // Only what runs is kept: what does not is looked at afresh by the next request.
    starting.then((found) => found.kind === 'handler' || forget(), forget)
    return starting
  }
}

async function changed({ sources }: Loaded): Promise<boolean> {
  for (const [source, time] of sources ?? []) {
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
