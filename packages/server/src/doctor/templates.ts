// The project's templates of e-mails and text messages: whether each can be parsed, and executed for an account that has no
// metadata yet.
import { DEFAULT_TEMPLATES, type EmailKind } from '../auth/emails/default-templates.ts'
import { loadEmailTemplates } from '../auth/emails/templates.ts'
import { loadTextTemplates } from '../auth/text-templates.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

const EXAMPLE = {
  ConfirmationURL: 'https://site.example/auth/v1/verify?token=token&type=signup',
  Token: '123456',
  TokenHash: 'token',
  SiteURL: 'https://site.example',
  RedirectTo: 'https://site.example',
  Email: 'grace@example.com',
  NewEmail: 'grace@example.com',
  OldEmail: 'grace@example.com',
  Phone: '13065550100',
  OldPhone: '13065550100',
  Provider: 'google',
  FactorType: 'totp',
  SendingTo: 'grace@example.com',
  Data: {},
}

export function examineTemplates(config: Pick<Config, 'auth' | 'project'>): Finding[] {
  const found = new Map<string, Finding>()
  let report = failure
  const note = (place: string, problem: string) => {
    const message = `${place}: ${problem}; until it is corrected, the built-in message is sent instead`
    if (!found.has(place)) found.set(place, report('templates', message))
  }
  try {
    const emails = loadEmailTemplates(config, note)
    const texts = loadTextTemplates(config, note)
    report = (about, message) => warning(about, `for an account without user_metadata: ${message}`)
    for (const kind of Object.keys(DEFAULT_TEMPLATES) as EmailKind[]) emails.render(kind, EXAMPLE)
    for (const kind of ['sms', 'mfa'] as const) texts.render(kind, { Code: '123456', Data: {} })
  } catch (error) {
    if (error instanceof ConfigError) return [failure('templates', error.message)]
    throw error
  }
  return found.size > 0
    ? [...found.values()]
    : [ok('templates', 'of e-mails and text messages are understood')]
}
