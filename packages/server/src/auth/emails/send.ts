// Renders and queues the emails of the auth service, or hands what they say to the project's hook; and makes the links
// that they hold.
import type { Transaction } from '../../sql/queryable.ts'
import { withoutData } from '../database-failures.ts'
import { isHookEnabled, runHook } from '../hooks/hooks.ts'
import { countMessage } from '../limits/messages.ts'
import type { AuthService } from '../service.ts'
import { type User, userJson } from '../store/users.ts'
import { ACTION_TYPES, type EmailKind, type NotificationKind } from './default-templates.ts'

/** The purpose of the link in an e-mail, as its `type` parameter. */
export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

/** The change that a notification reports. */
type Change = {
  oldEmail?: string
  oldPhone?: string
  /** The name of the identity's provider. */
  provider?: string
  factorType?: string
}

type Details = Change & {
  to: string
  code?: string
  hash?: string
  link?: LinkType | null
  redirectTo?: string
  /** Of a change of address that the hook sends to both: the code for the new one, the hash for the current one. */
  newCode?: string
  newHash?: string
  /** The client's address, for the hook. */
  ip?: string | null
}

/**
 * Queues an email, or has the project's hook send it. Throws over_email_send_rate_limit when the server has sent all it may
 * this hour, and what the hook throws.
 */
export async function sendEmail(
  client: Transaction,
  service: AuthService,
  user: User,
  kind: EmailKind,
  details: Details,
): Promise<void> {
  const { templates, mail, settings } = service
  if (!templates.isEnabled(kind)) return
  countMessage(service, 'email', user.email_confirmed_at !== null)
  if (isHookEnabled(service, 'send_email')) return sendByHook(client, service, user, kind, details)
  const { to, code = '', hash = '', link = null, oldEmail = '', oldPhone = '' } = details
  const target = details.redirectTo ?? settings.site_url
  const email = templates.render(kind, {
    ConfirmationURL: link ? actionLink(service, { hash, link, redirectTo: target }) : '',
    Token: code,
    TokenHash: hash,
    SiteURL: settings.site_url,
    RedirectTo: target,
    Email: user.email ?? '',
    NewEmail: user.email_change ?? '',
    OldEmail: oldEmail,
    Phone: user.phone ?? '',
    OldPhone: oldPhone,
    Provider: details.provider ?? '',
    FactorType: details.factorType ?? '',
    SendingTo: to,
    Data: user.raw_user_meta_data ?? {},
  })
  await mail.send(client, email)
}

async function sendByHook(
  client: Transaction,
  service: AuthService,
  user: User,
  kind: EmailKind,
  { ip = null, ...details }: Details,
): Promise<void> {
  const email = {
    token: details.code ?? '',
    token_hash: details.hash ?? '',
    redirect_to: details.redirectTo ?? service.settings.site_url,
    email_action_type: ACTION_TYPES[kind],
    site_url: service.authUrl,
    token_new: details.newCode ?? '',
    token_hash_new: details.newHash ?? '',
    old_email: details.oldEmail ?? '',
    old_phone: details.oldPhone ?? '',
    provider: details.provider ?? '',
    factor_type: details.factorType ?? '',
  }
  await runHook(service, 'send_email', { user: userJson(user), email_data: email }, { client, ip })
}

/**
 * Notifies a person by email of a change of their account, where config.toml enables that. The change holds also when the
 * email cannot be sent: that is logged. `to` is the account's address unless given; without any, nobody is notified.
 */
export async function notifyByEmail(
  client: Transaction,
  service: AuthService,
  user: User,
  kind: NotificationKind,
  { to = user.email ?? '', ...details }: Change & { to?: string; ip?: string | null } = {},
): Promise<void> {
  if (to === '' || !service.templates.isEnabled(kind)) return
  await client.query('savepoint notification')
  try {
    await sendEmail(client, service, user, kind, { to, ...details })
    await client.query('release savepoint notification')
  } catch (error) {
    await client.query('rollback to savepoint notification')
    service.log.warn({ ...withoutData(error), kind, user: user.id }, 'a notification was not sent')
  }
}

/** The address that an email's button opens. */
export function actionLink(
  { authUrl }: AuthService,
  { hash, link, redirectTo }: { hash: string; link: LinkType; redirectTo: string },
): string {
  return `${authUrl}/verify?${new URLSearchParams({ token: hash, type: link, redirect_to: redirectTo })}`
}
