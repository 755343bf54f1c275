// Realtime: how soon a committed row reaches one subscriber, compared with bare logical replication. Also how soon it
// reaches the last of a thousand with row-level security, compared with a bare `ws` server that sends the same frame
// to as many sockets.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SignJWT } from 'jose'
import { type Measured, median } from '../packages/server/bench/stage/figure.ts'
import { startProcess as startPeer } from '../packages/server/bench/stage/process.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryRoot } from '../plugins/repository.ts'
import { type MeasuredProcess, startProcess } from './stage/process.ts'
import { fillTasks, makeDatabase } from './stage/tasks.ts'

export const title = 'Realtime'

const ROUNDS = 30
const CROWD = Number(process.env.BENCH_SOCKETS ?? 1000)

type Round = { first: number; last: number; frame: string }

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const secret = randomBytes(32).toString('hex')
  // The disk takes longer than all that is measured here, and is the same for all.
  await stage.postgres({ fsync: 'off' })
  await makeDatabase(stage, 'ours')
  const giver = await fillTasks(stage, 'ours', { people: 20, tasks: 2000 })
  const url = (await stage.postgres()).url('ours')
  const ours = await startProcess<{ port: number; publishable: string }>(stage, 'server.mjs', {
    args: ['--workdir', repositoryRoot, '--production'],
    env: { DATA_DIR: `${stage.directory}/data`, DATABASE_URL: url, JWT_SECRET: secret, PORT: '4151' },
    node: process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : [],
  })
  const bare = await startProcess(stage, 'replication.mjs', { env: { DATABASE_URL: url } })
  const broadcaster = await startPeer<{ port: number }>(stage, 'broadcaster.mjs')
  const listeners = await startPeer(stage, 'listeners.mjs')
  // A row that everybody may see, which is for the policies of the table to find out.
  const sql = `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
    values ('${giver}', 'Shovel the walk', 'Front walk, steps and the path to the garage, in an hour.', 'Snow Removal',
      'Saskatoon', 40)`
  const address = `ws://127.0.0.1:${ours.ready.port}/realtime/v1/websocket?apikey=${ours.ready.publishable}&vsn=2.0.0`
  const openOurs = (count: number, tokens: string[]) =>
    ask(listeners, {
      open: {
        set: 'ours',
        url: address,
        count,
        tokens,
        database: url,
        bindings: [{ event: 'INSERT', schema: 'public', table: 'tasks' }],
      },
    })
  const hear = () => ask<Round>(listeners, { round: { set: 'ours', sql } })

  await openOurs(1, [await token(secret, giver)])
  const delays = { ours: [] as number[], bare: [] as number[] }
  for (let round = -3; round < ROUNDS; round++) {
    const one = await hear()
    const other = await ask<{ delay: number }>(bare, { sql })
    // Both receive both rows: the other's must not be mistaken for the next one's.
    await sleep(20)
    if (round < 0) continue
    delays.ours.push(one.last)
    delays.bare.push(other.delay)
  }
  yield {
    name: 'commit to one subscriber',
    ours: median(delays.ours),
    against: 'bare logical replication',
    theirs: median(delays.bare),
    unit: 'ms',
    bound: { atMost: 20 },
  }
  await bare.stop()

  const { frame } = await hear()
  await ask(broadcaster, { frame })
  await ask(listeners, {
    open: { set: 'bare', url: `ws://127.0.0.1:${broadcaster.ready.port}`, count: CROWD },
  })
  for (const people of [1, 10, CROWD]) {
    const tokens = await Promise.all(Array.from({ length: people }, () => token(secret, randomUUID())))
    await openOurs(CROWD, tokens)
    const last = { ours: [] as number[], bare: [] as number[] }
    for (let round = -5; round < ROUNDS; round++) {
      const one = await hear()
      const other = await ask<Round>(listeners, { round: { set: 'bare', word: 'now' } })
      if (round < 0) continue
      last.ours.push(one.last)
      last.bare.push(other.last)
    }
    yield {
      name: `the last of ${CROWD}, ${people === 1 ? 'one person' : `${people} people`}`,
      ours: median(last.ours),
      against: 'bare ws server',
      theirs: median(last.bare),
      unit: 'ms',
      bound: { atMost: 3 },
    }
  }
}

async function ask<Answer>(process: MeasuredProcess<unknown>, question: object): Promise<Answer> {
  const answer = await process.ask<Answer & { error?: string }>(question)
  if (answer.error) throw new Error(answer.error)
  return answer
}

function token(secret: string, sub: string): Promise<string> {
  return new SignJWT({ role: 'authenticated', aud: 'authenticated', sub })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(new TextEncoder().encode(secret))
}
