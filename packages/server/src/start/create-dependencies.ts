// Creates the dependencies that all services share, and the metrics.
import type pino from 'pino'
import { startBackup } from '../backup/backup.ts'
import type { Config } from '../config/config.ts'
import { type Bans, createBans, watchEventLoop } from '../http/bans.ts'
import { Bodies } from '../http/bodies.ts'
import { clientAddresses, limitKey } from '../http/client-address.ts'
import { createJobs } from '../jobs/jobs.ts'
import type { Keys } from '../keys/keys.ts'
import { createMail } from '../mail/mail.ts'
import { createMetrics, type Metrics } from '../observability/metrics/metrics.ts'
import type { Plugin } from '../plugin.ts'
import type { OnStop } from '../process/shutdown.ts'
import type { Services } from '../service-dependencies.ts'
import { createSms } from '../sms/sms.ts'
import type { CreatedServices } from './create-services.ts'
import type { StartedDatabase } from './database.ts'
import type { ServerState } from './http.ts'

const UNNAMED_PROXY =
  'X-Forwarded-For from an address that TRUSTED_PROXIES does not name does not count: if it is your proxy, all who come through it share the limits of one address'

type DependencyOptions = {
  config: Config
  plugins: readonly Plugin[]
  log: pino.Logger
  keys: Keys
  started: StartedDatabase
  state: ServerState
}

/** Creates the dependencies shared by services: backup, jobs, mail, text messages, and reading of bodies. */
export async function createDependencies(
  { config, plugins, log, keys, started, state }: DependencyOptions,
  onStop: OnStop,
): Promise<{ platform: Services; bans: Bans }> {
  const { database, requests, url } = started
  const backup = config.backup
    ? await startBackup({ config: { ...config, backup: config.backup }, url, log })
    : null
  if (backup) onStop('backup', () => backup.stop())
  const jobs = createJobs({ database, log })
  const inbox: Plugin['inbox'] & object = Object.assign({}, ...plugins.map((plugin) => plugin.inbox))
  const mail = createMail({ smtp: config.smtp, inbox: inbox.email, database, jobs, log })
  onStop('mail', () => mail.close())
  const sms = createSms({ account: config.carrier, inbox: inbox.text, database, jobs, log })
  const addresses = clientAddresses(config.trustedProxies, (peer) => log.warn({ peer }, UNNAMED_PROXY))
  const bans = createBans({ addresses, isBusy: watchEventLoop() })
  const bodies = new Bodies({
    memory: { total: config.limits.bodyMemory, perAddress: config.limits.bodyMemory / 2 },
    windowMs: config.limits.bodyTimeout,
    addressOf: (incoming) => limitKey(addresses.of(incoming)),
    onAbuse: bans.add,
  })
  const platform: Services = {
    config,
    keys,
    database,
    requests,
    bodies,
    backup,
    jobs,
    mail,
    sms,
    addresses,
    log,
    here: () => ({ origin: state.origin, apiPort: config.api.port, production: config.production }),
  }
  return { platform, bans }
}

export function createServerMetrics(
  { config, database, requests, backup }: Services,
  { realtime, restPool }: CreatedServices,
  plugins: readonly Plugin[],
  login: string,
): Metrics {
  return createMetrics({
    plugins,
    dataDir: config.dataDir,
    database: database.pool,
    realtime: () => realtime?.figures(),
    pools: { owner: database.pool, requests: requests.pool, ...(restPool ? { rest: restPool } : {}) },
    backup,
    replicaUrl: config.replicaUrl,
    login,
  })
}
