// Commands that root runs on the data of a service: they go on as the service's account, so that what they write is the
// service's. Its settings, which root alone may read, are in the environment by then.
import { readdirSync, statSync } from 'node:fs'
import { packageRoot } from '../package-root.ts'

/** Goes on as the owner of `dataDir`, where this is root and the folder is another account's. */
export function runAsOwnerOf(dataDir: string): void {
  const owner = process.getuid?.() === 0 ? statSync(dataDir, { throwIfNoEntry: false }) : undefined
  if (!owner || owner.uid === 0 || !mayRead(packageRoot, owner)) return
  process.setgroups?.([owner.gid])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}

/** The program loads more of itself later on: where the owner may not read it, root goes on. */
function mayRead(folder: string, { uid }: { uid: number }): boolean {
  process.seteuid?.(uid)
  try {
    readdirSync(folder)
    return true
  } catch {
    return false
  } finally {
    process.seteuid?.(0)
  }
}
