// Where tests put their clusters and folders: in memory if the machine has enough of it. A database is some 900
// files, and each of hundreds of test databases is a copy: in memory that takes a tenth of the processor time.
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'meadowlark-tests-'
/** The size limit of all tests together, in bytes. */
const ROOM = 4 * 1024 ** 3

/** Sets TMPDIR for this process and all that it starts, unless it is set; the folder goes when this process ends. */
export function keepTestsInMemory(): void {
  if (process.env.TMPDIR || !hasRoom()) return
  removeLeft()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder, { recursive: true })
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}

/** Removes folders of runs that were killed. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX)) continue
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') removeIfPossible(join(MEMORY, name))
    }
  }
}

/** Another run may be removing it, and the disk of a killed one (tests/protocol/faults) may still be mounted in it. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // The next run tries it again.
  }
}
