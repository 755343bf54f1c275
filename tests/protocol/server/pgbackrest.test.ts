// docs/operations/backup-database-url.md: the commands for pgBackRest, as they are written but for the paths, on Debian's PostgreSQL.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountFor } from '@meadowlark/server/postgres/cluster/account.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { debianBinaries, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { type DebianCluster, startDebianCluster } from '../../support/debian-cluster.ts'
import { fencedBlocks } from '../../support/pages.ts'
import { eventually } from '../../support/process.ts'

const PAGE = 'docs/operations/backup-database-url.md'
const version = versionWith('btree_gist')

describe.skipIf(version === null || !existsSync('/usr/bin/pgbackrest'))('pgBackRest', () => {
  let cluster: DebianCluster
  let folder: string
  const config = () => join(folder, 'pgbackrest.conf')
  const repository = () => join(folder, 'repository')

  beforeAll(async () => {
    cluster = await startDebianCluster(debianBinaries(version as string))
    folder = mkdtempSync(join(tmpdir(), 'meadowlark-pgbackrest-'))
    const account = accountFor(join(cluster.directory, 'postgres'))
    for (const path of [folder, repository(), join(folder, 'log')]) {
      mkdirSync(path, { recursive: true, mode: 0o750 })
      if (account) chownSync(path, account.uid, account.gid)
    }
    const [written = ''] = fencedBlocks(PAGE, 'ini', { values: { passphrase: 'a phrase of some length' } })
    const placed = written
      .replace('/var/lib/pgbackrest', repository())
      .replace('/var/lib/postgresql/15/main', join(cluster.directory, 'postgres'))
    const here = [
      ...[`[global]`, `log-path=${join(folder, 'log')}`, `lock-path=${join(folder, 'lock')}`],
      ...['[market]', `pg1-socket-path=${join(cluster.directory, 'sockets')}`, `pg1-port=${cluster.port}`],
      'pg1-user=postgres',
    ]
    writeFileSync(config(), `${placed}\n${here.join('\n')}\n`, { mode: 0o644 })
  })
  afterAll(async () => {
    await cluster?.remove()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  /** Runs the shell commands of a section, or one of them; answers what all of them print. */
  async function run(section: string, values: Record<string, string> = {}): Promise<string> {
    const commands = fencedBlocks(PAGE, 'sh', { section, values }).join('').trim().split('\n')
    let printed = ''
    for (const command of commands) printed += await runOne(command)
    return printed
  }

  async function runOne(command: string): Promise<string> {
    const [, service] = /^sudo systemctl (\w+) /.exec(command) ?? []
    if (service === 'stop' || service === 'restart') await cluster.stop()
    if (service === 'start' || service === 'restart') await cluster.start()
    if (service || command.startsWith('sudo apt-get ')) return ''
    const [, text = ''] = /^sudo -u postgres (.*)$/.exec(command) ?? []
    expect(text, command).not.toBe('')
    return execFileSync('sh', ['-c', here(text)], {
      ...accountFor(join(cluster.directory, 'postgres')),
      cwd: '/',
      encoding: 'utf8',
      stdio: 'pipe',
      env: {
        PATH: process.env.PATH,
        PGHOST: join(cluster.directory, 'sockets'),
        PGPORT: String(cluster.port),
        PGUSER: 'postgres',
      },
    })
  }

  const here = (text: string) =>
    text.replaceAll('pgbackrest --stanza', `pgbackrest --config=${config()} --stanza`)

  it('backs up, restores a moment, and names damage', async () => {
    cluster.psql('create table words (word text)')
    for (const block of fencedBlocks(PAGE, 'sql', { section: 'pgBackRest' })) cluster.psql(here(block))
    await run('Continuous backup')
    expect(await run('Look at backups')).toMatch(
      /full backup: .*^stanza: market\nstatus: ok$.*^status: ok$/ms,
    )

    // pgBackRest counts in seconds: a moment within that of the backup's end would be before it.
    const end = cluster.psql('select now()')
    await eventually(() => cluster.psql(`select now() > timestamptz '${end}' + '1.1 s'`).trim() === 't')
    cluster.psql(`insert into words values ('before')`)
    const moment = cluster.psql('select clock_timestamp()').trim()
    cluster.psql(`insert into words values ('after')`)
    await run('Restore to a moment', { moment })
    expect(cluster.psql('select word from words')).toBe('before\n')

    damage(repository())
    await expect(run('Look at backups')).rejects.toMatchObject({
      status: 1,
    })
    const said = await runOne('sudo -u postgres pgbackrest --stanza=market --output=text --verbose verify')
    expect(said).toMatch(/^status: error$.*backup: .* status: invalid/ms)
    // pgBackRest tries a file that it cannot read again after 15 seconds.
    if (!isSoak) return
    await cluster.stop()
    rmSync(join(cluster.directory, 'postgres', 'global'), { recursive: true })
    const restored = runOne('sudo -u postgres pgbackrest --stanza=market --delta restore')
    await expect(restored).rejects.toThrow(/ERROR: \[\d+\]/)
  })
})

/** Changes a byte of a table in the newest backup. */
function damage(repository: string): void {
  const backups = join(repository, 'backup/market')
  const newest = readdirSync(backups)
    .filter((name) => /^\d{8}-\d{6}F$/.test(name))
    .sort()
    .at(-1)
  const tables = join(backups, newest as string, 'pg_data/global')
  const table = readdirSync(tables).find((name) => /^\d+\.gz$/.test(name))
  execFileSync('dd', [`of=${join(tables, table as string)}`, 'bs=1', 'seek=20', 'conv=notrunc'], {
    input: 'damage',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}
