// npm run dev: the web app through Vite, the API behind it, and an end of both, the database too, on one signal.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { repositoryFile } from '../../../plugins/repository.ts'

test('it serves the app and the API from one address, and one signal ends everything', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-develop-'))
  const port = await freePort()
  const child = spawn(process.execPath, [repositoryFile('scripts/dev.mjs')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      CLI_PORTS: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Ready in')) resolve()
      })
    }
    child.once('exit', () => reject(new Error(`it ended: ${printed}`)))
  })
  try {
    await ready
    expect(printed).toContain(`Meadowlark is at http://localhost:${port}`)
    expect(await (await fetch(`http://localhost:${port}/faq`)).text()).toContain('/app/main.tsx')
    const config = await (await fetch(`http://localhost:${port}/config.json`)).json()
    expect(config.supabaseUrl).toBe(`http://localhost:${port}`)
    const headers = { apikey: config.supabaseKey }
    expect((await fetch(`http://localhost:${port}/auth/v1/health`, { headers })).status).toBe(200)
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(true)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  } finally {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
