// The life of a production installation by its operator's commands, as the service's account. The gate does its quick part: first
// start, administrator, a paid job. `npm run test:soak -- production` begins in a clone that is installed as documented and goes on:
// backup, kill, damage, restore, rotated keys, a move, an upgrade of PostgreSQL, a return to an earlier version.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { programsOf } from '@meadowlark/server/cli/postgres-programs.mjs'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { binariesIn } from '../../../packages/server/tests/support/debian-postgres.ts'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { startExternalPostgres } from '../../support/external-postgres.ts'
import { liftLimits } from '../../support/lift-limits.ts'
import {
  buildClone,
  installProduction,
  type ProductionInstall,
  replaceByClone,
  type Started,
} from '../../support/production-install.ts'
import { databaseOf, figures, paidJob, payment, proveSecondFactor, signIn, signUp } from './marketplace.ts'
import {
  type MailServer,
  type PaymentProvider,
  startMailServer,
  startPaymentProvider,
} from './payment-provider.ts'

/** The major version of PostgreSQL that the upgrade starts from. */
const OLDER_POSTGRES = 17
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let installed: ProductionInstall
let provider: PaymentProvider
let mail: MailServer
let server: Started
let url: string
let dataDir: string
let booking: string
let people: Record<'grace' | 'theo' | 'ada', SupabaseClient>

beforeAll(
  async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    ;[provider, mail] = await Promise.all([startPaymentProvider(url), startMailServer()])
    const env = {
      HOST: '127.0.0.1',
      PORT: String(port),
      SITE_URL: 'https://meadowlark.example',
      // The stand-in has keys like those for tests.
      ALLOW: 'test-stripe-keys',
      ...provider.env,
      ...mail.env,
    }
    installed = await installProduction(env, isSoak ? { change: replaceByClone } : {})
    ;({ dataDir } = installed)
    if (isSoak) rmSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(installed.app, 'supabase/functions/.env'), provider.functionEnv)
  },
  isSoak ? 900_000 : undefined,
)
afterAll(async () => {
  await stop()
  mail?.stop()
  await provider?.stop()
  installed?.remove()
})

const keys = (of = dataDir) =>
  JSON.parse(readFileSync(join(of, 'keys.json'), 'utf8')) as { publishable: string; secret: string }
const address = () => ({ url, publishableKey: keys().publishable })
const now = () => figures(databaseOf(dataDir))

async function start(env: Record<string, string> = {}): Promise<void> {
  server = await installed.start({ DATA_DIR: dataDir, ...env })
}

async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  server.kill(signal)
  await once(server, 'exit')
}

/** The command ends with that code, by default 0, and prints no stack; resolves with its output. */
async function run(command: string, args: string[] = [], { code = 0, env = {} } = {}): Promise<string> {
  const ended = await installed.run(command, args, { DATA_DIR: dataDir, ...env })
  expect(ended.code, ended.output).toBe(code)
  expect(ended.output, command).not.toMatch(/^\s+at /m)
  return ended.output
}

/** The job is paid out, the ledger adds up, and both people read it. */
async function expectPaidJob(): Promise<void> {
  const [grace, theo] = await Promise.all([signIn(address(), 'grace'), signIn(address(), 'theo')])
  for (const person of [grace, theo])
    expect(await payment(person, booking)).toMatchObject({ escrow_status: 'released', payout_status: 'sent' })
  expect(await now()).toMatchObject({ bookings: '1', payments: '1', ledger: '0.00' })
  const id = (await grace.auth.getUser()).data.user?.id
  const stored = await grace.storage.from('profile-photos').download(`${id}/me.png`)
  expect(Buffer.from(await (stored.data as Blob).arrayBuffer()).equals(PHOTO)).toBe(true)
}

/** Grace posts one more task; resolves with its id and why it was not taken. */
async function postTask(title: string) {
  const giver = (await people.grace.auth.getSession()).data.session?.user.id
  const id = randomUUID()
  const { error } = await people.grace.from('tasks').insert({
    id,
    task_giver_id: giver,
    title,
    category: 'Snow Removal',
    location: 'Regina',
    pay_amount: 40,
    description: 'The front of the house, all of it.',
    status: 'open',
  })
  return { id, error }
}

