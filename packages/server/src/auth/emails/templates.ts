// The emails of the auth service: templates and subjects from config.toml, the built-in ones where it names none,
// and the values that GoTrue gives them (https://supabase.com/docs/guides/auth/auth-email-templates).
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, ConfigError } from '../../config/config.ts'
import type { Email } from '../../mail/email.ts'
import { breakLinks, breakLinksInText, markLinks } from '../../mail/links.ts'
import type { Template } from '../../mail/template/template.ts'
import type { Metadata } from '../store/users.ts'
import { DEFAULT_TEMPLATES, type EmailKind } from './default-templates.ts'
import { loadTemplate, type ReportProblem } from './message-template.ts'

export type EmailValues = {
  /** The link to follow; empty for emails without one. */
  ConfirmationURL: string
  /** The code to type. */
  Token: string
  TokenHash: string
  SiteURL: string
  RedirectTo: string
  /** The account's address, the new one while it changes, the one before a change. */
  Email: string
  NewEmail: string
  OldEmail: string
  /** The account's phone number, the one before a change. */
  Phone: string
  OldPhone: string
  /** Of an identity: the provider's name; of a second factor: its kind. */
  Provider: string
  FactorType: string
  /** The recipient of this email. */
  SendingTo: string
  /** The account's user_metadata. */
  Data: Metadata
}

export type EmailTemplates = {
  /** Whether config.toml enables this notification; emails that hold a token are always sent. */
  isEnabled(kind: EmailKind): boolean
  /** The email to `values.SendingTo`. */
  render(kind: EmailKind, values: EmailValues): Email
}

type Parsed = { subject: Template; html: Template }

/**
 * Reads and parses every template. One that cannot be parsed or executed is reported, and the built-in one is used instead,
 * as GoTrue does. Throws ConfigError for a file that cannot be read.
 */
export function loadEmailTemplates(
  config: Pick<Config, 'auth' | 'project'>,
  report: ReportProblem,
): EmailTemplates {
  const { template, notification } = config.auth.email
  const parsed = new Map<EmailKind, Parsed>()
  const unreadable: string[] = []
  for (const [kind, fallback] of Object.entries(DEFAULT_TEMPLATES) as [
    EmailKind,
    (typeof DEFAULT_TEMPLATES)[EmailKind],
  ][]) {
    const table = `[auth.email.${fallback.notification ? 'notification' : 'template'}.${kind}]`
    const given = fallback.notification ? notification[kind] : template[kind]
    const path = given?.content_path
    try {
      parsed.set(kind, {
        subject: loadTemplate(
          `supabase/config.toml: ${table} subject`,
          given?.subject,
          fallback.subject,
          report,
        ),
        html: loadTemplate(
          `${path} (${table} content_path)`,
          path && readTemplate(config.project, path),
          fallback.html,
          report,
        ),
      })
    } catch (error) {
      unreadable.push(`supabase/config.toml: ${table} ${(error as Error).message}`)
    }
  }
  if (unreadable.length > 0) throw new ConfigError(unreadable)

  return {
    isEnabled: (kind) => !DEFAULT_TEMPLATES[kind].notification || (notification[kind]?.enabled ?? false),
    render(kind, values) {
      const { subject, html } = parsed.get(kind) as Parsed
      const given = { ...values, Data: markLinks(values.Data) }
      return {
        kind,
        to: values.SendingTo,
        subject: breakLinksInText(subject.text(given)),
        html: breakLinks(html.html(given)),
      }
    },
  }
}

/** Paths are relative to the folder that holds `supabase/`, as for the Supabase CLI. */
function readTemplate(project: string, path: string): string {
  const file = resolve(dirname(project), path)
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new Error(`content_path is "${path}", but ${file} cannot be read; correct the path or add the file`)
  }
}
