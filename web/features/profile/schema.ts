// The rules of the profile forms (specification 001 §5); messages are text keys. Forms hold text; the output
// is what the profiles table takes.

import { limits } from '../../../shared/limits.ts'
import { looksVerified, plainName, trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { centsFrom, dollarsFrom, hasTooManyDecimals } from '../../lib/amounts.ts'
import { latinDigits } from '../../lib/digits.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

const optionalText = (max: number, message: TextKey) =>
  z
    .string()
    .overwrite(trimmed)
    .max(max, message)
    .transform((text) => text || null)

/** An empty field is "not given"; anything else must be a whole number up to `max`. */
const optionalCount = (max: number, message: TextKey) =>
  z
    .string()
    .transform((typed) => latinDigits(typed).trim())
    .refine((text) => /^\d*$/.test(text) && Number(text) <= max, message)
    .transform((text) => (text === '' ? null : Number(text)))

/** The same of an amount in dollars, which becomes cents. */
const optionalAmount = (max: number, messages: { invalid: TextKey; tooHigh: TextKey }) =>
  z
    .string()
    .trim()
    .refine((typed) => !hasTooManyDecimals(typed), { error: key('ui.amountDecimals'), abort: true })
    .refine((typed) => typed === '' || dollarsFrom(typed) >= 0, { error: messages.invalid, abort: true })
    .refine((typed) => typed === '' || dollarsFrom(typed) <= max, messages.tooHigh)
    .transform((typed) => centsFrom(typed))

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
  experience_years: optionalCount(limits.experienceYears.max, key('profile.experienceInvalid')),
  hourly_rate: optionalAmount(limits.hourlyRate.max, {
    invalid: key('profile.hourlyRateInvalid'),
    tooHigh: key('profile.hourlyRateTooHigh'),
  }),
  availability_status: z.enum(['available', 'busy', 'unavailable']),
})

export type BasicInfo = z.output<typeof basicInfoSchema>
export type Settings = z.output<typeof settingsSchema>
