// Limits of emails and text messages: those sent in all, those one client address asks for, those to one recipient.
// None depends on whether the recipient has an account.
//
// A limit refuses a message, never the change that the message is about (flows/refused-messages.ts).
import { limitKey } from '../../http/client-address.ts'
import type { Queryable } from '../../sql/queryable.ts'
import type { Address, AddressKind } from '../addresses.ts'
import { TooSoon, tooMany } from '../errors.ts'
import type { AuthService, Origin } from '../service.ts'
import { keyedHash } from '../store/rate-limits.ts'
import { reserveOf } from './limiters.ts'

/** The name of each kind of message in config.toml and in GoTrue's error codes. */
const CHANNELS = { email: 'email', phone: 'sms' } as const

/** Only real mail servers, carriers and hooks have a reputation or a price to be guarded; the sandbox has neither. */
function isReal({ mail, sms, settings: { hook } }: AuthService, kind: AddressKind): boolean {
  if (kind === 'email') return mail.transport === 'smtp' || hook.send_email.enabled
  return !['inbox', 'none'].includes(sms.transport) || hook.send_sms.enabled
}

const quotaSpent = (kind: AddressKind) =>
  tooMany(
    `over_${CHANNELS[kind]}_send_rate_limit`,
    kind === 'email' ? 'email rate limit exceeded' : 'SMS rate limit exceeded',
  )

/**
 * Counts a request that may have a message sent. Throws over_email_send_rate_limit or over_sms_send_rate_limit when the
 * client address has used its share, or the server has sent all it may this hour.
 */
export function countMessageRequest(service: AuthService, kind: AddressKind, { ip }: Origin): void {
  if (!isReal(service, kind)) return
  const { limiters } = service
  const requests = kind === 'email' ? limiters.emailRequests : limiters.smsRequests
  const sent = kind === 'email' ? limiters.emailSent : limiters.smsSent
  if (!requests.take(limitKey(ip)) || !sent.hasRoom('all')) throw quotaSpent(kind)
}

/**
 * Counts a message that is sent, of which the last fifth is for confirmed accounts. Throws over_email_send_rate_limit
 * or over_sms_send_rate_limit when the server has sent all it may this hour.
 */
export function countMessage(service: AuthService, kind: AddressKind, confirmed: boolean): void {
  if (!isReal(service, kind)) return
  const channel = CHANNELS[kind]
  const reserve = confirmed ? 0 : reserveOf(service.settings.rate_limit[`${channel}_sent`])
  if (!service.limiters[`${channel}Sent`].take('all', reserve)) throw quotaSpent(kind)
}

/**
 * The purposes of messages. Each has its own limit, as in GoTrue, so a stranger who requests one kind cannot keep the
 * owner from another.
 */
const MESSAGE_PURPOSES = [
  'confirmation',
  'recovery',
  'magic_link',
  'email_change',
  'phone_change',
  'reauthentication',
  'mfa',
] as const
export type MessagePurpose = (typeof MESSAGE_PURPOSES)[number]

/**
 * Counts a message to each of these addresses of one kind. One message for a purpose may be sent in `max_frequency`
 * seconds, whoever requests it. Throws TooSoon.
 */
export async function countRecipients(
  client: Queryable,
  service: AuthService,
  kind: AddressKind,
  purpose: MessagePurpose,
  recipients: string[],
): Promise<void> {
  const window = service.settings[CHANNELS[kind]].max_frequency
  if (service.recipientsCounted || window === 0) return
  // Always in the same order, so that two transactions never wait for each other.
  for (const recipient of recipients.map((each) => each.toLowerCase()).sort()) {
    const limit = { key: recipientKey(service, { kind, value: recipient }, purpose), amount: 1, window }
    const seconds = await service.shared.take(limit, client)
    if (seconds > 0) throw new TooSoon(`over_${CHANNELS[kind]}_send_rate_limit`, seconds)
  }
}

/** Lets the next messages be sent at once, since the recipient has just used the last one. */
export const resetRecipient = (client: Queryable, service: AuthService, recipient: Address): Promise<void> =>
  service.shared.reset(
    MESSAGE_PURPOSES.map((purpose) => recipientKey(service, recipient, purpose)),
    client,
  )

const recipientKey = ({ keys }: AuthService, { kind, value }: Address, purpose: MessagePurpose): string =>
  keyedHash(keys, CHANNELS[kind], value.toLowerCase(), purpose)
