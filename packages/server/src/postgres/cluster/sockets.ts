// The folder of a cluster's unix sockets. A socket's path may not exceed about 100 bytes, so the folder never lies
// in the data directory; only the cluster's account may enter it, which is what guards the database.
import { chownSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'

/** The folder that a killed server left, if it is still the cluster's own, else a new one. */
export function takeSocketFolder(cluster: string, account: Account | null): string {
  const uid = account?.uid ?? process.getuid?.()
  const left = remembered(cluster)
  if (left && isOwn(left, uid)) return left
  const folder = mkdtempSync(join(process.platform === 'linux' ? '/tmp' : tmpdir(), 'pg-'))
  if (account) chownSync(folder, account.uid, account.gid)
  writeFileSync(memory(cluster), folder, { mode: 0o600 })
  return folder
}

/** Removes the folder after PostgreSQL has ended. */
export function removeSocketFolder(cluster: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  rmSync(memory(cluster), { force: true })
}

function memory(cluster: string): string {
  return `${cluster}.sockets`
}

function remembered(cluster: string): string | null {
  try {
    return readFileSync(memory(cluster), 'utf8')
  } catch {
    return null
  }
}

/** After a reboot the same name may be anybody's. */
function isOwn(folder: string, uid: number | undefined): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === uid && (stat.mode & 0o777) === 0o700
}
