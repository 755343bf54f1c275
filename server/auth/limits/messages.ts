// How many emails and text messages may be asked for: by one address in an hour, and to one recipient at a time.
// What is sent in all is counted where it is sent (codes.ts). Nothing here knows whether the recipient has an account.
import { limitKey } from '../../http/client-address.ts'
import type { Queryable } from '../../jobs/jobs.ts'
import { tooMany } from '../errors.ts'
import type { AuthService, Origin } from '../service.ts'
import { limitKeyOf } from './shared.ts'

export type Channel = 'email' | 'sms'

/**
 * Counts a request that may have an email or text sent. Throws over_email_send_rate_limit or over_sms_send_rate_limit
 * when the address has asked for its share, or nothing may be sent any more. Only real mail servers and carriers have
 * a reputation or a price to be guarded; the sandbox has neither.
 */
export function countMessageRequest(service: AuthService, channel: Channel, { ip }: Origin): void {
  const { limits, mail, sms } = service
  const real = channel === 'email' ? mail.transport === 'smtp' : sms.transport === 'twilio'
  if (!real) return
  const requests = channel === 'email' ? limits.emailRequests : limits.smsRequests
  const sent = channel === 'email' ? limits.emailSent : limits.smsSent
  if (!requests.take(limitKey(ip)) || !sent.free('all')) throw spent(channel)
}

/** The hour's budget is spent. */
export const spent = (channel: Channel) =>
  channel === 'email'
    ? tooMany('over_email_send_rate_limit', 'email rate limit exceeded')
    : tooMany('over_sms_send_rate_limit', 'SMS rate limit exceeded')

/**
 * Counts a message to each of these addresses, of which one may come in `max_frequency` seconds, whoever asks for it
 * and whatever it says. Throws over_email_send_rate_limit or over_sms_send_rate_limit.
 */
export async function countRecipients(
  client: Queryable,
  service: AuthService,
  channel: Channel,
  recipients: string[],
): Promise<void> {
  const window = service.settings[channel].max_frequency
  if (service.recipientsCounted || window === 0) return
  // Always in the same order, so that two transactions never wait for each other.
  for (const recipient of recipients.map((each) => each.toLowerCase()).sort()) {
    const limit = { key: recipientKey(service, channel, recipient), amount: 1, window }
    const seconds = await service.shared.take(limit, client)
    if (seconds === 0) continue
    throw tooMany(
      `over_${channel}_send_rate_limit`,
      `For security purposes, you can only request this after ${Math.ceil(seconds)} seconds.`,
    )
  }
}

/** Lets the next message come at once: the recipient has just used the last one, so it was wanted. */
export async function forgetRecipient(
  client: Queryable,
  service: AuthService,
  channel: Channel,
  recipient: string,
): Promise<void> {
  await service.shared.forget(recipientKey(service, channel, recipient.toLowerCase()), client)
}

const recipientKey = ({ keys }: AuthService, channel: Channel, recipient: string): string =>
  limitKeyOf(keys, channel, recipient)
