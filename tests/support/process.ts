// The built server as a separate process, to be stopped, killed and started again on the same DATA_DIR.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/tests/support/free-port.ts'
import { repositoryFile } from '../../plugins/repository.ts'
import { copyCluster, type KeptProject } from './cluster.ts'

export { eventually } from '../../packages/server/tests/support/eventually.ts'
export { postmasterOf, processesOf } from '../../packages/server/tests/support/processes.ts'

export interface ServerProcess {
  url: string
  publishable: string
  secret: string
  applied: { migrations: string[]; seeded: string[] }
  pid: number
  /** All that it has printed so far. */
  printed(): string
  /** Sets its clock (not PostgreSQL's) that many milliseconds off the machine's. */
  setClock(offsetMs: number): void
  /** Sends a signal and resolves once the process is gone, with its exit code (null after a killing signal). */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export interface ProcessOptions {
  dataDir: string
  workdir: string
  port?: number
  args?: string[]
  env?: Record<string, string>
  /** Kill it this many milliseconds after it was begun, ready or not. */
  killAfter?: number
  /** Start it as this user and group id (root only). */
  account?: { uid: number; gid: number }
  /** The current folder ('/' by default). */
  cwd?: string
}

let isBuilt = false

/** Builds the server, if its sources have changed since the last build; looks once a worker. */
export function buildServer(): void {
  if (!isBuilt) execFileSync(process.execPath, [repositoryFile('scripts/build.mjs'), '--server'])
  isBuilt = true
}

/** Makes a DATA_DIR whose database a first start has migrated and is yet to seed. */
export async function prepareDataDir(dataDir: string, project: KeptProject): Promise<void> {
  // As the server makes it: the account that runs PostgreSQL passes through.
  mkdirSync(dataDir, { mode: 0o711 })
  await copyCluster(project, join(dataDir, 'postgres'))
}

/** Starts the built server and resolves once it listens. Rejects with what it printed when it ends instead. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const started = await spawnServer(options)
  if ('output' in started) throw new Error(`the server ended with ${started.code}: ${started.output}`)
  return started
}

/** The output and exit code of a server that must not start. */
export async function refusedStart(
  options: ProcessOptions,
): Promise<{ code: number | null; output: string }> {
  const started = await spawnServer(options)
  if ('output' in started) return started
  await started.end('SIGTERM')
  throw new Error('the server started')
}

async function spawnServer({
  dataDir,
  workdir,
  port,
  args = [],
  env = {},
  account,
  cwd = '/',
  killAfter,
}: ProcessOptions) {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(
    process.execPath,
    [repositoryFile('tests/support/serve.mjs'), '--workdir', workdir, ...args],
    {
      ...account,
      cwd,
      env: {
        PATH,
        HOME,
        TMPDIR,
        DATA_DIR: dataDir,
        CLI_PORTS: 'false',
        PORT: String(port ?? (await freePort())),
        ...env,
      },
      // The channel tells the server when the tests themselves were killed.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  child.channel?.unref()
  if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter)
  let output = ''
  const line = new Promise<string | null>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk
        const ready = /^\{"url".*\}$/m.exec(output)
        if (ready) resolve(ready[0])
      })
    }
    child.once('close', () => resolve(null))
  })
  const ready = await line
  if (ready === null) return { code: child.exitCode, output }
  return {
    ...JSON.parse(ready),
    pid: child.pid,
    printed: () => output,
    setClock: (offsetMs: number) => void child.send({ clock: offsetMs }, () => {}),
    end: (signal: NodeJS.Signals) => end(child, signal),
  } as ServerProcess
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return ended
}

export interface Project {
  workdir: string
  dataDir: string
  remove(): void
}

/** A sample project whose DATA_DIR is prepared: for tests that are not about a first start. */
export async function preparedProject(name?: string): Promise<Project> {
  const made = newProject(name)
  await prepareDataDir(made.dataDir, 'sample')
  return made
}

/** A copy of the sample project that a test may change, with a place for a DATA_DIR. */
export function newProject(name = 'meadowlark-sample-'): Project {
  const folder = mkdtempSync(join(tmpdir(), name))
  chmodSync(folder, 0o755)
  cpSync(repositoryFile('tests/protocol/server/sample-project'), join(folder, 'sample'), { recursive: true })
  return {
    workdir: join(folder, 'sample'),
    dataDir: join(folder, 'data'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
