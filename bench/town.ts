// A town in a closed loop: people who each do one thing, think, and do the next, more and more of them up to 10,000.
// It measures whether the slowest hundredth of all answers takes 250 ms longer than one that needs no database. If
// so, the other figures are reported all the same. `npm run bench town`; BENCH_PEOPLE begins with another number.

import { type Measured, percentile } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { agent, type Town } from './stage/ask.ts'
import { live, makePairs, openTown } from './stage/open-town.ts'
import { postgresCpu } from './stage/postgres-usage.ts'
import type { Pair } from './stage/townspeople.ts'

export const title = 'A town: everybody in a loop of doing and thinking'

const FIRST = Number(process.env.BENCH_PEOPLE ?? 250)
const MOST = 10_000
const SECONDS = 12
const BOUND_MS = 250
/** Alone and one after the other, of each kind. */
const ALONE = 300

type Answers = Map<string, { times: number[]; failures: string[] }>

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const server = await openTown(stage, 4307)
  let answers: Answers = new Map()
  const town: Town = {
    port: server.ready.port,
    publishableKey: server.ready.publishable,
    secretKey: server.ready.secret,
    onAnswer(kind, ms, failure) {
      const all = answers.get(kind) ?? { times: [], failures: [] }
      answers.set(kind, all)
      all.times.push(ms)
      if (failure) all.failures.push(failure)
    },
  }
  const pairs = await makePairs(stage, town, MOST / 2)
  const cpu = async () => ({
    server: (await server.usage()).cpu,
    postgres: postgresCpu(`${stage.directory}/postgres`),
    people: process.cpuUsage().user + process.cpuUsage().system,
  })

  // A first walk through the town, which does not count.
  await live(pairs.slice(0, 50), 5)
  const pair = pairs.at(-1) as Pair
  for (const step of ['post', 'apply', 'accept', 'pay'] as const) await pair.once(step)
  for (const kind of ['browse', 'read a task', 'bookings', 'write a message', 'post'] as const) {
    const before = await cpu()
    for (let nth = 0; nth < ALONE; nth++) await pair.once(kind)
    const after = await cpu()
    stage.log(
      `${kind}: ${us(after.server - before.server, ALONE)} µs of the server, ${us(after.postgres - before.postgres, ALONE)} µs of PostgreSQL`,
    )
  }
  for (const people of crowds()) {
    answers = new Map()
    const before = await cpu()
    const bare = watchBareAnswers(server.ready.port)
    const since = performance.now()
    await live(pairs.slice(0, people / 2), SECONDS)
    // Those who wait for an answer when the time is over wait until they have it.
    const seconds = (performance.now() - since) / 1000
    const after = await cpu()
    const share = (micros: number) => (micros / 1e4 / seconds).toFixed(0)
    const machine = percentile(await bare.stop(), 0.99)
    const all = [...answers.values()].flatMap(({ times }) => times)
    const failures = [...answers].flatMap(([kind, found]) => found.failures.map((why) => `${kind}: ${why}`))
    // Waiting for a processor that others have is nobody's load.
    const slowest = Math.max(percentile(all, 0.99) - machine, 0)
    stage.log(
      `${people} people: ${(all.length / seconds).toFixed(0)} requests/s, ${[0.5, 0.95, 0.99].map((part) => `p${part * 100} ${percentile(all, part).toFixed(0)} ms`).join(', ')}, ` +
        `${failures.length} failed; an answer without a database p99 ${machine.toFixed(0)} ms; processors: server ${share(after.server - before.server)} %, PostgreSQL ${share(after.postgres - before.postgres)} %, the people ${share(after.people - before.people)} %; ` +
        `a request ${us(after.server - before.server, all.length)} + ${us(after.postgres - before.postgres, all.length)} µs`,
    )
    for (const why of new Set(failures.slice(0, 3))) stage.log(`  ${why}`)
    if (people === FIRST)
      for (const [kind, { times }] of answers)
        stage.log(
          `  ${kind}: ${times.length}, p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms`,
        )
    yield {
      name: `${people} people, p99 of all answers beyond that of a bare one`,
      ours: slowest,
      against: 'what a person waits for',
      theirs: BOUND_MS,
      unit: 'ms',
      bound: { atMost: 1 },
    }
  }
  const [size] = await stage.sql<{ rows: string; bytes: string }>(
    'town',
    `select string_agg(format('%s %s B', relname, pg_total_relation_size(relid) / greatest(n_live_tup, 1)), ', ' order by relname) as rows,
       pg_database_size(current_database())::text as bytes
     from pg_stat_user_tables where n_live_tup > 200 and schemaname in ('public', 'private', 'auth')`,
  )
  stage.log(
    `bytes a row with its indexes: ${size?.rows}; the database ${(Number(size?.bytes) / 1e6).toFixed(0)} MB`,
  )
  stage.log(`memory of the server ${((await server.usage()).rss / 1e6).toFixed(0)} MB`)
  agent.destroy()
}

/** Twice as many people each time, the whole town at last. */
function* crowds() {
  for (let people = FIRST; people < MOST; people *= 2) yield people
  yield MOST
}

const us = (micros: number, count: number) => (micros / Math.max(count, 1)).toFixed(0)

/** Times of answers that need no database, asked for twenty times a second. */
function watchBareAnswers(port: number) {
  const times: number[] = []
  const asked: Promise<void>[] = []
  const timer = setInterval(() => {
    const since = performance.now()
    const answered = fetch(`http://127.0.0.1:${port}/health/live`).then((response) => response.arrayBuffer())
    asked.push(answered.then(() => void times.push(performance.now() - since)))
  }, 50)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(asked)
      return times
    },
  }
}
