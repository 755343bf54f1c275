// docs/operations/tuning.md: its commands are run as they are written, and its tables say what PostgreSQL says.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { PSQL } from '../../support/debian-cluster.ts'
import { programOf } from '../../support/npm-scripts.ts'
import { fencedBlocks } from '../../support/pages.ts'
import {
  buildServer,
  newProject,
  type ProcessOptions,
  prepareDataDir,
  preparedProject,
  refusedStart,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'

const PAGE = 'docs/operations/tuning.md'

vi.setConfig({ testTimeout: 300_000 })

const ends: (() => unknown)[] = []
beforeAll(buildServer)
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(project: ProcessOptions, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startProcess({ ...project, env })
  ends.push(() => server.end('SIGKILL'))
  return server
}

/** Runs shell commands of the page for this DATA_DIR; `npm run` takes a while to say so little. */
function run(commands: string, dataDir: string, more: Record<string, string> = {}): string {
  const { PATH, HOME } = process.env
  const text = commands.replaceAll(/npm run (\w+)(?: --(?= ))?/g, (_, name) =>
    ['node', ...programOf(name)].join(' '),
  )
  const env = { PATH, HOME, DATA_DIR: dataDir, ...more }
  return execFileSync('sh', ['-ec', text], { cwd: repositoryRoot, encoding: 'utf8', env, stdio: 'pipe' })
}

async function shown(dataDir: string, ...names: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: runningUrl(join(dataDir, 'postgres')) ?? '' })
  await client.connect()
  try {
    const { rows } = await client.query(
      'select current_setting(name) as value from unnest($1::text[]) as name',
      [names],
    )
    return rows.map(({ value }) => value)
  } finally {
    await client.end()
  }
}

const SET = ['shared_buffers', 'effective_cache_size', 'work_mem', 'max_wal_size']

describe.skipIf(!existsSync(PSQL))('the embedded PostgreSQL', () => {
  test('keeps an operator’s settings, except those that the server sets', async () => {
    const [set = '', list = '', reset = ''] = fencedBlocks(PAGE, 'sh')
    const project = await preparedProject()
    ends.push(project.remove)
    const { dataDir } = project
    const before = await start(project)
    expect(await shown(dataDir, 'shared_buffers', 'ssl')).toEqual(['128MB', 'off'])
    expect(await shown(dataDir, 'listen_addresses')).toEqual(['127.0.0.1,::1'])
    run(set, dataDir)
    await before.end('SIGTERM')
    await start(project)
    expect(await shown(dataDir, ...SET)).toEqual(['1GB', '2GB', '16MB', '4GB'])

    const rows = run(list, dataDir)
    const given = [...rows.matchAll(/^ (\w+) +\|.*\| command line/gm)].map(([, name = '']) =>
      name.toLowerCase(),
    )
    expect(given.sort()).toEqual(namesOfTable('`max_connections`').sort())
    expect(rows).toMatch(/ work_mem +\| 16MB +\| configuration file/)
    run(reset, dataDir)
    expect(readFileSync(join(dataDir, 'postgres/postgresql.auto.conf'), 'utf8')).not.toContain('work_mem')
  })

  test.skipIf(!isSoak)('keeps it through a backup and a restore, and says what is too large', async () => {
    const [set = ''] = fencedBlocks(PAGE, 'sh')
    const { dataDir, remove } = newProject()
    ends.push(remove)
    const project = { workdir: repositoryRoot, dataDir }
    await prepareDataDir(dataDir, 'meadowlark')
    const place = { BACKUP_DIR: `${dataDir}.backup` }
    const server = await start(project, place)
    run(set, dataDir)
    run('npm run backup', dataDir, place)
    await server.end('SIGTERM')
    const restored = { ...project, dataDir: `${dataDir}.restored` }
    run('npm run restore', restored.dataDir, place)
    const again = await start(restored)
    expect(await shown(restored.dataDir, ...SET)).toEqual(['1GB', '2GB', '16MB', '4GB'])

    run(`npm run psql -- -c "alter system set shared_buffers = '7TB'"`, restored.dataDir)
    await again.end('SIGTERM')
    expect((await refusedStart(restored)).output).toContain('PostgreSQL does not start on')
    expect(readFileSync(join(restored.dataDir, 'postgres.log'), 'utf8')).toMatch(/FATAL: .*shared_buffers/s)
    const file = join(restored.dataDir, 'postgres/postgresql.auto.conf')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^shared_buffers.*\n/m, ''))
    await start(restored)
  })
})

/** Names in the first column of the page's table that has this cell. */
function namesOfTable(cell: string): string[] {
  const text = readFileSync(repositoryFile(PAGE), 'utf8')
  const table = text.split('\n\n').find((part) => part.includes(`\n| ${cell} |`)) ?? ''
  return table
    .split('\n')
    .slice(2)
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name as string))
}
