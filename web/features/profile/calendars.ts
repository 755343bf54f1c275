// The form of a calendar to import. Messages are text keys; the database has the same rules (imported_calendars.sql).
import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { english } from '../../i18n/en/index.ts'
import { z } from '../../lib/zod.ts'

/** Why a calendar could not be read. */
export type CalendarError = keyof (typeof english)['calendars']['import']['error']

const ADDRESS = /^(https|webcals?):\/\/[^/?#@\s]+([/?#]\S*)?$/i

export const calendarSchema = z.object({
  address: z
    .string()
    .overwrite(trimmed)
    .min(1, { error: 'calendars.import.addressMissing', abort: true })
    .max(limits.calendars.address, { error: 'calendars.import.addressTooLong', abort: true })
    .refine((address) => ADDRESS.test(address), 'calendars.import.addressInvalid'),
  name: z.string().overwrite(trimmed).max(limits.calendars.name, 'calendars.import.nameTooLong'),
})
