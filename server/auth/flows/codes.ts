// Sends codes and links: makes the token, notes when it was sent, and queues the email or text, all in one
// transaction, so that a token never exists without its email nor an email without its token.
import type { Queryable } from '../../jobs/jobs.ts'
import type { Channel } from '../../sms/text.ts'
import type { EmailKind } from '../emails/default-templates.ts'
import { unprocessable } from '../errors.ts'
import { countRecipients, spent } from '../limits/messages.ts'
import { reserve } from '../limits/token-bucket.ts'
import type { AuthService } from '../service.ts'
import type { Flow } from '../store/flow-state.ts'
import { hashCode, makeCode, pkcePrefix, storeToken, type TokenType } from '../store/one-time-tokens.ts'
import { type User, updateUser } from '../store/users.ts'

type SentAt = 'confirmation_sent_at' | 'recovery_sent_at' | 'reauthentication_sent_at'

/** What an email's link verifies, as its `type` says. */
export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

type Purpose = { token: TokenType; sentAt: SentAt; link: LinkType | null }

const purposes = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at', link: 'signup' },
  invite: { token: 'confirmation_token', sentAt: 'confirmation_sent_at', link: 'invite' },
  recovery: { token: 'recovery_token', sentAt: 'recovery_sent_at', link: 'recovery' },
  // A magic link is a recovery with another email, and shares its clock.
  magic_link: { token: 'recovery_token', sentAt: 'recovery_sent_at', link: 'magiclink' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at', link: null },
} satisfies Record<string, Purpose>

/** How long codes sent by text message are good for, in seconds. */
export const textCodeLifetime = 600

type Options = { flow?: Flow; redirectTo: string }

/** Mails the user a code and link of one kind. Throws over_email_send_rate_limit when the last one is too recent. */
export async function sendEmailCode(
  client: Queryable,
  service: AuthService,
  user: User,
  purpose: keyof typeof purposes,
  { flow = null, redirectTo }: Options,
): Promise<User> {
  const { token, sentAt, link } = purposes[purpose]
  const email = user.email ?? ''
  // Invitations are an administrator's act, whose pace is their own.
  if (purpose !== 'invite') await countRecipients(client, service, 'email', [email])
  const code = makeCode(service.settings.email.otp_length)
  const hash = `${flow ? pkcePrefix : ''}${hashCode(service.keys, email, code)}`
  await storeToken(client, { userId: user.id, type: token, hash, relatesTo: email })
  await sendEmail(client, service, user, purpose, { to: email, code, hash, link, redirectTo })
  return updateUser(client, user.id, { [sentAt]: new Date() })
}

/** Mails the links that confirm a change of address: to the new one, and, where configured, to the current one. */
export async function sendEmailChange(
  client: Queryable,
  service: AuthService,
  user: User,
  newEmail: string,
  { flow = null, redirectTo }: Options,
): Promise<User> {
  const { settings } = service
  const asksBoth = settings.email.double_confirm_changes && Boolean(user.email)
  await countRecipients(client, service, 'email', asksBoth ? [newEmail, user.email ?? ''] : [newEmail])
  const changed = await updateUser(client, user.id, {
    email_change: newEmail,
    email_change_sent_at: new Date(),
    email_change_confirm_status: 0,
  })
  const recipients: { type: TokenType; to: string }[] = [{ type: 'email_change_token_new', to: newEmail }]
  if (asksBoth) recipients.push({ type: 'email_change_token_current', to: user.email ?? '' })
  for (const { type, to } of recipients) {
    const code = makeCode(settings.email.otp_length)
    const hash = `${flow ? pkcePrefix : ''}${hashCode(service.keys, to, code)}`
    await storeToken(client, { userId: user.id, type, hash, relatesTo: to })
    await sendEmail(client, service, changed, 'email_change', {
      ...{ to, code, hash, redirectTo },
      link: 'email_change',
    })
  }
  return changed
}

type EmailDetails = {
  to: string
  code?: string
  hash?: string
  link?: LinkType | null
  redirectTo?: string
  oldEmail?: string
}

/** Queues an email. Throws over_email_send_rate_limit when the server has sent all it may this hour. */
export async function sendEmail(
  client: Queryable,
  service: AuthService,
  user: User,
  kind: EmailKind,
  { to, code = '', hash = '', link = null, redirectTo, oldEmail = '' }: EmailDetails,
): Promise<void> {
  const { templates, limits, mail, settings } = service
  if (!templates.wants(kind)) return
  // The hourly limit guards the reputation of a real mail server; the sandbox has none to lose.
  const leave = user.email_confirmed_at ? 0 : reserve(settings.rate_limit.email_sent)
  if (mail.transport === 'smtp' && !limits.emailSent.take('all', leave)) throw spent('email')
  const target = redirectTo ?? settings.site_url
  const email = templates.write(kind, {
    ConfirmationURL: link ? actionLink(service, { hash, link, redirectTo: target }) : '',
    Token: code,
    TokenHash: hash,
    SiteURL: settings.site_url,
    RedirectTo: target,
    Email: user.email ?? '',
    NewEmail: user.email_change ?? '',
    OldEmail: oldEmail,
    SendingTo: to,
    Data: user.raw_user_meta_data ?? {},
  })
  await mail.send(client, email)
}

/** The address that an email's button opens. */
export function actionLink(
  { authUrl }: AuthService,
  { hash, link, redirectTo }: { hash: string; link: LinkType; redirectTo: string },
): string {
  return `${authUrl}/verify?${new URLSearchParams({ token: hash, type: link, redirect_to: redirectTo })}`
}

const textPurposes = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
  phone_change: { token: 'phone_change_token', sentAt: 'phone_change_sent_at' },
} as const

/** Texts the user a code; returns the message's id. Throws over_sms_send_rate_limit when the last is too recent. */
export async function sendTextCode(
  client: Queryable,
  service: AuthService,
  user: User,
  phone: string,
  purpose: keyof typeof textPurposes,
  channel: Channel = 'sms',
): Promise<string> {
  const { settings, sms, limits } = service
  const { token, sentAt } = textPurposes[purpose]
  await countRecipients(client, service, 'sms', [phone])
  if (sms.transport === 'none') throw unprocessable('sms_send_failed', 'Unable to get SMS provider')
  const fixed = settings.sms.test_otp[phone]
  const code = fixed ?? makeCode(settings.email.otp_length)
  const hash = hashCode(service.keys, phone, code)
  await storeToken(client, { userId: user.id, type: token, hash, relatesTo: phone })
  await updateUser(client, user.id, {
    [sentAt]: new Date(),
    ...(purpose === 'phone_change' ? { phone_change: phone } : {}),
  })
  if (fixed !== undefined) return 'test-otp'
  const leave = user.phone_confirmed_at ? 0 : reserve(settings.rate_limit.sms_sent)
  if (sms.transport === 'twilio' && !limits.smsSent.take('all', leave)) throw spent('sms')
  const body = settings.sms.template.replace(/\{\{\s*\.Code\s*\}\}/g, code)
  return sms.send(client, { kind: purpose, to: phone, body, channel })
}
