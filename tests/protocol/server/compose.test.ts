// deploy/compose.yaml: the settings that reach the server, and the PostgreSQL that it makes. No container engine runs here, so
// the file is read as Compose reads it, and its PostgreSQL is one of Debian's with the same settings.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDebianPostgres, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import type { ExternalPostgres } from '../../support/external-postgres.ts'
import { fencedBlocks } from '../../support/pages.ts'
import { buildServer, type ServerProcess, startProcess } from '../../support/process.ts'

type Service = {
  image?: string
  command?: string[]
  environment: Record<string, string>
  env_file?: string[]
  depends_on?: Record<string, { condition: string }>
  volumes: string[]
  healthcheck?: { test: string[] }
}
const read = (path: string) => readFileSync(repositoryFile(path), 'utf8')
const { services, volumes } = load(read('deploy/compose.yaml')) as {
  services: { postgres: Service; meadowlark: Service; caddy: Service }
  volumes: Record<string, unknown>
}

/** `${NAME}`, `${NAME-default}`, `${NAME:-default}` and `${NAME:?message}`, with the same inside of a default. */
function interpolate(text: string, file: Record<string, string>): string {
  const pattern = /\$\{(\w+)(?:(:?[-?])((?:\$\{\w+\}|[^}])*))?\}/g
  return text.replace(pattern, (_, name: string, operator = '', other = '') => {
    const value = file[name]
    if (value || (value === '' && !operator.startsWith(':'))) return value
    if (operator.endsWith('?')) throw new Error(`${name}: ${other}`)
    return interpolate(other, file)
  })
}

/** The container's environment: the image's, then the file's, then what the service sets. */
function environmentOf(service: Service, file: Record<string, string>): Record<string, string> {
  const [, image = ''] = /^ENV (.*)$/m.exec(read('deploy/Dockerfile')) ?? []
  const ofImage = Object.fromEntries(image.split(' ').map((pair) => pair.split('=')))
  const own = Object.entries(service.environment).map(([name, text]) => [name, interpolate(text, file)])
  return { ...ofImage, ...(service.env_file?.includes('.env') ? file : {}), ...Object.fromEntries(own) }
}

const FILE = { SITE_URL: 'https://meadowlark.example', POSTGRES_PASSWORD: 'c0ffee' }

