// Sends codes and links: makes the token, notes when it was sent, and queues the email or text message. All of it is
// one transaction, so that no token exists without its message, nor a message without its token.

import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { sendEmail } from '../emails/send.ts'
import { isHookEnabled } from '../hooks/hooks.ts'
import { countMessage, countRecipients } from '../limits/messages.ts'
import type { AuthService } from '../service.ts'
import type { Flow } from '../store/flow-state.ts'
import { hashCode, makeCode, PKCE_PREFIX, storeToken, type TokenType } from '../store/one-time-tokens.ts'
import { type User, updateUser } from '../store/users.ts'
import { APPROVED, carrierChecks, requireCarrier, sendText } from './texts.ts'

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

/** How long codes sent to an address of this kind are valid, in seconds. */
export const codeLifetime = ({ settings }: AuthService, kind: 'email' | 'phone'): number =>
  settings[kind === 'email' ? 'email' : 'sms'].otp_expiry

/** Where a link leads, the PKCE flow that it ends, and whose request it is, for the project's hooks. */
export type LinkOptions = { flow?: Flow; redirectTo: string; ip?: string | null }

/** Mails the user a code and link of one kind. Throws over_email_send_rate_limit when the last one is too recent. */
export async function sendEmailCode(
  client: Transaction,
  service: AuthService,
  user: User,
  purpose: keyof typeof EMAIL_CODES,
  { flow = null, redirectTo, ip }: LinkOptions,
): Promise<User> {
  const { token, sentAt, link } = EMAIL_CODES[purpose]
  const to = user.email ?? ''
  // Invitations are sent by administrators, who are not limited.
  if (purpose !== 'invite') await countRecipients(client, service, 'email', purpose, [to])
  const made = await storeCode(client, service, user, token, to, flow)
  await sendEmail(client, service, user, purpose, { to, ...made, link, redirectTo, ip })
  return updateUser(client, user.id, { [sentAt]: new Date() })
}

/** Mails the links that confirm a change of address: to the new one, and, where configured, to the current one. */
export async function sendEmailChange(
  client: Transaction,
  service: AuthService,
  user: User,
  newEmail: string,
  { flow = null, redirectTo, ip }: LinkOptions,
): Promise<User> {
  const confirmsBoth = service.settings.email.double_confirm_changes && Boolean(user.email)
  const recipients: [TokenType, string][] = [['email_change_token_new', newEmail]]
  if (confirmsBoth) recipients.push(['email_change_token_current', user.email ?? ''])
  await countRecipients(
    client,
    service,
    'email',
    'email_change',
    recipients.map(([, to]) => to),
  )
  const changed = await updateUser(client, user.id, {
    email_change: newEmail,
    email_change_sent_at: new Date(),
    email_change_confirm_status: 0,
  })
  const made: { to: string; code: string; hash: string }[] = []
  for (const [token, to] of recipients) {
    made.push({ to, ...(await storeCode(client, service, user, token, to, flow)) })
  }
  const details = { link: 'email_change', redirectTo, ip } as const
  // The project's hook sends both of them, and is asked once.
  const emails = isHookEnabled(service, 'send_email') ? [forBoth(made)] : made
  for (const email of emails) {
    await sendEmail(client, service, changed, 'email_change', { ...email, ...details })
  }
  return changed
}

/**
 * Order of recipients that a hook receives for a change of address. As in GoTrue, the code for the current address
 * comes first, together with the hash for the new one.
 */
function forBoth([fresh, current]: { to: string; code: string; hash: string }[]) {
  const { to, code, hash } = fresh as { to: string; code: string; hash: string }
  if (!current) return { to, code, hash }
  return { to, code: current.code, hash, newCode: code, newHash: current.hash }
}

async function storeCode(
  client: Transaction,
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
  client: Transaction,
  service: AuthService,
  user: User,
  phone: string,
  purpose: keyof typeof SMS_CODES,
  { channel, ip }: { channel?: Channel; ip?: string | null } = {},
): Promise<string> {
  const { settings } = service
  const { token, sentAt } = SMS_CODES[purpose]
  await countRecipients(client, service, 'phone', purpose, [phone])
  requireCarrier(service)
  const fixed = settings.sms.test_otp[phone]
  const made = carrierChecks(service, phone) ? APPROVED : makeCode(settings.sms.otp_length)
  const code = fixed ?? made
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
  return sendText(client, service, user, { purpose, to: phone, code, channel, ip })
}

/** The id of a message that is not sent, because config.toml fixes the number's code. */
export const TEST_MESSAGE_ID = 'test-otp'
