// Filters of the list of taskers, as in the address of /find-taskers. Unknown filters are ignored.
import { categories } from '../../../shared/categories.ts'
import { limits } from '../../../shared/limits.ts'

/** Dollars an hour that are offered as the most to pay. */
export const RATES = ['25', '35', '50', '75'] as const

/** '' where nothing is asked; `available` is '1' for those who take work now. */
export type TaskerFilters = { city: string; category: string; rate: string; available: string }

export const noFilters: TaskerFilters = { city: '', category: '', rate: '', available: '' }

export function filtersFrom(address: URLSearchParams): TaskerFilters {
  const one = (name: keyof TaskerFilters, offered: readonly string[]) =>
    offered.find((value) => value === address.get(name)) ?? ''
  return {
    city: (address.get('city') ?? '').trim().slice(0, limits.city.max),
    category: one('category', categories),
    rate: one('rate', RATES),
    available: one('available', ['1']),
  }
}
