// Jobs of one day in their order, with the distances between.
import { expect, test } from 'vitest'
import { dayRoutes } from './dayRoutes.ts'

const NOW = new Date('2026-11-30T18:00:00Z')
type Job = Parameters<typeof dayRoutes>[0][number]

/** On one meridian: a hundredth of a degree is 1.11 km. */
function job(id: string, at: string | null, latitude: number | null, over: object = {}): Job {
  const task = {
    id,
    title: id,
    place_id: null,
    location: 'Nutana, Saskatoon',
    scheduled_date: at,
    public_latitude: latitude,
    public_longitude: latitude && -106.66,
    point: latitude === null ? null : { latitude, longitude: -106.66 },
    address: null,
    ...over,
  }
  return { id, status: 'in_progress', task }
}

const ids = (jobs: Job[]) => dayRoutes(jobs, NOW).map(({ day, stops }) => [day, ...stops.map(({ id }) => id)])

test('days of the marketplace, each in the order of time', () => {
  // On the clock of Saskatchewan, 05:30 UTC is half past eleven at night of the day before.
  const late = job('late', '2026-12-02T05:30:00Z', 52.1)
  const early = { ...job('early', '2026-12-01T14:00:00Z', 52.1), status: 'accepted' as const }
  const next = job('next', '2026-12-02T14:00:00Z', 52.1)
  const last = job('last', '2026-12-02T16:00:00Z', 52.1)
  expect(ids([last, late, next, early])).toEqual([
    ['2026-12-01', 'early', 'late'],
    ['2026-12-02', 'next', 'last'],
  ])
})

test('neither single jobs, applications, finished work, work at any time, nor days that are over', () => {
  const at = '2026-12-01T14:00:00Z'
  const first = job('first', at, 52.1)
  for (const other of [
    { ...job('other', at, 52.1), status: 'pending' as const },
    { ...job('other', at, 52.1), status: 'completed' as const },
    { ...job('other', at, 52.1), status: 'cancelled' as const },
    job('other', null, 52.1),
  ])
    expect(ids([first, other])).toEqual([])
  const yesterday = '2026-11-30T05:30:00Z'
  expect(ids([job('one', yesterday, 52.1), job('two', yesterday, 52.1)])).toEqual([])
  const thisMorning = '2026-11-30T15:00:00Z'
  expect(ids([job('one', thisMorning, 52.1), job('two', thisMorning, 52.1)])).toHaveLength(1)
})

test('exact distances and their sum', () => {
  const [route] = dayRoutes(
    [
      job('a', '2026-12-01T14:00:00Z', 52.1),
      job('b', '2026-12-01T15:00:00Z', 52.11),
      job('c', '2026-12-01T16:00:00Z', 52.13),
    ],
    NOW,
  )
  expect(route).toMatchObject({ isAbout: false, isWhole: true })
  expect(route?.stops.map(({ km }) => km && Number(km.toFixed(2)))).toEqual([null, 1.11, 2.22])
  expect(route?.km).toBeCloseTo(3.34, 2)
})

test('a rounded position makes the distances to and from it approximate, an unknown one leaves them out', () => {
  const [rounded] = dayRoutes(
    [
      job('a', '2026-12-01T14:00:00Z', 52.1, { point: null, address: { address: '812 Main Street' } }),
      job('b', '2026-12-01T15:00:00Z', 52.1),
      job('c', '2026-12-01T16:00:00Z', 52.11),
    ],
    NOW,
  )
  expect(rounded?.stops.map(({ isAbout }) => isAbout)).toEqual([true, true, false])
  expect(rounded?.stops[1]?.km).toBe(1)
  expect(rounded).toMatchObject({ isAbout: true, isWhole: true })
  expect(rounded?.stops[0]?.target).toBe('812 Main Street, Nutana, Saskatoon')
  expect(rounded?.stops[1]?.target).toEqual({ latitude: 52.1, longitude: -106.66 })

  const [partial] = dayRoutes(
    [
      job('a', '2026-12-01T14:00:00Z', 52.1),
      job('b', '2026-12-01T15:00:00Z', 52.11),
      job('c', '2026-12-01T16:00:00Z', null),
    ],
    NOW,
  )
  expect(partial?.stops[2]).toMatchObject({ position: null, km: null })
  expect(partial).toMatchObject({ isAbout: false, isWhole: false })
  const [unknown] = dayRoutes(
    [job('a', '2026-12-01T14:00:00Z', null), job('b', '2026-12-01T15:00:00Z', 52.1)],
    NOW,
  )
  expect(unknown).toMatchObject({ km: null, isWhole: false })
})
