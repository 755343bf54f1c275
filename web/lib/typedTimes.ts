// Rules of times that are typed by the clock of a place.
import type { TextKey } from '../i18n/index.ts'
import { instantFromLocal, localFromInstant, timesShown } from './format.ts'
import { z } from './zod.ts'

const SKIPPED: TextKey = 'ui.clocks.skipped'
const PAST: TextKey = 'tasks.datePast'

/** As RFC 9557 writes a time and its clock: '2026-11-21T14:30[America/Edmonton]'. */
const withClock = (local: string, timeZone: string) => local && `${local.slice(0, 16)}[${timeZone}]`

/** Such a time as an instant that is still to come; '' → null. `before`: the instant of before, which may have passed. */
export const coming = (before: string | null = null) =>
  z.string().transform((typed, context) => {
    const [local = '', timeZone = ''] = typed.split(/[[\]]/)
    if (!local) return null
    if (before && local === localFromInstant(before, timeZone)) return before
    const at = instantFromLocal(local, timeZone)
    const message =
      timesShown(local, timeZone) === 0 ? SKIPPED : at && new Date(at) <= new Date() ? PAST : null
    if (message) context.addIssue({ code: 'custom', message })
    return at
  })

/** The rules of a form whose fields of these names are `coming` by the clock that its values name. */
export function byClock<Schema extends z.ZodType>(
  schema: Schema,
  names: readonly (keyof z.input<Schema>)[],
  clockOf: (form: z.input<Schema>) => string,
) {
  const rules: z.ZodType = z.preprocess((values) => {
    const form = values as z.input<Schema> & object
    const timeZone = clockOf(form)
    const times = names.flatMap((name) =>
      name in form ? [[name, withClock(String(form[name]), timeZone)]] : [],
    )
    return { ...form, ...Object.fromEntries(times) }
  }, schema)
  return rules as z.ZodType<z.output<Schema>, z.input<Schema>>
}
