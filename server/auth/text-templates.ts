// The words of text messages: the templates of [auth.sms] and [auth.mfa.phone], which know the code and, as e-mails do, what
// the account says of its person, so that a message can be in their language.
import { type Config, ConfigError } from '../config.ts'
import { escapeSubject, parseTemplate, type Template } from '../mail/template.ts'
import type { Metadata } from './store/users.ts'

export type TextTemplates = {
  /** The message with this code. `Data` is the account's user_metadata. */
  render(kind: 'sms' | 'mfa', values: { Code: string; Data: Metadata }): string
}

/** Parses both templates. Throws ConfigError naming the setting and what is wrong. */
export function loadTextTemplates({ auth }: Pick<Config, 'auth'>): TextTemplates {
  const parse = (table: string, source: string): Template => {
    try {
      return parseTemplate(source)
    } catch (error) {
      throw new ConfigError([`supabase/config.toml: [${table}] template: ${(error as Error).message}`])
    }
  }
  const parsed = {
    sms: parse('auth.sms', auth.sms.template),
    mfa: parse('auth.mfa.phone', auth.mfa.phone.template),
  }
  return { render: (kind, values) => parsed[kind](values, escapeSubject) }
}
