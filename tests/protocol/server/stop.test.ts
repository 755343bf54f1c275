// Stopping: whoever is being served is served to the end, and nobody's connection is reset.
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  buildServer,
  eventually,
  preparedProject,
  processesOf,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'

vi.setConfig({ testTimeout: 120_000 })

const ends: (() => unknown)[] = []
beforeAll(buildServer)
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(functions: Record<string, string> = {}, env: Record<string, string> = {}) {
  const { workdir, dataDir, remove } = await preparedProject()
  ends.push(remove)
  for (const [file, text] of Object.entries(functions)) {
    const path = join(workdir, 'supabase', 'functions', file)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
  const server = await startProcess({
    workdir,
    dataDir,
    env: { LOG_LEVEL: 'error', ...env },
  })
  ends.push(() => server.end('SIGKILL'))
  return server
}

const keys = ({ secret }: ServerProcess) => ({ apikey: secret, authorization: `Bearer ${secret}` })

let nextId = 1000

interface Told {
  answered: number
  /** How the client learnt that the server is gone. */
  end: string
  /** `Connection` of the last answer. */
  last: string | undefined
}

/** Asks again and again over one connection for as long as there is one, then over a new one. */
function busyClient(server: ServerProcess, path: string, method: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { ...keys(server), 'content-type': 'application/json' }
  const told: Told = { answered: 0, end: '', last: undefined }
  async function ask(): Promise<void> {
    const asked = request(server.url + path, { agent, method, headers })
    asked.end(method === 'POST' ? JSON.stringify({ id: nextId++, name: 'plum' }) : '')
    const answer = await answerOf(asked)
    if (answer.status >= 400) throw new Error(`${answer.status} ${answer.text}`)
    told.answered++
    told.last = answer.headers.connection
  }
  async function askOn(): Promise<void> {
    try {
      for (;;) await ask()
    } catch (error) {
      told.end = (error as NodeJS.ErrnoException).code ?? String(error)
      agent.destroy()
    }
  }
  return { told, over: askOn() }
}

async function answerOf(asked: ClientRequest) {
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode as number, headers: answer.headers, text }
}

/** Resolves once nobody listens any more. */
const refused = ({ url }: ServerProcess) =>
  eventually(() =>
    fetch(`${url}/health`, { headers: { connection: 'close' } }).then(
      () => false,
      (error) => JSON.stringify(error.cause?.code ?? error.cause?.errors?.[0]?.code) === '"ECONNREFUSED"',
    ),
  )

test('busy clients that keep their connections see answers to the end, and no reset', async () => {
  const server = await start()
  const paths = ['/health/live', '/rest/v1/fruit', '/auth/v1/settings', '/config.json']
  const clients = Array.from({ length: 30 }, (_, index) =>
    index % 5 === 4
      ? busyClient(server, '/rest/v1/fruit', 'POST')
      : busyClient(server, paths[index % 5] as string, 'GET'),
  )
  await eventually(() => clients.every(({ told }) => told.answered > 1))
  const code = await server.end('SIGTERM')
  await Promise.all(clients.map(({ over }) => over))
  expect(code).toBe(0)
  // Each lost its connection by an answer that said so, and learnt that there is no other to be had.
  expect(clients.map(({ told }) => `${told.end} after ${told.last}`)).toEqual(
    clients.map(() => 'ECONNREFUSED after close'),
  )
})

test('with SHUTDOWN_DELAY it is no longer ready, and serves on until a balancer has noticed', async () => {
  const server = await start({}, { SHUTDOWN_DELAY: '3' })
  const ended = server.end('SIGTERM')
  const ready = () => fetch(`${server.url}/health/ready`)
  await eventually(async () => (await ready()).status === 503)
  expect(await (await ready()).json()).toEqual({ status: 'stopping' })
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
  expect((await fetch(`${server.url}/rest/v1/fruit`, { headers: keys(server) })).status).toBe(200)
  expect(await ended).toBe(0)
})

