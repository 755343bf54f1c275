// A backup retains files that a repair may need: nothing is removed because it could not be read for a moment.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../config/config.ts'
import { DamagedError, unreadable } from './damage.ts'
import { openDiskRepository } from './disk-repository.ts'
import { removeOld } from './retention.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const DAY_MS = 86_400_000
const SEGMENT = 16_777_216
const VERSION = '11111111-1111-4111-8111-111111111111'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'retention-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** A file that was written so many days ago. */
function put(name: string, daysAgo: number, content: string) {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  const at = new Date(NOW - daysAgo * DAY_MS)
  utimesSync(path, at, at)
}

/** A base backup of that age with a part of the log, both at the segment of that number. */
function base(id: string, daysAgo: number, segment: number) {
  const at = new Date(NOW - daysAgo * DAY_MS).toISOString()
  const lsn = (offset: number) => `0/${(segment * SEGMENT + offset).toString(16).toUpperCase()}`
  const manifest = {
    id,
    timeline: 1,
    segmentBytes: SEGMENT,
    startLsn: lsn(0),
    stopLsn: lsn(256),
    startedAt: at,
    endedAt: at,
    sha256: 'x',
    tarBytes: 3,
    postgres: 18,
    files: 1,
    bytes: 3,
    objects: 0,
  }
  put(`base/${id}/postgres.tar.gz`, daysAgo, 'tar')
  put(`base/${id}/objects.txt`, daysAgo, '')
  put(`base/${id}/manifest.json`, daysAgo, JSON.stringify(manifest))
  const hex = (at: number) => at.toString(16).toUpperCase().padStart(16, '0')
  put(`wal/00000001/${hex(segment * SEGMENT)}-${hex((segment + 1) * SEGMENT)}.gz`, daysAgo, 'log')
}

/** Removes what is old; the base backups that stay, the parts of the log and objects that do, and the warnings. */
async function remaining() {
  const repository = await openDiskRepository(root, { writes: true })
  const warnings: string[] = []
  await removeOld(repository, { keepDays: 3, now: NOW, warn: (fault) => warnings.push(fault) })
  const bases = new Set((await repository.list('base/')).map(({ name }) => name.split('/')[1]))
  const log = (await repository.list('wal/')).length
  return { bases: [...bases], log, objects: readdirSync(join(root, 'objects')).length, warnings }
}

beforeEach(() => {
  for (const [id, daysAgo, segment] of [
    ['a', 5.5, 1],
    ['b', 4.5, 2],
    ['c', 3.5, 3],
    ['d', 2.5, 4],
    ['e', 0.5, 5],
  ] as const)
    base(id, daysAgo, segment)
  put(`objects/${VERSION}-${'0'.repeat(64)}`, 5, 'hay')
})

test('base backups, log and objects that no moment to be kept needs are removed', async () => {
  expect(await remaining()).toEqual({ bases: ['c', 'd', 'e'], log: 3, objects: 0, warnings: [] })
})

test('a damaged base backup stays until its days have passed, and so do the log and the objects', async () => {
  put('base/d/postgres.tar.gz', 2.5, 'ta')
  put('base/a/postgres.tar.gz', 5.5, 'ta')
  expect(await remaining()).toEqual({
    bases: ['c', 'd', 'e'],
    log: 5,
    objects: 1,
    warnings: [expect.stringContaining('base/d/postgres.tar.gz is damaged: it has 2 bytes instead of 3')],
  })
})

test('a base backup that was not finished goes after a day', async () => {
  rmSync(join(root, 'base/d/manifest.json'))
  rmSync(join(root, 'base/e/manifest.json'))
  expect(await remaining()).toEqual({ bases: ['c', 'e'], log: 3, objects: 0, warnings: [] })
})

test('a missing list of objects keeps the objects, and nothing else', async () => {
  rmSync(join(root, 'base/d/objects.txt'))
  const warnings = ['base/d/objects.txt is missing; old objects stay']
  expect(await remaining()).toEqual({ bases: ['c', 'd', 'e'], log: 3, objects: 1, warnings })
})

test('a missing file, other bytes and a lost sector are damage; after other errors the file may be whole', () => {
  const error = (code: string) => unreadable('x', Object.assign(new Error(code), { code }))
  for (const code of ['ENOENT', 'EIO', 'Z_DATA_ERROR']) expect(error(code)).toBeInstanceOf(DamagedError)
  for (const code of [
    'EACCES',
    'EMFILE',
    'ENFILE',
    'ESTALE',
    'ENOMEM',
    'ECONNRESET',
    'ETIMEDOUT',
    'ENOTFOUND',
  ])
    expect(error(code)).toBeInstanceOf(ConfigError)
})

test('a file that cannot be looked at is not left out of the list', async () => {
  const repository = await openDiskRepository(root, { writes: true })
  const loop = join(root, 'base/e/loop')
  symlinkSync(loop, loop)
  await expect(repository.list('base/')).rejects.toMatchObject({ code: 'ELOOP' })
})
