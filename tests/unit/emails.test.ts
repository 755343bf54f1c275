// The e-mails of sign-in in every language: each kind says what it has to say, in the person's own words alone.
import { readFileSync } from 'node:fs'
import { DEFAULT_TEMPLATES, type EmailKind } from '@meadowlark/server/auth/emails/default-templates.ts'
import { type EmailValues, loadEmailTemplates } from '@meadowlark/server/auth/emails/templates.ts'
import { loadConfig } from '@meadowlark/server/config/config.ts'
import { plainText } from '@meadowlark/server/mail/text.ts'
import { describe, expect, test } from 'vitest'
import { repositoryFile, repositoryRoot } from '../../plugins/repository.ts'
import {
  CODE_SCREENS,
  htmlOf,
  KINDS,
  LANGUAGES,
  subjectOf,
  texts,
  withSubjects,
} from '../../scripts/emails.mjs'
import { rules } from '../../shared/rules.ts'

type Texts = Record<string, string | Record<string, string>>
const textsOf = (language: string) => texts[language] as Texts
const flat = (texts: Texts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string'
        ? [[name, text]]
        : Object.entries(text).map(([field, each]) => [`${name}.${field}`, each]),
    ),
  )
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

const emails = loadEmailTemplates(
  loadConfig({ workdir: repositoryRoot, env: { SITE_URL: 'https://site.example' } }),
  (place, problem) => {
    throw new Error(`${place}: ${problem}`)
  },
)
const others = LANGUAGES.filter((code) => code !== 'en')
const english = flat(textsOf('en'))

const VALUES: EmailValues = {
  ConfirmationURL: 'https://site.example/auth/v1/verify?token=used-up-by-scanners',
  Token: '271828',
  TokenHash: 'pkce_abc',
  SiteURL: 'https://site.example',
  RedirectTo: 'https://site.example/x?view=new-password',
  Email: 'grace@example.com',
  NewEmail: 'grace+new@example.com',
  OldEmail: 'grace+old@example.com',
  Phone: '13065550100',
  OldPhone: '',
  Provider: 'google',
  FactorType: 'totp',
  SendingTo: 'grace+to@example.com',
  Data: {},
}
/** Values that each kind requires. */
const NEEDED: Record<string, (keyof EmailValues)[]> = {
  confirmation: ['Email', 'Token'],
  invite: ['Email'],
  magic_link: ['Email'],
  recovery: ['Email', 'Token'],
  email_change: ['Email', 'NewEmail'],
  reauthentication: ['Token'],
  password_changed: ['Email'],
  email_changed: ['OldEmail', 'Email'],
  phone_changed: ['Email', 'Phone'],
  identity_linked: ['Email', 'Provider'],
  identity_unlinked: ['Email', 'Provider'],
  passkey_added: ['Email'],
  passkey_removed: ['Email'],
  mfa_factor_enrolled: ['Email'],
  mfa_factor_unenrolled: ['Email'],
}
/** The purpose of each kind's link. */
const LINKS: Record<string, string> = {
  confirmation: 'signup',
  invite: 'invite',
  magic_link: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
}
const rendered = async (kind: string, Data: EmailValues['Data']) => {
  const { subject, html } = emails.render(kind as EmailKind, { ...VALUES, Data })
  return { subject, html, text: await plainText(html) }
}

test('are written for every kind and every language that there is', () => {
  expect(KINDS.sort()).toEqual(Object.keys(DEFAULT_TEMPLATES).sort())
  expect(LANGUAGES).toEqual(rules.languages)
  for (const kind of KINDS) expect(emails.isEnabled(kind as EmailKind)).toBe(true)
})

test('are what `npm run emails` writes', () => {
  for (const kind of KINDS) {
    expect(readFileSync(repositoryFile(`supabase/templates/${kind}.html`), 'utf8')).toBe(htmlOf(kind))
  }
  const toml = readFileSync(repositoryFile('supabase/config.toml'), 'utf8')
  expect(withSubjects(toml)).toBe(toml)
  for (const kind of KINDS) expect(toml).toContain(`subject = '${subjectOf(kind)}'`)
})

