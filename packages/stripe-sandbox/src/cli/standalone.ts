// The sandbox by itself: Stripe's API on an embedded PostgreSQL, and nothing of Supabase's.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@meadowlark/server/config/config.ts'
import { secretsOf } from '@meadowlark/server/config/config-secrets.ts'
import { startServer } from '@meadowlark/server/main.ts'
import { createLog } from '@meadowlark/server/observability/log.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import type { Database } from '@meadowlark/server/sql/database.ts'
import type { StripeKeys } from '../api.ts'
import { sandboxStripeKeys } from '../keys.ts'
import { mountSandbox, sandboxSchema } from '../plugin.ts'

export interface StandaloneOptions {
  /** Folder for everything that it keeps; made if it is missing. */
  dataDir: string
  port: number
  /** Where events are sent; null for nowhere. */
  webhook: string | null
  /** Lowest level that is printed. */
  logLevel?: string
}

export interface Standalone {
  url: string
  keys: StripeKeys
  /** The key that these keys are made from. */
  secretKey: string
  database: Database
  stop(): Promise<void>
}

const SERVICES = ['api', 'auth', 'storage', 'realtime', 'edge_runtime', 'db.seed', 'db.migrations']

/** Starts it. Rejects with an error made to be read. */
export async function startSandbox({
  dataDir,
  port,
  webhook,
  logLevel = 'warn',
}: StandaloneOptions): Promise<Standalone> {
  const workdir = join(dataDir, 'project')
  mkdirSync(join(workdir, 'supabase'), { recursive: true })
  const settings = SERVICES.map((name) => `[${name}]\nenabled = false\n`).join('')
  writeFileSync(join(workdir, 'supabase/config.toml'), settings)
  const config = loadConfig({
    workdir,
    env: { DATA_DIR: dataDir, PORT: String(port), CLI_PORTS: 'false', LOG_LEVEL: logLevel },
  })
  const sandbox: Plugin = {
    ...sandboxSchema,
    mount: (context) => mountSandbox(context, { url: async () => webhook, atRoot: true }),
  }
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config) })
  const { url, services, stop } = await startServer({ config, plugins: [sandbox], log })
  const { secret } = services.keys
  return { url, keys: sandboxStripeKeys(secret), secretKey: secret, database: services.database, stop }
}
