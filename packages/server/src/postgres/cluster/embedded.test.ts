// No empty cluster is made where a restore was cut off.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'

test.for(['postgres.restoring', 'postgres.before-restore-20261122T090000Z'])(
  'with %s alone the start names the restore to run again',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'half-restored-'))
    try {
      mkdirSync(join(folder, name))
      const starting = startEmbeddedPostgres({ directory: join(folder, 'postgres'), log: () => {} })
      await expect(starting).rejects.toThrow(
        'a restore was cut off before its end; run the command restore again',
      )
      expect(readdirSync(folder)).toEqual([name])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
