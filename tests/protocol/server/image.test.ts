// The steps of deploy/Dockerfile, run one by one in folders, since no container engine runs where the tests do; and the
// proxies' examples, read by the proxies themselves where they are installed. Part of `npm run test:soak` alone: the steps
// install and build everything anew.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { runCommands } from '../../support/operator-commands.ts'

const MB = 1024 * 1024
const root = mkdtempSync(join(tmpdir(), 'image-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Step = { instruction: string; words: string }

/** The instructions by stage, continued lines joined. */
function stagesOf(dockerfile: string): Step[][] {
  const stages: Step[][] = []
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter(Boolean)
  for (const line of lines) {
    const [instruction = '', ...words] = line.split(' ')
    if (instruction === 'FROM') stages.push([])
    stages.at(-1)?.push({ instruction, words: words.join(' ') })
  }
  return stages
}

/** Copies the files of a clone: those in git, and new ones in the working copy. */
function copySources(to: string): void {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: repositoryFile('.'),
    encoding: 'utf8',
  })
  for (const file of list.split('\0').filter(Boolean)) cpSync(repositoryFile(file), join(to, file))
}

function run(steps: Step[], app: string): void {
  mkdirSync(app, { recursive: true })
  for (const { instruction, words } of steps) {
    if (instruction === 'COPY' && words === '. .') copySources(app)
    else if (instruction === 'COPY')
      for (const file of words.split(' ').slice(0, -1)) cpSync(repositoryFile(file), join(app, file))
    else if (instruction === 'RUN')
      // With the environment of an image, not that of the tests.
      execFileSync('sh', ['-c', words], {
        cwd: app,
        stdio: 'pipe',
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      })
  }
}

function sizeOf(folder: string): number {
  return Number(
    execFileSync('du', ['-s', '--apparent-size', '-B1', folder], { encoding: 'utf8' }).split('\t')[0],
  )
}

const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(':').some((folder) => {
    try {
      return readdirSync(folder).includes(program)
    } catch {
      return false
    }
  })

const COMMAND = ['node', '--v8-pool-size=1', '--max-semi-space-size=4', 'scripts/start.mjs', '--production']

describe.runIf(isSoak)('the image', () => {
  const app = join(root, 'app')

  it('adds less than 150 MB to a Node base', () => {
    const [build, packages, last] = stagesOf(readFileSync(repositoryFile('deploy/Dockerfile'), 'utf8'))
    run(build as Step[], app)
    // The second stage goes on from the first.
    run(packages as Step[], app)
    expect(last).toContainEqual({ instruction: 'COPY', words: '--from=packages /app ./' })
    expect(last?.at(-1)?.words).toBe(JSON.stringify(COMMAND).replaceAll(',', ', '))
    expect(sizeOf(app) / MB).toBeLessThan(150)
  }, 600_000)

  it('holds no development tools and no Deno', () => {
    const tools = ['vite', 'vitest', 'typescript', '@biomejs/biome', '@playwright/test', 'deno', 'react']
    expect(tools.filter((name) => existsSync(join(app, 'node_modules', name)))).toEqual([])
  })

  it('serves the app, runs every command as its account, and signs people up', async () => {
    const port = await freePort()
    // The account `node` of the image: it may write to the volumes alone.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
    const [data, backups] = [join(root, 'data'), join(root, 'backups')]
    chmodSync(root, 0o755)
    for (const volume of [data, backups]) {
      mkdirSync(volume)
      if (account) chownSync(volume, account.uid, account.gid)
    }
    const environment = {
      PATH: process.env.PATH,
      HOME: data,
      NODE_ENV: 'production',
      DATA_DIR: data,
      BACKUP_DIR: backups,
      HOST: '127.0.0.1',
      PORT: String(port),
      SITE_URL: 'https://meadowlark.example',
      ALLOW: 'missing-smtp,missing-stripe',
    }
    const server = spawn(process.execPath, COMMAND.slice(1), {
      ...account,
      cwd: app,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment,
    })
    try {
      let printed = ''
      await new Promise((resolve) =>
        server.stdout.on('data', (chunk) => {
          printed += chunk
          if (printed.includes('Ready in')) resolve(null)
        }),
      )
      const origin = `http://127.0.0.1:${port}`
      expect(await (await fetch(origin)).text()).toContain('<title>')
      // `docker compose exec meadowlark npm run <command>`
      await runCommands((command, ...args) => {
        const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', command, '--', ...args], {
          ...account,
          cwd: app,
          env: environment,
          encoding: 'utf8',
        })
        return { code: status, output: stdout + stderr }
      }, data)
      const { publishable } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
      const answer = await fetch(`${origin}/auth/v1/signup`, {
        method: 'POST',
        headers: { apikey: publishable, 'content-type': 'application/json' },
        body: JSON.stringify({
          email: 'grace@example.com',
          password: 'Meadowlark1',
          data: { full_name: 'Grace Field', phone: '3065550100', role: 'task_giver' },
        }),
      })
      expect(await answer.json()).toMatchObject({ user_metadata: { full_name: 'Grace Field' } })
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  }, 300_000)
})

describe.runIf(isSoak)('the examples of proxies and systemd', () => {
  const caddyfiles = ['deploy/Caddyfile', 'deploy/replicas.Caddyfile']
  it.runIf(isInstalled('caddy')).each(caddyfiles)('%s is read by Caddy', (file) => {
    execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', repositoryFile(file)], {
      env: {
        ...process.env,
        SITE_URL: 'https://meadowlark.example',
        UPSTREAMS: '10.0.0.11:3000 10.0.0.12:3000',
      },
      stdio: 'pipe',
    })
  })

  const nginxSites = ['deploy/nginx.conf', 'deploy/replicas.nginx.conf']
  it.runIf(isInstalled('nginx')).each(nginxSites)('%s is read by nginx', (file) => {
    const [key, certificate] = [join(root, 'key.pem'), join(root, 'certificate.pem')]
    const subject = ['-subj', '/CN=meadowlark.example', '-days', '1', '-nodes', '-newkey', 'rsa:2048']
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate], {
      stdio: 'pipe',
    })
    const site = readFileSync(repositoryFile(file), 'utf8')
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    const main = join(root, 'nginx.conf')
    writeFileSync(main, `pid ${root}/nginx.pid;\nevents {}\nhttp {\n${site}\n}\n`)
    execFileSync('nginx', ['-t', '-c', main], { stdio: 'pipe' })
  })

  it.runIf(isInstalled('systemd-analyze'))('are read by systemd', () => {
    execFileSync('systemd-analyze', ['verify', repositoryFile('deploy/meadowlark.service')], {
      stdio: 'pipe',
    })
  })
})
