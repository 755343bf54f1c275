// Where the server listens: this machine alone outside production, IPv4 and IPv6, each where the machine has it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, isIPv4 } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@meadowlark/server/config/config.ts'
import { type Listening, listen } from '@meadowlark/server/process/listen.ts'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listenAt(place: {
  host?: string | null
  production?: boolean
  port?: number
}): Promise<Listening> {
  const listening = await listen(() => createServer((_request, response) => response.end('here')), {
    host: null,
    production: false,
    port: 0,
    ...place,
  })
  servers.push(...listening.servers)
  return listening
}

/** Connects to the address: 'connected', or the error's code. */
function knock(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket
      .once('connect', () => resolve('connected'))
      .once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`))
    socket.once('connect', () => socket.destroy())
  })
}

const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
/** Addresses by which this machine reaches itself: a container often has no IPv6. */
const inside = ['127.0.0.1', '::1'].filter((host) => interfaces.some(({ address }) => address === host))
const outside = interfaces
  .filter(({ internal, scopeid }) => !internal && !scopeid)
  .map(({ address }) => address)

test('outside production this machine alone reaches it, over IPv4 and IPv6', async () => {
  const { port, addresses, origin } = await listenAt({})
  expect(addresses).toEqual(inside.map((host) => (host === '::1' ? `[::1]:${port}` : `${host}:${port}`)))
  expect(await (await fetch(origin)).text()).toBe('here')
  expect(await Promise.all(inside.map((host) => knock(host, port)))).toEqual(inside.map(() => 'connected'))
  for (const host of outside) expect([host, await knock(host, port)]).toEqual([host, 'ECONNREFUSED'])
})

test('in production, or where HOST says so, others reach it', async () => {
  const everywhere = await listenAt({ production: true })
  for (const host of [...inside, ...outside]) {
    expect([host, await knock(host, everywhere.port)]).toEqual([host, 'connected'])
  }
  const { port: open } = await listenAt({ host: '0.0.0.0' })
  for (const host of ['127.0.0.1', ...outside.filter(isIPv4)]) {
    expect([host, await knock(host, open)]).toEqual([host, 'connected'])
  }
  const { addresses, port } = await listenAt({ host: '127.0.0.1', production: true })
  expect(addresses).toEqual([`127.0.0.1:${port}`])
  expect((await listenAt({ host: 'localhost', production: true })).addresses).toHaveLength(inside.length)
})

test('a port that is taken on one of the addresses is reported, and none is kept', async () => {
  const other = createServer()
  servers.push(other)
  await new Promise<void>((resolve) => other.listen(0, inside.at(-1), resolve))
  const { port } = other.address() as { port: number }
  await expect(listenAt({ port })).rejects.toThrow(
    new ConfigError([
      `PORT: ${port} is in use by another program. Stop that program, or set PORT to a free one`,
    ]),
  )
  expect(await knock('127.0.0.1', port)).toBe('ECONNREFUSED')
})

test('an address that is none of this machine is reported', async () => {
  await expect(listenAt({ host: '192.0.2.1' })).rejects.toThrow(
    'HOST: 192.0.2.1 is not an address of this machine; set HOST to one that is, or to 0.0.0.0',
  )
})

/** Separate networks, in which a family of addresses is missing. */
const SETUPS = {
  'no IPv6': 'ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6',
  'no IPv4': 'ip link set lo up && ip addr del 127.0.0.1/8 dev lo',
}
const canIsolate = spawnSync('unshare', ['-n', 'sh', '-ec', SETUPS['no IPv4']]).status === 0

describe.runIf(canIsolate)('on a machine with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-listen-'))
  const program = join(folder, 'listen.mjs')
  beforeAll(async () => {
    const source = join(folder, 'source.ts')
    writeFileSync(
      source,
      `import { createServer } from 'node:http'
       import { listen } from ${JSON.stringify(repositoryFile('packages/server/src/process/listen.ts'))}
       const production = process.argv[2] === 'production'
       const { addresses, origin, port } = await listen(() => createServer((_, response) => response.end('here')), { host: null, production, port: 0 })
       const text = await (await fetch(origin)).text()
       console.log(JSON.stringify([addresses.map((one) => one.replace(':' + port, '')), origin.replace(':' + port, ''), text]))
       process.exit()`,
    )
    await build({
      entryPoints: [source],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    ['no IPv6', 'development', [['127.0.0.1'], 'http://127.0.0.1', 'here']],
    ['no IPv4', 'development', [['[::1]'], 'http://[::1]', 'here']],
    ['no IPv6', 'production', [['0.0.0.0', '[::]'], 'http://127.0.0.1', 'here']],
    ['no IPv4', 'production', [['0.0.0.0', '[::]'], 'http://[::1]', 'here']],
  ] as const)('%s, in %s', (setup, stage, expected) => {
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-n', 'sh', '-ec', `${SETUPS[setup]}; exec "$0" "$1" "$2"`, process.execPath, program, stage],
      { encoding: 'utf8' },
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})