test('an upload that has begun is taken whole, and answered', async () => {
  const server = await start()
  const bucket = await fetch(`${server.url}/storage/v1/bucket`, {
    method: 'POST',
    headers: { ...keys(server), 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'crates', name: 'crates' }),
  })
  expect(bucket.status).toBe(200)
  const half = 'pear'.repeat(50_000)
  const upload = request(`${server.url}/storage/v1/object/crates/pears.txt`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { ...keys(server), 'content-type': 'text/plain', 'content-length': 2 * half.length },
  })
  const answer = answerOf(upload)
  await new Promise((resolve) => upload.write(half, resolve))
  const ended = server.end('SIGTERM')
  await refused(server)
  upload.end(half)
  expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
  expect(await ended).toBe(0)
})

test('a function that runs may finish its work, with the API at hand', async () => {
  const server = await start({
    'patient/handler.ts': `
      export default async function handler(_request: Request, env: Record<string, string>) {
        const headers = { apikey: env.SUPABASE_SERVICE_ROLE_KEY, authorization: 'Bearer ' + env.SUPABASE_SERVICE_ROLE_KEY, 'content-type': 'application/json' }
        const fruit = env.SUPABASE_URL + '/rest/v1/fruit'
        await fetch(fruit, { method: 'POST', headers, body: JSON.stringify({ id: 901, name: 'begun' }) })
        for (;;) {
          const found = await (await fetch(fruit + '?name=eq.go', { headers })).json()
          if (found.length > 0) return Response.json(found)
        }
      }`,
  })
  const fruit = (query: string) =>
    fetch(`${server.url}/rest/v1/fruit?${query}`, { headers: keys(server) }).then(
      (response) => response.json() as Promise<unknown[]>,
    )
  const call = fetch(`${server.url}/functions/v1/patient`, { headers: keys(server) })
  await eventually(async () => (await fruit('id=eq.901')).length === 1)
  const ended = server.end('SIGTERM')
  const go = await fetch(`${server.url}/rest/v1/fruit`, {
    method: 'POST',
    headers: { ...keys(server), 'content-type': 'application/json' },
    body: JSON.stringify({ id: 902, name: 'go' }),
  })
  expect(go.status).toBe(201)
  const answer = await call
  expect([answer.status, await answer.json()]).toEqual([200, [expect.objectContaining({ name: 'go' })]])
  expect(await ended).toBe(0)
})

test('a request that never ends is cut off when SHUTDOWN_TIMEOUT is over', async () => {
  const server = await start(
    { 'endless/handler.ts': 'export default () => new Promise(() => {})' },
    { SHUTDOWN_TIMEOUT: '1' },
  )
  const call = fetch(`${server.url}/functions/v1/endless`, { headers: keys(server) }).then(
    () => 'answered',
    () => 'cut off',
  )
  await fetch(`${server.url}/health`)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(await call).toBe('cut off')
})

test('WebSockets get a close frame: those of Realtime and those of functions, between two frames', async () => {
  const server = await start({
    'echo/index.ts': `Deno.serve((request) => {
      const { socket, response } = Deno.upgradeWebSocket(request)
      socket.onopen = () => { for (let n = 0; n < 50; n++) socket.send('x'.repeat(70_000)) }
      return response
    })`,
  })
  const base = server.url.replace('http', 'ws')
  const sockets = [
    new WebSocket(`${base}/realtime/v1/websocket?apikey=${server.publishable}&vsn=1.0.0`),
    new WebSocket(`${base}/functions/v1/echo`, { headers: keys(server) }),
  ]
  let received = 0
  sockets[1]?.on('message', () => received++)
  const closes = sockets.map((socket) => once(socket, 'close'))
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  await eventually(() => received > 0)
  const ended = server.end('SIGTERM')
  expect((await Promise.all(closes)).map(([code, reason]) => [code, String(reason)])).toEqual([
    [1012, 'Service restart'],
    [1012, 'Service restart'],
  ])
  expect(await ended).toBe(0)
})

test('a signal that comes twice at once, as npm and a terminal send it, is one', async () => {
  const { workdir, dataDir, remove } = await preparedProject()
  ends.push(remove)
  const server = await startProcess({ workdir, dataDir })
  process.kill(server.pid, 'SIGINT')
  expect(await server.end('SIGINT')).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
})
