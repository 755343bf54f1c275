// Broadcast: how soon a message of one socket reaches the last of a thousand, on one server and across two, compared
// with a bare `ws` server that sends the same to as many sockets.
import { randomBytes } from 'node:crypto'
import { type Measured, median } from './stage/figure.ts'
import { startProcess } from './stage/process.ts'
import { startServer } from './stage/server.ts'
import type { Stage } from './stage/stage.ts'

export const title = 'Broadcast'

const ROUNDS = 30
const CROWD = Number(process.env.BENCH_SOCKETS ?? 1000)

type Round = { first: number; last: number }

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const secret = randomBytes(32).toString('hex')
  const payload = { text: 'Shovel the walk: front walk, steps and the path to the garage, in an hour.' }
  const listeners = await startProcess(stage, 'listeners.mjs')
  const ask = async <Answer>(question: object): Promise<Answer> => {
    const answer = await listeners.ask<Answer & { error?: string }>(question)
    if (answer.error) throw new Error(answer.error)
    return answer
  }
  const addresses: string[] = []
  for (const port of [4143, 4144]) {
    const server = await startServer(stage, {
      name: `on_${port}`,
      database: 'ours',
      port,
      // Two servers on one machine share no files.
      env: { JWT_SECRET: secret, ALLOW: 'missing-site-url,missing-smtp,local-files,different-keys' },
    })
    const { publishable } = server.ready
    addresses.push(`ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${publishable}&vsn=2.0.0`)
  }
  const broadcaster = await startProcess<{ port: number }>(stage, 'broadcaster.mjs')
  await broadcaster.ask({ frame: JSON.stringify(payload) })

  const [near = '', far = ''] = addresses
  const config = { broadcast: { self: true } }
  await ask({ open: { set: 'ours', url: near, count: CROWD, config } })
  await ask({ open: { set: 'bare', url: `ws://127.0.0.1:${broadcaster.ready.port}`, count: CROWD } })
  const word = JSON.stringify(['1', '2', 'realtime:bench', 'broadcast', { event: 'note', payload }])
  const last = { ours: [] as number[], bare: [] as number[], far: [] as number[] }
  for (let round = -5; round < ROUNDS; round++) {
    const one = await ask<Round>({ round: { set: 'ours', word } })
    const other = await ask<Round>({ round: { set: 'bare', word: 'now' } })
    if (round < 0) continue
    last.ours.push(one.last)
    last.bare.push(other.last)
  }
  yield {
    name: `a broadcast to the last of ${CROWD}`,
    ours: median(last.ours),
    against: 'bare ws server',
    theirs: median(last.bare),
    unit: 'ms',
    bound: { atMost: 3 },
  }

  // One socket of the other server speaks; those of the first one hear it through the database.
  await ask({ open: { set: 'speaker', url: far, count: 1, config: {} } })
  for (let round = -5; round < ROUNDS; round++) {
    const one = await ask<Round>({ round: { set: 'ours', from: 'speaker', word } })
    if (round >= 0) last.far.push(one.last)
  }
  yield {
    name: `the same from another server`,
    ours: median(last.far),
    against: 'bare ws server',
    theirs: median(last.bare),
    unit: 'ms',
  }
}