test('a start makes what DATA_DIR lacks, and three people sign up', async () => {
  expect(readdirSync(dataDir)).toEqual(isSoak ? [] : ['postgres'])
  await start()
  await liftLimits(join(dataDir, 'postgres'))
  const [grace, theo, ada] = await Promise.all([
    signUp(address(), mail, ['Grace', 'task_giver']),
    signUp(address(), mail, ['Theo', 'task_doer']),
    signUp(address(), mail, ['Ada', 'task_giver']),
  ])
  people = { grace, theo, ada }
})

test('one of them becomes the administrator, with a second factor', async () => {
  expect(await run('admin', ['ada@example.com'])).toContain('is an administrator now')
  const roles = () => people.ada.from('user_roles').select('role').eq('role', 'admin')
  await proveSecondFactor(people.ada)
  expect((await roles().throwOnError()).data).toEqual([{ role: 'admin' }])
})

test('a job is posted, paid and paid out', async () => {
  booking = await paidJob(people.grace, people.theo, provider)
  const id = (await people.grace.auth.getUser()).data.user?.id
  const photo = new File([PHOTO], 'me.png', { type: 'image/png' })
  const put = await people.grace.storage.from('profile-photos').upload(`${id}/me.png`, photo)
  expect(put.error).toBe(null)
  await expectPaidJob()
})

test.runIf(isSoak)('a killed server has what it acknowledged, and a backup goes on', async () => {
  const acknowledged: string[] = []
  const write = async () => {
    for (;;) {
      const { id, error } = await postTask('Rake the leaves')
      if (error && !server.killed) throw error
      if (error) return
      acknowledged.push(id)
    }
  }
  const writers = [write(), write(), write()]
  await expect.poll(() => acknowledged.length).toBeGreaterThan(30)
  await stop('SIGKILL')
  await Promise.all(writers)
  await start()
  const { data } = await people.grace.from('tasks').select('id').eq('title', 'Rake the leaves').throwOnError()
  const there = new Set(data.map(({ id }) => id))
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
  await expectPaidJob()
  await run('backup')
  expect(await run('backup', ['list'])).toMatch(/^(\S+ +ended .* objects\n)+$/)
})

