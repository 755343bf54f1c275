// kill -9 of the server, of PostgreSQL and of both, while clients write: nothing that was acknowledged is lost,
// nothing is doubled, and everything runs again by itself. `npm run test:soak` kills more often.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import {
  buildServer,
  eventually,
  newProject,
  type Project,
  postmasterOf,
  preparedProject,
  processesOf,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

const ROUNDS = amount({ gate: 3, soak: 20 })
/** Milliseconds after which a first start is cut off. */
const MOMENTS = Array.from({ length: amount({ gate: 2, soak: 10 }) }, (_, n) => 400 + n * 400)
const VICTIMS = ['server', 'postgres', 'both'] as const

let made: Project
let server: ServerProcess
let port: number

beforeAll(async () => {
  buildServer()
  made = await preparedProject()
  port = await freePort()
  server = await start()
})
afterAll(async () => {
  await server.end('SIGTERM')
  made.remove()
})

const start = () => startProcess({ ...made, port, env: { LOG_LEVEL: 'fatal' } })

const headers = () => ({
  apikey: server.secret,
  authorization: `Bearer ${server.secret}`,
  'content-type': 'application/json',
})

/** One row by its id; true once the server has answered 201, and otherwise what it answered. */
async function write(id: number): Promise<true | number | 'no answer'> {
  try {
    const response = await fetch(`${server.url}/rest/v1/fruit`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify({ id, name: `fruit ${id}` }),
    })
    await response.arrayBuffer()
    return response.status === 201 ? true : response.status
  } catch {
    return 'no answer'
  }
}

/** Every id in the table, a thousand at a time. */
async function stored(): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const query = `select=id&id=gt.${ids.at(-1) ?? 0}&order=id&limit=1000`
    const response = await fetch(`${server.url}/rest/v1/fruit?${query}`, { headers: headers() })
    expect(response.status).toBe(200)
    const page = (await response.json()) as { id: number }[]
    if (page.length === 0) return ids
    ids.push(...page.map((row) => row.id))
  }
}

async function strike(victim: (typeof VICTIMS)[number]): Promise<void> {
  const postmaster = postmasterOf(made.dataDir) as number
  if (victim !== 'postgres') {
    const gone = server.end('SIGKILL')
    if (victim === 'both') process.kill(postmaster, 'SIGKILL')
    await gone
    server = await start()
    return
  }
  process.kill(postmaster, 'SIGKILL')
  await eventually(async () => postmasterOf(made.dataDir) !== postmaster && (await isHealthy()))
}

const isHealthy = () =>
  fetch(`${server.url}/health`).then(
    (response) => response.ok,
    () => false,
  )

test(`${ROUNDS} kills under four writers lose nothing that was acknowledged`, async () => {
  let next = 1
  let writing = true
  const acknowledged: number[] = []
  const answers = new Set<number | string>()
  const writers = Array.from({ length: 4 }, async () => {
    while (writing) {
      const id = next++
      const answer = await write(id)
      if (answer === true) acknowledged.push(id)
      else {
        answers.add(answer)
        await sleep(20)
      }
    }
  })
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.length
    await eventually(() => acknowledged.length > before + 50)
    await strike(VICTIMS[round % VICTIMS.length] as (typeof VICTIMS)[number])
  }
  const before = acknowledged.length
  await eventually(() => acknowledged.length > before + 20)
  writing = false
  await Promise.all(writers)

  const ids = await stored()
  const rows = new Set(ids)
  expect(rows.size).toBe(ids.length)
  expect(acknowledged.filter((id) => !rows.has(id))).toEqual([])
  // While the database was away, clients were asked to come again, never that something unexpected happened.
  expect([...answers].filter((answer) => answer !== 'no answer' && answer !== 503)).toEqual([])
  // Only one PostgreSQL works on the cluster: the one that the server knows.
  expect(processesOf(made.dataDir)).toContain(postmasterOf(made.dataDir))
})

test('while PostgreSQL is away, health says nothing else, and then recovers', async () => {
  const postmaster = postmasterOf(made.dataDir) as number
  const statuses: number[] = []
  let watching = true
  const watcher = (async () => {
    while (watching) {
      const health = await fetch(`${server.url}/health`)
      if (health.status === 503)
        expect(await health.json()).toEqual({ status: 'unavailable', database: 'unreachable' })
      statuses.push(health.status)
      await sleep(5)
    }
  })()
  await eventually(async () => statuses.includes(200))
  process.kill(postmaster, 'SIGKILL')
  // It may be back before anybody has asked.
  await eventually(async () => postmasterOf(made.dataDir) !== postmaster && (await isHealthy()))
  watching = false
  await watcher
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(await write(1_000_000)).toBe(true)
})

test('a stopped server leaves no process behind', async () => {
  const sockets = readFileSync(join(made.dataDir, 'postgres.sockets'), 'utf8')
  expect(existsSync(sockets)).toBe(true)
  expect(await server.end('SIGINT')).toBe(0)
  expect(processesOf(made.dataDir)).toEqual([])
  // Not the sockets either, however often it was killed before.
  expect(readdirSync(made.dataDir).sort()).toEqual([
    'keys.json',
    'postgres',
    'postgres.extensions',
    'postgres.hba',
    'postgres.log',
    'storage',
    'vault.key',
  ])
  expect(existsSync(sockets)).toBe(false)
})

test('a first start that is cut off anywhere is taken up again, and seeds once', async () => {
  const { workdir, dataDir, remove } = newProject()
  try {
    for (const moment of MOMENTS) {
      const cutOff = startProcess({ workdir, dataDir, killAfter: moment }).then(
        (begun) => begun.end('SIGKILL'),
        () => null,
      )
      await cutOff
    }
    const whole = await startProcess({ workdir, dataDir })
    expect(readdirSync(dataDir).filter((name) => name.includes('.new'))).toEqual([])
    const headers = { apikey: whole.secret }
    const fruit = await fetch(`${whole.url}/rest/v1/fruit?select=name&order=name`, { headers })
    expect(await fruit.json()).toEqual([{ name: 'crab apple' }, { name: 'saskatoon' }])
    const baskets = await fetch(`${whole.url}/rest/v1/baskets?select=fruit`, { headers })
    expect(await baskets.json()).toHaveLength(2)
    expect(await whole.end('SIGINT')).toBe(0)
  } finally {
    remove()
  }
})
