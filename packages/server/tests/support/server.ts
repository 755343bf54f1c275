// The real server, in this process, on a free port over a fresh test database.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { extensionStandIns } from '../../extensions/plugin.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { secretsOf } from '../../src/config/config-secrets.ts'
import { inboxPlugin } from '../../src/inbox/plugin.ts'
import { startServer } from '../../src/main.ts'
import { createLog } from '../../src/observability/log.ts'
import { packageFile } from '../../src/package-root.ts'
import type { Plugin } from '../../src/plugin.ts'
import type { Services } from '../../src/service-dependencies.ts'
import type { Database } from '../../src/sql/database.ts'
import { createTestDatabase, markPrepared, type TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'

/** A message of the sandbox's inbox. */
export interface Message {
  kind: 'mail' | 'sms'
  to: string
  subject: string | null
  text: string
  html: string | null
  links: string[]
  code: string | null
  created_at: string
}

export interface TestServer {
  url: string
  publishableKey: string
  secretKey: string
  database: Database
  services: Services
  warnings: string[]
  /** The sandbox's inbox, newest first. */
  inbox(): Promise<Message[]>
  stop(): Promise<void>
}

export interface TestServerOptions {
  /** Environment variables on top of the test's own; undefined removes one. */
  env?: Record<string, string | undefined>
  /** Folder that holds the supabase folder; the composition's by default. */
  workdir?: string
  production?: boolean
  /** Seed the database, if it is new (not by default). */
  seed?: boolean
  /** Lowest level that is printed: LOG_LEVEL=debug shows everything. */
  logLevel?: string
  /** Gets the log's lines, which are printed otherwise. */
  onLogLine?: (line: string) => void
}

/** The program under test: the server alone, or with the plugins and the project of another package. */
interface Composition {
  /** Folder that holds the supabase folder. */
  workdir: string
  /** Environment variables of every test. */
  env?: Record<string, string>
  loadConfig(sources: { workdir: string; production: boolean; env: NodeJS.ProcessEnv }): Config
  pluginsFor(config: Config): Plugin[]
  /** Makes a database that the server need not prepare. */
  createDatabase(): Promise<TestDatabase>
}

/** Starts the server alone in about half a second. Stop it in afterAll: its database is dropped then. */
export const startTestServer = serverOf({
  workdir: packageFile('tests/support/project'),
  loadConfig,
  pluginsFor: (config) => [extensionStandIns, inboxPlugin(config)],
  async createDatabase() {
    const test = await createTestDatabase()
    await markPrepared(test)
    return test
  },
})

/** A function that starts servers of this composition. */
export function serverOf(composition: Composition) {
  return (options: TestServerOptions = {}) => start(composition, options)
}

async function start(composition: Composition, options: TestServerOptions): Promise<TestServer> {
  const { workdir = composition.workdir, production = false } = options
  // A test with its own database needs none from here.
  const test = options.env?.DATABASE_URL ? null : await composition.createDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-server-'))
  const env = {
    DATABASE_URL: test?.url,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    CLI_PORTS: 'false',
    PORT: String(await freePort()),
    LOG_LEVEL: options.logLevel ?? 'fatal',
    SHUTDOWN_TIMEOUT: '5',
    // A test in production is about something else.
    ALLOW: 'missing-site-url,http-site-url,missing-smtp',
    ...composition.env,
    ...options.env,
  }
  const config = composition.loadConfig({ workdir, production, env })
  const log = createLog({
    level: config.logLevel,
    secrets: secretsOf(config),
    destination: options.onLogLine ? { write: options.onLogLine } : pino.destination({ fd: 2, sync: true }),
  })
  const server = await startServer({
    config,
    plugins: composition.pluginsFor(config),
    log,
    seed: options.seed ?? false,
    idle: 0,
  })
  return {
    url: server.url,
    publishableKey: server.services.keys.publishable,
    secretKey: server.services.keys.secret,
    database: server.services.database,
    services: server.services,
    warnings: server.warnings,
    async inbox() {
      const response = await fetch(`${server.url}/sandbox/inbox.json`)
      if (!response.ok) throw new Error(`the inbox answered ${response.status}: ${await response.text()}`)
      return response.json() as Promise<Message[]>
    },
    async stop() {
      await server.stop()
      await test?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
