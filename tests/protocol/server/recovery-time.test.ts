// From nothing to signing in: a database and its files are backed up while the server works, all of it is lost,
// restored by the operator's command, and somebody signs in. `GB=10 npm run test:soak -- recovery-time` prints the
// seconds of each step for ten gigabytes, three quarters of them rows. That needs some 35 GB of free disk, in PLACE
// or /var/tmp, as other tests work in memory. Without GB it is a tenth of a gigabyte.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { repositoryRoot } from '../../../plugins/repository.ts'
import { programOf } from '../../support/npm-scripts.ts'
import { stranger } from '../../support/people.ts'
import { buildServer, eventually, type ServerProcess, startProcess } from '../../support/process.ts'

vi.setConfig({ testTimeout: 3_600_000 })

const GB = Number(process.env.GB ?? 0.1)
const PLACE = process.env.PLACE ?? '/var/tmp'
const FILE_BYTES = 10_000_000
/** Of a row, with PostgreSQL's overhead. */
const ROW_BYTES = 1_000
/** Random bytes that the rows of a statement are parts of: too far from each other for gzip to notice. */
const SOURCE_BYTES = 8_000_000
/** Rows that one statement writes. */
const BATCH = 100_000
/** The backup, what it is restored to, and what was before, each as large as the rows and files; and the log. */
const DISK_NEEDED = 3.5

let folder = ''
const ends: (() => unknown)[] = []
beforeAll(() => {
  if (isSoak) buildServer()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test.runIf(isSoak)(`${GB} GB are lost, restored and signed in to`, async () => {
  folder = mkdtempSync(join(PLACE, 'meadowlark-recovery-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < GB * 1e9 * DISK_NEEDED)
    throw new Error(`PLACE: ${PLACE} has no ${GB * DISK_NEEDED} GB free; set GB or PLACE`)
  const env = { DATA_DIR: join(folder, 'data'), BACKUP_DIR: join(folder, 'backup') }
  const steps: [string, number][] = []
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    steps.push([what, (performance.now() - began) / 1000])
    return result
  }

  const full = await start(env.DATA_DIR)
  const digest = await timed('fill', () => fill(full, env.DATA_DIR))
  await full.end('SIGTERM')

  const server = await start(env.DATA_DIR, { BACKUP_DIR: env.BACKUP_DIR })
  await timed('back up while it runs', () =>
    eventually(
      async () => /^\d{8}T\d{6}Z/m.test((await run('backup', env, 'list')).printed),
      3_000_000,
      5000,
    ),
  )
  const before = await lastRow(env.DATA_DIR)
  await server.end('SIGTERM')
  rmSync(env.DATA_DIR, { recursive: true })

  const restored = await timed('restore into an empty folder, and verify', () => run('restore', env))
  expect(restored).toMatchObject({
    status: 0,
    printed: expect.stringMatching(/Restored \d+ rows and \d+ objects/),
  })
  const again = await timed('start', () => start(env.DATA_DIR))
  await timed('sign in', async () => {
    const { error } = await stranger(keysOf(again)).auth.signInWithPassword({
      email: 'grace@example.com',
      password: 'Meadowlark1',
    })
    expect(error).toBe(null)
  })
  expect(await lastRow(env.DATA_DIR)).toEqual(before)
  const { data } = await attic(again).download('0.bin')
  expect(
    createHash('sha256')
      .update(Buffer.from(await (data as Blob).arrayBuffer()))
      .digest('hex'),
  ).toBe(digest)

  const back = steps.slice(2).reduce((sum, [, seconds]) => sum + seconds, 0)
  const lines = [...steps, ['from nothing to signing in', back] as const].map(
    ([what, seconds]) => `  ${what.padEnd(42)} ${seconds.toFixed(1)} s\n`,
  )
  process.stdout.write(`${GB} GB, load ${loadavg()[0]?.toFixed(1)}\n${lines.join('')}`)
})

async function start(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startProcess({ workdir: repositoryRoot, dataDir, env: { LOG_LEVEL: 'warn', ...env } })
  ends.push(() => server.end('SIGKILL'))
  return server
}

const keysOf = ({ url, publishable, secret }: ServerProcess) => ({
  url,
  publishableKey: publishable,
  secretKey: secret,
})

const storage = ({ url, secret }: ServerProcess) => stranger({ url, publishableKey: secret }).storage
const attic = (server: ServerProcess) => storage(server).from('attic')

/** Rows that compress as text does, and files that do not; resolves with the SHA-256 of the first file. */
async function fill(server: ServerProcess, dataDir: string): Promise<string> {
  await asOwner(dataDir, async (client) => {
    await client.query(
      'create table private.recovered (id bigint generated always as identity primary key, text text)',
    )
    for (let left = Math.ceil((GB * 0.75e9) / ROW_BYTES); left > 0; left -= BATCH)
      await client.query(
        `insert into private.recovered (text)
         select encode(substring($2::bytea from 1 + (random() * $3)::int for 465), 'hex') from generate_series(1, $1::int)`,
        [Math.min(left, BATCH), randomBytes(SOURCE_BYTES), SOURCE_BYTES - 1000],
      )
    // As the server does by itself a minute later: who reads such rows first writes them once more, all of them.
    await client.query('vacuum private.recovered')
  })
  const made = await storage(server).createBucket('attic', { public: false, fileSizeLimit: FILE_BYTES })
  expect(made.error).toBe(null)
  let digest = ''
  const files = Math.ceil((GB * 0.25e9) / FILE_BYTES)
  for (let number = 0; number < files; number++) {
    const bytes = randomBytes(FILE_BYTES)
    if (number === 0) digest = createHash('sha256').update(bytes).digest('hex')
    expect((await attic(server).upload(`${number}.bin`, bytes)).error).toBe(null)
  }
  return digest
}

async function lastRow(dataDir: string): Promise<unknown> {
  return asOwner(dataDir, async (client) => {
    const { rows } = await client.query('select id, text from private.recovered order by id desc limit 1')
    return rows[0]
  })
}

async function asOwner<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(runningUrl(join(dataDir, 'postgres')) ?? '')
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** One of the operator's commands: its exit code and what it printed. */
function run(script: 'backup' | 'restore', env: Record<string, string>, ...args: string[]) {
  return new Promise<{ status: number | null; printed: string }>((resolve) => {
    const { PATH, HOME, TMPDIR } = process.env
    const child = spawn(process.execPath, [...programOf(script), ...args], {
      cwd: repositoryRoot,
      env: { PATH, HOME, TMPDIR, ...env },
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    child.once('close', (status) => resolve({ status, printed }))
  })
}
