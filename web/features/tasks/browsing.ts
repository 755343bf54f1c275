// Filters and order of the list of tasks, as in the address of /browse. Unknown filters are ignored.
import type { Position } from '../../../shared/distances.ts'
import { limits } from '../../../shared/limits.ts'
import type { TextKey } from '../../i18n/index.ts'
import { plainAmount } from '../../lib/amounts.ts'
import { MAX_RADIUS_KM, MIN_RADIUS_KM } from '../../lib/radii.ts'

export const SORTS = ['recommended', 'newest', 'pay', 'soonest'] as const
/** The orders of tasks near a point. */
export const NEAR_SORTS = ['distance', 'newest', 'pay'] as const
type NearSort = (typeof NEAR_SORTS)[number]
export type Sort = (typeof SORTS)[number] | NearSort
/** Nothing is recommended to people who do no tasks. */
export const STRANGER_SORTS = SORTS.filter((sort) => sort !== 'recommended')

const USUAL_KM = 25

/** Pay in whole dollars or with cents, as typed; days as YYYY-MM-DD, the marketplace's; '' where nothing is asked. */
export type Filters = { place: string; min: string; max: string; from: string; to: string }
/** `near` names the point around which tasks are listed, as centreOf reads it; '' for everywhere. */
export type Browsing = { search: string; category: string; sort: Sort; near: string; km: number } & Filters

export const noFilters: Filters = { place: '', min: '', max: '', from: '', to: '' }

export const filtersOf = ({ place, min, max, from, to }: Filters): Filters => ({ place, min, max, from, to })

/** The first invalid filter: its field and message. */
export type WrongFilter = { field: keyof Filters; text: TextKey }

/** Amounts as plain figures, and a place no longer than a place can be. */
export const tidied = ({ place, min, max, from, to }: Filters): Filters => ({
  place: place.trim().slice(0, limits.location.max),
  min: plainAmount(min),
  max: plainAmount(max),
  from,
  to,
})

/** The first rule that tidied filters break, or undefined. */
export function wrongFilter({ min, max, from, to }: Filters): WrongFilter | undefined {
  if (!isPay(min)) return { field: 'min', text: 'tasks.filterPayInvalid' }
  if (!isPay(max)) return { field: 'max', text: 'tasks.filterPayInvalid' }
  if (!isDay(from)) return { field: 'from', text: 'tasks.filterDayInvalid' }
  if (!isDay(to)) return { field: 'to', text: 'tasks.filterDayInvalid' }
  if (min && max && Number(min) > Number(max)) return { field: 'max', text: 'tasks.filterPayOrder' }
  if (from && to && from > to) return { field: 'to', text: 'tasks.filterDayOrder' }
}

const isPay = (typed: string) => typed === '' || /^\d{1,6}(\.\d{1,2})?$/.test(typed)

/** Whether it is a day that there is. */
function isDay(typed: string): boolean {
  if (typed === '') return true
  if (!/^\d{4}-\d{2}-\d{2}$/.test(typed)) return false
  const day = new Date(`${typed}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(typed)
}

/** A point around which tasks are listed: the device's, the tasker's travel area, a place, or a point of the map. */
export type Centre =
  | { kind: 'device' | 'area' }
  | { kind: 'place'; id: string }
  | { kind: 'point'; position: Position }

/** The values of `near` that are no places. The position of the device itself is never in the address. */
export const NEAR_DEVICE = 'me'
export const NEAR_AREA = 'area'
/** Two decimals are about a kilometre. */
export const nearPoint = ({ latitude, longitude }: Position) =>
  `${latitude.toFixed(2)},${longitude.toFixed(2)}`

/** The point that `near` of an address names; null for none. */
export function centreOf(near: string): Centre | null {
  if (near === NEAR_DEVICE) return { kind: 'device' }
  if (near === NEAR_AREA) return { kind: 'area' }
  const [, north, east] = /^(-?\d{1,2}(?:\.\d{1,4})?),(-?\d{1,3}(?:\.\d{1,4})?)$/.exec(near) ?? []
  const position = { latitude: Number(north), longitude: Number(east) }
  if (Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180)
    return { kind: 'point', position }
  return /^[a-z][a-z0-9-]{0,79}$/.test(near) ? { kind: 'place', id: near } : null
}

const isRadius = (km: number) => Number.isInteger(km) && km >= MIN_RADIUS_KM && km <= MAX_RADIUS_KM

/** The filters and order in the address; the first offered order if it names none. */
export function browsingFrom(address: URLSearchParams, offered: readonly Sort[]): Browsing {
  const asked = Object.fromEntries(Object.keys(noFilters).map((name) => [name, address.get(name) ?? '']))
  const filters = tidied(asked as Filters)
  const near = centreOf(address.get('near') ?? '') ? (address.get('near') ?? '') : ''
  const km = Number(address.get('km'))
  const sorts = near ? NEAR_SORTS : offered
  return {
    search: address.get('search')?.trim() ?? '',
    category: address.get('category') ?? '',
    sort: sorts.find((sort) => sort === address.get('sort')) ?? sorts[0] ?? 'newest',
    near,
    km: near && isRadius(km) ? km : USUAL_KM,
    ...(wrongFilter(filters) ? noFilters : filters),
    // Two answers to "where" would exclude each other.
    ...(near && { place: '' }),
  }
}

/** The same browsing without its point. */
export const everywhere = (browsing: Browsing, offered: readonly Sort[]): Browsing => ({
  ...browsing,
  near: '',
  km: USUAL_KM,
  sort: offered.find((sort) => sort === browsing.sort) ?? offered[0] ?? 'newest',
})

/**
 * The conditions of a saved search; empty or null for anything. Pay in dollars, days as YYYY-MM-DD. The point is the place, or
 * else latitude and longitude.
 */
export type Search = {
  words: string
  category: string | null
  location: string
  min_pay: number | null
  max_pay: number | null
  first_day: string | null
  last_day: string | null
  place_id: string | null
  latitude: number | null
  longitude: number | null
  radius_km: number | null
}

/** Everything but the order. `around`: the point of the browsing, where it is known. */
export function searchOf(
  { search, category, near, km, place, min, max, from, to }: Browsing,
  around: Position | undefined,
): Search {
  const centre = around ? centreOf(near) : null
  const point = centre?.kind === 'place' ? undefined : around
  return {
    words: search,
    category: category || null,
    location: place,
    min_pay: min === '' ? null : Number(min),
    max_pay: max === '' ? null : Number(max),
    first_day: from || null,
    last_day: to || null,
    place_id: centre?.kind === 'place' ? centre.id : null,
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
    radius_km: around ? km : null,
  }
}

/** `near` of the address at which this search is listed; '' for everywhere. */
export const nearOf = ({ place_id, latitude, longitude }: Search): string =>
  place_id ?? (latitude === null || longitude === null ? '' : `${latitude},${longitude}`)

/** Whether it looks for anything in particular. */
export const isSpecific = (search: Search) =>
  Object.values(search).some((condition) => condition !== '' && condition !== null)
