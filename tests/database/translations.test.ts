// What the database says to people, in every language of the app: each notification with its e-mail, and each sentence
// by which it refuses or explains, as they stand in the migrated database.
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { direction, type Language } from '../../shared/locale.ts'
import { rules } from '../../shared/rules.ts'
import { pieces, plain, translatedSentence } from '../../shared/wording.ts'
import { textsIn } from '../../supabase/functions/_shared/texts.ts'
import { compose } from '../../supabase/functions/send-emails/compose.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { confirmAddresses, subjects } from './sent-emails.ts'

const db = databaseWithCast()
const others = rules.languages.filter((language) => language !== 'en')

/** Sentences that only who writes requests by hand, or an operator, ever meets; all others have a translation. */
const FOR_CLIENTS = new Set(
  `A paid booking is cancelled through handle-cancellation
An application starts as pending
The payment of this booking was started: it is cancelled through handle-cancellation
State must be to_answer, under_review, won, lost or all
Photos are added with the answer
Photos are added when the task is marked complete
You can only write as yourself
The photo of a message must be uploaded first
Photos are a list of names
Unknown category
The last tasker's rating, number of reviews and id are given together
Only the person can change their own profile
Nothing to change on this payment
A payment can only be released
A record keeps its identity
You can only review the other party of the booking
The task is not that of the booking
A verification is submitted as pending
A task is changed or closed, not both at once
You can only post tasks of your own
A new task is open
Tools provided must be true or false
Only the person can change what they declared
Only the person can hand in again
Availability must be available, busy or unavailable
Sort must be newest, pay or soonest
Period must be week or month
This token belongs to no session
Kind must be payments, payouts or refunds
There is no such state
Filter must be everyone, task_giver, task_doer, admin or suspended
What is reported is a task, a message, a profile or a review
A role is required
A recovery code cannot be tried with Prefer: tx=rollback
Avatar must be a web address
Unknown language
Background check consent must be true or false
Insurance must be true or false
SIN provided must be true or false
The price of a booking stays as it was agreed
Only the last 4 digits of a card are kept
Unknown card brand
Card expiry is not a date
Only the last 4 digits of the account are kept
A payout account becomes active when the payment provider confirms it
Rating must be between 1 and 5
Completion notes are given when the task is marked complete
A reason is given when the booking is cancelled`.split('\n'),
)
/** Functions whose sentences only the service's own callers see, and words that are no sentences. */
const FOR_SERVICES =
  /^(record_|attach_|begin_|call_run_effects$|call_run_effects_once$|finish_(payout|refund)|fail_|rule$|task_kinds|erase_name|person_name$|check_ledger|refuse_application|reason_of_)/
/** What the auth service says to people who did nothing wrong; English, as its clients expect it. */
const OF_AUTH = [
  'For security purposes, you can only request this after %s seconds.',
  'New password should be different from the old password.',
  'Request rate limit reached',
  'email rate limit exceeded',
]
/** Their parameters are words of the protocol, and the translation does without them. */
const WITHOUT_PARAMETERS = [
  'You cannot change this booking from %s to %s',
  'A task cannot go from %s to %s',
  'Only admins can %s',
  'Another admin decides %s',
]

type Text = { key: string; title: string; message: string; subject: string | null; button: string }
let texts: Text[]
beforeAll(async () => {
  texts = (await owner(db)('select key, title, message, subject, button from private.notification_texts'))
    .rows
})

const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
/** Every placeholder of the English is there, and none else; and the words are not the English ones. */
const follows = (text: string | undefined, english: string) =>
  text !== undefined &&
  String(holes(text)) === String(holes(english)) &&
  (text !== english || isOnlyHoles(english))
const isOnlyHoles = (text: string) => !/\p{L}/u.test(text.replace(/\{\w+\}/g, ''))

