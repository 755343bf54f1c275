// An hour of a town whose people come and go: what grows although nothing more is kept? Memory, open files,
// connections, the write-ahead log, dead rows and the room of tables, taken every half minute; the last ten minutes
// are compared with the second ten. `BENCH_MINUTES=3 npm run bench hour` is a short one; BENCH_PEOPLE makes it others
// than 300.

import type { Measured } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { agent, type Town } from './stage/ask.ts'
import { ComingsAndGoings, type Regular } from './stage/comings-and-goings.ts'
import { anyTime, live, makePairs, openTown, pause } from './stage/open-town.ts'
import { type Pair, STEPS } from './stage/townspeople.ts'
import { takeVitals, type Vitals } from './stage/vitals.ts'
import { QUANTITIES, tablesThatGrew, whatGrew } from './stage/what-grew.ts'

export const title = 'An hour of a town, and what grows in it'

const SECONDS = Number(process.env.BENCH_MINUTES ?? 60) * 60
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 300)
/** Seconds between two looks: half a minute, in a short run six a sixth all the same. */
const EVERY = Math.min(30, SECONDS / 36)
const REGULARS = 20

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const server = await openTown(stage, 4308)
  const began = performance.now()
  const minutes = () => ((performance.now() - began) / 60_000).toFixed(1)
  const failures: string[] = []
  const counts = new Map<string, number>()
  const town: Town = {
    port: server.ready.port,
    publishableKey: server.ready.publishable,
    secretKey: server.ready.secret,
    onAnswer(kind, _ms, failure) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if (!failure) return
      failures.push(`${kind}: ${failure}`)
      if (failures.length <= 50) stage.log(`failed after ${minutes()} min: ${failures.at(-1)}`)
    },
  }
  const pairs = await makePairs(stage, town, PEOPLE / 2)
  // One job from its first to its last step, so that what no longer works is known at once.
  for (const step of STEPS) await pairs[0]?.once(step)
  const comings = new ComingsAndGoings(town)
  const regulars: Regular[] = []
  while (regulars.length < REGULARS) regulars.push(await comings.regular(regulars.length))
  const held = () => comings.windows + connectionsOfAgent()

  const end = performance.now() + SECONDS * 1000
  const often = async (seconds: number, act: () => Promise<void>) => {
    for (;;) {
      await pause(anyTime(seconds), end)
      if (performance.now() >= end) return
      await act()
    }
  }
  const any = <Of>(all: readonly Of[]): Of => all[Math.floor(Math.random() * all.length)] as Of
  const one = (pair: Pair) => any([pair.giver, pair.tasker])
  const lived = Promise.all([
    live(pairs, SECONDS),
    ...pairs.flatMap((pair) => (['giver', 'tasker'] as const).map((who) => comings.window(pair, who, end))),
    often(2, () => comings.photo(one(any(pairs)))),
    often(4, () => comings.withdrawn(any(pairs).giver)),
    often(3, () => comings.favourite(any(pairs).giver, any(pairs).tasker)),
    often(1, () => comings.read(one(any(pairs)))),
    often(4, () => comings.session(any(regulars))),
    often(5, () => comings.life(any(pairs), end)),
  ])

  const samples: Vitals[] = []
  while (performance.now() + (EVERY * 1000) / 2 < end) {
    await pause(EVERY, end)
    const vitals = await takeVitals(stage, server, held)
    samples.push(vitals)
    stage.log(
      `${minutes()} min: ${QUANTITIES.map(([key, , unit]) => `${key} ${vitals[key].toFixed(1)}${unit && ` ${unit}`}`).join(', ')}, database ${vitals.database.toFixed(1)} MB; windows ${comings.windows}`,
    )
  }
  await lived
  stage.log(
    `asked: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}; ${comings.accounts} accounts came and went`,
  )
  const requests = [...counts.values()].reduce((sum, count) => sum + count, 0)
  yield {
    name: 'requests that failed',
    ours: failures.length,
    against: 'all requests',
    theirs: requests,
    unit: '',
    bound: { atMost: 0 },
  }
  yield* whatGrew(samples)
  for (const line of tablesThatGrew(samples)) stage.log(line)
  yield* leftovers(stage)
  agent.destroy()
}

/** Files that deleted accounts have left, after a minute for their removal. */
async function* leftovers(stage: Stage): AsyncIterable<Measured> {
  const count = async () => {
    const [row] = await stage.sql<{ left: number }>(
      'town',
      `select ((select count(*) from auth.users where email like 'passing+%' and created_at < now() - interval '1 minute')
        + (select count(*) from auth.sessions s where not exists (select from auth.users u where u.id = s.user_id))
        + (select count(*) from storage.objects o where o.bucket_id = 'profile-photos'
            and not exists (select from auth.users u where u.id::text = o.owner_id)))::int as left`,
    )
    return row?.left ?? 0
  }
  const late = performance.now() + 60_000
  while ((await count()) > 0 && performance.now() < late) await pause(1, late)
  yield {
    name: 'rows and files left of deleted accounts',
    ours: await count(),
    against: 'nothing',
    theirs: 1,
    unit: '',
    bound: { atMost: 0 },
  }
}

const connectionsOfAgent = () =>
  [agent.sockets, agent.freeSockets].reduce(
    (sum, sockets) => sum + Object.values(sockets).reduce((all, some) => all + (some?.length ?? 0), 0),
    0,
  )
