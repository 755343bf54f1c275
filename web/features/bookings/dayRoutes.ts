// Days on which a tasker has several jobs: their order, and the distances in straight lines from one to the next.
import { kmBetween, type Position } from '../../../shared/distances.ts'
import { clockOf } from '../../../shared/placeClocks.ts'
import { localFromInstant } from '../../lib/format.ts'
import type { Booking } from './api/queries.ts'

type Task = Pick<
  Booking['task'],
  | 'id'
  | 'title'
  | 'location'
  | 'place_id'
  | 'scheduled_date'
  | 'public_latitude'
  | 'public_longitude'
  | 'point'
  | 'address'
>
type Job = { id: string; status: Booking['status']; task: Task }

export type Stop = {
  id: string
  title: string
  /** The address and the place, or the place alone. */
  place: string
  at: string
  /** The clock of the place. */
  timeZone: string
  position: Position | null
  /** From the stop before; null where either position is unknown, and at the first stop. */
  km: number | null
  /** One of the two positions is the rounded one that everybody sees. */
  isAbout: boolean
  /** For the navigator: an address leads closer than a rounded point. */
  target: Position | string
}

export type DayRoute = {
  /** In the marketplace's clock: '2026-11-21'. */
  day: string
  stops: Stop[]
  /** The sum of the known distances; null without any. */
  km: number | null
  isAbout: boolean
  /** Every distance is known. */
  isWhole: boolean
}

/** Rounded positions of neighbours are often the same, though the jobs are not. */
const LEAST_ROUNDED_KM = 1

/** Days with two or more accepted or paid jobs, from today on. */
export function dayRoutes(jobs: readonly Job[], now = new Date()): DayRoute[] {
  const today = localFromInstant(now).slice(0, 10)
  const days = new Map<string, (Task & { at: string; bookingId: string })[]>()
  for (const { id, status, task } of jobs) {
    if (!task.scheduled_date || (status !== 'accepted' && status !== 'in_progress')) continue
    const day = localFromInstant(task.scheduled_date).slice(0, 10)
    if (day < today) continue
    days.set(day, [...(days.get(day) ?? []), { ...task, at: task.scheduled_date, bookingId: id }])
  }
  return [...days]
    .filter(([, tasks]) => tasks.length > 1)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([day, tasks]) => routeOf(day, tasks))
}

function routeOf(day: string, tasks: (Task & { at: string; bookingId: string })[]): DayRoute {
  const sorted = tasks.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const stops = sorted.map((task, index): Stop => {
    const before = sorted[index - 1]
    const position = positionOf(task)
    const from = before ? positionOf(before) : null
    const isAbout = !task.point || (before !== undefined && !before.point)
    const km = from && position ? kmBetween(from, position) : null
    const place = task.address ? `${task.address.address}, ${task.location}` : task.location
    return {
      id: task.bookingId,
      title: task.title,
      place,
      at: task.at,
      timeZone: clockOf(task),
      position,
      km: km !== null && isAbout ? Math.max(km, LEAST_ROUNDED_KM) : km,
      isAbout,
      target: task.point ?? place,
    }
  })
  const known = stops.flatMap(({ km }) => km ?? [])
  return {
    day,
    stops,
    km: known.length > 0 ? known.reduce((sum, km) => sum + km, 0) : null,
    isAbout: stops.some(({ km, isAbout }) => km !== null && isAbout),
    isWhole: known.length === stops.length - 1,
  }
}

/** Null where an earlier version kept the task for use without a network, because that copy has no coordinates. */
function positionOf({
  point,
  public_latitude: latitude,
  public_longitude: longitude,
}: Task): Position | null {
  if (point) return point
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null
}
