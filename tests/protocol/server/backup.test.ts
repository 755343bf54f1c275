// Backup while the server works, and restore: to the last second after everything was lost, and to a moment before a
// mistake. The soak also restores onto existing files, and from a damaged backup.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listBaseBackups } from '@meadowlark/server/backup/base-backup.ts'
import { backupNow } from '@meadowlark/server/backup/commands.ts'
import { openBackupRepository } from '@meadowlark/server/backup/open-repository.ts'
import { loadConfig } from '@meadowlark/server/config/config.ts'
import type { BackupSettings } from '@meadowlark/server/config/integrations.ts'
import { revokeApiKey, rotateApiKey } from '@meadowlark/server/keys/api-key-rotation.ts'
import { addKey, listKeys, revokeKey, rotateKeys } from '@meadowlark/server/keys/key-rotation.ts'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startObjectStore } from '../../../packages/server/tests/storage/object-store.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { programOf } from '../../support/npm-scripts.ts'
import {
  buildServer,
  type Project,
  preparedProject,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'

let made: Project
beforeAll(async () => {
  buildServer()
  made = await preparedProject()
})
afterAll(() => made.remove())

/** One of the operator's commands: its exit code and what it printed. */
function run(script: 'backup' | 'restore', env: Record<string, string>, ...args: string[]) {
  return new Promise<{ status: number | null; printed: string }>((resolve) => {
    const child = spawn(process.execPath, [...programOf(script), ...args, '--workdir', made.workdir], {
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, DATA_DIR: made.dataDir, ...env },
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    child.once('close', (status) => resolve({ status, printed }))
  })
}

/** Those that are whole. */
async function baseBackups(env: Record<string, string>) {
  const { backup } = loadConfig({ workdir: made.workdir, env })
  const repository = await openBackupRepository(backup as BackupSettings)
  return listBaseBackups(repository).finally(() => repository.close())
}

// Node 20 has no built-in WebSocket.
const clientOf = ({ url, secret }: ServerProcess) =>
  createClient(url, secret, { realtime: { transport: WebSocket as never } })

async function pick(server: ServerProcess, ids: number[]) {
  await clientOf(server)
    .from('fruit')
    .insert(ids.map((id) => ({ id, name: `fruit ${id}` })))
    .throwOnError()
}

async function picked(server: ServerProcess) {
  const { data } = await clientOf(server)
    .from('fruit')
    .select('id')
    .gte('id', 1000)
    .order('id')
    .throwOnError()
  return data.map(({ id }) => id)
}

/** Resolves once all that was committed so far is in the backup: within a second, however busy the machine is. */
async function allReceived(env: Record<string, string>) {
  await backupNow(loadConfig({ workdir: made.workdir, env: { ...env, DATA_DIR: made.dataDir } }))
}

const hay = Buffer.from('hay'.repeat(10_000))
const barn = (server: ServerProcess) => clientOf(server).storage.from('barn')

/** A new server that has made its first base backup; two fruits and a bale come after it. */
async function firstLife(env: Record<string, string>) {
  const start = () => startProcess({ ...made, env: { LOG_LEVEL: 'warn', ...env } })
  const server = await start()
  await expect.poll(() => baseBackups(env)).toHaveLength(1)
  await pick(server, [1000, 1001])
  await clientOf(server).storage.createBucket('barn')
  expect((await barn(server).upload('bale.txt', hay, { contentType: 'text/plain' })).error).toBe(null)
  return { start, server }
}

async function expectBale(server: ServerProcess) {
  const { data } = await barn(server).download('bale.txt')
  expect(Buffer.from(await (data as Blob).arrayBuffer()).equals(hay)).toBe(true)
}

test('everything is lost, and back but for what no backup has; a mistake is undone', async () => {
  const env = { BACKUP_DIR: join(made.dataDir, '..', 'backup') }
  const { start, ...first } = await firstLife(env)
  const { secret } = first.server
  await first.server.end('SIGTERM')
  let server = await start()
  await pick(server, [1002])
  await allReceived(env)
  const before = new Date()
  await clientOf(server).from('fruit').delete().gte('id', 1001).throwOnError()
  expect((await barn(server).remove(['bale.txt'])).error).toBe(null)
  await pick(server, [1003])
  await allReceived(env)
  await server.end('SIGKILL')

  // A database that is there is left alone.
  expect(await run('restore', env)).toMatchObject({
    status: 1,
    printed: expect.stringContaining('has a database; restore into an empty folder'),
  })
  rmSync(made.dataDir, { recursive: true })
  const last = await run('restore', env)
  expect(last).toMatchObject({ status: 0, printed: expect.stringMatching(/Restored \d+ rows and 0 objects/) })
  server = await start()
  expect(server.secret).toBe(secret)
  expect(await picked(server)).toEqual([1000, 1003])

  // Later writes are on another timeline, with its own base backup.
  await pick(server, [1004])
  await expect.poll(() => baseBackups(env)).toHaveLength(4)
  expect((await run('backup', env, 'list')).printed).toMatch(/^(\d{8}T\d{6}Z {2}ended .* objects\n){4}$/)
  await server.end('SIGTERM')

  const moment = await run('restore', env, '--to', before.toISOString(), '--replace')
  expect(moment).toMatchObject({
    status: 0,
    printed: expect.stringMatching(/Restored \d+ rows and 1 objects/),
  })
  expect(readdirSync(made.dataDir).filter((name) => name.includes('before-restore'))).toHaveLength(1)
  server = await start()
  expect(await picked(server)).toEqual([1000, 1001, 1002])
  await expectBale(server)
  await server.end('SIGTERM')
})

test.runIf(isSoak)(
  'files that are there stay, others are written anew, and what is damaged in the backup is named',
  async () => {
    const env = { BACKUP_DIR: join(made.dataDir, '..', 'backup') }
    const text = { contentType: 'text/plain' }
    let server = await startProcess({ ...made, env: { LOG_LEVEL: 'warn', ...env } })
    for (const name of ['straw', 'chaff']) {
      const { error } = await barn(server).upload(`${name}.txt`, Buffer.from(name.repeat(1000)), text)
      expect(error).toBe(null)
    }
    await allReceived(env)
    await server.end('SIGTERM')
    /** Where an object of that content lies, in the backup and in the storage folder. */
    const filesOf = (content: string | Buffer) => {
      const digest = createHash('sha256').update(content).digest('hex')
      const name = readdirSync(join(env.BACKUP_DIR, 'objects')).find((each) => each.endsWith(digest)) ?? ''
      const version = name.slice(0, 36)
      return {
        backup: join(env.BACKUP_DIR, 'objects', name),
        own: join(made.dataDir, 'storage/objects', version.slice(0, 2), version),
      }
    }
    const [bale, straw, chaff] = [hay, 'straw'.repeat(1000), 'chaff'.repeat(1000)].map(filesOf)
    if (!bale || !straw || !chaff) throw new Error('there are three')
    const { ino } = statSync(bale.own)

    // As a restore leaves them that was ended in the middle, on a disk that was not empty.
    writeFileSync(straw.own, 'stray'.repeat(1000))
    rmSync(chaff.own)
    const resumed = await run('restore', env, '--replace')
    expect(resumed).toMatchObject({
      status: 0,
      printed: expect.stringContaining('2 of 3 stored objects written'),
    })
    expect(statSync(bale.own).ino).toBe(ino)
    expect(readFileSync(straw.own, 'utf8')).toBe('straw'.repeat(1000))
    expect(readFileSync(chaff.own, 'utf8')).toBe('chaff'.repeat(1000))

    for (const { backup } of [straw, chaff]) writeFileSync(backup, 'stray'.repeat(1000))
    writeFileSync(straw.own, 'stray'.repeat(1000))
    rmSync(chaff.own)
    const { status, printed } = await run('restore', env, '--replace')
    expect([status, printed.match(/is damaged: its SHA-256 differs/g)?.length]).toEqual([2, 2])
    for (const name of ['barn/chaff.txt', 'barn/straw.txt']) expect(printed).toContain(name)
    expect(existsSync(chaff.own)).toBe(false)
    server = await startProcess({ ...made })
    await expectBale(server)
    for (const name of ['straw.txt', 'chaff.txt'])
      expect((await barn(server).remove([name])).error).toBe(null)
    await server.end('SIGTERM')
  },
)

test('a failed restore is reported, and changes nothing', async () => {
  const env = { BACKUP_DIR: join(made.dataDir, '..', 'backup') }
  const refused = (...args: string[]) => run('restore', env, '--replace', ...args)
  expect(await refused('--to', 'yesterday')).toMatchObject({
    status: 1,
    printed: expect.stringContaining('--to: yesterday is not a date and time'),
  })
  expect((await refused('--to', '2020-01-01T00:00:00Z')).printed).toContain(
    'is before the end of the oldest base backup',
  )
  expect((await refused('--to', '2100-01-01T00:00:00Z')).printed).toContain('is in the future')
  expect((await run('restore', {})).printed).toContain('BACKUP_DIR: is not set')
  expect((await run('restore', { ...env, DATABASE_URL: 'postgresql://localhost/x' })).printed).toContain(
    'BACKUP_DIR: backs up the embedded PostgreSQL, but DATABASE_URL is set',
  )
  const server = await startProcess({ ...made })
  expect(await picked(server)).toEqual([1000, 1001, 1002])
  await server.end('SIGTERM')
})

test('a revoked key leaves the backup, and no restore brings it back', async () => {
  const env = { BACKUP_DIR: join(made.dataDir, '..', 'backup') }
  const keysFile = join(made.dataDir, 'keys.json')
  const copy = () => readFileSync(join(env.BACKUP_DIR, 'secrets/keys.json'), 'utf8')
  const server = await startProcess({ ...made, env: { LOG_LEVEL: 'warn', ...env } })
  await allReceived(env)
  const before = new Date()
  const config = loadConfig({ workdir: made.workdir, env: { ...env, DATA_DIR: made.dataDir } })
  await rotateApiKey(config, 'secret')
  await expect.poll(copy).toBe(readFileSync(keysFile, 'utf8'))
  expect(copy()).toContain(server.secret)
  const pair = (await addKey(config, 'ES256')) as string
  await rotateKeys(config)
  await expect.poll(() => existsSync(join(env.BACKUP_DIR, 'secrets/signing_keys.json'))).toBe(true)
  await revokeApiKey(config, server.secret)
  const own = (await listKeys(config)).find(({ state }) => state === 'own')?.kid as string
  await revokeKey(config, own)
  await expect.poll(() => copy().includes(server.secret) || copy().includes(own)).toBe(false)
  await allReceived(env)
  await server.end('SIGKILL')
  rmSync(made.dataDir, { recursive: true })
  expect(await run('restore', env, '--to', before.toISOString())).toMatchObject({ status: 0 })
  const kept = ['keys.json', 'signing_keys.json'].map((name) =>
    readFileSync(join(made.dataDir, name), 'utf8'),
  )
  expect(kept.join()).toContain(pair)
  for (const gone of [server.secret, own]) expect(kept.join()).not.toContain(gone)
})

test('a target that accepts nothing is reported, and the backup goes on once it does', async () => {
  const env = { BACKUP_DIR: join(made.dataDir, '..', 'backup') }
  const server = await startProcess({ ...made, env: { LOG_LEVEL: 'warn', ...env } })
  const value = async (name: string) => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  await expect.poll(() => value('backup_behind_seconds')).toBe(0)
  await expect.poll(() => value('postgres_followers')).toBe(1)
  expect(await value('backup_age_seconds')).toBeGreaterThan(0)
  expect(await value('disk_free_bytes{folder="BACKUP_DIR"}'.replaceAll(/[{}]/g, '\\$&'))).toBeGreaterThan(0)
  const incoming = join(env.BACKUP_DIR, 'incoming')
  rmSync(incoming, { recursive: true })
  writeFileSync(incoming, 'in the way')
  await pick(server, [1090])
  await expect.poll(() => value('postgres_followers')).toBe(0)
  await expect.poll(() => value('backup_behind_seconds')).toBeGreaterThan(1)
  rmSync(incoming)
  mkdirSync(incoming)
  await expect.poll(() => value('backup_behind_seconds')).toBe(0)
  await expect.poll(() => value('postgres_followers')).toBe(1)
  await server.end('SIGTERM')
})

test('everything is lost, and back from a bucket of S3', async () => {
  const store = await startObjectStore()
  const { S3_BUCKET, ...rest } = store.env
  const env = { ...rest, BACKUP_S3_BUCKET: S3_BUCKET as string }
  rmSync(made.dataDir, { recursive: true })
  const first = await firstLife(env)
  await allReceived(env)
  await first.server.end('SIGKILL')
  rmSync(made.dataDir, { recursive: true })
  expect(await run('restore', env)).toMatchObject({ status: 0 })
  const server = await first.start()
  expect(await picked(server)).toEqual([1000, 1001])
  await expectBale(server)
  await server.end('SIGTERM')
  await store.stop()
})
