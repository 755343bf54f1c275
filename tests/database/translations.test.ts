// The database's texts in every language of the app: each notification with its e-mail, as in the migrated database.
// tests/unit/error-codes.test.ts compares the errors.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { direction, type Language } from '../../shared/language.ts'
import { rules } from '../../shared/rules.ts'
import type { EventTexts, NotificationTexts } from '../../shared/texts.ts'
import { textsIn } from '../../supabase/functions/_shared/texts.ts'
import { compose } from '../../supabase/functions/send-emails/compose.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { confirmAddresses, subjects } from './sent-emails.ts'

const db = databaseWithCast()
const others = rules.languages.filter((language) => language !== 'en')

const read = (language: string, file: string) =>
  JSON.parse(readFileSync(`shared/texts/${language}/${file}.json`, 'utf8'))
const notificationsIn = (language: string): NotificationTexts => read(language, 'notifications')
const english = notificationsIn('en').texts

type Text = Required<EventTexts> & { key: string }
let texts: Text[]
beforeAll(async () => {
  texts = (
    await owner(db)(
      'select key, title, message, coalesce(subject, title) as subject, button from private.notification_texts',
    )
  ).rows
})

/** The English words of a fact, and the fact as other languages write it. */
const FACTS: Record<string, string> = {
  '{{at, moment}}': '{{when}}',
  '{{changed, changes}}': '{{changes}}',
  '{{inProvince}}': '{{province}}',
  '{{acrossProvince}}': '{{province}}',
}
const holes = (text: string) => [...text.matchAll(/\{\{.+?\}\}/g)].map(([hole]) => FACTS[hole] ?? hole).sort()
/** Texts that may equal the English ones: no words. */
const ALIKE = ['/ended']
/** Every placeholder of the English is there, and none else; and the words are not the English ones. */
const follows = (text: string | undefined, original: string) =>
  text !== undefined &&
  String(holes(text)) === String(holes(original)) &&
  (text !== original || isOnlyHoles(original))
const isOnlyHoles = (text: string) => !/\p{L}/u.test(text.replace(/\{\{.+?\}\}/g, ''))

const flat = (value: unknown, path = ''): [string, string][] =>
  typeof value === 'string'
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([key, inner]) => flat(inner, `${path}/${key}`))

const keysOf = (value: object = {}) => flat(value).map(([path]) => path)

it('the database has the English texts', () => {
  const stored = texts.map(({ key, ...parts }) => [key, parts])
  const written = Object.entries(english).map(([key, parts]) => [key, { subject: parts.title, ...parts }])
  expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(written))
})

it('parameters with translated words are named by codes, never by the words', () => {
  for (const path of keysOf(notificationsIn('en').values)) expect(path).toMatch(/^\/[a-z]+\/[a-z_]+$/)
})

it('every code that the database gives has its words', async () => {
  const { rows } = await owner(db)(`
    with computed as (
      select 'reason' as name, private.payout_return_reason(code) as code from unnest(array['account_closed', 'account_frozen',
        'bank_ownership_changed', 'no_account', 'invalid_currency', 'other']) code
      union select 'reason', reason from unnest(array['payouts_not_allowed', 'account_invalid', 'insufficient_funds', 'other']) code,
        unnest(array[private.transfer_refusal_reason(code), private.abandoned_payout_reason(code),
          private.refund_refusal_reason(code)]) reason
      union select 'what', kind::text from unnest(enum_range(null::public.reported_kind)) kind
      union select 'role', array_to_string(array(select role from unnest(enum_range(null::public.app_role)) role
        where role in (one, two, three) order by role), '_') from unnest(enum_range(null::public.app_role)) one,
        unnest(enum_range(null::public.app_role)) two, unnest(enum_range(null::public.app_role)) three
    ), written as (
      select distinct code[1] as code from pg_proc, regexp_matches(prosrc, $$coded\\('(\\w+)'|"code": "(\\w+)"$$, 'g') found,
        lateral (select array[coalesce(found[1], found[2])]) as one (code) where pronamespace = 'private'::regnamespace
    )
    select '/' || name || '/' || code as path from computed
    union select coalesce((select '/' || v.name || '/' || w.code from jsonb_each(private.notification_values()) v (name, codes)
      where v.codes ? w.code limit 1), w.code) from written w`)
  const worded = keysOf(notificationsIn('en').values)
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.map(({ path }) => path).filter((path) => !worded.includes(path))).toEqual([])
})

