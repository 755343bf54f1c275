// Texts filled by i18next: values stay what people wrote, and each language writes its own amounts, moments and changes.
import { expect, test } from 'vitest'
import { isolated } from './bidi.ts'
import { notificationTextsOf, textsOf } from './texts.ts'

const english = textsOf('en', {
  'task.pay': 'At least {{min, price}}, {{min, money}} exactly',
  applied: '{{person}} applied to "{{task}}"',
  nested: { ended: '{{subject}}.' },
  waiting_one: '{{count}} task waits',
  waiting_other: '{{count}} tasks wait',
})

test('amounts with and without cents, and plural forms', () => {
  expect(english.say('task.pay', { min: 25 })).toBe('At least $25, $25.00 exactly')
  expect(english.say('task.pay', { min: 25.5 })).toBe('At least $25.50, $25.50 exactly')
  expect(english.say('waiting', { count: 1 })).toBe('1 task waits')
  expect(english.say('waiting', { count: 2 })).toBe('2 tasks wait')
})

test('texts that people wrote name neither a parameter nor another text', () => {
  const task = '{{person}} $t(nested.ended) {{- task}}'
  expect(english.say('applied', { person: 'Theo', task })).toBe(`Theo applied to "${task}"`)
})

test('options of i18next are no parameters', () => {
  const options = { lng: 'de', ns: 'x', context: 'one', defaultValue: 'y', person: 'Theo', task: 'x' }
  expect(english.say('applied', options)).toBe('Theo applied to "x"')
})

test('a missing or empty parameter is left out', () => {
  expect(english.say('applied', { person: null })).toBe(' applied to ""')
})

test('a key that is unknown has no text but the one that is given', () => {
  for (const key of ['constructor', '__proto__', 'nested.constructor', 'task', 'x:applied'])
    expect(english.has(key)).toBe(false)
  expect(english.has('task.pay')).toBe(true)
  expect(
    textsOf<Record<string, string>>('en', {}).say(
      'unknown',
      { person: 'Theo' },
      { fallback: 'Ask {{person}}' },
    ),
  ).toBe('Ask Theo')
})

test('only values are escaped, once they are formatted', () => {
  const options = { escape: (value: string) => `<${value}>` }
  expect(english.say('task.pay', { min: 25 }, options)).toBe('At least <$25>, <$25.00> exactly')
  expect(english.say('applied', { person: 'Theo', task: 'x' })).toBe('Theo applied to "x"')
})

test('values keep their order in a text of the other direction', () => {
  const name = 'محمد'
  expect(english.say('nested.ended', { subject: name })).toBe(`${isolated(name, 'ltr')}.`)
  const arabic = textsOf('ar', { ended: '{{subject}}.' })
  expect(arabic.say('ended', { subject: 'Theo' })).toBe(`${isolated('Theo', 'rtl')}.`)
})

test('changes, moments and coded parameters in the words of the language', () => {
  const german = notificationTextsOf('de', {
    texts: {
      changed: {
        title: 'Geändert',
        message: '{{person}}: {{changed, changes}}. {{at, moment}}',
        button: 'x',
      },
    },
    values: { person: { deleted_user: 'Gelöschtes Konto' } },
    changes: { price: 'jetzt {{amount, money}}', time: 'am {{at, moment}}', place: 'in {{place}}' },
    betweenChanges: '; ',
  })
  const changed = [
    { what: 'price', amount: 80 },
    { what: 'time', at: '2026-07-21T20:30:00Z' },
    { what: 'place', place: '{{person}}' },
  ]
  const codes = { person: 'deleted_user', toString: 'deleted_user', task: 'unknown' }
  const params = { person: 'Deleted user', codes, changed, at: '2026-07-21T20:30:00Z' }
  expect(german.say('changed.message', params)).toBe(
    'Gelöschtes Konto: jetzt 80,00\u00a0$; am Di., 21. Juli, 14:30; in {{person}}. Di., 21. Juli, 14:30',
  )
  // A person's own words have no code. An unknown code keeps the English words.
  for (const person of ['Deleted user', 'deleted_user'])
    expect(german.say('changed.message', { person, codes: { person: 'constructor' } })).toBe(`${person}: . `)
})

test('the marketplace’s values are words of a text, which no escape marks', () => {
  const file = { taxed: '{{tax}} {{percent}}%', placed: '{{inProvince}}, {{person}}' }
  const options = { escape: (value: string) => `<${value}>`, fallback: '{{clock}}' }
  expect(textsOf('fr', file).say('taxed', { percent: 5 }, options)).toBe('TPS <5>%')
  expect(textsOf('fr', file).say('placed', { person: 'Theo' }, options)).toBe('en Saskatchewan, <Theo>')
  const open = textsOf<Record<string, string>>('fr', file)
  expect(open.say('unknown', {}, options)).toBe('heure de la Saskatchewan')
})

test('the words of a code take the marketplace’s values', () => {
  const values = { reason: { currency_not_taken: 'Das Konto nimmt keine {{currency}} an.' } }
  const texts = { failed: { title: '{{reason}}', message: '', button: '' } }
  const german = notificationTextsOf('de', { texts, values })
  const params = {
    reason: 'The account does not take Canadian dollars.',
    codes: { reason: 'currency_not_taken' },
  }
  expect(german.say('failed.title', params)).toBe('Das Konto nimmt keine kanadischen Dollar an.')
})

test('a moment of a task is by the clock at its place, which its text names', () => {
  const file = { texts: { soon: { title: '', message: '{{at, moment}}, {{clock}}', button: '' } } }
  const at = '2027-07-01T15:00:00Z'
  const german = notificationTextsOf('de', {
    ...file,
    changes: { time: 'am {{at, moment}}, {{clock}}' },
    texts: { ...file.texts, changed: { title: '', message: '{{changed, changes}}', button: '' } },
  })
  expect(german.say('soon.message', { at })).toBe('Do., 1. Juli, 9:00, Ortszeit Saskatchewan')
  expect(german.say('soon.message', { at, zone: 'America/Winnipeg' })).toBe(
    'Do., 1. Juli, 10:00, Nordamerikanische Zentralzeit',
  )
  const changed = [{ what: 'time', at, zone: 'America/Winnipeg' }]
  expect(german.say('changed.message', { changed })).toBe(
    'am Do., 1. Juli, 10:00, Nordamerikanische Zentralzeit',
  )
  const english = notificationTextsOf('en', {
    texts: { soon: { title: '', message: '{{when}}, {{clock}}', button: '' } },
  })
  const when = 'Thursday, July 1, 9:00 a.m.'
  expect(english.say('soon.message', { when })).toBe(`${when}, Saskatchewan time`)
  const local = { when: 'Thursday, July 1, 10:00 a.m.', clock: 'Central Time' }
  expect(english.say('soon.message', { when, zone: 'America/Winnipeg', local })).toBe(
    'Thursday, July 1, 10:00 a.m., Central Time',
  )
})
