// The rules of the profile forms (specification 001 §5); messages are text keys. Forms hold text; the output
// is what the profiles table takes.

import { limits } from '../../../shared/limits.ts'
import { fromDollars } from '../../../shared/money.ts'
import { looksVerified, plainName, trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

const optionalText = (max: number, message: TextKey) =>
  z
    .string()
    .overwrite(trimmed)
    .max(max, message)
    .transform((text) => text || null)

/** An empty field is "not given"; anything else must be a number that `rule` accepts. */
const optionalNumber = (message: TextKey, rule: (value: number) => boolean) =>
  z
    .string()
    .trim()
    .transform((text) => (text === '' ? null : Number(text)))
    .refine((value) => value === null || rule(value), message)

export const basicInfoSchema = z.object({
  full_name: z
    .string()
    .overwrite(plainName)
    .refine((name) => visibleLength(name) >= limits.name.min, key('profile.nameTooShort'))
    .max(limits.name.max, key('profile.nameTooLong'))
    .refine((name) => !looksVerified(name), key('profile.nameCheckMark')),
  phone: optionalText(limits.phone.max, key('profile.phoneTooLong')),
  city: optionalText(limits.city.max, key('profile.cityTooLong')),
  bio: optionalText(limits.bio.max, key('profile.bioTooLong')),
  avatar_url: z
    .string()
    .trim()
    .refine((url) => url === '' || /^(https?:\/\/|\/)\S+$/i.test(url), key('profile.avatarInvalid'))
    .transform((url) => url || null),
})

export const settingsSchema = z.object({
  skills: z.array(z.string()),
  preferred_categories: z.array(z.string()),
  experience_years: optionalNumber(
    key('profile.experienceInvalid'),
    (years) => Number.isInteger(years) && years >= 0 && years <= limits.experienceYears.max,
  ),
  hourly_rate: optionalNumber(key('profile.hourlyRateInvalid'), (rate) => rate >= 0)
    .refine((rate) => rate === null || rate <= limits.hourlyRate.max, key('profile.hourlyRateTooHigh'))
    .transform((rate) => (rate === null ? null : fromDollars(rate))),
  availability_status: z.enum(['available', 'busy', 'unavailable']),
})

export type BasicInfo = z.output<typeof basicInfoSchema>
export type Settings = z.output<typeof settingsSchema>
