// Dependencies shared by all endpoints of the auth service, in addition to the server's: settings, templates and
// limits.
import type { Config } from '../config/config.ts'
import type { Services } from '../service-dependencies.ts'
import type { ReportProblem } from './emails/message-template.ts'
import { type EmailTemplates, loadEmailTemplates } from './emails/templates.ts'
import { createLimiters, type Limiters } from './limits/limiters.ts'
import { redirectAllowed } from './redirects.ts'
import { type SharedLimits, sharedLimits } from './store/rate-limits.ts'
import { loadTextTemplates, type TextTemplates } from './text-templates.ts'

/** The `[auth]` table of config.toml. */
export type AuthSettings = Config['auth']

export type AuthService = Services & {
  settings: AuthSettings
  /** Where clients and links reach this service, without a slash at the end; also the tokens' issuer. */
  authUrl: string
  templates: EmailTemplates
  texts: TextTemplates
  limiters: Limiters
  shared: SharedLimits
  /** Whether the recipients of a message were counted when it was requested (see limits/messages.ts). */
  recipientsCounted: boolean
  redirectAllowed: (url: string) => boolean
}

/** Where a request comes from, and where the links of its emails lead. */
export type Origin = { ip: string | null; userAgent: string | null; redirectTo: string }

/** Completes the server's services with the auth service's own. Throws ConfigError when a template's file cannot be read. */
export function openAuthService(services: Services): AuthService {
  const { config, log } = services
  const report: ReportProblem = (template, problem) =>
    log.error({ template, problem }, 'a message template is wrong; the built-in one is sent instead')
  const settings = config.auth
  return {
    ...services,
    settings,
    authUrl: `${config.publicUrl}/auth/v1`,
    templates: loadEmailTemplates(config, report),
    texts: loadTextTemplates(config, report),
    limiters: createLimiters(settings),
    shared: sharedLimits(services.database.pool),
    recipientsCounted: false,
    redirectAllowed: redirectAllowed({
      siteUrl: settings.site_url,
      additional: settings.additional_redirect_urls,
    }),
  }
}
