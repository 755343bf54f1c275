// The limits that a form and the database both hold. Lengths are in characters, files in bytes, photos in pixels, ages in
// years, amounts in dollars; what is a duration says so in its name.
import { pay } from '../marketplace.config.ts'
import { rules } from './rules.ts'

export const limits = { ...rules.limits, payAmount: pay }

/** An optional plus, a first digit 1–9, 2 to 15 digits in all (specification 000 §5). */
export const phonePattern = new RegExp(rules.phonePattern)

/** Between two e-mails to one address: [auth.email] max_frequency of supabase/config.toml. */
export const RESEND_AFTER_SECONDS = 60
