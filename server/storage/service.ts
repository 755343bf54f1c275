// What every part of storage is given.
import type pino from 'pino'
import type { Config } from '../config.ts'
import type { Bodies } from '../http/bodies.ts'
import type { Keys } from '../keys.ts'
import type { Database } from '../sql/database.ts'
import type { Backend } from './backend/backend.ts'

export interface StorageService {
  config: Config
  database: Database
  keys: Keys
  backend: Backend
  bodies: Bodies
  log: pino.Logger
}

/** Maximum size in bytes of any object, whatever its bucket allows. */
export function projectMaxBytes({ config }: StorageService): number {
  return config.storage.file_size_limit
}
