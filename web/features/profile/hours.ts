// The form of the working hours: its values, and its rules. Messages are text keys.
import holidays from '../../../shared/holidays.json' with { type: 'json' }
import type { TextKey } from '../../i18n/index.ts'
import { localFromInstant } from '../../lib/format.ts'
import { z } from '../../lib/zod.ts'

/** The draft of the form. */
export const hoursDraft = (userId: string) => `hours:${userId}`

/** Monday to Sunday, as ISO 8601 numbers them. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const

/** Minutes between jobs that are offered. */
export const BUFFERS = [0, 15, 30, 45, 60, 90, 120, 180, 240] as const

const MIDNIGHT = '24:00'

const span = z.object({ weekday: z.number(), starts: z.string(), ends: z.string() })
/** Hours of a weekday as inputs of times have them; an end at midnight is 00:00. */
export type Span = z.infer<typeof span>

/** 00:00 as an end is the midnight after it. */
export const endOf = (ends: string) => (ends === '00:00' ? MIDNIGHT : ends)

/** The problem of the hours at this place of the list; null for none. */
export function problemOf(hours: readonly Span[], at: number): TextKey | null {
  const { weekday, starts, ends } = hours[at] as Span
  if (!starts || !ends) return 'hours.missing'
  if (starts >= endOf(ends)) return 'hours.endBeforeStart'
  const overlaps = hours.some(
    (other, nth) =>
      nth !== at &&
      other.weekday === weekday &&
      other.starts !== '' &&
      other.starts < endOf(ends) &&
      starts < endOf(other.ends),
  )
  return overlaps ? 'hours.overlap' : null
}

export const hoursSchema = z.object({
  hours: z
    .array(span)
    .superRefine((hours, context) => {
      const message = hours.map((_hours, at) => problemOf(hours, at)).find(Boolean)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .transform((hours) => hours.map((each) => ({ ...each, ends: endOf(each.ends) }))),
  time_zone: z.string(),
  buffer_minutes: z.string().transform(Number),
  closed_on_holidays: z.boolean(),
  shows_slots: z.boolean(),
})
export type HoursForm = z.input<typeof hoursSchema>
export type Schedule = z.output<typeof hoursSchema>

/** The usual week, for people who begin. */
export const usualWeek = (): Span[] =>
  WEEKDAYS.slice(0, 5).map((weekday) => ({ weekday, starts: '09:00', ends: '17:00' }))

/** The hours of a weekday in place of those of other weekdays. */
export function copiedTo(hours: readonly Span[], from: number, weekdays: readonly number[]): Span[] {
  const copied = hours.filter(({ weekday }) => weekday === from)
  const kept = hours.filter(({ weekday }) => weekday === from || !weekdays.includes(weekday))
  const others = weekdays.filter((weekday) => weekday !== from)
  return [...kept, ...others.flatMap((weekday) => copied.map((each) => ({ ...each, weekday })))]
}

/** Hours to add to a day: nine to five, or two hours after the last ones. */
export function nextSpan(hours: readonly Span[], weekday: number): Span {
  const last = hours
    .filter((each) => each.weekday === weekday)
    .map(({ ends }) => endOf(ends))
    .sort()
    .at(-1)
  const hour = last ? Number(last.slice(0, 2)) + 1 : 9
  if (hour >= 24) return { weekday, starts: '', ends: '' }
  const clock = (at: number) => `${String(at % 24).padStart(2, '0')}:00`
  return { weekday, starts: clock(hour), ends: clock(Math.min(24, hour + (last ? 2 : 8))) }
}

/** The next public holiday from today on, with its names; undefined after the last year of the list. */
export function nextHoliday(now = new Date()) {
  const today = localFromInstant(now).slice(0, 10)
  const [day, name] = Object.entries(holidays.days).find(([each]) => each >= today) ?? []
  return day && name ? { day, names: holidays.names[name as keyof typeof holidays.names] } : undefined
}
