// npm run emails: writes the e-mails of sign-in, supabase/templates/*.html and their subjects in supabase/config.toml, from
// their texts in each language (supabase/templates/texts/). One template holds all languages and chooses by the person's
// metadata (`.Data.language`), as Supabase's templates can; whoever has none of them reads English.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marketplaceValues } from './marketplace-values.mjs'

const folder = fileURLToPath(new URL('../supabase/templates/', import.meta.url))
const config = fileURLToPath(new URL('../supabase/config.toml', import.meta.url))
const read = (name) => readFileSync(`${folder}texts/${name}`, 'utf8')

export const LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'zh', 'ru', 'ar', 'pt', 'id']
const { province } = await marketplaceValues()

/** By language, each with the province as it writes it. */
export const texts = Object.fromEntries(
  LANGUAGES.map((code) => {
    const { name, in: inside = name, across = name } = province.names[code]
    const places = { province: name, inProvince: inside, acrossProvince: across }
    const filled = read(`${code}.json`).replace(/\{(\w+)\}/g, (whole, place) => places[place] ?? whole)
    return [code, JSON.parse(filled)]
  }),
)
const SHARED = ['footer', 'code', 'once', 'onceLink', 'notYou']
export const KINDS = Object.keys(texts.en).filter((name) => !SHARED.includes(name))

/** The `type` that the link of each kind verifies. */
const LINK_TYPES = {
  confirmation: 'signup',
  invite: 'invite',
  magic_link: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
}

// To a page that asks for a press of a button, and not to `.ConfirmationURL`: scanners of mail open every link by GET,
// which would use that one up (web/features/auth/ConfirmLinkPage.tsx).
const linkOf = (kind) =>
  `{{ .SiteURL }}/auth/confirm?token_hash={{ .TokenHash }}&amp;type=${LINK_TYPES[kind]}&amp;redirect_to={{ .RedirectTo }}`

const VALUES = {
  to: '.SendingTo',
  email: '.Email',
  newEmail: '.NewEmail',
  oldEmail: '.OldEmail',
  phone: '.Phone',
  provider: '.Provider',
  token: '.Token',
}

/** The text of each language, the reader's chosen by the template. */
function choose(textOf) {
  const [english, ...others] = LANGUAGES.map((code) => [code, textOf(code)])
  const branches = others.map(
    ([code, text], index) => `{{ ${index ? 'else if' : 'if'} eq .Data.language "${code}" }}${text}`,
  )
  return `${branches.join('')}{{ else }}${english[1]}{{ end }}`
}

const plain = (text) => text.replace(/\{(\w+)\}/g, (_, name) => `{{ ${VALUES[name]} }}`)
// Addresses, numbers and names run from the left also among Arabic words.
const marked = (text) =>
  text.replace(
    /\{(\w+)\}/g,
    (_, name) => `<span class="ink" dir="ltr" style="color: #1a2130;">{{ ${VALUES[name]} }}</span>`,
  )

/** The subject of a kind, as a template. */
export const subjectOf = (kind) => choose((code) => plain(texts[code][kind].subject))

/** The HTML of a kind, as a template. */
export function htmlOf(kind) {
  const part = (write) => choose((code) => write({ ...texts[code], ...texts[code][kind] }))
  const english = { ...texts.en, ...texts.en[kind] }
  const slots = {
    lang: choose((code) => code),
    dir: '{{ if eq .Data.language "ar" }}rtl{{ else }}ltr{{ end }}',
    preview: part(({ body }) => plain(body)),
    content: contentOf(kind, english, part)
      .map((line) => `                ${line}`)
      .join('\n'),
    footer: part(({ footer }) => plain(footer)),
  }
  return read('sheet.html').replace(/\{(lang|dir|preview|content|footer)\}/g, (_, name) => slots[name])
}

function contentOf(kind, english, part) {
  const role = `{{ if .Data.role }} {{ if eq .Data.role "task_doer" }}${part(({ asDoer }) => asDoer)}{{ else }}${part(({ asGiver }) => asGiver)}{{ end }}{{ end }}`
  const link = kind === 'mfa_factor_enrolled' ? '/auth?view=forgot-password' : english.note ? '/faq' : '/auth'
  return [
    `<h1 class="ink" style="margin: 0 0 14px; color: #1a2130; font-size: 25px; line-height: 32px; font-weight: 700;">${part(({ title }) => title)}</h1>`,
    `<p class="soft" style="margin: 0 0 24px; color: #474d5b; font-size: 16px; line-height: 25px;">${part(({ body }) => marked(body))}${english.asDoer ? role : ''}</p>`,
    english.button &&
      `<p style="margin: 0 0 26px;"><a class="button" href="${linkOf(kind)}" style="display: inline-block; padding: 13px 24px; border-radius: 10px; background: #f4bc30; color: #1d1707; font-size: 16px; line-height: 22px; font-weight: 700; text-decoration: none;">${part(({ button }) => button)}</a></p>`,
    hasCode(kind) &&
      `<p class="soft" style="margin: 0 0 8px; color: #474d5b; font-size: 15px; line-height: 22px;">${part(({ code }) => code)}</p>`,
    hasCode(kind) &&
      `<p class="code" dir="ltr" style="margin: 0; padding: 14px 18px; background: #f3ecdd; border: 1px solid #e4dac7; border-radius: 10px; color: #1a2130; font: 700 26px/32px 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; letter-spacing: 0.22em;">{{ .Token }}</p>`,
    english.button || hasCode(kind)
      ? `<p class="faint" style="margin: 24px 0 0; color: #666874; font-size: 14px; line-height: 21px;">${part(({ button, once, onceLink, note }) => (button ? `${hasCode(kind) ? once : onceLink} ${note}` : note))}</p>`
      : `<p class="faint" style="margin: 24px 0 0; color: #666874; font-size: 14px; line-height: 21px;">${part(({ note, notYou }) => note ?? notYou)} <a class="link" dir="ltr" href="{{ .SiteURL }}${link}" style="color: #0c6092;">{{ .SiteURL }}${link}</a></p>`,
  ].filter(Boolean)
}

/**
 * The kinds with a code, each with the screen that asks for it. The others have a link alone, or, where they report a change,
 * neither.
 */
export const CODE_SCREENS = {
  confirmation: 'web/features/auth/components/CheckEmail.tsx',
  magic_link: 'web/features/account/components/DeleteAccount.tsx',
  recovery: 'web/features/auth/components/PasswordForms.tsx',
  reauthentication: 'web/features/account/components/PasswordDialog.tsx',
}
const hasCode = (kind) => kind in CODE_SCREENS

/** config.toml with the subjects of now. */
export const withSubjects = (toml) =>
  toml.replace(
    /(\[auth\.email\.(?:template|notification)\.(\w+)\]\n(?:enabled = \w+\n)?)subject = .*/g,
    (whole, head, kind) => (KINDS.includes(kind) ? `${head}subject = '${subjectOf(kind)}'` : whole),
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const kind of KINDS) writeFileSync(`${folder}${kind}.html`, htmlOf(kind))
  writeFileSync(config, withSubjects(readFileSync(config, 'utf8')))
}
