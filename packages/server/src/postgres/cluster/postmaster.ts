// Reads a cluster's postmaster.pid, finds out whether that process is really our PostgreSQL on that directory,
// and ends one that was left behind by a killed server.
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './start-error.ts'

/** The cluster's superuser, as in Supabase's database image. */
export const SUPERUSER = 'supabase_admin'

interface PostmasterFile {
  pid: number
  port: string
  /** Folder of its unix sockets. */
  sockets: string
  /** "starting", "ready", "stopping", … */
  state: string
}

/** The content of `postmaster.pid`; null if there is no such file. */
export function readPostmasterFile(cluster: string): PostmasterFile | null {
  let text: string
  try {
    text = readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const lines = text.split('\n')
  const [pid = '', , , port = '', sockets = '', , , state = ''] = lines
  return { pid: Number.parseInt(pid, 10), port, sockets, state: state.trim() }
}

/** Connection URL of the PostgreSQL that runs on `cluster`, as its superuser; null when none does. */
export function runningUrl(cluster: string): string | null {
  const file = readPostmasterFile(cluster)
  if (file?.state !== 'ready' || !isPostmasterOf(cluster, file.pid)) return null
  return socketUrl(file.sockets, file.port)
}

/** Connection URL through a unix socket, by default as the cluster's superuser to the database `postgres`. */
export function socketUrl(sockets: string, port: string, database = 'postgres', user = SUPERUSER): string {
  return `postgresql://${user}@${encodeURIComponent(sockets)}:${port}/${encodeURIComponent(database)}`
}

/** True when the process exists, whoever owns it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** True when `pid` is a PostgreSQL server whose data directory is `cluster`. */
function isPostmasterOf(cluster: string, pid: number): boolean {
  if (!isAlive(pid)) return false
  const directory = realpathSync(cluster)
  try {
    if (process.platform === 'linux') {
      const name = basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
      return name === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === directory
    }
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return /postgres\b/.test(command) && command.includes(`-D ${directory}`)
  } catch {
    return false
  }
}

/**
 * Makes the cluster free to start: an orphaned postmaster is shut down (fast, then harder), and a pid file
 * that names a foreign process is corrected. The file is never deleted: PostgreSQL itself must still find
 * the shared memory key in it, so that it waits for stray backends of a postmaster that was killed.
 */
export async function clearOrphan(cluster: string, log: (message: string) => void): Promise<void> {
  const file = readPostmasterFile(cluster)
  if (!file || !Number.isInteger(file.pid)) return
  if (isPostmasterOf(cluster, file.pid)) {
    log(`ending PostgreSQL (pid ${file.pid}) left behind by a server that was killed`)
    await endPostmaster(cluster, file.pid)
  } else if (isAlive(file.pid)) {
    // The pid was given to somebody else since. Our own pid is the postmaster's parent, which it ignores.
    const path = join(cluster, 'postmaster.pid')
    const [, ...rest] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, [process.pid, ...rest].join('\n'))
  }
}

/** Stops a postmaster: fast shutdown, after 10 s immediate shutdown, after 5 more seconds SIGKILL. */
export async function endPostmaster(cluster: string, pid: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    const deadline = performance.now() + timeoutMs
    while (performance.now() < deadline) {
      if (!isPostmasterOf(cluster, pid)) return
      await sleep(20)
    }
  }
  throw new StartError(`PostgreSQL (pid ${pid}) on ${cluster} does not end; end it by hand and start again`)
}
