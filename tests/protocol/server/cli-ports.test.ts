// The ports of this machine at which the Supabase CLI finds a project in development: never in production, and no reason
// not to start.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { cliKeys } from '@meadowlark/server/process/supabase-cli.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { loadConfig } from '../../../plugins/index.ts'
import {
  buildServer,
  eventually,
  type Project,
  preparedProject,
  startProcess,
} from '../../support/process.ts'

/** The secret key that the CLI sends to every local project. */
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const PRODUCTION = {
  SITE_URL: 'http://localhost',
  ALLOW: 'http-site-url,missing-smtp',
  CLI_PORTS: 'true',
}

let made: Project
let api: number
let database: number
beforeAll(async () => {
  buildServer()
  made = await preparedProject()
  ;[api, database] = [await freePort(), await freePort()]
  const config = join(made.workdir, 'supabase', 'config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replace('[api]\n', `[api]\nport = ${api}\n`))
  appendFileSync(config, `\n[db]\nport = ${database}\n`)
})
afterAll(() => made.remove())

const start = (env: Record<string, string> = {}, ...args: string[]) =>
  startProcess({ workdir: made.workdir, dataDir: made.dataDir, env: { CLI_PORTS: 'true', ...env }, args })

/** The database's user for a connection with the CLI's password; the error's code if it is refused. */
async function signIn(host: string, user = 'postgres'): Promise<string> {
  const client = new pg.Client({ host, port: database, user, password: 'postgres', database: 'postgres' })
  try {
    await client.connect()
    const { rows } = await client.query('select current_user as name')
    return rows[0].name
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.end().catch(() => {})
  }
}

/** How the admin's list of people answers whoever has the CLI's key. */
const status = (url: string) =>
  fetch(`${url}/auth/v1/admin/users`, { headers: { apikey: SECRET_KEY } }).then(
    (response) => response.status,
    () => 'refused',
  )

it('opens the API and the database on this machine, over IPv4 and IPv6, for postgres alone', async () => {
  const server = await start()
  try {
    expect([await signIn('127.0.0.1'), await signIn('::1')]).toEqual(['postgres', 'postgres'])
    expect(await signIn('127.0.0.1', 'supabase_admin')).toBe('28000')
    expect([await status(`http://127.0.0.1:${api}`), await status(`http://[::1]:${api}`)]).toEqual([200, 200])
    expect(server.printed()).not.toContain('In use')
  } finally {
    await server.end('SIGTERM')
  }
})

it('names, in one line, ports that others have, and starts', async () => {
  const others = await Promise.all([api, database].map(occupy))
  try {
    const server = await start()
    await eventually(() => server.printed().includes('In use by other programs'))
    const [line] = server.printed().match(/! In use.*/) ?? []
    expect(line).toContain(`port ${api} ([api] port) and port ${database} ([db] port)`)
    expect(await status(server.url)).toBe(200)
    await server.end('SIGTERM')
  } finally {
    for (const other of others) other.close()
  }
})

it('opens neither in production, and the CLI’s keys are nobody’s there', async () => {
  const server = await start(PRODUCTION, '--production')
  try {
    expect([await signIn('127.0.0.1'), await status(`http://127.0.0.1:${api}`)]).toEqual([
      'ECONNREFUSED',
      'refused',
    ])
    expect(await status(server.url)).toBe(401)
  } finally {
    await server.end('SIGTERM')
  }
})

it('takes the CLI’s keys only where no other machine may come in', () => {
  const keysWith = (env: Record<string, string>, production = false) =>
    cliKeys(loadConfig({ workdir: made.workdir, env: { ...PRODUCTION, ...env }, production })).length > 0
  expect([keysWith({}), keysWith({ HOST: '::1' })]).toEqual([true, true])
  expect([keysWith({ HOST: '0.0.0.0' }), keysWith({ CLI_PORTS: 'false' })]).toEqual([false, false])
  expect([keysWith({ NODE_ENV: 'production' }), keysWith({}, true)]).toEqual([false, false])
})

function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
