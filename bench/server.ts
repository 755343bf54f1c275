// The server itself: its idle memory, and how soon it answers and is ready on an existing DATA_DIR, compared with
// PostgreSQL's own start and an empty Node. A production server is ready once it has read its functions and packages, so that
// the next version can be installed next to it (docs/operations/functions.md).
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { type Measured, median } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryFile, repositoryRoot } from '../plugins/repository.ts'
import { startProcess } from './stage/process.ts'

export const title = 'Memory and start'

const ROUNDS = 5
const PORT = 4302
/** Milliseconds after which what the start left behind has been collected. */
const SETTLED = 15_000

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const start = () =>
    startProcess(stage, 'server.mjs', {
      args: ['--workdir', repositoryRoot, '--production'],
      env: { DATA_DIR: stage.directory, PORT: `${PORT}` },
    })
  // The first start makes the cluster and applies the migrations; it does not count.
  await (await start()).stop()

  const rounds: { answers: number; ready: number; theirs: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const starting = start()
    const answers = await timeOfFirstAnswer(began)
    const server = await starting
    const ready = performance.now() - began
    await server.stop()
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
    rounds.push({ answers, ready, theirs: postgres + node })
  }
  const name = 'first answer on an existing data directory'
  const ours = median(rounds.map(({ answers }) => answers))
  const theirs = median(rounds.map((round) => round.theirs))
  const against = "PostgreSQL's start + node -e 0"
  yield { name, ours, against, theirs, unit: 'ms', bound: { atMost: 4 } }
  yield { name, ours, against: 'limit', theirs: 500, unit: 'ms', bound: { atMost: 1 } }
  yield {
    name: 'ready, with functions and packages read',
    ours: median(rounds.map(({ ready }) => ready)),
    against: 'limit',
    theirs: 2500,
    unit: 'ms',
    bound: { atMost: 1 },
  }

  const server = await start()
  await sleep(SETTLED)
  yield {
    name: 'memory of the idle server, without PostgreSQL',
    ours: (await server.usage()).rss / 1e6,
    against: 'limit',
    theirs: 165,
    unit: 'MB',
    bound: { atMost: 1 },
  }
}

/** Milliseconds from `began` until the port answers. */
async function timeOfFirstAnswer(began: number): Promise<number> {
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${PORT}/health/live`).catch(() => null)
    if (answered) return performance.now() - began
    await sleep(2)
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
