// Two servers behind the balancers that deploy/ has examples for: PostgreSQL restarts, and each server is replaced, while
// people ask without pause through both. Every request is answered, and every acknowledged write is there.
// `npm run test:soak -- balanced-restart` sends more requests, restarts more often, and replaces the servers, too.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ObjectStore, startObjectStore } from '../../../packages/server/tests/storage/object-store.ts'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { amount, isSoak } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../support/external-postgres.ts'
import { buildServer, eventually, type ServerProcess, startProcess } from '../../support/process.ts'
import { installedBalancers, type ShippedBalancer, startShipped } from '../../support/shipped-balancers.ts'
import { makeVisits, startLoad } from '../../support/steady-load.ts'

const RATE = amount({ gate: 40, soak: 50 })
const RESTARTS = amount({ gate: 1, soak: 6 })
/** Milliseconds from the stop of PostgreSQL to its start: the balancers ask every server twice meanwhile. */
const AWAY_MS = amount({ gate: 2500, soak: 4000 })
/** Milliseconds in which both balancers send requests to a server that is back. */
const NOTICE_MS = 2500
/** As the examples say. */
const SHUTDOWN_DELAY_S = 3

let folder: string
let postgres: ExternalPostgres
let store: ObjectStore
let ports: number[]
const servers: ServerProcess[] = []
const balancers: ShippedBalancer[] = []

beforeAll(async () => {
  buildServer()
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-balanced-'))
  postgres = await startExternalPostgres()
  store = await startObjectStore()
  ports = [await freePort(), await freePort()]
  servers[0] = await start(0)
  // Every server needs the same pair for push messages.
  mkdirSync(join(folder, 'data-1'), { mode: 0o711 })
  cpSync(join(folder, 'data-0/vapid.json'), join(folder, 'data-1/vapid.json'))
  servers[1] = await start(1)
  for (const name of installedBalancers)
    balancers.push(
      await startShipped(
        name,
        ports.map((port) => `127.0.0.1:${port}`),
      ),
    )
}, 180_000)
afterAll(async () => {
  await Promise.all(balancers.map((balancer) => balancer.stop()))
  await Promise.all(servers.map((server) => server.end('SIGKILL')))
  await store?.stop()
  await postgres?.remove()
  rmSync(folder, { recursive: true, force: true })
})

function start(at: number): Promise<ServerProcess> {
  return startProcess({
    dataDir: join(folder, `data-${at}`),
    workdir: repositoryFile('.'),
    port: ports[at],
    args: ['--production'],
    env: {
      ...store.env,
      DATABASE_URL: postgres.url,
      JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o',
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
      SHUTDOWN_DELAY: String(SHUTDOWN_DELAY_S),
      LOG_LEVEL: 'error',
      ALLOW: 'missing-site-url,http-site-url,missing-smtp,missing-stripe,test-stripe-keys',
    },
  })
}

async function sql(text: string) {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  return client.query(text).finally(() => client.end())
}

/**
 * Asks through every balancer while `work` runs, and expects an answer to everything. `work` can wait until requests are
 * answered again.
 */
async function unnoticed(
  what: string,
  work: (answering: () => Promise<void>) => Promise<void>,
  firstId: number,
): Promise<void> {
  const loads = balancers.map(({ url }, at) =>
    startLoad({ url, keys: servers[0] as ServerProcess, rate: RATE, firstId: firstId + at * 10_000_000 }),
  )
  const answering = async () => {
    const before = loads.map((load) => load.answered())
    await eventually(() => loads.every((load, at) => load.answered() > (before[at] as number) + RATE))
  }
  const stopped = () => Promise.all(loads.map((load) => load.stop()))
  try {
    await answering()
    await work(answering)
    await answering()
  } catch (error) {
    await stopped()
    throw error
  }
  const results = await stopped()
  expect(results.flatMap(({ failures }) => failures.slice(0, 5))).toEqual([])
  const kept = new Set((await sql('select id::int from public.visits')).rows.map(({ id }) => id))
  expect(results.flatMap(({ visits }) => visits).filter((id) => !kept.has(id))).toEqual([])
  for (const [at, { answered, slowest }] of results.entries())
    process.stdout.write(
      `  ${what}: ${answered} requests through ${installedBalancers[at]}, none failed, the slowest after ${slowest} ms\n`,
    )
}

/** The status and the body of each server's /health/ready; 'no answer' where nothing listens. */
const readiness = () =>
  Promise.all(
    ports.map((port) =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        async (answer) => `${answer.status} ${((await answer.json()) as { database?: string }).database}`,
        () => 'no answer',
      ),
    ),
  )
const allConnected = async () => (await readiness()).every((answer) => answer === '200 ok')

// As in the continuous integration (.ci/run), where what is missing would be skipped in silence.
test.runIf(process.env.BALANCERS === 'required')('nginx and Caddy are installed', () =>
  expect(installedBalancers).toEqual(['nginx', 'caddy']),
)

test.runIf(installedBalancers.length > 0)(
  'a restart of PostgreSQL is not noticed through a balancer',
  async () => {
    await makeVisits(sql)
    const [{ publishable, secret }] = servers as [ServerProcess]
    const written = (url: string) =>
      fetch(`${url}/rest/v1/visits?limit=1`, { headers: { apikey: secret } }).then(({ ok }) => ok)
    await eventually(async () => (await Promise.all(servers.map(({ url }) => written(url)))).every(Boolean))
    const sockets = await Promise.all(
      balancers.map(async ({ url }) => {
        const socket = new WebSocket(
          `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${publishable}&vsn=1.0.0`,
        )
        await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
        return socket
      }),
    )
    await unnoticed(
      'PostgreSQL restarted',
      async (answering) => {
        for (let round = 0; round < RESTARTS; round++) {
          const since = performance.now()
          await postgres.stop()
          while (performance.now() - since < AWAY_MS) {
            expect(await readiness()).toEqual(ports.map(() => expect.stringMatching(/^200 /)))
            await sleep(100)
          }
          await postgres.start()
          // Each waits up to a second between two attempts to connect.
          await eventually(allConnected)
          await answering()
        }
      },
      1,
    )
    expect(sockets.map(({ readyState }) => readyState)).toEqual(sockets.map(() => WebSocket.OPEN))
    for (const socket of sockets) socket.terminate()
  },
)

test.runIf(installedBalancers.length > 0 && isSoak)(
  'servers are replaced one by one, which is not noticed',
  async () => {
    await unnoticed(
      'servers replaced',
      async () => {
        for (const [at, server] of servers.entries()) {
          expect(await server.end('SIGTERM')).toBe(0)
          servers[at] = await start(at)
          await eventually(allConnected)
          // The other one goes when the balancers send requests to this one again.
          await sleep(NOTICE_MS)
        }
      },
      100_000_000,
    )
  },
)
