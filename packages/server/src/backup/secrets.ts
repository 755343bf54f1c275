// The server's keys in a backup: the JSON files of DATA_DIR.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BackupRepository } from './repository.ts'

/** Their folder in a backup. */
const SECRETS = 'secrets/'

/**
 * Copies the keys as they are now. The copy of a file that is gone stays: the commands that take keys away write the file anew,
 * so a missing one was lost. Throws an error of the disk or of the backup repository.
 */
export async function keepSecrets(dataDir: string, repository: BackupRepository): Promise<void> {
  for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.json')))
    await repository.write(`${SECRETS}${name}`, readFileSync(join(dataDir, name)))
}

/** Writes those that are not there. Throws an error of the disk or of the backup repository. */
export async function restoreSecrets(repository: BackupRepository, dataDir: string): Promise<void> {
  for (const { name } of await repository.list(SECRETS)) {
    const path = join(dataDir, name.slice(SECRETS.length))
    if (!existsSync(path)) await writeFile(path, await buffer(await repository.read(name)), { mode: 0o600 })
  }
}
