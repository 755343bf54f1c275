// Keys in a backup: changed ones are copied, and the copies of lost ones stay.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDiskRepository } from './disk-repository.ts'
import { keepSecrets, restoreSecrets } from './secrets.ts'

test('a lost file of keys comes back from the backup, as it was last', async () => {
  const root = mkdtempSync(join(tmpdir(), 'secrets-'))
  try {
    const dataDir = join(root, 'data')
    mkdirSync(dataDir)
    const repository = await openDiskRepository(join(root, 'backup'), { writes: true })
    for (const keys of ['first', 'second']) {
      writeFileSync(join(dataDir, 'keys.json'), keys)
      await keepSecrets(dataDir, repository)
    }
    rmSync(join(dataDir, 'keys.json'))
    await keepSecrets(dataDir, repository)
    await restoreSecrets(repository, dataDir)
    expect(readdirSync(dataDir)).toEqual(['keys.json'])
    expect(readFileSync(join(dataDir, 'keys.json'), 'utf8')).toBe('second')
  } finally {
    rmSync(root, { recursive: true })
  }
})
