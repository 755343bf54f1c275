// Errors of files and folders in words: whose they are, who asked for them, and the command that helps.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

/** One sentence for an error of permissions, a missing file or a full disk; null for every other error. */
export function fileProblem(error: unknown): string | null {
  const { code, path } = error as NodeJS.ErrnoException
  if (!path) return null
  if (code === 'EACCES' || code === 'EPERM') return permissionProblem(path)
  if (code === 'EROFS')
    return `${path} is on a disk that is mounted read-only; mount it for writing, or name another folder`
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `${path} cannot be written: the disk is full; make room and run this again`
  if (code === 'ENOENT') return `${path} does not exist`
  return null
}

function permissionProblem(path: string): string {
  const me = accountName(process.getuid?.() ?? -1)
  const closed = closedPathOf(path)
  const stats = statSync(closed, { throwIfNoEntry: false })
  if (!stats) return `${closed} may not be opened by ${me}, as which this runs`
  return (
    `${closed} belongs to ${accountName(stats.uid)} (mode ${modeOf(stats)}), and this runs as ${me}. ` +
    `Run it as ${accountName(stats.uid)}, or give the file away as root: chown ${me} ${closed}`
  )
}

/** The nearest folder that may not be passed, else the path itself, else (for a new file) its folder. */
function closedPathOf(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  if (!mayPass(folder)) return closedPathOf(folder)
  return statSync(path, { throwIfNoEntry: false }) ? path : folder
}

function mayPass(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8).padStart(3, '0')

function accountName(uid: number): string {
  try {
    if (uid === process.getuid?.()) return userInfo().username
    return execFileSync('id', ['-un', String(uid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return String(uid)
  }
}
