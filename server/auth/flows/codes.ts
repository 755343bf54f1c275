// Sends codes and links: makes the token, notes when it was sent, and queues the email or text message, all in one
// transaction, so that no token exists without its message nor a message without its token.

import type { Channel } from '../../sms/text.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { sendEmail } from '../emails/send.ts'
import { unprocessable } from '../errors.ts'
import { countMessage, countRecipients } from '../limits/messages.ts'
import type { AuthService } from '../service.ts'
import type { Flow } from '../store/flow-state.ts'
import { hashCode, makeCode, PKCE_PREFIX, storeToken, type TokenType } from '../store/one-time-tokens.ts'
import { type User, updateUser } from '../store/users.ts'

const EMAIL_CODES = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at', link: 'signup' },
  invite: { token: 'confirmation_token', sentAt: 'confirmation_sent_at', link: 'invite' },
  recovery: { token: 'recovery_token', sentAt: 'recovery_sent_at', link: 'recovery' },
  // A magic link is a recovery with another email, and shares its token and time.
  magic_link: { token: 'recovery_token', sentAt: 'recovery_sent_at', link: 'magiclink' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at', link: null },
} as const

const SMS_CODES = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
  phone_change: { token: 'phone_change_token', sentAt: 'phone_change_sent_at' },
} as const

/** How long codes sent by text message are valid. */
const SMS_CODE_LIFETIME_S = 600

/** How long codes sent to an address of this kind are valid, in seconds. */
export const codeLifetime = ({ settings }: AuthService, kind: 'email' | 'phone'): number =>
  kind === 'email' ? settings.email.otp_expiry : SMS_CODE_LIFETIME_S

/** Where a link leads, and the PKCE flow that it ends. */
export type LinkOptions = { flow?: Flow; redirectTo: string }

/** Mails the user a code and link of one kind. Throws over_email_send_rate_limit when the last one is too recent. */
export async function sendEmailCode(
  client: Queryable,
  service: AuthService,
  user: User,
  purpose: keyof typeof EMAIL_CODES,
  { flow = null, redirectTo }: LinkOptions,
): Promise<User> {
  const { token, sentAt, link } = EMAIL_CODES[purpose]
  const to = user.email ?? ''
  // Invitations are sent by administrators, who are not limited.
  if (purpose !== 'invite') await countRecipients(client, service, 'email', [to])
  const made = await storeCode(client, service, user, token, to, flow)
  await sendEmail(client, service, user, purpose, { to, ...made, link, redirectTo })
  return updateUser(client, user.id, { [sentAt]: new Date() })
}

/** Mails the links that confirm a change of address: to the new one, and, where configured, to the current one. */
export async function sendEmailChange(
  client: Queryable,
  service: AuthService,
  user: User,
  newEmail: string,
  { flow = null, redirectTo }: LinkOptions,
): Promise<User> {
  const confirmsBoth = service.settings.email.double_confirm_changes && Boolean(user.email)
  const recipients: [TokenType, string][] = [['email_change_token_new', newEmail]]
  if (confirmsBoth) recipients.push(['email_change_token_current', user.email ?? ''])
  await countRecipients(
    client,
    service,
    'email',
    recipients.map(([, to]) => to),
  )
  const changed = await updateUser(client, user.id, {
    email_change: newEmail,
    email_change_sent_at: new Date(),
    email_change_confirm_status: 0,
  })
  for (const [token, to] of recipients) {
    const made = await storeCode(client, service, user, token, to, flow)
    await sendEmail(client, service, changed, 'email_change', {
      to,
      ...made,
      link: 'email_change',
      redirectTo,
    })
  }
  return changed
}

async function storeCode(
  client: Queryable,
  { settings, keys }: AuthService,
  user: User,
  type: TokenType,
  to: string,
  flow: Flow,
): Promise<{ code: string; hash: string }> {
  const code = makeCode(settings.email.otp_length)
  const hash = `${flow ? PKCE_PREFIX : ''}${hashCode(keys, to, code)}`
  await storeToken(client, { userId: user.id, type, hash, relatesTo: to })
  return { code, hash }
}

/** Texts the user a code; answers the message's id. Throws over_sms_send_rate_limit when the last is too recent. */
export async function sendSmsCode(
  client: Queryable,
  service: AuthService,
  user: User,
  phone: string,
  purpose: keyof typeof SMS_CODES,
  channel: Channel = 'sms',
): Promise<string> {
  const { settings, sms } = service
  const { token, sentAt } = SMS_CODES[purpose]
  await countRecipients(client, service, 'phone', [phone])
  if (sms.transport === 'none') throw noSmsProvider()
  const fixed = settings.sms.test_otp[phone]
  const code = fixed ?? makeCode(settings.email.otp_length)
  await storeToken(client, {
    userId: user.id,
    type: token,
    hash: hashCode(service.keys, phone, code),
    relatesTo: phone,
  })
  await updateUser(client, user.id, {
    [sentAt]: new Date(),
    ...(purpose === 'phone_change' ? { phone_change: phone } : {}),
  })
  if (fixed !== undefined) return TEST_MESSAGE_ID
  countMessage(service, 'phone', user.phone_confirmed_at !== null)
  const body = settings.sms.template.replace(/\{\{\s*\.Code\s*\}\}/g, code)
  return sms.send(client, { kind: purpose, to: phone, body, channel })
}

export const noSmsProvider = () => unprocessable('sms_send_failed', 'Unable to get SMS provider')

/** The id of a message that is not sent, because config.toml fixes the number's code. */
export const TEST_MESSAGE_ID = 'test-otp'
