// `npm start` as a service manager or a container starts it: a signal to npm ends the server and its PostgreSQL, and npm
// waits for them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { repositoryRoot } from '../../../plugins/repository.ts'
import {
  buildServer,
  type Project,
  postmasterOf,
  preparedProject,
  processesOf,
} from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

vi.setConfig({ testTimeout: 180_000 })

let made: Project
beforeAll(async () => {
  buildServer()
  made = await preparedProject()
})
afterAll(() => made.remove())

test.each([
  ['SIGTERM', 'false'],
  ['SIGINT', 'true'],
] as const)('%s, with test payments: %s', async (signal, STRIPE_SANDBOX) => {
  const { PATH, HOME } = process.env
  const port = await freePort()
  const npm = spawn('npm', ['start', '--', '--workdir', made.workdir], {
    cwd: repositoryRoot,
    env: { PATH, HOME, PORT: String(port), DATA_DIR: made.dataDir, CLI_PORTS: 'false', STRIPE_SANDBOX },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A terminal's Ctrl-C reaches the whole group: here, npm has to pass it on by itself.
    detached: true,
  })
  try {
    let printed = ''
    const ended = new Promise((resolve) => npm.once('exit', resolve))
    await new Promise<void>((resolve, reject) => {
      for (const stream of [npm.stdout, npm.stderr]) {
        stream.on('data', (chunk) => {
          printed += chunk
          if (printed.includes('Ready in')) resolve()
        })
      }
      npm.once('exit', () => reject(new Error(`it ended: ${printed}`)))
    })
    expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200)
    // The sample project takes payments only where it says so.
    expect(`${printed.includes('Payments are test payments')}`).toBe(STRIPE_SANDBOX)
    npm.kill(signal)
    await ended
    expect(printed).toContain(`${signal}: stopping`)
    expect(postmasterOf(made.dataDir)).toBeNull()
    expect(processesOf(made.dataDir)).toEqual([])
    expect(existsSync(join(made.dataDir, 'server.lock'))).toBe(false)
    await expect(fetch(`http://localhost:${port}/health`)).rejects.toThrow()
  } finally {
    // The shell between npm and the server, too, were there one.
    try {
      process.kill(-(npm.pid as number), 'SIGKILL')
    } catch {}
  }
})
