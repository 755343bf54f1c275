// Growth within an hour: memory that is not returned, and table space that no row needs.
import { expect, it } from 'vitest'
import type { Figure } from '../../packages/server/bench/stage/figure.ts'
import type { Vitals } from './vitals.ts'
import { tablesThatGrew, whatGrew } from './what-grew.ts'

const calm: Vitals = {
  heap: 57,
  external: 7,
  rss: 170,
  handles: 45,
  descriptors: 55,
  connections: 16,
  postgres: 210,
  wal: 84,
  retained: 1,
  dead: 11,
  oldest: 0,
  due: 0,
  passing: 500,
  lost: 0,
  temporary: 12,
  database: 40,
  tables: [{ name: 'public.tasks', rows: 1000, bytes: 2_000_000 }],
}

/** An hour whose looks are calm except for `change`, which gets the elapsed share (0 to 1) of the hour. */
const hour = (change: (over: number) => Partial<Vitals>) =>
  Array.from({ length: 120 }, (_, look) => ({ ...calm, ...change(look / 119) }))

const missed = (figures: readonly Figure[]) =>
  figures
    .filter(({ ours, theirs, bound }) => bound && 'atMost' in bound && ours / theirs > bound.atMost)
    .map(({ name }) => name)

const tasks = (rows: number, bytes: number) => ({ tables: [{ name: 'public.tasks', rows, bytes }] })

it('tells memory and sockets that are not given back', () => {
  const leak = hour((over) => ({ heap: 50 + 20 * over, descriptors: 50 + Math.round(100 * over) }))
  expect(missed(whatGrew(leak))).toEqual([
    'JavaScript’s objects after a collection',
    'its open files and sockets, without the people’s',
  ])
})

it('takes caches that fill at first, and what comes and goes, for no growth', () => {
  const filling = hour((over) => ({
    rss: over < 1 / 6 ? 110 : 180,
    wal: over < 1 / 6 ? 50 : 84,
    dead: Math.round(over * 1000) % 20,
    oldest: over > 0.95 ? 3 : 0,
  }))
  expect(missed(whatGrew(filling))).toEqual([])
})

it('takes a table that grows with its rows for no growth, and one that grows without them for bloat', () => {
  const busy = hour((over) => tasks(1000 + 2000 * over, 2_000_000 + 4_000_000 * over))
  const bloated = hour((over) => tasks(1000, 2_000_000 + 8_000_000 * over))
  expect(missed(whatGrew(busy))).toEqual([])
  expect(missed(whatGrew(bloated))).toEqual(['room of tables beyond their rows'])
  expect(tablesThatGrew(bloated)).toEqual([expect.stringContaining('public.tasks: 1000 rows')])
})

it('does not compare a handful of looks', () => {
  expect(() => whatGrew([calm, calm])).toThrow('Too few looks')
})
