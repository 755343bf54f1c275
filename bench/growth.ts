// How the marketplace's lists grow from ten thousand open tasks to a million: each query as the app sends it, as the
// person who sends it, in a database of either size.
import pg from 'pg'
import { type Figure, median } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { ALERTS, measureAlerts } from './stage/growth-alerts.ts'
import { FREE, measureFree } from './stage/growth-free.ts'
import { questionsNear } from './stage/growth-near.ts'
import { type Asked, questions } from './stage/growth-questions.ts'
import { growTown } from './stage/growth-rows.ts'

export const title = 'Growth: the same question over 10,000 and over 1,000,000 open tasks'

const SMALL_ROWS = 10_000
const large = Number(process.env.BENCH_TASKS ?? 1_000_000)
const TRIES = 15

export async function* measure(stage: Stage): AsyncGenerator<Figure> {
  const isChosen = (name: string) => !stage.cases.length || stage.cases.some((word) => name.includes(word))
  if (isChosen(FREE)) yield* measureFree(stage)
  const asked = [...questions, ...questionsNear].filter(({ name }) => isChosen(name))
  if (asked.length > 0 || isChosen(ALERTS)) yield* measureTasks(stage, asked, isChosen(ALERTS))
}

async function* measureTasks(stage: Stage, chosen: Asked[], withAlerts: boolean): AsyncGenerator<Figure> {
  const cluster = await stage.postgres()
  const clients: pg.Client[] = []
  for (const [database, tasks] of [
    ['town', SMALL_ROWS],
    ['city', large],
  ] as const) {
    stage.log(`making ${tasks.toLocaleString('en')} open tasks`)
    await growTown(stage, database, tasks)
    const client = new pg.Client({ connectionString: cluster.url(database) })
    await client.connect()
    stage.onEnd(() => client.end())
    clients.push(client)
  }
  const [town, city] = clients as [pg.Client, pg.Client]
  for (const asked of chosen) {
    const times: [number[], number[]] = [[], []]
    const both = await Promise.all(
      [town, city].map(async (client) => ({ client, sql: await textOf(asked, client) })),
    )
    for (let n = -2; n < TRIES; n++) {
      for (const [which, { client, sql }] of both.entries()) {
        const took = await answer(client, asked.by, sql)
        if (n >= 0) times[which]?.push(took)
      }
    }
    yield {
      name: asked.name,
      ours: median(times[1]),
      against: 'a hundredth of the tasks',
      theirs: median(times[0]),
      unit: 'ms',
      bound: { atMost: 2.5 },
    }
  }
  if (withAlerts) yield* measureAlerts(stage, 'city', city)
}

const textOf = ({ sql }: Asked, client: pg.Client) => (typeof sql === 'string' ? sql : sql(client))

/** Milliseconds until the rows are there, with the role and claims of whoever asks. */
async function answer(client: pg.Client, by: Asked['by'], sql: string): Promise<number> {
  await client.query('begin')
  const role = by === 'service' ? 'service_role' : by ? 'authenticated' : 'anon'
  const claims = JSON.stringify({ role, ...(role === 'authenticated' && { sub: by, aal: 'aal2' }) })
  await client.query(`set local role ${role}`)
  await client.query(`select set_config('request.jwt.claims', $1, true)`, [claims])
  const began = performance.now()
  await client.query(sql)
  const took = performance.now() - began
  await client.query('rollback')
  return took
}
