// One server per DATA_DIR: a file that names the process that holds it, distinguished from a later process that
// got the same pid by the time it began.
import { execFileSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Holder {
  pid: number
  /** Identity of that process among all that ever had its pid. */
  began: string
}

/** Another server works on this DATA_DIR. */
export class LockedError extends Error {
  constructor(dataDir: string, pid: number) {
    super(
      `DATA_DIR: another server (pid ${pid}) already runs on ${dataDir}. ` +
        'Stop it first, or start this one with a DATA_DIR of its own.',
    )
    this.name = 'LockedError'
  }
}

/** Takes the lock of `dataDir` and returns how to give it back. Throws LockedError when a living process holds it. */
export function takeLock(dataDir: string): () => void {
  const path = join(dataDir, 'server.lock')
  const mine = `${path}.${process.pid}`
  const content = JSON.stringify({ pid: process.pid, began: began(process.pid) ?? '' } satisfies Holder)
  writeFileSync(mine, content, { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (tryLink(mine, path)) return () => release(path, content)
      const seen = read(path)
      const holder = seen && parseHolder(seen)
      if (holder && began(holder.pid) === holder.began) throw new LockedError(dataDir, holder.pid)
      if (seen !== null) removeStale(path, seen)
    }
    throw new Error(`DATA_DIR: ${path} cannot be taken; remove it if no server runs`)
  } finally {
    rmSync(mine, { force: true })
  }
}

/** A hard link either makes the name or finds it taken: there is no moment in between. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two starters may both find the file stale: only what was seen is removed, never the other's new lock. */
function removeStale(path: string, seen: string): void {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (read(aside) !== seen) tryLink(aside, path)
  rmSync(aside, { force: true })
}

function release(path: string, content: string): void {
  if (read(path) === content) rmSync(path, { force: true })
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function parseHolder(text: string): Holder | null {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return null
  }
}

/** When the process began, in a form that no other process with its pid has; null when there is none. */
function began(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      // Field 22 counts from the closing parenthesis, since the name before it may hold spaces.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      return fields[0] === 'Z' ? null : `${boot} ${fields[19]}`
    }
    const command = ['-o', 'lstart=', '-p', String(pid)]
    return (
      execFileSync('ps', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null
    )
  } catch {
    return null
  }
}