it('a coded parameter is stored with its English words and its code; what a person wrote is neither', async () => {
  const { rows } = await owner(db)('select private.with_words($1) as params', [
    JSON.stringify({
      reason: { code: 'currency_not_taken' },
      person: 'deleted_user',
      task: 'Removed task',
      min: null,
    }),
  ])
  expect(rows[0].params).toEqual({
    reason: 'The account does not take Canadian dollars.',
    person: 'deleted_user',
    task: 'Removed task',
    min: null,
    codes: { reason: 'currency_not_taken' },
  })
})

it('the database fills them: a value that looks like a parameter stays as it is, a missing one is left out', async () => {
  const params = { person: '{{task}} $', task: 'x\\1', min: 25.5 }
  const { rows } = await owner(db)('select private.filled_text($1, $2) as text', [
    '{{person}}: "{{task}}"{{gone}}, {{min, price}} or {{min, money}}',
    JSON.stringify(params),
  ])
  expect(rows[0].text).toBe('{{task}} $: "x\\1", $25.5 or $25.5')
})

it('functions of the version before get the syntax that they read', async () => {
  const { rows } = await owner(db)(
    `select private.earlier_syntax('{{person}} released {{amount, money}}') as text`,
  )
  expect(rows[0].text).toMatch(/^\{person\} released \$\{amount\}$/)
})

it.each(rules.languages)('%s has no markup in what becomes HTML as it is', (language) => {
  const all = [...flat(notificationsIn(language)), ...flat(read(language, 'emails'))]
  expect(all.filter(([, text]) => /[<>&]/.test(text))).toEqual([])
})

describe.each(others)('%s', (language) => {
  const { emails } = textsIn(language)
  const own = notificationsIn(language)

  it('words every notification and its e-mail, with all placeholders', () => {
    expect(Object.keys(own.texts)).toEqual(Object.keys(english))
    const wrong = flat(english).filter(([path, text]) => !follows(new Map(flat(own.texts)).get(path), text))
    expect(wrong).toEqual([])
  })

  it('words the values of parameters, and what else an e-mail says', () => {
    expect(keysOf(own.values)).toEqual(keysOf(notificationsIn('en').values))
    expect(keysOf(own.changes)).toEqual(keysOf(notificationsIn('de').changes))
    expect(own.betweenChanges).toMatch(/^\p{P} ?$/u)
    const words = new Map(flat(read(language, 'emails')))
    expect(
      flat(read('en', 'emails')).filter(
        ([path, text]) => !ALIKE.includes(path) && !follows(words.get(path), text),
      ),
    ).toEqual([])
  })

  it('makes whole e-mails of them, written in its direction', () => {
    for (const { key, ...parts } of texts) {
      const params = sampleParams(Object.values(parts).join(' '))
      const event = {
        key,
        kind: 'payments',
        required: true,
        texts: parts,
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
              amounts: [
                { line: 'gst', percent: 5, label: 'GST (5%)', amount: 61.73 },
                { line: 'paid', label: 'You paid', amount: 1234.5 },
              ],
              messages: null,
            },
          ],
          unsubscribe: null,
          unsubscribe_kinds: [],
        },
        'https://meadowlark.example',
      )
      expect(html).toContain(`<html lang="${language}" dir="${direction(language)}">`)
      const title = own.texts[key]?.title.replace(/\{\{(\w+)\}\}/g, (_, name) => String(params[name]))
      expect(mail.text).toContain(title)
      expect(mail.text).toContain(`${emails.say('amounts.paid')}: `)
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
    return textsIn(language).notifications.say(`${key}.message`, { ...params })
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

/** A number for what is money, a word for the rest; facts come with their English words. */
function sampleParams(templates: string): Record<string, unknown> {
  const found = [...templates.matchAll(/\{\{(\w+)(, money)?\}\}/g)]
  const params = found.map(([, name = '', money]) => [name, money ? 80.5 : `<${name}>`])
  return { at: '2026-07-21T20:30:00Z', changed: [{ what: 'tools' }], ...Object.fromEntries(params) }
}
