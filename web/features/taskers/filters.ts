// Filters of the list of taskers, as in the address of /find-taskers. Unknown filters are ignored.
import { categories } from '../../../shared/categories.ts'
import { limits } from '../../../shared/limits.ts'
import { instantFromLocal, localFromInstant } from '../../lib/format.ts'

/** Dollars an hour that are offered as the most to pay. */
export const RATES = ['25', '35', '50', '75'] as const

/** Minutes of work for which taskers can be free. */
export const LENGTHS = ['60', '120', '180', '240', '480'] as const

/**
 * '' where nothing is asked; `available` is '1' for those who take work now. `free` is a moment by the marketplace's clock, as
 * inputs have it, for those who are free from then on for so many `minutes`.
 */
export type TaskerFilters = Record<'city' | 'category' | 'rate' | 'available' | 'free' | 'minutes', string>

export const noFilters: TaskerFilters = {
  city: '',
  category: '',
  rate: '',
  available: '',
  free: '',
  minutes: '',
}

export function filtersFrom(address: URLSearchParams): TaskerFilters {
  const one = (name: keyof TaskerFilters, offered: readonly string[]) =>
    offered.find((value) => value === address.get(name)) ?? ''
  return {
    city: (address.get('city') ?? '').trim().slice(0, limits.city.max),
    category: one('category', categories),
    rate: one('rate', RATES),
    available: one('available', ['1']),
    ...freeFrom(address.get('free') ?? '', one('minutes', LENGTHS)),
  }
}

/** Days ahead that can be searched. */
const DAYS_AHEAD = 365
const DAY_MS = 86_400_000

/** Whether it is a moment of the next year as inputs have it: neither past nor 31 February. */
export function isComing(free: string): boolean {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(free) ? Date.parse(`${free}Z`) : Number.NaN
  if (Number.isNaN(at) || localFromInstant(instantFromLocal(free)) !== free) return false
  const days = (at - Date.parse(`${localFromInstant(new Date())}Z`)) / DAY_MS
  return days >= 0 && days <= DAYS_AHEAD
}

const freeFrom = (free: string, minutes: string): Pick<TaskerFilters, 'free' | 'minutes'> =>
  isComing(free) ? { free, minutes: minutes || LENGTHS[0] } : { free: '', minutes: '' }
