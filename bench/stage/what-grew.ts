// Growth between the second sixth of a run, when caches are full, and the last. Medians exclude a vacuum, a
// checkpoint or a busy moment.
import { type Figure, median } from '../../packages/server/bench/stage/figure.ts'
import type { Vitals } from './vitals.ts'

type Quantity = Exclude<keyof Vitals, 'tables' | 'database'>

/** Quantities that may not grow: name, unit, and the allowed multiple, plus `slack` for values near zero. */
export const QUANTITIES: readonly [Quantity, string, string, number, number][] = [
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
  ['passing', 'rows that only pass through', '', 1.25, 50],
  ['due', 'jobs and effects that are due', '', 1.25, 5],
  ['lost', 'files that no row points to', '', 1.25, 10],
  ['temporary', 'half-written and temporary files', '', 1.25, 5],
]

/** A figure of each quantity, and of the room of tables. Needs twelve looks at least. */
export function whatGrew(samples: readonly Vitals[]): Figure[] {
  const { second, last } = sixths(samples)
  const figures = QUANTITIES.map(([key, name, unit, times, slack]): Figure => {
    const of = (all: readonly Vitals[]) => median(all.map((vitals) => vitals[key]))
    const against = slack ? `the second sixth + ${slack}` : 'the second sixth'
    return { name, ours: of(last), against, theirs: of(second) + slack, unit, bound: { atMost: times } }
  })
  const room = tables(samples).reduce((sum, { beyond }) => sum + beyond, 0) / 1e6
  const database = median(second.map((vitals) => vitals.database))
  return [
    ...figures,
    {
      name: 'room of tables beyond their rows',
      ours: room,
      against: 'the database',
      theirs: database,
      unit: 'MB',
      bound: { atMost: 0.1 },
    },
  ]
}

/** A line for each table that gained 200 kB, or 50 kB beyond what its rows need. */
export const tablesThatGrew = (samples: readonly Vitals[]): string[] =>
  tables(samples)
    .filter(({ before, after, beyond }) => after.bytes - before.bytes > 200_000 || beyond > 50_000)
    .map(
      ({ name, before, after, beyond }) =>
        `${name}: ${before.rows} rows in ${kb(before.bytes)}, then ${after.rows} in ${kb(after.bytes)}, ${kb(beyond)} beyond its rows`,
    )

const kb = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`

/** Bytes beyond its rows are those beyond as many a row as before: rows are what is rightly kept. */
function tables(samples: readonly Vitals[]) {
  const { second, last } = sixths(samples)
  const names = last.at(-1)?.tables.map(({ name }) => name) ?? []
  return names.sort().map((name) => {
    const of = (all: readonly Vitals[]) => {
      const found = all.map((vitals) => vitals.tables.find((table) => table.name === name))
      return {
        rows: median(found.map((table) => table?.rows ?? 0)),
        bytes: median(found.map((table) => table?.bytes ?? 0)),
      }
    }
    const [before, after] = [of(second), of(last)]
    const needed = before.bytes * Math.max(1, after.rows / Math.max(before.rows, 1))
    return { name, before, after, beyond: Math.max(after.bytes - needed, 0) }
  })
}

function sixths(samples: readonly Vitals[]) {
  const sixth = Math.floor(samples.length / 6)
  if (sixth < 2) throw new Error('Too few looks to compare')
  return { second: samples.slice(sixth, 2 * sixth), last: samples.slice(-sixth) }
}
