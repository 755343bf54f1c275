// No text of any language repeats what marketplace.config.ts decides: it takes the value as a variable, so that the
// texts of a marketplace elsewhere name its own place, tax, shares and amounts.
import i18next from 'i18next'
import { afterAll, describe, expect, test } from 'vitest'
import * as marketplace from '../../marketplace.config.ts'
import { type Named, textValues } from '../../shared/textValues.ts'
import { startI18n, type TextKey } from './index.ts'
import { type Language, languages } from './languages.ts'

const folders = import.meta.glob<object>(['./*/*.json', '../../shared/texts/*/*.json'], {
  eager: true,
  import: 'default',
})
const all = Object.keys(languages) as Language[]

function textsOf(language: Language): [key: string, text: string][] {
  const files = Object.entries(folders).filter(([path]) => path.includes(`/${language}/`))
  return files.flatMap(([path, file]) => flat(file, path.replace(/.*\/|\.json/g, '')))
}

function flat(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  return Object.entries(value as object).flatMap(([key, inner]) => flat(inner, `${path}.${key}`))
}

const inEach = (name: string) =>
  Object.fromEntries(all.map((code) => [code, name])) as Record<Language, string>

/** Another province, with another tax, clock, currency and other shares and amounts. */
const elsewhere: Named = {
  province: {
    ...marketplace.province,
    names: Object.fromEntries(all.map((code) => [code, { name: 'Ontario' }])) as never,
  },
  tax: { percent: 13, name: inEach('HST') },
  fees: {
    platformPercent: 11,
    cancellation: [
      { underHours: 3, percent: 60 },
      { underHours: 72, percent: 30 },
    ],
    cancellationFlatCents: 900,
  },
  pay: { min: 41, max: 70_000 },
  clock: { timeZone: 'America/Toronto', name: inEach('eastern time') },
  currency: { code: 'USD', name: inEach('US dollars') },
  examples: {
    cities: [{ en: 'Ottawa' }, { en: 'Thunder Bay' }],
    place: 'Toronto, Leslieville',
    phone: '+1 416 555 0199',
    postalCode: 'M5V 2T6',
  },
}

/** Values that only tell how many, and are also other numbers. */
const COUNTS = /(Hours|Days|Time|Age|Percent|Photos|Expenses)$/

/** Literals that no text of the language may contain: each value, and the stem of a name in any case. */
function literals(language: Language, values = textValues(language)): [name: string, pattern: RegExp][] {
  const given = Object.entries(values).filter(([name]) => !COUNTS.test(name))
  return given.map(([name, value]) => {
    const stem = /^(province|exampleCity|otherExampleCity)$/.test(name) && value.length > 5
    const written = (stem ? value.slice(0, -1) : value).replace(/[\u2066-\u2069\u061c]/g, '')
    const pattern = written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s/g, '\\s')
    const [before, after] = [
      /^\d/.test(written) ? '(?<![\\d.,])' : '',
      /[\d$]$/.test(written) ? '(?![\\d.,]\\d?)' : '',
    ]
    return [
      name,
      new RegExp(`${/^\p{L}/u.test(written) ? '(?<!\\p{Lu})' : ''}${before}${pattern}${after}`, 'iu'),
    ]
  })
}

/** The text as it is read, with its own placeholders left open. */
function rendered(language: Language, values: object): [key: string, text: string, source: string][] {
  const texts = textsOf(language)
  const instance = i18next.createInstance({
    lng: language,
    resources: { [language]: { translation: Object.fromEntries(texts) } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false, defaultVariables: { ...values } },
    missingInterpolationHandler: (_: string, [hole]: RegExpExecArray) => hole,
  })
  instance.init()
  return texts.map(([key, source]) => [key, instance.t(key as TextKey), source])
}

describe.each(all)('%s', (language) => {
  test('no text contains a value of the configuration', () => {
    const found = textsOf(language).flatMap(([key, text]) =>
      literals(language).flatMap(([name, pattern]) =>
        pattern.test(text) ? [`${key}: ${name}: ${text}`] : [],
      ),
    )
    expect(found).toEqual([])
  })

  test('with another configuration, each text names its values and none of these', () => {
    const values: Record<string, string> = textValues(language, elsewhere)
    const here = literals(language)
    const wrong = rendered(language, values).flatMap(([key, text, source]) => {
      const holes = [...source.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name as string)
      const lost = holes.filter((name) => name in values && !text.includes(values[name] as string))
      const old = here.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
      return [...lost, ...old].map((name) => `${key}: ${name}: ${text}`)
    })
    expect(wrong).toEqual([])
  })
})

test.each(all)('hints about photos name their limit as a value, in %s', (language) => {
  const hints = textsOf(language).filter(([key]) => /\.(work)?photosHint$/i.test(key))
  expect(hints.map(([key]) => key).sort()).toEqual([
    'bookings.workPhotosHint',
    'changes.photosHint',
    'payments.photosHint',
    'schedule.noShow.photosHint',
    'tasks.photosHint',
  ])
  for (const [, hint] of hints) expect(hint).toMatch(/^\D*\{\{maxPhotos\}\}\D*$/)
})

test('each value is in some text', () => {
  const used = new Set(
    all.flatMap((language) =>
      textsOf(language).flatMap(([, text]) => text.match(/(?<=\{\{)\w+(?=\}\})/g) ?? []),
    ),
  )
  expect(Object.keys(textValues('en')).filter((name) => !used.has(name))).toEqual([])
})

describe('every t() has the values', () => {
  afterAll(() => i18next.changeLanguage('en'))

  test.each([
    ['en', 'GST (5%)', 'Small jobs, done by people nearby. Made in Saskatchewan, under a very big sky.'],
    [
      'fr',
      'TPS (5\u00a0%)',
      'Des petits travaux, faits par des gens d’ici. Né en Saskatchewan, sous un ciel immense.',
    ],
    [
      'ru',
      'Налог GST (5\u00a0%)',
      'Небольшие дела руками соседей. Сделано в Саскачеване, под очень большим небом.',
    ],
  ] as const)('in %s, as it writes them', async (language, tax, tagline) => {
    await startI18n(language)
    expect(i18next.t('ui.price.gst')).toBe(tax)
    expect(i18next.t('layout.footer.tagline')).toBe(tagline)
  })

  test('between isolates where the page runs from right to left', async () => {
    await startI18n('ar')
    expect(i18next.t('ui.price.platformFee')).toBe('رسوم المنصّة (\u2068\u061c15%\u2069)')
  })
})
