// The official Supabase CLI on this server, without a container: the commands of docs/cli.md, for this repository's
// own project.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { cliLacks, supabase } from '../../../packages/server/tests/support/supabase-cli.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { buildServer, prepareDataDir, type ServerProcess, startProcess } from '../../support/process.ts'

interface Finding {
  name: string
  detail: string
  metadata: { schema?: string; name?: string }
}

const ADVISORS = repositoryFile('supabase/advisors.json')
const EMPTY_TABLE = (name: string) =>
  `-- ${name}; as few as may be\ncreate table public.${name} (id integer primary key, note text default 'a;b');\n` +
  `alter table public.${name} enable row level security;\ncreate policy "all; read" on public.${name} for select using (true);\n` +
  `grant select on public.${name} to anon;\n`

describe.skipIf(cliLacks)(`the Supabase CLI${cliLacks ? ` (${cliLacks})` : ''}`, () => {
  let folder: string
  let server: ServerProcess
  let api: string
  let databaseUrl: string
  const start = () =>
    startProcess({ workdir: folder, dataDir: join(folder, 'data'), env: { CLI_PORTS: 'true' } })

  beforeAll(async () => {
    buildServer()
    folder = mkdtempSync(join(tmpdir(), 'meadowlark-cli-'))
    // As root, PostgreSQL runs as another account, which passes through here.
    chmodSync(folder, 0o711)
    cpSync(repositoryFile('supabase'), join(folder, 'supabase'), { recursive: true })
    const config = join(folder, 'supabase', 'config.toml')
    const [apiPort, databasePort] = [await freePort(), await freePort()]
    const text = readFileSync(config, 'utf8')
      .replace('[api]\n', `[api]\nport = ${apiPort}\n`)
      .replace('[db.seed]\n', `[db]\nport = ${databasePort}\n\n[db.seed]\n`)
      .replace(/(\[db\.seed\][^[]*enabled = )true/, '$1false')
    writeFileSync(config, text)
    api = `http://127.0.0.1:${apiPort}`
    databaseUrl = `postgresql://postgres:postgres@127.0.0.1:${databasePort}/postgres`
    await prepareDataDir(join(folder, 'data'), 'meadowlark')
    server = await start()
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  /** The output of a command. Fails with all that it printed if it ends with another code than 0. */
  async function run(...args: string[]): Promise<string> {
    const { code, output, printed } = await supabase(folder, folder, ...args)
    expect(code === 0 ? '' : `${args.join(' ')}: ${printed}`).toBe('')
    return output
  }

  const migrations = () => join(folder, 'supabase', 'migrations')

  async function newMigration(name: string): Promise<string> {
    await run('migration', 'new', name)
    const file = readdirSync(migrations()).find((each) => each.endsWith(`_${name}.sql`)) ?? ''
    writeFileSync(join(migrations(), file), EMPTY_TABLE(name))
    return file
  }

  async function rowsOf(table: string): Promise<unknown> {
    const response = await fetch(`${api}/rest/v1/${table}`, { headers: { apikey: server.publishable } })
    return response.json()
  }

  it('takes config.toml as it is: nothing is deprecated, and three settings are not the CLI’s', async () => {
    const { printed } = await supabase(folder, folder, 'db', 'query', 'select current_user', '-o', 'json')
    expect(printed).toContain('"current_user": "postgres"')
    expect(printed).not.toMatch(/deprecated/i)
    expect(printed.match(/^WARN.*/gm)).toEqual([
      expect.stringMatching(
        /does not recognize and ignores: auth\.credential_change_max_age, auth\.password_required_characters, auth\.provisional_factor_period\./,
      ),
    ])
  })

  it('advises nothing that supabase/advisors.json does not explain, and nothing there is stale', async () => {
    const found = JSON.parse(await run('db', 'advisors', '--level', 'info', '-o', 'json')) as Finding[]
    const explained = JSON.parse(readFileSync(ADVISORS, 'utf8')) as {
      lint: string
      on: string
      reason: string
    }[]
    const isAbout = ({ lint, on }: (typeof explained)[number], { name, metadata }: Finding) =>
      lint === name && [`${metadata.schema}.${metadata.name}`, `${metadata.schema}.*`, '*'].includes(on)
    expect(
      found.filter((finding) => !explained.some((one) => isAbout(one, finding))).map(({ detail }) => detail),
    ).toEqual([])
    expect(explained.filter((one) => !found.some((finding) => isAbout(one, finding)))).toEqual([])
  })

  it('inspects the database and writes its types', async () => {
    const [stats, calls, sizes, types] = await Promise.all([
      run('inspect', 'db', 'db-stats'),
      run('inspect', 'db', 'calls'),
      run('inspect', 'db', 'table-stats'),
      run('gen', 'types', `--remote=${databaseUrl}`),
    ])
    expect(stats).toContain('postgres')
    expect(calls).toContain('select')
    expect(sizes).toContain('public.tasks')
    expect(types).toContain('"bookings"')
  })

  it('makes buckets, and puts files into them, lists and removes them', async () => {
    await run('seed', 'buckets', '--yes')
    const seeded = 'ss:///identity-documents/6706eeec-4da0-4486-805b-682bba43f288/'
    expect(await run('storage', 'ls', seeded, '--experimental')).toBe('licence.jpg\n')
    const copy = join(folder, 'copy.jpg')
    await run('storage', 'cp', `${seeded}licence.jpg`, copy, '--experimental')
    const original = 'supabase/seeds/identity-documents/6706eeec-4da0-4486-805b-682bba43f288/licence.jpg'
    expect(readFileSync(copy).equals(readFileSync(repositoryFile(original)))).toBe(true)
    await run('storage', 'rm', `${seeded}licence.jpg`, '--experimental', '--yes')
    expect(await run('storage', 'ls', seeded, '--experimental')).toBe('')
  })

  it('applies migrations that the server knows as applied, and knows those of the server', async () => {
    await newMigration('pears')
    await run('migration', 'up')
    expect(await rowsOf('pears')).toEqual([])
    const ours = await newMigration('plums')
    await server.end('SIGTERM')
    server = await start()
    expect(server.applied.migrations).toEqual([ours])
    expect(await rowsOf('plums')).toEqual([])
    await newMigration('quinces')
    await run('db', 'push', '--yes')
    expect(await rowsOf('quinces')).toEqual([])
    const list = await run('migration', 'list')
    const files = readdirSync(migrations()).filter((file) => file.endsWith('.sql'))
    expect(list.match(/`(\d{14})` +\| `\1`/g)?.length).toBe(files.length)
  })

  it.runIf(isSoak)(
    'does all else of which docs/cli.md says that it works',
    async () => {
      const file = await newMigration('apples')
      const version = file.slice(0, 14)
      const applied = async () => (await run('migration', 'list')).includes(`\`${version}\` | \`${version}\``)
      await run('migration', 'repair', version, '--status', 'applied')
      expect(await applied()).toBe(true)
      await run('migration', 'repair', version, '--status', 'reverted')
      expect(await applied()).toBe(false)

      // Into a folder that has none, from the versions that the database knows.
      const elsewhere = join(folder, 'elsewhere')
      cpSync(join(folder, 'supabase'), join(elsewhere, 'supabase'), { recursive: true })
      rmSync(join(elsewhere, 'supabase/migrations'), { recursive: true })
      const fetched = await supabase(elsewhere, folder, 'migration', 'fetch', '--yes')
      expect([fetched.code, fetched.code === 0 ? '' : fetched.printed]).toEqual([0, ''])
      expect(readdirSync(join(elsewhere, 'supabase/migrations'))).toContain(newestOf(migrations(), file))

      for (const name of ['twin', 'other']) await run('db', 'query', `create database ${name}`)
      const other = databaseUrl.replace(/postgres$/, 'other')
      const client = new pg.Client(other)
      await client.connect()
      await client.query('create table public.figs (id integer primary key)')
      await client.end()
      const from = databaseUrl.replace(/postgres$/, 'twin')
      expect(await run('db', 'diff', '--from', from, '--to', other)).toMatch(/create table "public"."figs"/i)

      expect(await run('gen', 'signing-key', '--algorithm', 'ES256')).toContain('"kty"')
      expect(await run('gen', 'bearer-jwt', '--role', 'anon')).toMatch(/^eyJ/)
      await run('functions', 'new', 'hello')
      expect(existsSync(join(folder, 'supabase/functions/hello/index.ts'))).toBe(true)
      await run('test', 'new', 'apples')
      expect(readdirSync(join(folder, 'supabase/tests'), { recursive: true }).join()).toContain('apples')
      expect(await run('services')).toContain('postgres')

      const place = 'ss:///identity-documents/6706eeec-4da0-4486-805b-682bba43f288/'
      const photo = repositoryFile(
        'supabase/seeds/identity-documents/6706eeec-4da0-4486-805b-682bba43f288/licence.jpg',
      )
      await run('storage', 'cp', photo, `${place}licence.jpg`, '--experimental')
      await run('storage', 'mv', `${place}licence.jpg`, `${place}moved.jpg`, '--experimental')
      expect(await run('storage', 'ls', place, '--experimental')).toBe('moved.jpg\n')

      const reports = join(folder, 'reports')
      await run('inspect', 'report', '--output-dir', reports)
      expect(
        readdirSync(reports, { recursive: true }).filter((name) => String(name).endsWith('.csv')).length,
      ).toBeGreaterThan(10)

      // Empties the database and applies all but the newest, which the next start does.
      rmSync(join(migrations(), file))
      const newest = newestOf(migrations())
      await run('migration', 'down', '--last', '1', '--yes')
      await server.end('SIGTERM')
      server = await start()
      expect(server.applied.migrations).toEqual([newest])
      expect(await rowsOf('pears')).toEqual([])
      expect(await rowsOf('tasks?select=id')).toEqual([])
    },
    900_000,
  )
})

/** The last migration of a folder, by its version; `but` is none. */
function newestOf(folder: string, but?: string): string {
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.sql') && name !== but)
      .sort()
      .at(-1) ?? ''
  )
}
