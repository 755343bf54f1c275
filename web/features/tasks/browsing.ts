// What narrows and orders the list of tasks, as the address of /browse holds it. What there is no such filter is left out.
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import type { TextKey } from '../../i18n/index.ts'
import { plainAmount } from '../../lib/digits.ts'

export const sorts = ['recommended', 'newest', 'pay', 'soonest'] as const
export type Sort = (typeof sorts)[number]

/** Pay in whole dollars or with cents, as typed; days as YYYY-MM-DD, Saskatchewan's; '' where nothing is asked. */
export type Filters = { place: string; min: string; max: string; from: string; to: string }
export type Browsing = { search: string; category: string; sort: Sort } & Filters

export const noFilters: Filters = { place: '', min: '', max: '', from: '', to: '' }

const key = (text: TextKey) => text
const dollars = z
  .string()
  .trim()
  .overwrite(plainAmount)
  .refine((typed) => typed === '' || /^\d{1,6}(\.\d{1,2})?$/.test(typed), key('tasks.filterPayInvalid'))
const day = z
  .string()
  .refine((typed) => typed === '' || z.iso.date().safeParse(typed).success, key('tasks.filterDayInvalid'))

export const filtersSchema = z
  .object({
    place: z.string().trim().max(limits.location.max),
    min: dollars,
    max: dollars,
    from: day,
    to: day,
  })
  .refine(({ min, max }) => min === '' || max === '' || Number(min) <= Number(max), {
    path: ['max'],
    error: key('tasks.filterPayOrder'),
  })
  .refine(({ from, to }) => from === '' || to === '' || from <= to, {
    path: ['to'],
    error: key('tasks.filterDayOrder'),
  })

/** What the address asks for, in one of the orders that are offered: the first of them when it names none. */
export function browsingFrom(address: URLSearchParams, offered: readonly Sort[]): Browsing {
  const asked = Object.fromEntries(Object.keys(noFilters).map((name) => [name, address.get(name) ?? '']))
  const filters = filtersSchema.safeParse(asked)
  return {
    search: address.get('search')?.trim() ?? '',
    category: address.get('category') ?? '',
    sort: offered.find((sort) => sort === address.get('sort')) ?? offered[0] ?? 'newest',
    ...(filters.success ? filters.data : noFilters),
  }
}
