// Every language says what English says: the same keys, placeholders and tags, the plural forms that its grammar has,
// and nothing left in English.
import { describe, expect, test } from 'vitest'
import { textValues } from '../../shared/textValues.ts'
import { english } from './en/index.ts'
import { direction, type Language, languages } from './languages.ts'

const folders = import.meta.glob<object>(['./*/*.json', '!./en/*.json'], { eager: true, import: 'default' })

/** The texts of notifications and their e-mails. */
const written = import.meta.glob<{ texts: object }>('../../shared/texts/*/notifications.json', {
  eager: true,
  import: 'default',
})

/** Texts that English and the language write alike. */
const SAME: Partial<Record<string, string[]>> = {
  every: ['Meadowlark {{title}}'],
  de: ['Admin', 'Admins', 'Chat', 'Code', 'Name', 'Passkey', 'Passkeys', 'Person', 'System'],
  fr: [
    'Question',
    'Questions',
    'Date',
    'Description',
    'Excellent',
    'Latitude',
    'Longitude',
    'Menu',
    'Message',
    'Messages',
    'Notifications',
    'Photo',
    'Photo {{number}}',
    'Photos',
    'Suggestions',
    '{{count}} suggestion',
    '{{count}} suggestions',
    'Suspension',
    'Village',
  ],
  es: ['Chat', 'Error', 'Legal', 'No'],
  id: ['Admin', 'Bio', 'Email', 'Menu', 'Status'],
  pt: ['Chat', 'Latitude', 'Legal', 'Longitude', 'Menu'],
}

const PLURAL = /_(zero|one|two|few|many|other)$/

type Texts = Map<string, string>

function flat(value: unknown, path: string, into: Texts = new Map()): Texts {
  if (typeof value === 'string') into.set(path, value)
  else
    for (const [key, inner] of Object.entries(value as object))
      flat(inner, path ? `${path}.${key}` : key, into)
  return into
}

const source = flat(english, '')
const base = (key: string) => (source.has(key) ? key : key.replace(PLURAL, ''))
const isPlural = (key: string) => PLURAL.test(key) && source.has(key.replace(PLURAL, '_other'))

/** The keys that a language needs, its own plural forms in place of the English ones. */
function expectedKeys(language: string): Set<string> {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const keys = [...source.keys()].flatMap((key) => {
    if (!isPlural(key)) return [key]
    const name = key.replace(PLURAL, '')
    // 'Nobody has applied yet': i18next takes _zero for 0 in every language.
    return [
      ...pluralCategories.map((category) => `${name}_${category}`),
      ...(key.endsWith('_zero') ? [key] : []),
    ]
  })
  return new Set(keys)
}

/** Forms of one value: a language takes the one that its grammar needs. */
const FORMS: Record<string, string> = {
  inProvince: 'province',
  ofProvince: 'province',
  acrossProvince: 'province',
  Clock: 'clock',
  platformPercent: 'platformFee',
}
const values = new Set(Object.keys(textValues('en')))
const named = (hole: string) => hole.slice(2, -2)

const allHoles = (text: string) => text.match(/\{\{.*?\}\}|<\/?\w+\s*\/?>/g)?.sort() ?? []
/** The placeholders that whoever asks for the text fills, and tags. */
const holes = (text: string) => allHoles(text).filter((hole) => !values.has(named(hole)))
/** The marketplace's values that a text names. */
const valuesIn = (text: string) =>
  new Set(
    allHoles(text)
      .map(named)
      .filter((name) => values.has(name))
      .map((name) => FORMS[name] ?? name),
  )

/** The placeholders and tags a text must have; a form for one or two may say the number in words. */
function wrongHoles(key: string, text: string): boolean {
  const original = source.get(isPlural(key) ? key.replace(PLURAL, '_other') : key) ?? ''
  const has = valuesIn(text)
  if ([...valuesIn(original)].some((name) => !has.has(name))) return true
  const withoutCount = (all: string[]) => all.filter((hole) => hole !== '{{count}}')
  const [wanted, given] = [holes(original), holes(text)]
  if (String(wanted) === String(given)) return false
  return !/_(zero|one|two)$/.test(key) || String(withoutCount(wanted)) !== String(withoutCount(given))
}

const translated = Object.keys(languages).filter((language) =>
  Object.keys(folders).some((path) => path.startsWith(`./${language}/`)),
)

test('each folder is one of the ten', () => {
  expect(Object.keys(folders).filter((path) => !translated.includes(path.split('/')[1] ?? ''))).toEqual([])
})

describe.each(translated)('%s', (language) => {
  const texts: Texts = new Map()
  for (const [path, file] of Object.entries(folders))
    if (path.startsWith(`./${language}/`))
      flat(file, path.split('/').at(-1)?.replace('.json', '') ?? '', texts)
  const expected = expectedKeys(language)

  test('has no key that English lacks, and the plural forms of its grammar', () => {
    expect([...texts.keys()].filter((key) => !expected.has(key))).toEqual([])
  })

  test('lacks no key', () => {
    expect([...expected].filter((key) => !texts.has(key))).toEqual([])
  })

  test('keeps every placeholder and tag', () => {
    const wrong = [...texts].filter(([key, text]) => expected.has(key) && wrongHoles(key, text))
    expect(wrong).toEqual([])
  })

  // Values keep their own direction, and where no words are next to them nothing else shows the sentence's.
  test.runIf(direction(language as Language) === 'rtl')(
    'begins what is all values with the mark of its direction',
    () => {
      const words = (text: string) => text.replace(/\{\{.+?\}\}|<[^>]+>/g, '')
      const all = [
        ...flat(texts, '').values(),
        ...flat(written[`../../shared/texts/${language}/notifications.json`]?.texts ?? {}, '').values(),
      ]
      const alone = /^\{+\w+\}+$/
      const allValues = all.filter(
        (text) => text.includes('{') && !alone.test(text) && !/\p{L}/u.test(words(text)),
      )
      expect(allValues).not.toEqual([])
      expect(allValues.filter((text) => !text.startsWith('\u200f'))).toEqual([])
    },
  )

  test('leaves nothing in English', () => {
    const same = new Set([...(SAME.every ?? []), ...(SAME[language] ?? [])])
    const left = [...texts].filter(([key, text]) => {
      const words = text.replace(/\{\{.*?\}\}|<\/?\w+\s*\/?>/g, '')
      return (
        /\p{L}{2,}/u.test(words) && (source.get(key) ?? source.get(base(key))) === text && !same.has(text)
      )
    })
    expect(left).toEqual([])
  })
})
