// What the commands beside the server itself (scripts/) are made of, built as .build/commands.mjs.
import type { Config } from '../server/config.ts'
import { runAsOwnerOf } from '../server/run-as-owner.ts'
import { loadConfig as loadServerConfig } from './plugins.ts'

export { listApiKeys, revokeApiKey, rotateApiKey } from '../server/api-key-rotation.ts'
export { API_KEY_KINDS } from '../server/api-keys.ts'
export { backupNow, listBackups, listRestorable, restoreBackup } from '../server/backup/commands.ts'
export { ConfigError } from '../server/config.ts'
export { runningDatabaseUrl, withDatabase } from '../server/console.ts'
export { examine } from '../server/doctor/doctor.ts'
export { ALGORITHMS, addKey, listKeys, revokeKey, rotateKeys } from '../server/key-rotation.ts'
export { move } from '../server/move/move.ts'
export { readBaseline } from '../server/postgres/migrate/baseline.ts'
export { openBackend as openFileStore } from '../server/storage/backend/open.ts'
export { upgradeCluster } from '../server/upgrade/upgrade.ts'
export { describe } from './describe.ts'
export { pluginsFor } from './plugins.ts'
export { writeStaticSite } from './static-site.ts'
export { stripeAccount } from './stripe.ts'

/** As the server loads it; as root, the command then goes on as the account that the data belong to. */
export function loadConfig(sources: Parameters<typeof loadServerConfig>[0]): Config {
  const config = loadServerConfig(sources)
  runAsOwnerOf(config.dataDir)
  return config
}
