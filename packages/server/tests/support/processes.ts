// Processes of a PostgreSQL, found by its DATA_DIR.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Process id of the PostgreSQL that works on `dataDir`; null when none does. */
export function postmasterOf(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  if (!existsSync(file)) return null
  return Number.parseInt(readFileSync(file, 'utf8'), 10)
}

/** Process ids of everything that still works in the cluster of `dataDir` (Linux only). */
export function processesOf(dataDir: string): number[] {
  const cluster = join(dataDir, 'postgres')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === cluster
      } catch {
        return false
      }
    })
    .map(Number)
}
