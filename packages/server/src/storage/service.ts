// Dependencies shared by all storage modules.
import type pino from 'pino'
import type { Config } from '../config/config.ts'
import type { Answer } from '../http/answer.ts'
import type { Bodies } from '../http/bodies.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Keys } from '../keys/keys.ts'
import type { Database } from '../sql/database.ts'
import type { Backend } from './backend/backend.ts'
import type { Images } from './images/images.ts'

export interface StorageService {
  config: Config
  database: Database
  keys: Keys
  backend: Backend
  /** Missing where config.toml turns transformations off. */
  images?: Images | undefined
  bodies: Bodies
  log: pino.Logger
}

/** Maximum size in bytes of any object, whatever its bucket allows. */
export function projectMaxBytes({ config }: StorageService): number {
  return config.storage.file_size_limit
}

/** A route's handler; `context` is a CallerContext if the route has one. */
export type Handler<Context = null> = (
  service: StorageService,
  request: RequestContext,
  context: Context,
) => Answer | Promise<Answer>
