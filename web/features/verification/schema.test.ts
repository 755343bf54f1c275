// Lists typed into the wizard, and the minimum age.
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { startI18n } from '../../i18n/index.ts'
import { ageOf, latestDateOfBirth, listOf, typedList } from './schema.ts'

beforeAll(() => startI18n('en'))

test('a list is split at the commas of every language, as its hints have them', () => {
  expect(listOf('snow, , cats ')).toEqual(['snow', 'cats'])
  expect(listOf('铲雪、石膏板，遛狗')).toEqual(['铲雪', '石膏板', '遛狗'])
  expect(listOf('إزالة الثلج، تمشية الكلاب')).toEqual(['إزالة الثلج', 'تمشية الكلاب'])
})

test('a list is shown for typing with the commas of its language, which take it apart again', async () => {
  const entries = ['snow', 'cats', 'drywall']
  try {
    for (const [language, text] of [
      ['en', 'snow, cats, drywall'],
      ['ar', 'snow، cats، drywall'],
      ['zh', 'snow、cats、drywall'],
    ] as const) {
      await i18next.changeLanguage(language)
      expect(typedList(entries)).toBe(text)
      expect(listOf(text)).toEqual(entries)
    }
  } finally {
    await i18next.changeLanguage('en')
  }
})

test('somebody is 18 on their eighteenth birthday, not the day before', () => {
  const now = new Date('2026-11-21T12:00:00')
  expect([ageOf('2008-11-21', now), ageOf('2008-11-22', now)]).toEqual([18, 17])
  expect(latestDateOfBirth(now)).toBe('2008-11-21')
})