describe.each(others)('%s', (language) => {
  const { notifications, sentences = {}, emails } = textsIn(language)
  const english = textsIn('en').emails

  it('words every notification and its e-mail, with all placeholders', () => {
    const known = notifications?.texts ?? {}
    expect(Object.keys(known).sort()).toEqual(texts.map(({ key }) => key).sort())
    const wrong = texts.flatMap(({ key, subject, ...rest }) => {
      const parts = { ...rest, ...(subject === null ? {} : { subject }) }
      return Object.entries(parts)
        .filter(([part, text]) => !follows(known[key]?.[part as keyof typeof parts], text))
        .map(([part]) => `${key}.${part}`)
    })
    expect(wrong).toEqual([])
  })

  it('words the values of parameters, and what else an e-mail says', () => {
    const flat = (value: unknown, path = ''): [string, string][] =>
      typeof value === 'string'
        ? [[path, value]]
        : Object.entries(value as object).flatMap(([key, inner]) => flat(inner, `${path}/${key}`))
    const german = textsIn('de').notifications
    for (const part of ['values', 'changes'] as const)
      expect(flat(notifications?.[part]).map(([path]) => path)).toEqual(
        flat(german?.[part]).map(([path]) => path),
      )
    const own = new Map(flat(emails))
    expect(
      flat(english).filter(([path, text]) => path !== '/ended' && !follows(own.get(path), text)),
    ).toEqual([])
  })

  it('has a translation for every sentence that people read', async () => {
    const known = Object.keys(sentences)
    expect(known.filter((key) => !sentences[key] || sentences[key] === key)).toEqual([])
    const filled = (template: string) => {
      let nth = 0
      return template.replaceAll('%%', '%').replaceAll('%s', () => String(++nth * 11))
    }
    const said = await sentencesOfTheDatabase()
    expect(said.size).toBeGreaterThan(200)
    const auth = sourcesOf('server/auth')
    expect(OF_AUTH.filter((template) => template.split('%s').some((part) => !auth.includes(part)))).toEqual(
      [],
    )
    for (const template of OF_AUTH) said.add(template)
    const lacking = [...said].filter(
      (template) =>
        !FOR_CLIENTS.has(template) && translatedSentence(filled(template), sentences, language) === undefined,
    )
    expect(lacking).toEqual([])
    const lost = known
      .filter((template) => template.includes('%s') && !WITHOUT_PARAMETERS.includes(template))
      .filter((template) => {
        const text = translatedSentence(filled(template), sentences, language) ?? ''
        return template.match(/%s/g)?.some((_, index) => !text.includes(String((index + 1) * 11)))
      })
    expect(lost).toEqual([])
    // And none that nobody says.
    const sources = sourcesOf('supabase/functions') + sourcesOf('web/lib')
    const unsaid = known.filter(
      (key) => !said.has(key) && !sources.includes(`'${key}'`) && !WITHOUT_PARAMETERS.includes(key),
    )
    expect(unsaid).toEqual([])
  })

  it('makes whole e-mails of them, written in its direction', () => {
    for (const { key, title, message, subject, button } of texts) {
      const params = sampleParams(`${title} ${message} ${subject}`)
      const event = {
        key,
        kind: 'payments',
        required: true,
        title,
        message,
        button,
        params,
        link: '/bookings',
        receipt: null,
      }
      const { html, ...mail } = compose(
        {
          id: '00000000-0000-4000-8000-000000000001',
          to: 'grace@example.com',
          name: 'Grace',
          language,
          events: [
            {
              ...event,
              subject: subject ?? title,
              amounts: [{ label: 'You paid', amount: 1234.5 }],
              messages: null,
            },
          ],
          unsubscribe: null,
          unsubscribe_kinds: [],
        },
        'https://meadowlark.example',
      )
      expect(html).toContain(`<html lang="${language}" dir="${direction(language)}">`)
      const words = notifications?.texts[key]
      expect(mail.text).toContain(plain(pieces(words?.title ?? '', params, language, notifications)))
      expect(mail.text).not.toContain('You paid')
      expect(`${mail.subject}${mail.text}`).not.toMatch(/[{}]|undefined|NaN/)
    }
  })
})

it('an e-mail is written in the language that its reader last had on the screen', async () => {
  await confirmAddresses(db)
  await as(db, 'theo')(`update public.profiles set language = 'hi' where id = $1`, [cast.theo])
  await owner(db)(`select private.notify_person($1, 'verification_approved', '{}', '/dashboard')`, [
    cast.theo,
  ])
  expect(await subjects(db)).toEqual(['theo: आप वेरिफ़ाइड हैं'])
})

it('amounts, times and changes are written as the language writes them', () => {
  const shown = (language: Language, key: string, params: object) => {
    const { notifications } = textsIn(language)
    return plain(pieces(notifications?.texts[key]?.message ?? '', { ...params }, language, notifications))
  }
  const paid = { amount: 1234.5, task: 'Clear the driveway' }
  expect(shown('de', 'payment_held', paid)).toBe(
    'Die Zahlung von 1.234,50\u00a0$ für „Clear the driveway“ liegt auf Treuhand.',
  )
  expect(shown('es', 'payment_held', paid)).toContain('$1,234.50')
  // Half past two on Saskatchewan's clock, the whole year.
  const due = { task: 'x', person: 'Theo', at: '2026-07-21T20:30:00Z', when: 'Tuesday, July 21, 2:30 p.m.' }
  expect(shown('de', 'work_reminder', due)).toContain('Di., 21. Juli, 14:30')
  const changed = [
    { what: 'price', amount: 80 },
    { what: 'place', place: 'Regina' },
  ]
  expect(
    shown('fr', 'task_changed', { person: 'Grace', task: 'x', changes: 'the price is …', changed }),
  ).toContain('le prix est maintenant de 80,00\u00a0$; le lieu est maintenant Regina')
  expect(shown('ar', 'task_changed', { person: 'Grace', task: 'x', changes: '…', changed })).toContain(
    '؛ المكان',
  )
})

/** A number for what is money, a word for the rest. */
function sampleParams(templates: string): Record<string, unknown> {
  const names = new Set([...templates.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const money = new Set([...templates.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name))
  return Object.fromEntries([...names].map((name) => [name, money.has(name) ? 80.5 : `<${name}>`]))
}

/** Sentences in the bodies of functions and the arguments of triggers: what begins as a sentence does. */
async function sentencesOfTheDatabase(): Promise<Set<string>> {
  const { rows: functions } = await owner(db)(
    `select p.proname as name, p.prosrc as source from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'private')`,
  )
  const { rows: triggers } = await owner(db)(
    `select 'reject' as name, substring(pg_get_triggerdef(oid) from 'private\\.reject\\((.*)\\)$') as source
     from pg_trigger where not tgisinternal and tgfoid = 'private.reject'::regproc`,
  )
  const all = [...functions, ...triggers].filter(({ name }) => !FOR_SERVICES.test(name))
  const literals = all.flatMap(({ source }) =>
    [...source.replace(/--[^\n]*/g, '').matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) =>
      text.replaceAll("''", "'"),
    ),
  )
  return new Set(
    literals.filter((text) => /^[A-Z][A-Za-z$]*[ ,]/.test(text) && !/^FMDay|^The operator starts/.test(text)),
  )
}

function sourcesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(`${folder}/${path}`, 'utf8'))
    .join('\n')
}
