// The version that runs, the machine's clock, the room on the disk of its data, and how its backup gets on.
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import { packageVersion } from '../../package-root.ts'
import { inTime } from './in-time.ts'

export interface BackupFigures {
  /** When the newest base backup ended; when the server began, while there is none. */
  newest(): Date
  /** For how many seconds a part of the log has waited to be backed up. */
  behind(): number
  /** The folder of BACKUP_DIR; null for a bucket. */
  directory: string | null
}

export function measureMachine(
  registry: Registry,
  { dataDir, backup }: { dataDir: string; backup: BackupFigures | null },
): void {
  new Gauge({
    name: 'meadowlark_build_info',
    help: 'The version that runs; always 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: packageVersion() }, 1)
  new Gauge({
    name: 'machine_time_seconds',
    help: "The machine's clock, in seconds since 1970",
    registers: [registry],
    collect() {
      this.set(Date.now() / 1000)
    },
  })
  const folders = { DATA_DIR: dataDir, ...(backup?.directory ? { BACKUP_DIR: backup.directory } : {}) }
  const disk = (name: string, help: string, of: (found: StatsFs) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['folder'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const [folder, path] of Object.entries(folders)) {
          // A disk of the network may be away, or hang.
          const found = await inTime(statfs(path)).catch(() => null)
          if (found) this.set({ folder }, of(found))
        }
      },
    })
  disk('disk_free_bytes', 'Free bytes on the disk of each folder', ({ bavail, bsize }) => bavail * bsize)
  disk('disk_size_bytes', 'Size of the disk of each folder', ({ blocks, bsize }) => blocks * bsize)
  if (!backup) return
  new Gauge({
    name: 'backup_age_seconds',
    help: 'Seconds since the newest base backup ended; since the server began, while there is none',
    registers: [registry],
    collect() {
      this.set((Date.now() - backup.newest().getTime()) / 1000)
    },
  })
  new Gauge({
    name: 'backup_behind_seconds',
    help: 'For how long a part of the log has waited to be backed up',
    registers: [registry],
    collect() {
      this.set(backup.behind())
    },
  })
}
