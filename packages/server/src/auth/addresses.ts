// E-mail addresses and phone numbers: what is accepted, and the one way each is written in the database.
import type { Config } from '../config/config.ts'
import type { Sms } from '../sms/sms.ts'
import type { Channel } from '../sms/text.ts'
import { invalid } from './errors.ts'

export type AddressKind = 'email' | 'phone'

/** An address as the database stores it: e-mail in lower case, phone numbers as digits only. */
export type Address = { kind: AddressKind; value: string }

/** HTML's own pattern of a valid address (https://html.spec.whatwg.org/#valid-e-mail-address). */
const EMAIL_PATTERN =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const MAX_EMAIL_BYTES = 255

/** The address in lower case. Throws validation_failed in GoTrue's words. */
export function checkEmail(email: string): string {
  if (email === '') throw invalid('An email address is required')
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) throw invalid('An email address is too long')
  if (!EMAIL_PATTERN.test(email)) throw invalid('Unable to validate email address: invalid format')
  return email.toLowerCase()
}

/** The number without plus and spaces (E.164). Throws validation_failed. */
export function checkPhone(phone: string): string {
  const digits = normalizePhone(phone)
  if (!/^[1-9]\d{1,14}$/.test(digits)) throw invalid('Invalid phone number format (E.164 required)')
  return digits
}

/** The number as it is stored, without checking it. */
export const normalizePhone = (phone: string): string => phone.replace(/^\+/, '').replaceAll(' ', '')

/** The one address of a request that names either. Throws validation_failed when it is malformed. */
export const checkAddress = ({ email, phone }: { email: string; phone: string }): Address =>
  phone === '' ? { kind: 'email', value: checkEmail(email) } : { kind: 'phone', value: checkPhone(phone) }

/**
 * The channel a client names, SMS by default. Throws validation_failed for one that neither the carrier offers nor a hook
 * sees to.
 */
export function checkChannel(
  channel: string,
  { sms, settings }: { sms: Pick<Sms, 'transport'>; settings: Pick<Config['auth'], 'hook'> },
): Channel {
  if (channel === '' || channel === 'sms') return 'sms'
  const carried = ['twilio', 'twilio_verify'].includes(sms.transport) || settings.hook.send_sms.enabled
  if (channel === 'whatsapp' && carried) return channel
  throw invalid(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
}
