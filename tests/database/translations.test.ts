// What the database says to people, in every language of the app: each notification with its e-mail, as they are in the
// migrated database. tests/unit/error-codes.test.ts compares the errors.
import { beforeAll, describe, expect, it } from 'vitest'
import { direction, type Language } from '../../shared/locale.ts'
import { rules } from '../../shared/rules.ts'
import { pieces, plain } from '../../shared/wording.ts'
import { textsIn } from '../../supabase/functions/_shared/texts.ts'
import { compose } from '../../supabase/functions/send-emails/compose.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { confirmAddresses, subjects } from './sent-emails.ts'

const db = databaseWithCast()
const others = rules.languages.filter((language) => language !== 'en')

type Text = { key: string; title: string; message: string; subject: string | null; button: string }
let texts: Text[]
beforeAll(async () => {
  texts = (await owner(db)('select key, title, message, subject, button from private.notification_texts'))
    .rows
})

const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
/** What may read as in English: no words, or the name of the tax. */
const ALIKE = ['/ended', '/amounts/gst']
/** Every placeholder of the English is there, and none else; and the words are not the English ones. */
const follows = (text: string | undefined, english: string) =>
  text !== undefined &&
  String(holes(text)) === String(holes(english)) &&
  (text !== english || isOnlyHoles(english))
const isOnlyHoles = (text: string) => !/\p{L}/u.test(text.replace(/\{\w+\}/g, ''))

describe.each(others)('%s', (language) => {
  const { notifications, emails } = textsIn(language)
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
      flat(english).filter(([path, text]) => !ALIKE.includes(path) && !follows(own.get(path), text)),
    ).toEqual([])
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
      const words = notifications?.texts[key]
      expect(mail.text).toContain(plain(pieces(words?.title ?? '', params, language, notifications)))
      expect(mail.text).toContain(`${emails.amounts.paid}: `)
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
