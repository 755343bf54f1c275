// The functions of a project: which there are, who may call them, and what runs them.

import { type AcceptsToken, refuseCaller } from './callers.ts'
import type { DenoHost } from './deno/host.ts'
import { notFound, relayError } from './errors.ts'
import { type FunctionSettings, findSource, functionNames, type Source } from './source.ts'

/** A function that there is. */
export type Runnable = Exclude<Source, { kind: 'missing' }>

export type DirectoryOptions = {
  /** The project's supabase folder. */
  project: string
  /** `[functions.<name>]` of config.toml; the defaults are enabled and verify_jwt. */
  settings: (name: string) => FunctionSettings | undefined
  acceptsToken: AcceptsToken
  /** Whether sources may change while the server runs. */
  reload: boolean
  /** Run every function under Deno. */
  denoOnly: boolean
  deno: Pick<DenoHost, 'available'>
}

const FUNCTION_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export class FunctionDirectory {
  private readonly options: DirectoryOptions
  private readonly sources = new Map<string, Runnable>()

  constructor(options: DirectoryOptions) {
    this.options = options
  }

  async has(name: string): Promise<boolean> {
    return this.isEnabled(name) && (await this.sourceOf(name)).kind !== 'missing'
  }

  /** The handlers that run in this process and are enabled. */
  async handlers(): Promise<{ name: string; file: string }[]> {
    const names = await functionNames(this.options.project)
    const enabled = names.filter((name) => this.isEnabled(name))
    const sources = await Promise.all(enabled.map((name) => this.sourceOf(name)))
    return sources.flatMap((source, at) =>
      source.kind === 'handler' ? [{ name: enabled[at] as string, file: source.file }] : [],
    )
  }

  /** Why a function may not be called so, by its settings in config.toml; null where it may. */
  async guard(name: string, method: string, headers: Headers): Promise<Response | null> {
    if (!FUNCTION_NAME.test(name) || !this.isEnabled(name)) return notFound()
    if (!METHODS.includes(method)) {
      return relayError(405, 'METHOD_NOT_ALLOWED', `Functions are called with ${METHODS.join(', ')}`)
    }
    // A preflight carries no token: the function answers it, as on Supabase.
    if (this.options.settings(name)?.verify_jwt === false || method === 'OPTIONS') return null
    return refuseCaller(headers, this.options.acceptsToken)
  }

  /** The function's files, or the answer that explains why it cannot run. */
  async runnable(name: string): Promise<Runnable | Response> {
    const source = await this.sourceOf(name)
    if (source.kind === 'missing') return notFound()
    if (source.kind === 'deno' && !(await this.options.deno.available())) return denoRequired(name)
    return source
  }

  private isEnabled(name: string): boolean {
    return this.options.settings(name)?.enabled !== false
  }

  /** Looked up once where sources do not change: a version that replaces this one may lack the function. */
  private async sourceOf(name: string): Promise<Source> {
    const known = this.sources.get(name)
    if (known) return known
    const { project, settings, denoOnly, reload } = this.options
    const found = await findSource(name, { project, settings: settings(name), denoOnly })
    if (!reload && found.kind !== 'missing') this.sources.set(name, found)
    return found
  }
}

function denoRequired(name: string): Response {
  const how = 'run "npm install deno" in the project or the server, put deno on PATH, or set DENO_PATH to it'
  const why = 'which was neither found nor could be loaded from npm'
  return relayError(501, 'DENO_REQUIRED', `'${name}' is written for Deno, ${why}; ${how}`)
}
