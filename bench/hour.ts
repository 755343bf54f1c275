// An hour of a town whose people come and go: what grows although nothing more is kept? Memory, open files, connections, the
// write-ahead log, dead rows and the room of tables, taken every half minute, the last ten minutes beside the second ten.
// `BENCH_MINUTES=3 npm run bench hour` is a short one; BENCH_PEOPLE makes it others than 300.
import { agent, type Town } from './stage/ask.ts'
import { ComingsAndGoings, type Regular } from './stage/comings-and-goings.ts'
import { type Measured, median } from './stage/figure.ts'
import { anyTime, live, makePairs, openTown, pause } from './stage/open-town.ts'
import type { Stage } from './stage/stage.ts'
import { type Pair, STEPS } from './stage/townspeople.ts'
import { takeVitals, type Vitals } from './stage/vitals.ts'

export const title = 'An hour of a town, and what grows in it'

const SECONDS = Number(process.env.BENCH_MINUTES ?? 60) * 60
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 300)
/** Seconds between two looks: half a minute, in a short run six a sixth all the same. */
const EVERY = Math.min(30, SECONDS / 36)
const REGULARS = 20

type Quantity = Exclude<keyof Vitals, 'tables' | 'database'>

/** What may not grow: its name and unit, and how many times as much as before it may be, beside `slack` where it is near nothing. */
const QUANTITIES: readonly [Quantity, string, string, number, number][] = [
  ['heap', 'JavaScript’s objects after a collection', 'MB', 1.1, 0],
  ['external', 'buffers after a collection', 'MB', 1.25, 4],
  ['rss', 'memory of the server', 'MB', 1.15, 0],
  ['handles', 'what keeps its event loop going, without the people’s', '', 1.25, 5],
  ['descriptors', 'its open files and sockets, without the people’s', '', 1.25, 5],
  ['connections', 'connections of PostgreSQL', '', 1.25, 3],
  ['postgres', 'memory of PostgreSQL’s processes', 'MB', 1.25, 0],
  ['wal', 'write-ahead log on disk', 'MB', 1.25, 0],
  ['retained', 'write-ahead log kept for a replication slot', 'MB', 1.25, 16],
  ['dead', 'dead rows of a hundred', '%', 1.25, 2],
  ['oldest', 'the oldest open transaction', 's', 1.25, 2],
  ['due', 'jobs and effects that are due', '', 1.25, 5],
  ['lost', 'files that no row points to', '', 1.25, 10],
  ['temporary', 'half-written and temporary files', '', 1.25, 5],
]

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
      `${minutes()} min: ${QUANTITIES.map(([key, , unit]) => `${key} ${short(vitals[key])}${unit && ` ${unit}`}`).join(', ')}, database ${short(vitals.database)} MB; windows ${comings.windows}`,
    )
  }
  await lived
  stage.log(
    `asked: ${[...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}; ${comings.accounts} accounts came and went`,
  )
  const requests = [...counts.values()].reduce((sum, count) => sum + count, 0)
  yield {
    ...{ name: 'requests that failed', ours: failures.length, against: 'all requests', theirs: requests },
    ...{ unit: '', bound: { atMost: 0 } },
  }
  const sixth = Math.floor(samples.length / 6)
  const second = samples.slice(sixth, 2 * sixth)
  const last = samples.slice(-sixth)
  for (const [key, name, unit, times, slack] of QUANTITIES) {
    const before = median(second.map((vitals) => vitals[key]))
    const ours = median(last.map((vitals) => vitals[key]))
    yield {
      ...{ name, ours, against: slack ? `the second sixth + ${slack}` : 'the second sixth' },
      ...{ theirs: before + slack, unit, bound: { atMost: times } },
    }
  }
  yield* roomOfTables(stage, second, last)
  yield* leftovers(stage)
  agent.destroy()
}

/** Bytes that tables have gained beyond what their rows need, as many a row as before; rows are what is rightly kept. */
function* roomOfTables(stage: Stage, second: readonly Vitals[], last: readonly Vitals[]): Iterable<Measured> {
  const of = (all: readonly Vitals[], name: string, what: 'rows' | 'bytes') =>
    median(all.map(({ tables }) => tables.find((table) => table.name === name)?.[what] ?? 0))
  let beyond = 0
  const names = last.at(-1)?.tables.map(({ name }) => name) ?? []
  for (const name of names.sort()) {
    const [rows, bytes] = [of(last, name, 'rows'), of(last, name, 'bytes')]
    const [rowsBefore, bytesBefore] = [of(second, name, 'rows'), of(second, name, 'bytes')]
    const excess = Math.max(bytes - bytesBefore * Math.max(1, rows / Math.max(rowsBefore, 1)), 0)
    beyond += excess
    if (bytes - bytesBefore > 200_000 || excess > 50_000)
      stage.log(
        `${name}: ${rowsBefore} rows in ${short(bytesBefore / 1e6)} MB, then ${rows} in ${short(bytes / 1e6)} MB; beyond its rows ${short(excess / 1e6)} MB`,
      )
  }
  yield {
    ...{ name: 'room of tables beyond their rows', ours: beyond / 1e6, against: 'the database' },
    ...{ theirs: median(second.map(({ database }) => database)), unit: 'MB', bound: { atMost: 0.1 } },
  }
}

/** What accounts that were deleted have left behind, once their files had a minute to go. */
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
    ...{
      name: 'rows and files left of deleted accounts',
      ours: await count(),
      against: 'nothing',
      theirs: 1,
    },
    ...{ unit: '', bound: { atMost: 0 } },
  }
}

const short = (number: number) => (number < 10 ? number.toFixed(1) : number.toFixed(0))

const connectionsOfAgent = () =>
  [agent.sockets, agent.freeSockets].reduce(
    (sum, sockets) => sum + Object.values(sockets).reduce((all, some) => all + (some?.length ?? 0), 0),
    0,
  )
