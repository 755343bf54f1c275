// The balancers of this machine (Debian's nginx and Caddy) with the examples of deploy/ for several servers.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/tests/support/free-port.ts'
import { repositoryFile } from '../../plugins/repository.ts'
import { eventually } from './process.ts'

export interface ShippedBalancer {
  url: string
  stop(): Promise<void>
}

const PROGRAMS = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' }
export type BalancerName = keyof typeof PROGRAMS

/** Those that are installed. */
export const installedBalancers = (Object.keys(PROGRAMS) as BalancerName[]).filter((name) =>
  existsSync(PROGRAMS[name]),
)

/** Starts one in front of `servers`, each a host with its port. Throws with its log when it does not listen. */
export async function startShipped(name: BalancerName, servers: string[]): Promise<ShippedBalancer> {
  const directory = mkdtempSync(join(tmpdir(), `meadowlark-${name}-`))
  const port = await freePort()
  const { args, env } = { nginx: nginxOn, caddy: caddyOn }[name](directory, port, servers)
  const child = spawn(PROGRAMS[name], args, {
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    await ended(child)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${printed}`)
      return fetch(`${url}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exit
}

/** The example without its certificates, on a port of this machine. */
function nginxOn(directory: string, port: number, servers: string[]) {
  const example = readFileSync(repositoryFile('deploy/replicas.nginx.conf'), 'utf8')
  const [, parameters] = /server 10\.0\.0\.11:3000 (.*;)\n/.exec(example) as RegExpExecArray
  const site = example
    .replace(
      /( +server 10\.0\.0\.\d+:3000 .*;\n)+/,
      servers.map((at) => `    server ${at} ${parameters}\n`).join(''),
    )
    .replace(/^server \{\n {4}listen 80;[\s\S]*?^\}\n/m, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *(listen \[::\]|ssl_certificate).*\n/gm, '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((part) => `${part}_temp_path ${directory}/${part};`)
    .join(' ')
  const main = join(directory, 'main.conf')
  writeFileSync(
    main,
    `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/errors;
     events { worker_connections 2048; }
     http { access_log off; ${temporary}\n${site} }`,
  )
  return { args: ['-p', directory, '-e', join(directory, 'errors'), '-c', main], env: {} }
}

/** The example with its own variables, and without the port at which Caddy is administered. */
function caddyOn(directory: string, port: number, servers: string[]) {
  const config = join(directory, 'Caddyfile')
  const example = readFileSync(repositoryFile('deploy/replicas.Caddyfile'), 'utf8')
  writeFileSync(config, `{\n\tadmin off\n}\n${example}`)
  mkdirSync(join(directory, 'data'))
  return {
    args: ['run', '--adapter', 'caddyfile', '--config', config],
    env: {
      SITE_URL: `http://127.0.0.1:${port}`,
      UPSTREAMS: servers.join(' '),
      XDG_DATA_HOME: join(directory, 'data'),
      XDG_CONFIG_HOME: join(directory, 'data'),
    },
  }
}
