// The server itself: the memory it holds while nobody asks anything, and how soon it answers on a DATA_DIR that is
// there, beside PostgreSQL's own start and an empty Node.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { repositoryFile, repositoryRoot } from '../plugins/repository.ts'
import { type Measured, median } from './stage/figure.ts'
import { startProcess } from './stage/process.ts'
import type { Stage } from './stage/stage.ts'

export const title = 'Memory and start'

const ROUNDS = 5
/** Milliseconds after which what the start left behind has been collected. */
const SETTLED = 15_000

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const start = () =>
    startProcess(stage, 'server.mjs', {
      args: ['--workdir', repositoryRoot, '--production'],
      env: { DATA_DIR: stage.directory, PORT: '4302' },
    })
  // The first start makes the cluster and applies the migrations; it does not count.
  await (await start()).stop()

  const rounds: { ours: number; theirs: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await timed(async () => {
      const server = await start()
      return () => server.stop()
    })
    const postgres = await timed(async () => {
      const cluster = await startEmbeddedPostgres({
        directory: join(stage.directory, 'postgres'),
        extensions: [repositoryFile('packages/server/extensions')],
        log: stage.log,
      })
      return () => cluster.stop()
    })
    const node = await timed(async () => {
      execFileSync(process.execPath, ['-e', '0'])
      return () => {}
    })
    rounds.push({ ours, theirs: postgres + node })
  }
  const name = 'start on an existing data directory'
  const ours = median(rounds.map((round) => round.ours))
  const theirs = median(rounds.map((round) => round.theirs))
  const against = "PostgreSQL's start + node -e 0"
  yield { name, ours, against, theirs, unit: 'ms', bound: { atMost: 4 } }
  yield { name, ours, against: 'limit', theirs: 500, unit: 'ms', bound: { atMost: 1 } }

  const server = await start()
  await sleep(SETTLED)
  yield {
    name: 'memory of the idle server, without PostgreSQL',
    ours: (await server.usage()).rss / 1e6,
    against: 'limit',
    theirs: 100,
    unit: 'MB',
    bound: { atMost: 1 },
  }
}

/** Milliseconds that `start` takes; what it started is stopped again, which is not counted. */
async function timed(start: () => Promise<() => unknown>): Promise<number> {
  const began = performance.now()
  const stop = await start()
  const took = performance.now() - began
  await stop()
  return took
}
