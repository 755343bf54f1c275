// Filters and order of the list of tasks, as in the address of /browse. Unknown filters are ignored.
import { limits } from '../../../shared/limits.ts'
import type { TextKey } from '../../i18n/index.ts'
import { plainAmount } from '../../lib/amounts.ts'

export const SORTS = ['recommended', 'newest', 'pay', 'soonest'] as const
export type Sort = (typeof SORTS)[number]
/** Nothing is recommended to people who do no tasks. */
export const STRANGER_SORTS = SORTS.filter((sort) => sort !== 'recommended')

/** Pay in whole dollars or with cents, as typed; days as YYYY-MM-DD, the marketplace's; '' where nothing is asked. */
export type Filters = { place: string; min: string; max: string; from: string; to: string }
export type Browsing = { search: string; category: string; sort: Sort } & Filters

export const noFilters: Filters = { place: '', min: '', max: '', from: '', to: '' }

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

/** The filters and order in the address; the first offered order if it names none. */
export function browsingFrom(address: URLSearchParams, offered: readonly Sort[]): Browsing {
  const asked = Object.fromEntries(Object.keys(noFilters).map((name) => [name, address.get(name) ?? '']))
  const filters = tidied(asked as Filters)
  return {
    search: address.get('search')?.trim() ?? '',
    category: address.get('category') ?? '',
    sort: offered.find((sort) => sort === address.get('sort')) ?? offered[0] ?? 'newest',
    ...(wrongFilter(filters) ? noFilters : filters),
  }
}

/** The conditions of a saved search; empty or null for anything. `min_pay` in dollars. */
export type Search = { words: string; category: string | null; location: string; min_pay: number | null }

/** The filters that new tasks can be compared with: not the order, the days or the highest pay. */
export const searchOf = ({ search, category, place, min }: Browsing): Search => ({
  words: search,
  category: category || null,
  location: place,
  min_pay: min === '' ? null : Number(min),
})

/** Whether it looks for anything in particular. */
export const isSpecific = ({ words, category, location, min_pay }: Search) =>
  Boolean(words || category || location) || min_pay !== null