test.runIf(isSoak)('a restore from a damaged copy of the backup says what it lacks', async () => {
  await run('backup')
  const based = Date.now()
  await postTask('Shovel the walk')
  await stop()
  const damaged = join(dirname(dataDir), 'damaged')
  cpSync(installed.backupDir, damaged, { recursive: true, preserveTimestamps: true })
  const piece = readdirSync(join(damaged, 'wal'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(damaged, 'wal', name))
    .sort()
    .find((path) => statSync(path).isFile() && statSync(path).mtimeMs > based) as string
  writeFileSync(piece, Buffer.alloc(statSync(piece).size))
  giveAway(damaged)
  const env = { BACKUP_DIR: damaged, DATA_DIR: emptyFolder('rehearsal') }
  const told = await run('restore', [], { code: 2, env })
  expect(told).toMatch(
    /^Restored \d+ rows .* up to what was committed at \d{4}-\d\d-\d\dT.*\n {2}! Not everything: .*wal\/.* (is damaged|cannot be read)/m,
  )
  // It weighs the parts of the log and does not read them: the damaged one has its size.
  expect(await run('restore', ['--list'], { env })).toMatch(/^\d{8}T\d{6}Z .* until /m)
})

test.runIf(isSoak)('the backup restores every row, file and dollar', async () => {
  await start()
  const before = await now()
  await run('backup')
  await stop()
  expect(await run('restore', ['--replace'])).toMatch(/^ {2}storage\.objects: 1$/m)
  await start()
  expect(await now()).toEqual(before)
  await expectPaidJob()
})

test.runIf(isSoak)('keys are rotated and revoked, and no backup brings the revoked ones back', async () => {
  const before = keys()
  const statusOf = async (apikey: string) =>
    (await fetch(`${url}/auth/v1/admin/users`, { headers: { apikey } })).status
  await run('keys', ['add'])
  await run('keys', ['rotate'])
  const [, own = ''] = /^(\S+) .* own$/m.exec(await run('keys', ['list'])) ?? []
  await run('keys', ['revoke', own])
  await run('keys', ['rotate', 'secret'])
  await run('keys', ['revoke', before.secret.slice(0, 16)])
  await expect.poll(() => statusOf(before.secret)).toBe(401)
  await expect.poll(() => statusOf(keys().secret)).toBe(200)
  // Tokens of the revoked pair are worth nothing; people sign in again.
  await expectPaidJob()
  const counted = await now()
  const kept = join(installed.backupDir, 'secrets/keys.json')
  await expect.poll(() => readFileSync(kept, 'utf8')).toBe(readFileSync(join(dataDir, 'keys.json'), 'utf8'))
  await run('backup')
  await stop()

  dataDir = emptyFolder('elsewhere')
  await run('restore')
  await start()
  expect(await now()).toEqual(counted)
  expect(keys().secret).not.toBe(before.secret)
  expect([await statusOf(before.secret), await statusOf(keys().secret)]).toEqual([401, 200])
  expect(await run('keys', ['list'])).not.toContain(own)
  await expectPaidJob()
})

test.runIf(isSoak)(
  'everything moves to another installation, whose PostgreSQL is then upgraded',
  async () => {
    const programs = programsOf(OLDER_POSTGRES)
    const old = await startExternalPostgres({ binaries: binariesIn(programs) })
    chmodSync(join(old.directory, 'sockets'), 0o755)
    const port = String(await freePort())
    const target = emptyFolder('moved')
    const there = await installed.start({
      DATA_DIR: target,
      DATABASE_URL: old.url,
      PORT: port,
      BACKUP_DIR: '',
    })
    const before = await now()
    const moved = await run('move', [], {
      env: {
        FROM_API_URL: url,
        FROM_SECRET_KEY: keys().secret,
        TO_DATABASE_URL: old.url,
        TO_API_URL: `http://127.0.0.1:${port}`,
        TO_SECRET_KEY: keys(target).secret,
      },
    })
    expect(moved).toMatch(/^Moved \d+ rows and 1 objects\.$/m)
    expect(await figures(old.url)).toEqual(before)
    await stop()
    there.kill('SIGTERM')
    await once(there, 'exit')
    await old.stop()

    dataDir = target
    renameSync(join(old.directory, 'postgres'), join(target, 'postgres'))
    await old.remove()
    giveAway(target)
    const own = { BACKUP_DIR: emptyFolder('backups-18') }
    expect(await run('upgrade', ['--production', '--programs', programs], { env: own })).toMatch(
      new RegExp(`PostgreSQL \\d+ has \\d+ rows .* that of ${OLDER_POSTGRES} lies in `),
    )
    await start(own)
    expect(await now()).toEqual(before)
    await expectPaidJob()
  },
)

test.runIf(isSoak)('the oldest version that a rollback may go to serves on the newer schema', async () => {
  const before = await now()
  await stop()
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: installed.app, encoding: 'utf8' }).trim()
  const newest = git('rev-parse', 'HEAD')
  checkOut(readFileSync(join(installed.app, 'supabase/oldest-compatible-version'), 'utf8').trim())
  await start({ BACKUP_DIR: '' })
  expect(server.printed()).toContain('migrations of a newer version')
  expect(await now()).toEqual(before)
  await expectPaidJob()
  await stop()

  checkOut(newest)
  await start({ BACKUP_DIR: '' })
  expect(await now()).toEqual(before)
  await expectPaidJob()

  function checkOut(commit: string): void {
    git('checkout', '--quiet', commit)
    buildClone(installed.app)
  }
})

function emptyFolder(name: string): string {
  const folder = join(dirname(installed.dataDir), name)
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder, { mode: 0o711 })
  giveAway(folder)
  return folder
}

/** Makes the folder the service's own. */
function giveAway(folder: string): void {
  const { account } = installed
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder])
}
