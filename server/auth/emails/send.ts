// Renders and queues the emails of the auth service, and makes the links they hold.
import type { Queryable } from '../../sql/queryable.ts'
import { countMessage } from '../limits/messages.ts'
import type { AuthService } from '../service.ts'
import type { User } from '../store/users.ts'
import type { EmailKind } from './default-templates.ts'

/** What an email's link verifies, as its `type` says. */
export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

type Details = {
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
  { to, code = '', hash = '', link = null, redirectTo, oldEmail = '' }: Details,
): Promise<void> {
  const { templates, mail, settings } = service
  if (!templates.isEnabled(kind)) return
  countMessage(service, 'email', user.email_confirmed_at !== null)
  const target = redirectTo ?? settings.site_url
  const email = templates.render(kind, {
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
