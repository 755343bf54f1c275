// E-mail addresses and phone numbers: what is accepted, and the one way each is written in the database.
import type { Sms } from '../sms/sms.ts'
import type { Channel } from '../sms/text.ts'
import { invalid } from './errors.ts'

/** HTML's own pattern of a valid address (https://html.spec.whatwg.org/#valid-e-mail-address). */
const pattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** The address in lower case. Throws validation_failed in GoTrue's words. */
export function checkEmail(email: string): string {
  if (email === '') throw invalid('An email address is required')
  if (Buffer.byteLength(email) > 255) throw invalid('An email address is too long')
  if (!pattern.test(email)) throw invalid('Unable to validate email address: invalid format')
  return email.toLowerCase()
}

/** The number without plus and spaces (E.164). Throws validation_failed. */
export function checkPhone(phone: string): string {
  const plain = plainPhone(phone)
  if (!/^[1-9]\d{1,14}$/.test(plain)) throw invalid('Invalid phone number format (E.164 required)')
  return plain
}

/** The number as it would be stored, were it valid. */
export const plainPhone = (phone: string): string => phone.replace(/^\+/, '').replaceAll(' ', '')

/** The channel asked for, SMS by default. Throws validation_failed in GoTrue's words for one that nobody carries. */
export function checkChannel(channel: string, { transport }: Sms): Channel {
  if (channel === '' || channel === 'sms') return 'sms'
  if (channel === 'whatsapp' && transport === 'twilio') return channel
  throw invalid(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
}
