// npm run psql: the database of a running server, with psql where it is installed.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { openDatabase } from '@meadowlark/server/sql/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryRoot } from '../../../plugins/repository.ts'
import { programOf } from '../../support/npm-scripts.ts'

const installed = spawnSync('psql', ['--version']).status === 0

let folder: string
let running: EmbeddedPostgres | undefined
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-psql-'))
  // The account that runs PostgreSQL passes through.
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'supabase'))
  mkdirSync(join(folder, '.data'))
})
afterAll(async () => {
  await running?.stop()
  rmSync(folder, { recursive: true })
})

function psql(path: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...programOf('psql'), '--workdir', folder, ...args],
    { cwd: repositoryRoot, env: { PATH: path }, encoding: 'utf8' },
  )
  return [status, (stdout + stderr).trim()] as const
}

test('where no server runs, it says how to start one', () => {
  expect(psql(process.env.PATH ?? '')).toEqual([
    1,
    `DATA_DIR: no server runs in ${folder}/.data; start it first`,
  ])
})

test('the database of a running server is opened as its owner', async () => {
  running = await startEmbeddedPostgres({ directory: join(folder, '.data', 'postgres'), log: () => {} })
  // Node itself is found by its path.
  const [status, message] = psql(join(folder, 'nothing'), '-c', 'select 1')
  const [reason, url = ''] = message.split('\n')
  expect([status, reason]).toEqual([1, 'psql is not installed. Open the database with another client:'])
  const database = openDatabase(url)
  const { rows } = await database.pool.query('select current_user')
  await database.close()
  expect(rows).toEqual([{ current_user: 'supabase_admin' }])
  if (!installed) return
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  expect(psql(path, '-Atc', 'select current_user')).toEqual([0, 'supabase_admin'])
  expect(psql(path, '-c', 'no sql')[0]).toBe(1)
})
