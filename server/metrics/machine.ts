// The version that runs, the machine's clock, the room on the disk of its data, and the age of its newest backup.
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import { packageVersion } from '../package-root.ts'

export function measureMachine(
  registry: Registry,
  { dataDir, newestBackup }: { dataDir: string; newestBackup: (() => Date | null) | null },
): void {
  new Gauge({
    name: 'meadowlark_build_info',
    help: 'The version that runs; always 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: packageVersion() }, 1)
  new Gauge({
    ...{
      name: 'machine_time_seconds',
      help: "The machine's clock, in seconds since 1970",
      registers: [registry],
    },
    collect() {
      this.set(Date.now() / 1000)
    },
  })
  const disk = (name: string, help: string, of: (found: StatsFs) => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(of(await statfs(dataDir)))
      },
    })
  disk('disk_free_bytes', 'Free bytes on the disk of DATA_DIR', ({ bavail, bsize }) => bavail * bsize)
  disk('disk_size_bytes', 'Size of the disk of DATA_DIR', ({ blocks, bsize }) => blocks * bsize)
  if (!newestBackup) return
  new Gauge({
    name: 'backup_age_seconds',
    help: 'Seconds since the newest base backup ended',
    registers: [registry],
    collect() {
      const at = newestBackup()
      if (at) this.set((Date.now() - at.getTime()) / 1000)
      else this.remove()
    },
  })
}
