// A damaged backup says so: what a restore brings back from one, up to which moment, and its exit code. One backup with two
// timelines is made once; each case damages a copy of it.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@meadowlark/server/config/config.ts'
import { examineBackup } from '@meadowlark/server/doctor/services.ts'
import { startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { programOf } from '../../support/npm-scripts.ts'
import {
  buildServer,
  eventually,
  type Project,
  preparedProject,
  startProcess,
} from '../../support/process.ts'
import { afterBase, basesIn, FIRST_RECORD_CRC, flip, parts, tar, withoutChecksums } from './backup-files.ts'

let made: Project
let folder: string
/** The one that is copied, and the names of its base backups, the oldest first. */
let whole: string
let bases: string[]
/** A moment on the first timeline after which row 2 was written. */
let between: Date

beforeAll(async () => {
  buildServer()
  made = await preparedProject('damaged-backup-')
  folder = join(made.dataDir, '..')
  whole = join(folder, 'whole')
  const start = () => startProcess({ ...made, env: { BACKUP_DIR: whole, LOG_LEVEL: 'warn' } })
  let server = await start()
  await eventually(() => basesIn(whole).length === 1)
  await sql('create table crate (id int primary key)')
  await add(1)
  between = new Date()
  await add(2)
  expect((await run('backup', whole)).status).toBe(0)
  await add(3)
  await received()
  await server.end('SIGKILL')
  rmSync(made.dataDir, { recursive: true })
  expect(await run('restore', whole)).toMatchObject({ status: 0 })
  server = await start()
  await eventually(() => basesIn(whole).length === 3)
  await add(4)
  await add(5)
  await received()
  await server.end('SIGTERM')
  bases = basesIn(whole)
})
afterAll(() => made?.remove())

async function sql<T>(statement: string): Promise<T[]> {
  const client = new pg.Client(runningUrl(join(made.dataDir, 'postgres')) ?? '')
  await client.connect()
  return client
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
const add = (id: number) => sql(`insert into crate values (${id})`)

/** Resolves once the backup has all of the log that there is now. */
async function received() {
  const [{ lsn }] = (await sql<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')) as [
    { lsn: string },
  ]
  await eventually(async () => {
    const query = `select flush_lsn >= '${lsn}' as kept from pg_stat_replication where application_name = 'meadowlark_backup'`
    return (await sql<{ kept: boolean }>(query))[0]?.kept === true
  })
}

/** One of the operator's commands: its exit code and what it printed. */
function run(script: 'backup' | 'restore', backup: string, args: string[] = [], dataDir = made.dataDir) {
  return new Promise<{ status: number | null; printed: string }>((resolve) => {
    const child = spawn(process.execPath, [...programOf(script), ...args, '--workdir', made.workdir], {
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, DATA_DIR: dataDir, BACKUP_DIR: backup },
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    child.once('close', (status) => resolve({ status, printed }))
  })
}

/** The rows of a restored database; null where none was restored. */
async function cratesIn(dataDir: string): Promise<number[] | null> {
  const directory = join(dataDir, 'postgres')
  if (!readdirSync(dataDir).includes('postgres')) return null
  const postgres = await startEmbeddedPostgres({ directory, log: () => {} })
  const client = new pg.Client(postgres.url())
  try {
    await client.connect()
    const { rows } = await client.query('select id from crate order by id')
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
    await postgres.stop()
  }
}

type Case = {
  damage?: (backup: string) => void
  args?: () => string[]
  status: number
  /** The moment it goes up to when left out. */
  printed?: RegExp
  /** Null where nothing is restored; undefined for the first three at least. */
  rows: number[] | null | undefined
}

const upToMoment = /up to what was committed at \d{4}-\d\d-\d\dT[\d:.]+Z/
const CASES: Record<string, Case> = {
  'no damage': { status: 0, rows: [1, 2, 3, 4, 5] },
  'no damage, from the oldest base backup, across a restore': {
    args: () => ['--base', bases[0] as string],
    status: 0,
    rows: [1, 2, 3, 4, 5],
  },
  'a moment before the restore': {
    args: () => ['--to', between.toISOString()],
    status: 0,
    rows: [1],
  },
  'a backup of an earlier version, without checksums': {
    damage: withoutChecksums,
    args: () => ['--base', bases[0] as string],
    status: 0,
    rows: [1, 2, 3, 4, 5],
  },
  'a flipped byte in a backup without checksums': {
    damage: (backup) => {
      withoutChecksums(backup)
      flip(afterBase(backup, 2, bases[2] as string), FIRST_RECORD_CRC)
    },
    status: 2,
    printed: /Not everything: .*: the log is damaged at/,
    rows: [1, 2, 3],
  },
  'a flipped byte before the restore, in a backup without checksums': {
    damage: (backup) => {
      withoutChecksums(backup)
      flip(afterBase(backup, 1, bases[1] as string), FIRST_RECORD_CRC)
    },
    args: () => ['--base', bases[1] as string],
    status: 2,
    printed: /Not everything: .*: the log is damaged at/,
    rows: [1, 2],
  },
  'a missing log of the newest timeline': {
    damage: (backup) => rmSync(join(backup, 'wal', '00000002'), { recursive: true }),
    status: 2,
    printed: /cannot be used: its log is missing[\s\S]*Not everything: the log of timeline 2, .* is missing/,
    rows: [1, 2, 3],
  },
  'a missing last part cannot be noticed: the moment is printed': {
    damage: (backup) => rmSync(parts(backup, 2).at(-1) as string),
    status: 0,
    rows: undefined,
  },
  'a missing part on the first timeline': {
    damage: (backup) => rmSync(afterBase(backup, 1, bases[1] as string)),
    args: () => ['--base', bases[1] as string],
    status: 2,
    printed:
      /Not everything: the backup holds what was written until \S+: the log of timeline 1 from \S+ to \S+ is missing/,
    rows: [1, 2],
  },
  'a flipped byte in a part': {
    damage: (backup) => flip(afterBase(backup, 2, bases[2] as string)),
    status: 2,
    printed: /Not everything: .*: wal\/00000002\/\S+ is damaged: its checksum differs/,
    rows: [1, 2, 3],
  },
  'a truncated part': {
    damage: (backup) => {
      const path = afterBase(backup, 2, bases[2] as string)
      writeFileSync(path, readFileSync(path).subarray(0, 20))
    },
    status: 2,
    printed: /Not everything: .*is damaged: it has 20 bytes of the log instead of \d+/,
    rows: [1, 2, 3],
  },
  'damage before the base backup does not matter': {
    damage: (backup) => flip(parts(backup, 1)[0] as string),
    status: 0,
    rows: [1, 2, 3, 4, 5],
  },
  'a damaged base backup: the one before is taken': {
    damage: (backup) => flip(tar(backup, bases[2] as string)),
    status: 0,
    printed: /base backup \S+ cannot be used: base\/\S+ (is damaged|cannot be read)/,
    rows: [1, 2, 3, 4, 5],
  },
  'a missing base file: the one before is taken': {
    damage: (backup) => rmSync(tar(backup, bases[2] as string)),
    status: 0,
    rows: [1, 2, 3, 4, 5],
  },
  'every base backup damaged': {
    damage: (backup) => {
      for (const id of bases) flip(tar(backup, id))
    },
    status: 1,
    printed:
      /no base backup can be used; nothing was restored\n {2}\S+: base\/\S+ (is damaged|cannot be read)/,
    rows: null,
  },
  'a moment beyond the end': {
    args: () => ['--to', new Date().toISOString()],
    status: 2,
    printed: /Not everything: asked for was \S+, and the backup ends at \S+/,
    rows: [1, 2, 3, 4, 5],
  },
  'a moment beyond a flipped byte': {
    damage: (backup) => flip(afterBase(backup, 2, bases[2] as string)),
    args: () => ['--to', new Date().toISOString()],
    status: 2,
    printed: /Not everything: .*: wal\/00000002\/\S+ is damaged: its checksum differs/,
    rows: [1, 2, 3],
  },
  'an unknown base backup': {
    args: () => ['--base', 'spring'],
    status: 1,
    printed: /--base: there is no base backup spring; those that there are: \S+, \S+, \S+/,
    rows: null,
  },
  'a place that is not there': {
    damage: (backup) => rmSync(backup, { recursive: true }),
    status: 1,
    printed: /BACKUP_DIR: \S+ cannot be read \(\S+ does not exist\)/,
    rows: null,
  },
}
/** The others are restored in the soak alone. */
const IN_GATE = [
  'no damage, from the oldest base backup, across a restore',
  'a flipped byte in a part',
  'a damaged base backup: the one before is taken',
  'every base backup damaged',
  'a moment beyond the end',
  'an unknown base backup',
  'a place that is not there',
]

test.for(Object.entries(CASES).filter(([name]) => isSoak || IN_GATE.includes(name)))(
  '%s',
  async ([, { damage = () => {}, args = () => [], status, printed = upToMoment, rows }]) => {
    const place = mkdtempSync(join(folder, 'case-'))
    chmodSync(place, 0o755)
    const [backup, dataDir] = [join(place, 'backup'), join(place, 'data')]
    try {
      cpSync(whole, backup, { recursive: true, preserveTimestamps: true })
      mkdirSync(dataDir, { mode: 0o711 })
      damage(backup)
      const ended = await run('restore', backup, args(), dataDir)
      expect(ended).toMatchObject({ status, printed: expect.stringMatching(printed) })
      expect(ended.printed).not.toMatch(/^ {4}at /m)
      const found = await cratesIn(dataDir)
      if (rows === undefined) expect(found?.slice(0, 3)).toEqual([1, 2, 3])
      else expect(found).toEqual(rows)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  },
)

test('--list names each base backup and how far it goes', async () => {
  const { status, printed } = await run('restore', whole, ['--list'])
  expect([status, printed]).toEqual([
    0,
    expect.stringMatching(/^(\d{8}T\d{6}Z {2}from \S+ {2}until \S+ {2}timeline 2\n){3}$/),
  ])
})

test.runIf(isSoak)('two restores in a row, then one from the oldest base backup', async () => {
  const place = mkdtempSync(join(folder, 'again-'))
  chmodSync(place, 0o755)
  const backup = join(place, 'backup')
  cpSync(whole, backup, { recursive: true, preserveTimestamps: true })
  rmSync(made.dataDir, { recursive: true })
  for (const id of [6, 7]) {
    expect(await run('restore', backup, ['--replace'])).toMatchObject({ status: 0 })
    const server = await startProcess({ ...made, env: { BACKUP_DIR: backup, LOG_LEVEL: 'warn' } })
    await eventually(() => basesIn(backup).length === id - 2)
    await add(id)
    await received()
    await server.end('SIGTERM')
  }
  const oldest = ['--replace', '--base', bases[0] as string]
  expect(await run('restore', backup, oldest)).toMatchObject({ status: 0 })
  expect(await cratesIn(made.dataDir)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('doctor reads the newest backup, and warns where it is on the disk of the data', async () => {
  const place = mkdtempSync(join(folder, 'doctor-'))
  const backup = join(place, 'backup')
  cpSync(whole, backup, { recursive: true, preserveTimestamps: true })
  const examined = async () =>
    examineBackup(loadConfig({ workdir: made.workdir, env: { DATA_DIR: made.dataDir, BACKUP_DIR: backup } }))
  expect(await examined()).toEqual([
    expect.objectContaining({
      level: 'warning',
      message: expect.stringContaining('is on the disk of DATA_DIR'),
    }),
    expect.objectContaining({ level: 'ok', message: expect.stringContaining('whole, as is its log') }),
  ])
  flip(afterBase(backup, 2, bases[2] as string))
  expect((await examined()).at(-1)).toMatchObject({
    level: 'failure',
    message: expect.stringMatching(
      /wal\/00000002\/\S+ is damaged: its checksum differs; take a new base backup/,
    ),
  })
  rmSync(place, { recursive: true })
})

test.skipIf(process.getuid?.() !== 0)('a full disk is named', async ({ skip }) => {
  const disk = mkdtempSync(join(folder, 'disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=711', 'tmpfs', disk]).status !== 0)
    skip('this account may make no disk of its own')
  try {
    expect(await run('restore', whole, [], disk)).toEqual({
      status: 1,
      printed: expect.stringMatching(
        /DATA_DIR: the disk of \S+ is full; make room there and run this again\n$/,
      ),
    })
  } finally {
    spawnSync('umount', [disk])
  }
})
