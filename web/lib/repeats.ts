// How tasks repeat, as `tasks.repeats` has it (supabase/schemas/repeats.sql), as the form types it, and in words.
import type { TFunction } from 'i18next'
import { limits } from '../../shared/limits.ts'
import { dateIn } from '../../shared/locale.ts'
import { currentLanguage } from '../i18n/index.ts'
import type { Json } from './database.types.ts'
import { latinDigits } from './digits.ts'
import { formatCalendarDay, formatNumber, localFromInstant } from './format.ts'

export const FREQUENCIES = ['weekly', 'biweekly', 'monthly', 'snowfall'] as const
export type Frequency = (typeof FREQUENCIES)[number]
/** Days are as 2027-03-30, by the clock at the place. */
export type Repeats = {
  every: Frequency
  until?: string
  count?: number
  except?: string[]
  cm?: number
}

/** The time of the first visit, null for snowfall; the last day, and how many visits there are at most. */
export type VisitSpan = { first: string | null; last: string; count: number }

/** As the form has it: everything that was typed, also what the chosen frequency does not need. */
export type TypedRepeat = {
  every: Frequency
  ends: 'until' | 'count'
  until: string
  count: string
  except: string[]
  cm: string
}

export const NEW_REPEAT: TypedRepeat = {
  every: 'weekly',
  ends: 'count',
  until: '',
  count: '',
  except: [],
  cm: '5',
}

/** The stored repeat; null for a task that is done once, or a form that this version does not know. */
export function repeatsFrom(stored: Json | undefined): Repeats | null {
  if (!stored || typeof stored !== 'object' || Array.isArray(stored)) return null
  const { every } = stored
  return FREQUENCIES.some((known) => known === every) ? (stored as Repeats) : null
}

/** The typed repeat from its JSON; null for a task that is done once. */
export function typedRepeat(typed: string): TypedRepeat | null {
  if (typed === '') return null
  try {
    return { ...NEW_REPEAT, ...JSON.parse(typed) }
  } catch {
    return null
  }
}

/** The repeat that was typed; null while its end or depth is missing, and for a task that is done once. */
export function repeatsFromTyped(typed: string): Repeats | null {
  const repeat = typedRepeat(typed)
  if (!repeat) return null
  const { every, ends, until, except } = repeat
  const count = wholeNumber(repeat.count, limits.repeat.visits)
  if (every === 'snowfall') {
    const cm = wholeNumber(repeat.cm, limits.repeat.snowCm)
    return cm !== null && count !== null && until !== '' ? { every, cm, until, count } : null
  }
  const rest = except.length > 0 ? { except } : {}
  if (ends === 'until') return until === '' ? null : { every, until, ...rest }
  return count === null || count < 2 ? null : { every, count, ...rest }
}

/** A whole number from 1 to `max`, in the digits of any language; null for anything else. */
export function wholeNumber(typed: string, max: number): number | null {
  const digits = latinDigits(typed.trim())
  const value = Number(digits)
  return /^\d+$/.test(digits) && value >= 1 && value <= max ? value : null
}

/** A stored repeat as the form has it. */
export function typedFrom(repeats: Repeats | null): string {
  if (!repeats) return ''
  const { every, until = '', count, except = [], cm } = repeats
  return JSON.stringify({
    ...NEW_REPEAT,
    every,
    ends: until ? 'until' : 'count',
    until,
    count: count === undefined ? '' : String(count),
    except,
    ...(cm !== undefined && { cm: String(cm) }),
  } satisfies TypedRepeat)
}

/** In short: 'Every week · 17 visits', 'Every month · until Mar 30, 2027'. */
export function repeatText(repeats: Repeats, t: TFunction): string {
  const { every, until, count, except = [], cm = 0 } = repeats
  const visits = (count ?? 0) - except.length
  return [
    t(`tasks.repeat.${every}`, { cm: formatNumber(cm) }),
    until
      ? t('tasks.repeat.until', { day: formatCalendarDay(until) })
      : t('tasks.repeat.visits', { count: visits }),
  ].join(' · ')
}

/** From the times of the visits in order; those of a snowfall task are none. */
export const spanOf = (repeats: Repeats, times: readonly string[], timeZone: string): VisitSpan =>
  repeats.every === 'snowfall'
    ? { first: null, last: repeats.until ?? '', count: repeats.count ?? 0 }
    : {
        first: times[0] ?? null,
        last: localFromInstant(times.at(-1) ?? null, timeZone).slice(0, 10),
        count: times.length,
      }

type Series = { repeats: Json; starts_at: string | null; ends_on: string; visits: number }

/** As it was agreed, whichever visits have moved since. */
export const spanOfSeries = ({ starts_at, ends_on, visits }: Series): VisitSpan => ({
  first: starts_at,
  last: ends_on,
  count: visits,
})

/** 'Visit 3 of 17', of a snowfall task 'Visit 3 of at most 12'; null outside of series and for the agreement itself. */
export function visitText(
  { visit_number: nth, series }: { visit_number: number | null; series: Series | null },
  t: TFunction,
): string | null {
  if (!nth || !series) return null
  const numbers = { number: formatNumber(nth), of: formatNumber(series.visits) }
  return t(
    repeatsFrom(series.repeats)?.every === 'snowfall' ? 'tasks.repeat.visitOfMost' : 'tasks.repeat.visitOf',
    numbers,
  )
}

/** 'Tue, Dec 1', by the clock of that zone. */
export function dayIn(at: string | Date, timeZone: string): string {
  const parts = { weekday: 'short', month: 'short', day: 'numeric', timeZone } as const
  return dateIn(currentLanguage(), new Date(at), parts)
}

/** 'Tuesday', by the clock of that zone. */
export const weekdayIn = (at: string | Date, timeZone: string) =>
  dateIn(currentLanguage(), new Date(at), { weekday: 'long', timeZone })

/** '9:00 a.m.', by the clock of that zone. */
export const timeIn = (at: string | Date, timeZone: string) =>
  dateIn(currentLanguage(), new Date(at), { hour: 'numeric', minute: '2-digit', timeZone })
