// DATA_DIR itself: the folder of the embedded cluster, keys and files.
import { mkdirSync } from 'node:fs'
import { ConfigError } from '../config/config-error.ts'

/** Makes the folder where it is missing. Throws a ConfigError that names it. */
export function makeDataDir(dataDir: string): void {
  try {
    // The account that runs PostgreSQL passes through to its own folder, and sees nothing else.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  } catch (error) {
    throw new ConfigError([
      `DATA_DIR: ${dataDir} cannot be written (${(error as Error).message}); set DATA_DIR to a folder of this account`,
    ])
  }
}
