// One Deno process that runs one function: its command line, its permissions, its start, its lines for the log, its
// end. It ends with this process even when that is killed: standard input closes, and on Linux a signal follows.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Here } from '../../config/local-names.mjs'
import { hasSetpriv } from '../../postgres/cluster/account.ts'
import { BootError } from '../errors.ts'
import type { DenoSource } from '../source.ts'
import { importMapFlags } from './import-map.ts'
import { cut, readBlocks, readLines, sparing } from './lines.ts'

export type ProcessOptions = {
  /** The Deno program. */
  program: string
  /** The module that runs before the function's own. */
  preload: string
  source: DenoSource
  /** The project's supabase folder. */
  project: string
  environment: Record<string, string | undefined>
  /** Where the local names lead that the function fetches from. */
  here: Here
  /** Proxies and certificates of the server's own environment, without which nothing could be fetched. */
  network: Record<string, string>
  /** Where an import map that has to be made is written. */
  buildDir: string
  /** Where Deno stores its downloads; null for its default folder. */
  cacheDir: string | null
  /** Folders and files that no function may touch. */
  closed: string[]
  /** Folder of the sockets, open to this account alone. */
  sockets: string
  /** Gives up a start after this many milliseconds. */
  timeoutMs: number
  /** Called with the function's output: a console call, or lines. */
  onLine: (level: Level, text: string) => void
}

type Level = 'info' | 'warn' | 'error'

type LaunchOptions = ProcessOptions & { mapping: string[] }

/** How a process ended. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null }

export type DenoProcess = {
  pid: number
  /** Where it answers HTTP. */
  socket: string
  ended: Promise<Ending>
  /** Whether it reacts within `timeoutMs` milliseconds. */
  reacts(timeoutMs: number): Promise<boolean>
  /** Lets background work finish for up to `grace` milliseconds, then ends it. Resolves once it is gone. */
  stop(grace: number): Promise<void>
  kill(): void
}

/** Megabytes of memory a function may use, as on Supabase. */
const MEMORY_LIMIT = 256

/** Milliseconds in which what a process printed before its end is read. */
const LAST_WORDS = 500

/** Starts the function. Rejects with a BootError when it ends, or does not listen in time. */
export async function startDeno(given: ProcessOptions): Promise<DenoProcess> {
  const { source, project } = given
  const options = { ...given, mapping: await importMapFlags(source, given.buildDir) }
  // Packages come from node_modules where the project has one, else from Deno's cache or the network.
  const local = nodeModulesOf(source.entrypoint, project)
  if (local.length > 0) {
    try {
      return await launch(options, 'manual', local)
    } catch (error) {
      const missing = /in the node_modules directory|Could not find a matching package/
      if (!(error instanceof BootError) || !missing.test(error.message)) throw error
    }
  }
  return launch(options, 'none', local)
}

