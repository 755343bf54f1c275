// The real server, in this process, on a free port over a fresh test database.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretsOf } from '@meadowlark/server/config/config-secrets.ts'
import { startServer } from '@meadowlark/server/main.ts'
import { createLog } from '@meadowlark/server/observability/log.ts'
import type { Services } from '@meadowlark/server/services.ts'
import type { Database } from '@meadowlark/server/sql/database.ts'
import { freePort } from '@meadowlark/server/tests/support/free-port.ts'
import pino from 'pino'
import { loadConfig, pluginsFor } from '../../plugins/index.ts'
import { repositoryRoot } from '../../plugins/repository.ts'
import { createTestDatabase, markPrepared } from './database.ts'
import { LIFT_LIMITS } from './lift-limits.ts'

export { freePort }

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
  /** Folder that holds the supabase folder; this repository's by default. */
  workdir?: string
  production?: boolean
  /** Seed the database, if it is new (not by default). */
  seed?: boolean
  /** Lowest level that is printed: LOG_LEVEL=debug shows everything. */
  logLevel?: string
  /** Gets the log's lines, which are printed otherwise. */
  onLogLine?: (line: string) => void
}

/** Starts it in about half a second. Stop it in afterAll: its database is dropped then. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { workdir = repositoryRoot, production = false } = options
  // A test with its own database needs none from here.
  const test = options.env?.DATABASE_URL ? null : await createTestDatabase()
  if (test) {
    await markPrepared(test)
    await test.database.pool.query(LIFT_LIMITS)
  }
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
    ALLOW: 'missing-site-url,http-site-url,missing-smtp,missing-stripe',
    ...options.env,
  }
  const config = loadConfig({ workdir, production, env })
  const log = createLog({
    level: config.logLevel,
    secrets: secretsOf(config),
    destination: options.onLogLine ? { write: options.onLogLine } : pino.destination({ fd: 2, sync: true }),
  })
  const server = await startServer({
    config,
    plugins: pluginsFor(config),
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
