// The sandbox by itself for one test file, on a database that is removed afterwards.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../server/tests/support/free-port.ts'
import { type Standalone, startSandbox } from '../src/cli/standalone.ts'

export type TestServer = Standalone

/** Starts it; stop it in afterAll. */
export async function startTestServer(webhook: string | null = null): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'stripe-sandbox-'))
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(folder, 0o711)
  const server = await startSandbox({ dataDir: join(folder, 'data'), port: await freePort(), webhook })
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