/** Variables of the first column of the tables of the pages. */
function documentedVariables(): string[] {
  const pages = ['configuration', 'storage', 'deploy']
    .map((name) => read(`docs/operations/${name}.md`))
    .join('\n')
  const cells = [...pages.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell]) => cell as string)
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z][A-Z0-9_]{3,})`/g)].map(([, name]) => name as string),
  )
}

describe('the settings', () => {
  /** Fixed by the image and by the compose file. */
  const FIXED = ['NODE_ENV', 'DATA_DIR', 'HOST', 'PORT']

  it('reach the server, each that the operations pages name', () => {
    const names = documentedVariables()
    expect(names).toEqual(
      expect.arrayContaining(['METRICS_TOKEN', 'JWT_KEYS', 'BACKUP_S3_BUCKET', 'TRUSTED_PROXIES']),
    )
    const more = [
      'S3_BUCKET',
      'S3_SECRET_ACCESS_KEY',
      'VAPID_PRIVATE_KEY',
      'SUPABASE_AUTH_EXTERNAL_GOOGLE_SECRET',
    ]
    const settable = [...new Set([...names, ...more])].filter((name) => !FIXED.includes(name))
    const file = { ...FILE, ...Object.fromEntries(settable.map((name) => [name, `as set: ${name}`])) }
    const environment = environmentOf(services.meadowlark, file)
    expect(settable.filter((name) => environment[name] !== `as set: ${name}`)).toEqual([])
    expect(FIXED.map((name) => environment[name])).toEqual(['production', '/data', '0.0.0.0', '3000'])
  })

  it('lead to the PostgreSQL next to it, or to another, or to the embedded one', () => {
    expect(environmentOf(services.meadowlark, FILE)).toMatchObject({
      DATABASE_URL: 'postgresql://meadowlark:c0ffee@postgres:5432/meadowlark',
      TRUSTED_PROXIES: '172.28.0.0/24',
      POSTGRES_PASSWORD: '',
    })
    const urls = ['postgresql://elsewhere/market', '']
    for (const url of urls)
      expect(environmentOf(services.meadowlark, { ...FILE, DATABASE_URL: url }).DATABASE_URL).toBe(url)
  })

  it('that it cannot do without are asked for', () => {
    expect(() => environmentOf(services.postgres, {})).toThrow('POSTGRES_PASSWORD: ')
    expect(() => environmentOf(services.caddy, {})).toThrow('SITE_URL: ')
  })

  it('stay out of the image and out of git', () => {
    expect(read('.dockerignore')).toContain('**/.env\n')
    expect(read('.gitignore')).toContain('.env\n')
  })

  it('keep the database, files and keys in volumes, and wait until PostgreSQL answers', () => {
    for (const { volumes: mounted } of Object.values(services))
      for (const [name] of mounted.map((mount) => mount.split(':')))
        if (name && !name.startsWith('.')) expect(volumes).toHaveProperty(name)
    expect(services.meadowlark.depends_on?.postgres?.condition).toBe('service_healthy')
    expect(services.postgres.healthcheck?.test).toContain('pg_isready')
    // Since version 18 the image keeps its cluster below this folder.
    expect(services.postgres.image).toMatch(/^postgres:18-/)
    expect(services.postgres.volumes).toEqual(['database:/var/lib/postgresql'])
  })
})

const version = versionWith('btree_gist')

describe.skipIf(version === null)('its PostgreSQL', () => {
  let postgres: ExternalPostgres
  let restored: ExternalPostgres | undefined
  let server: ServerProcess | undefined
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  let settings: Record<string, string>
  const { POSTGRES_USER: user = '', POSTGRES_DB: name = '' } = services.postgres.environment

  beforeAll(async () => {
    buildServer()
    const [, setting = '', value = ''] = /^(\w+)=(\w+)$/.exec(services.postgres.command?.[2] ?? '') ?? []
    // initdb --username=<POSTGRES_USER> with POSTGRES_INITDB_ARGS, as the image's entrypoint runs it.
    expect(services.postgres.environment.POSTGRES_INITDB_ARGS).toBe('--encoding=UTF8 --locale=C.UTF-8')
    settings = { [setting]: value }
    postgres = await startCluster()
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    await postgres?.remove()
    await restored?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** As the image's entrypoint makes it. */
  async function startCluster(): Promise<ExternalPostgres> {
    const cluster = await startDebianPostgres(version as string, { superuser: user, settings })
    const client = new pg.Client({ connectionString: cluster.url })
    await client.connect()
    await client.query(`create database ${name}`)
    await client.end()
    return cluster
  }

  function start(cluster: ExternalPostgres, dataDir: string): Promise<ServerProcess> {
    const url = cluster.url.replace(/\/postgres\b(?=$|\?)/, `/${name}`)
    const file = { ...FILE, DATABASE_URL: url, ALLOW: 'missing-smtp,missing-stripe' }
    const { PATH: _, PORT: __, ...env } = environmentOf(services.meadowlark, file)
    return startProcess({
      workdir: repositoryRoot,
      dataDir,
      args: ['--production'],
      env: { ...env, DATA_DIR: dataDir, HOST: '127.0.0.1' },
    })
  }

  const asks = ({ url, publishable }: ServerProcess, path: string, more = {}) =>
    fetch(`${url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { apikey: publishable, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'grace@example.com', password: 'Meadowlark1', ...more }),
    })

  it('takes everything from the first start on, and is all that a server in production needs', async () => {
    server = await start(postgres, join(folder, 'data'))
    expect(server.applied.migrations).toEqual(readdirSync(repositoryFile('supabase/migrations')).sort())
    const data = { full_name: 'Grace Field', phone: '3065550100', role: 'task_giver' }
    expect((await asks(server, 'signup', { data })).status).toBe(200)
    // It lacks no right, and row changes are received.
    expect(server.printed()).not.toMatch(/superuser|not received|event trigger/)
  }, 120_000)

  it('is dumped and restored by the commands of the page, without the containers around them', async () => {
    const copy = join(folder, 'copy')
    const blocks = fencedBlocks('docs/operations/backup-database-url.md', 'sh', {
      section: 'With Docker Compose',
      values: { 'copy of data dir': copy },
    })
    const run = (block: string, cluster: ExternalPostgres) => {
      const commands = block
        .split('\n')
        .map((line) => line.replace('docker compose -f deploy/compose.yaml ', ''))
        // Containers are neither made nor started here.
        .filter((line) => /^(exec -T postgres|cp) /.test(line))
        .map((line) =>
          line
            .replace('exec -T postgres ', '')
            .replace('cp --archive ', 'cp -a ')
            .replace('meadowlark:/data', join(folder, 'data')),
        )
      const [, host = '', port = ''] = /@([^:]+):(\d+)/.exec(cluster.url) ?? []
      const env = { ...process.env, PGHOST: decodeURIComponent(host), PGPORT: port }
      execFileSync('sh', ['-ec', commands.join('\n')], { cwd: folder, env, stdio: 'pipe' })
    }
    await server?.end('SIGTERM')
    run(blocks[0] ?? '', postgres)
    restored = await startCluster()
    rmSync(join(folder, 'data'), { recursive: true })
    mkdirSync(join(folder, 'data'), { mode: 0o711 })
    run(blocks[1] ?? '', restored)
    server = await start(restored, join(folder, 'data'))
    expect(server.applied.migrations).toEqual([])
    // Her password is right; no mail server has sent her the link.
    const answer = await asks(server, 'token?grant_type=password')
    expect(await answer.json()).toMatchObject({ error_code: 'email_not_confirmed' })
  }, 120_000)
})
