// The words of text messages: the templates of [auth.sms] and [auth.mfa.phone], which have the code and, as e-mails
// do, the account's metadata, so that a message can be in the person's language.
import type { Config } from '../config/config.ts'
import { loadTemplate, type ReportProblem } from './emails/message-template.ts'
import type { Metadata } from './store/users.ts'

const BUILT_IN = 'Your code is {{ .Code }}'

export type TextTemplates = {
  /** The message with this code. `Data` is the account's user_metadata. */
  render(kind: 'sms' | 'mfa', values: { Code: string; Data: Metadata }): string
}

/** Parses both templates. One that cannot be parsed or executed is reported, and the built-in one is used instead. */
export function loadTextTemplates({ auth }: Pick<Config, 'auth'>, report: ReportProblem): TextTemplates {
  const load = (table: string, given: string) =>
    loadTemplate(`supabase/config.toml: [${table}] template`, given, BUILT_IN, report)
  const templates = {
    sms: load('auth.sms', auth.sms.template),
    mfa: load('auth.mfa.phone', auth.mfa.phone.template),
  }
  return { render: (kind, values) => templates[kind].text(values) }
}