describe.each(others)('the texts in %s', (language) => {
  const texts = flat(textsOf(language))

  test('are all there, with the same placeholders, and none is left in English', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english))
    for (const [name, text] of Object.entries(texts)) {
      expect([name, ...placeholders(text)]).toEqual([name, ...placeholders(english[name] as string)])
      expect([name, text]).not.toEqual([name, english[name]])
      expect([name, /\b(the|your|you|sign|password)\b/i.exec(text)?.[0]]).toEqual([name, undefined])
    }
  })
})

describe.each(LANGUAGES)('an e-mail in %s', (language) => {
  test.each(KINDS)('of the kind %s says everything, in HTML and as text', async (kind) => {
    const texts = textsOf(language)
    const own = texts[kind] as Record<string, string>
    const { subject, html, text } = await rendered(kind, { language })
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    expect(html).toContain(`>${own.title}</h1>`)
    expect(subject).toBe((own.subject as string).replace('{token}', '271828'))
    const unwrapped = text.replace(/\s+/g, ' ')
    for (const name of NEEDED[kind] as (keyof EmailValues)[]) {
      expect(unwrapped).toContain(String(VALUES[name]))
    }
    expect(unwrapped).toContain((texts.footer as string).replace('{to}', VALUES.SendingTo))
    expect(`${subject} ${unwrapped}`).not.toMatch(/[{}]/)
    for (const other of LANGUAGES.filter((code) => code !== language)) {
      expect(html).not.toContain(`>${(textsOf(other)[kind] as Record<string, string>).body}`)
      expect(unwrapped).not.toContain((textsOf(other).footer as string).split('{to}')[1])
    }
  })
})

test.each(KINDS)('of the kind %s has a code only where a screen asks for it', async (kind) => {
  const { subject, html } = await rendered(kind, {})
  const screen = CODE_SCREENS[kind]
  expect(`${subject} ${html}`.includes(VALUES.Token)).toBe(screen !== undefined)
  if (screen) expect(readFileSync(repositoryFile(screen), 'utf8')).toMatch(/<EmailCode|one-time-code/)
})

test.each(Object.entries(LINKS))(
  'of the kind %s links to a page that asks first, never to the address that a scanner’s GET uses up',
  async (kind, type) => {
    const { html, text } = await rendered(kind, {})
    expect(html + text).not.toContain('/auth/v1/')
    const [link, ...others] = [...html.matchAll(/href="([^"]+)"/g)].map(
      ([, href = '']) => new URL(href.replaceAll('&amp;', '&')),
    )
    expect(others).toEqual([])
    expect(link?.origin + (link?.pathname ?? '')).toBe('https://site.example/auth/confirm')
    expect(Object.fromEntries(link?.searchParams ?? [])).toEqual({
      token_hash: VALUES.TokenHash,
      type,
      redirect_to: VALUES.RedirectTo,
    })
    expect(text).toContain('https://site.example/auth/confirm?token_hash=')
  },
)

test('tell whoever signs up what for', async () => {
  for (const language of LANGUAGES) {
    const { asDoer, asGiver } = textsOf(language).confirmation as Record<string, string>
    const words = async (role?: string) =>
      (await rendered('confirmation', { language, ...(role ? { role } : {}) })).text.replace(/\s+/g, ' ')
    expect([
      (await words('task_doer')).includes(asDoer as string),
      (await words('task_giver')).includes(asGiver as string),
    ]).toEqual([...[true, true]])
    expect(await words()).not.toContain(asDoer)
    expect(await words()).not.toContain(asGiver)
  }
})

test('are in English for whoever has chosen no language of ours', async () => {
  for (const Data of [{}, { language: 'xx' }, { language: null }, { language: ['fr'] }]) {
    expect(await rendered('recovery', Data as EmailValues['Data'])).toEqual(
      await rendered('recovery', { language: 'en' }),
    )
  }
})