async function launch(
  options: LaunchOptions,
  packages: 'manual' | 'none',
  local: string[],
): Promise<DenoProcess> {
  const token = randomBytes(12).toString('hex')
  const socket = path.join(options.sockets, `${token}.sock`)
  const child = start(options, packages, local, socket, token)
  const first: { level: Level; text: string }[] = []
  const closed = new Promise((resolve) => child.once('close', resolve))
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => {
      first.push({ level: 'error', text: error.message })
      resolve({ code: null, signal: null })
    })
  }).finally(() => rmSync(socket, { force: true }))
  const words = new Map<string, () => void>()
  const heard = (word: string) => new Promise<true>((resolve) => words.set(word, () => resolve(true)))
  const ready = heard('ready')

  let asking: Promise<true> | null = null
  let booting = true
  const spare = sparing(options.onLine)
  const tell = (level: Level, text: string) => {
    // Why it does not start is reported once, with the failure.
    if (!booting || level === 'info') spare(level, cut(text))
    else if (first.length < 100) first.push({ level, text: cut(text) })
  }
  if (child.stdout) {
    readLines(child.stdout, (text) => {
      const word = text.startsWith(`\u001e${token} `) ? text.slice(token.length + 2) : null
      const [, level, json] = /^(info|warn|error) (".*")$/s.exec(word ?? '') ?? []
      if (level && json) tell(level as Level, JSON.parse(json))
      else if (word) words.get(word)?.()
      else tell('info', text)
    })
  }
  if (child.stderr) readBlocks(child.stderr, (text) => tell('error', text))
  // A pipe to a process that has just ended.
  child.stdin?.on('error', () => {})

  const process: DenoProcess = {
    pid: child.pid ?? 0,
    socket,
    ended,
    async reacts(timeoutMs) {
      // Requests that ask at the same time share one question.
      if (!asking) {
        asking = heard('alive').finally(() => {
          asking = null
        })
        child.stdin?.write('ping\n')
      }
      return (await Promise.race([asking, ended, after(timeoutMs)])) === true
    },
    async stop(grace) {
      child.stdin?.write('stop\n')
      await Promise.race([ended, after(grace)])
      child.kill('SIGKILL')
      await ended
    },
    kill: () => child.kill('SIGKILL'),
  }
  const outcome = await Promise.race([ready, ended, after(options.timeoutMs)])
  if (outcome === true) {
    booting = false
    for (const { level, text } of first) spare(level, text)
    return process
  }
  child.kill('SIGKILL')
  // Its last words may still be on their way.
  await Promise.race([closed, after(LAST_WORDS)])
  await nextTurn()
  const reason = outcome ? '' : `it did not listen within ${options.timeoutMs / 1000} s\n`
  throw new BootError(reason + first.map(({ text }) => text).join('\n'))
}

function start(
  { program, preload, source, project, environment, here, network, cacheDir, closed, mapping }: LaunchOptions,
  packages: 'manual' | 'none',
  local: string[],
  socket: string,
  token: string,
): ChildProcess {
  const functions = path.join(project, 'functions')
  const temporary = [...new Set(['/tmp', tmpdir()])]
  const readable = [functions, ...source.staticFiles, ...temporary, ...(packages === 'manual' ? local : [])]
  if (cacheDir) readable.push(path.join(cacheDir, 'npm'))
  const deno = [
    ...['run', '--quiet', '--no-prompt', '--no-lock', '--unstable-no-legacy-abort'],
    `--node-modules-dir=${packages}`,
    ...mapping,
    `--v8-flags=--max-old-space-size=${MEMORY_LIMIT}`,
    ...['--allow-net', '--allow-env', '--allow-sys', '--allow-import'],
    `--allow-read=${list(readable)}`,
    `--allow-write=${list(temporary)}`,
    ...(closed.length > 0 ? [`--deny-read=${list(closed)}`, `--deny-write=${list(closed)}`] : []),
    ...['--preload', preload, source.entrypoint],
  ]
  const [file, args] = hasSetpriv()
    ? ['setpriv', ['--pdeathsig', 'KILL', '--', program, ...deno]]
    : [program, deno]
  const env: Record<string, string> = {
    FUNCTION_HOST: JSON.stringify({ socket, token, here }),
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    ...network,
    ...(cacheDir ? { DENO_DIR: cacheDir } : {}),
    // A package.json further up belongs to something else.
    ...(source.packageJson || packages === 'manual' ? {} : { DENO_NO_PACKAGE_JSON: '1' }),
  }
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) env[name] = value
  return spawn(file as string, args as string[], {
    cwd: path.dirname(source.entrypoint),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Deno reads a comma as the end of a path unless it is doubled. */
function list(paths: string[]): string {
  return paths.map((one) => one.replaceAll(',', ',,')).join(',')
}

/** Every node_modules folder from the function up to the folder that holds supabase/. */
function nodeModulesOf(entrypoint: string, project: string): string[] {
  const found: string[] = []
  const top = path.dirname(project)
  for (let at = path.dirname(entrypoint); at.startsWith(top); at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules')
    if (existsSync(folder)) found.push(folder)
    if (at === path.dirname(at)) break
  }
  return found
}

function after(milliseconds: number): Promise<undefined> {
  return sleep(milliseconds, undefined, { ref: false })
}
