// The Data API: the same five requests to our server, to @supabase/lite and, as their bare SQL, to pgbench, all on
// one PostgreSQL with the same rows. Also our processor time, compared with that of an empty handler that sends the
// same bytes.
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { type Measured, median } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryRoot } from '../plugins/repository.ts'
import { type Load, sendOnce, startLoad } from './stage/load.ts'
import { pgbench } from './stage/pgbench.ts'
import { type MeasuredProcess, startProcess } from './stage/process.ts'
import { type RestCase, restCases, statementsOf } from './stage/rest-cases.ts'
import { fillTasks, makeDatabase } from './stage/tasks.ts'

export const title = 'Data API'

const CONNECTIONS = 20
// Short rounds that take turns: what else the machine does meanwhile meets all of them alike.
const ROUNDS = 3
const SECONDS = 2

type Answering = MeasuredProcess<{ port: number }>

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const secret = randomBytes(32).toString('hex')
  await makeDatabase(stage, 'ours')
  const giver = await fillTasks(stage, 'ours', { people: 200, tasks: 2000 })
  // It grants its own rights, and inserts grow the table: each has a copy of the rows.
  for (const copy of ['theirs', 'bare']) {
    await stage.sql('postgres', `create database ${copy} template ours`)
  }
  const url = (await stage.postgres()).url('ours')
  const ours = await startOurs(stage, url, secret)
  const lite = await startLite(stage, secret).catch((error: Error) => error)
  const empty = await startProcess<{ port: number }>(stage, 'empty.mjs')
  const load = await startLoad(stage)
  const claims = { role: 'authenticated', aud: 'authenticated', sub: giver }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(new TextEncoder().encode(secret))

  for (const one of restCases({ key: ours.ready.publishable, token, giver })) {
    const statements = await statementsOf(url, one, one.role === 'anon' ? { role: 'anon' } : claims)
    const bare = (perSecond?: number) =>
      pgbench(stage, {
        database: 'bare',
        user: 'authenticator',
        statements,
        connections: CONNECTIONS,
        seconds: SECONDS,
        ...(perSecond ? { perSecond } : {}),
      })
    yield* measureCase(one, { ours, lite, empty, load, bare })
  }
}

type Sides = {
  ours: Answering
  lite: Answering | Error
  empty: Answering
  load: Load
  bare: (perSecond?: number) => Promise<number>
}

async function* measureCase(one: RestCase, sides: Sides): AsyncIterable<Measured> {
  const { ours, lite, empty, load, bare } = sides
  const answer = await sendOnce(ours.ready.port, one.request)
  if (answer.status >= 300) throw new Error(`${one.name}: ${answer.status} ${answer.body}`)
  const { date: _, connection: __, 'keep-alive': ___, ...headers } = answer.headers
  await empty.ask({ status: answer.status, headers, body: answer.body.toString('base64') })
  const refusal = lite instanceof Error ? lite.message : await refusalOf(lite, one, answer.body)

  const run = async (side: Answering, limit?: number) => {
    const before = await side.usage()
    const { perSecond, requests } = await load({
      port: side.ready.port,
      request: one.request,
      connections: CONNECTIONS,
      seconds: SECONDS,
      ...(limit ? { perSecond: limit } : {}),
    })
    return { perSecond, cpu: ((await side.usage()).cpu - before.cpu) / requests }
  }
  const rounds = []
  // The first round warms all of them up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    const first = await run(ours)
    const found = {
      ours: first,
      // At the same rate: a busier server finds more to do each time it wakes, which makes each request cheaper.
      empty: await run(empty, first.perSecond),
      lite: refusal || lite instanceof Error ? null : await run(lite),
      bare: await bare(),
      // While PostgreSQL does our work, it waits for its turn and for memory just as our server does.
      crowded: (await Promise.all([run(empty, first.perSecond), bare(first.perSecond)]))[0],
    }
    if (round > 0) rounds.push(found)
  }
  const rate = median(rounds.map((round) => round.ours.perSecond))
  if (refusal) yield { name: `${one.name}, beside @supabase/lite`, error: refusal }
  else {
    yield {
      name: one.name,
      ours: rate,
      against: '@supabase/lite',
      theirs: median(rounds.map(({ lite }) => lite?.perSecond ?? 0)),
      unit: 'requests/s',
      bound: { atLeast: 6 },
    }
  }
  yield {
    name: one.name,
    ours: rate,
    against: 'pgbench, no HTTP',
    theirs: median(rounds.map((round) => round.bare)),
    unit: 'requests/s',
    bound: { atLeast: 0.5 },
  }
  yield {
    name: one.name,
    ours: median(rounds.map((round) => round.ours.cpu)),
    against: 'empty handler',
    theirs: median(rounds.map((round) => round.empty.cpu)),
    unit: 'µs of CPU',
  }
  yield {
    name: one.name,
    ours: median(rounds.map((round) => round.ours.cpu)),
    against: 'empty handler beside pgbench',
    theirs: median(rounds.map((round) => round.crowded.cpu)),
    unit: 'µs of CPU',
  }
}

/** Why the peer's answer cannot be compared, or null. */
async function refusalOf(lite: Answering, one: RestCase, expected: Buffer): Promise<string | null> {
  const { status, body } = await sendOnce(lite.ready.port, one.request)
  if (status >= 300) return `it answers ${status} ${body} ${lite.output()}`.slice(0, 500)
  const rows = (text: Buffer) => (text.length === 0 ? 0 : (JSON.parse(text.toString()) as unknown[]).length)
  return rows(body) === rows(expected) ? null : `it answers ${rows(body)} rows instead of ${rows(expected)}`
}

function startOurs(stage: Stage, url: string, secret: string) {
  return startProcess<{ port: number; publishable: string }>(stage, 'server.mjs', {
    args: ['--workdir', repositoryRoot, '--production'],
    env: { DATA_DIR: `${stage.directory}/data`, DATABASE_URL: url, JWT_SECRET: secret, PORT: '4301' },
  })
}

async function startLite(stage: Stage, secret: string): Promise<Answering> {
  const url = new URL((await stage.postgres()).url('theirs'))
  return startProcess<{ port: number }>(stage, 'lite.mjs', {
    env: {
      DATABASE_URL: `postgres://localhost${url.pathname}?${new URLSearchParams({
        user: url.username,
        socket: decodeURIComponent(url.hostname),
      })}`,
      JWT_SECRET: secret,
    },
  })
}
