// The cost of idle sockets: the server's memory with ten thousand open, compared with the limits.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measured } from './stage/figure.ts'
import { startProcess } from './stage/process.ts'
import { startServer } from './stage/server.ts'
import type { Stage } from './stage/stage.ts'

export const title = 'Idle sockets'

const SOCKETS = Number(process.env.BENCH_IDLE ?? 10_000)
/** Kilobytes that one may take. */
const LIMIT = 25

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  for (const topic of [undefined, 'quiet']) {
    const server = await startServer(stage, {
      name: topic ?? 'open',
      database: 'ours',
      port: 4141,
      env: { MAX_CONNECTIONS: '20000', MAX_CONNECTIONS_PER_ADDRESS: '20000' },
    })
    const clients = await startProcess(stage, 'idle.mjs')
    const { port, publishable } = server.ready
    const path = `/realtime/v1/websocket?apikey=${publishable}&vsn=2.0.0`
    const open = async (count: number) => {
      const answer = await clients.ask<number | { error: string }>({ open: { port, path, topic, count } })
      if (typeof answer !== 'number') throw new Error(answer.error)
    }
    // The first ones warm the server up: code that is compiled for them is not theirs.
    await open(Math.ceil(SOCKETS / 20))
    await sleep(3000)
    const before = await server.usage()
    await open(SOCKETS)
    await sleep(3000)
    const { rss } = await server.usage()
    stage.log(
      `server: ${(before.rss / 1e6).toFixed(0)} MB before, ${(rss / 1e6).toFixed(0)} MB with ${SOCKETS} sockets`,
    )
    yield {
      name: topic ? 'a socket that joined a channel' : 'a socket',
      ours: (rss - before.rss) / SOCKETS / 1000,
      against: 'the most it may take',
      theirs: LIMIT,
      unit: 'kB',
      bound: { atMost: 1 },
    }
    await clients.stop()
    await server.stop()
  }
}
