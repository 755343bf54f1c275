// Dependencies of every service.
import type pino from 'pino'
import type { Backup } from './backup/backup.ts'
import type { Config } from './config/config.ts'
import type { Here } from './config/local-names.mjs'
import type { Bodies } from './http/bodies.ts'
import type { ClientAddresses } from './http/client-address.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Keys } from './keys/keys.ts'
import type { Mail } from './mail/mail.ts'
import type { Sms } from './sms/sms.ts'
import type { Database } from './sql/database.ts'

export type Services = {
  config: Config
  keys: Keys
  database: Database
  /** The same as `authenticator`, for what callers do. */
  requests: Database
  /** Reads the bodies of requests. */
  bodies: Bodies
  /** Null where nothing is backed up. */
  backup: Backup | null
  jobs: Jobs
  mail: Mail
  sms: Sms
  addresses: ClientAddresses
  log: pino.Logger
  /** Where local names lead; the origin is known only after listening. */
  here: () => Here
}
