// The auth service: a sign-in compared with the bare comparison of its password's hash. Also how many sessions are
// refreshed and accounts read a second, compared with @supabase/lite, on one PostgreSQL.
import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare, hash } from '@node-rs/bcrypt'
import { type Measured, median } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryFile } from '../plugins/repository.ts'
import { type MeasuredProcess, startProcess } from './stage/process.ts'
import { fillTasks, makeDatabase } from './stage/tasks.ts'

export const title = 'Auth'

const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 10
/** Sign-ins one after the other in a round, each followed by one comparison. */
const SIGN_INS = 20
const PASSWORD = 'Meadowlark1'
/** GoTrue's, and ours. */
const COST = 10

/** Limits that no round meets, and accounts that need no confirmation. */
const CONFIG = `
[auth.rate_limit]
sign_in_sign_ups = 1000000
token_refresh = 1000000
[auth.email]
enable_confirmations = false
`

type Side = { port: number; key: string }
type Clients = MeasuredProcess<true>

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  await makeDatabase(stage, 'ours')
  await fillTasks(stage, 'ours', { people: CONNECTIONS, tasks: 1 })
  const stored = await hash(PASSWORD, COST)
  await stage.sql('ours', 'update auth.users set encrypted_password = $1', [stored])
  // It grants its own rights: it has a copy of the rows, the people among them.
  await stage.sql('postgres', 'create database theirs template ours')
  // Its refresh tokens have UUIDs.
  await stage.sql(
    'theirs',
    'alter table auth.refresh_tokens alter id drop default, alter id type uuid using gen_random_uuid()',
  )
  const secret = randomBytes(32).toString('hex')
  const ours = await startOurs(stage, secret)
  const clients = await startProcess<true>(stage, 'sessions.mjs')

  yield await besideTheHash(clients, ours, stored)

  const lite = await startLite(stage, secret).catch((error: Error) => error)
  if (lite instanceof Error) {
    yield { name: 'sessions, beside @supabase/lite', error: lite.message }
    return
  }
  const cases = [
    ['a session refreshed', 'refresh'],
    ['GET user', 'user'],
  ] as const
  for (const [name, act] of cases) yield await besideLite(clients, { name, act }, { ours, lite })
}

/** The median of sign-ins and that of comparisons, one after the other and in turns. */
async function besideTheHash(clients: Clients, ours: Side, stored: string): Promise<Measured> {
  const signIns: number[] = []
  const comparisons: number[] = []
  // The first round warms both up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (let turn = 0; turn < SIGN_INS; turn++) {
      const { took } = await clients.ask<{ took: number }>({ ...ours, act: 'sign-in', password: PASSWORD })
      const began = performance.now()
      await compare(PASSWORD, stored)
      const bare = performance.now() - began
      if (round === 0) continue
      signIns.push(took)
      comparisons.push(bare)
    }
  }
  return {
    name: 'a sign-in',
    ours: median(signIns),
    against: 'bare password hash',
    theirs: median(comparisons),
    unit: 'ms',
    bound: { atMost: 1.15 },
  }
}

async function besideLite(
  clients: Clients,
  { name, act }: { name: string; act: 'refresh' | 'user' },
  { ours, lite }: { ours: Side; lite: Side },
): Promise<Measured> {
  const rate = async (side: Side) => {
    const order = { ...side, act, password: PASSWORD, connections: CONNECTIONS, seconds: SECONDS }
    const answer = await clients.ask<{ perSecond: number; error?: string }>(order)
    if (answer.error) throw new Error(`${name}: ${answer.error}`)
    return answer.perSecond
  }
  const rounds: { ours: number; theirs: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const found = { ours: await rate(ours), theirs: await rate(lite) }
    if (round > 0) rounds.push(found)
  }
  return {
    name,
    ours: median(rounds.map((round) => round.ours)),
    against: '@supabase/lite',
    theirs: median(rounds.map((round) => round.theirs)),
    unit: 'requests/s',
    bound: { atLeast: 4 },
  }
}

async function startOurs(stage: Stage, secret: string): Promise<Side> {
  const supabase = join(stage.directory, 'project/supabase')
  mkdirSync(supabase, { recursive: true })
  symlinkSync(repositoryFile('supabase/migrations'), join(supabase, 'migrations'))
  writeFileSync(join(supabase, 'config.toml'), CONFIG)
  const { ready } = await startProcess<{ port: number; publishable: string }>(stage, 'server.mjs', {
    args: ['--workdir', join(stage.directory, 'project'), '--production'],
    env: {
      DATA_DIR: `${stage.directory}/data`,
      DATABASE_URL: (await stage.postgres()).url('ours'),
      JWT_SECRET: secret,
      PORT: '4303',
    },
  })
  return { port: ready.port, key: ready.publishable }
}

async function startLite(stage: Stage, secret: string): Promise<Side> {
  const url = new URL((await stage.postgres()).url('theirs'))
  const socket = { user: url.username, socket: decodeURIComponent(url.hostname) }
  const { ready } = await startProcess<{ port: number }>(stage, 'lite.mjs', {
    env: {
      DATABASE_URL: `postgres://localhost${url.pathname}?${new URLSearchParams(socket)}`,
      JWT_SECRET: secret,
    },
  })
  return { port: ready.port, key: '' }
}
