// A key or a file that a language lacks is read in English, and never shows its name.
import i18next from 'i18next'
import { afterAll, expect, test, vi } from 'vitest'
import { withEnglish } from './withEnglish.ts'

const english = {
  hero: { title: 'Somebody nearby', lead: 'Post it' },
  found_one: '1 task',
  found_other: 'tasks',
}

test('a missing or empty key becomes the English text, at any depth', () => {
  expect(withEnglish({ hero: { title: '', lead: 'Poste-le' } }, english)).toEqual({
    ...english,
    hero: { title: 'Somebody nearby', lead: 'Poste-le' },
  })
  expect(withEnglish({}, english)).toEqual(english)
})

test('a language keeps its own plural forms', () => {
  expect(withEnglish({ hero: english.hero, found_other: '个任务' }, english)).toEqual({
    hero: english.hero,
    found_other: '个任务',
  })
})

test('a file that cannot be loaded is read in English, and asked for again with the next screen', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.resetModules()
  let isBroken = true
  vi.doMock('./fr/pages.json', () => {
    if (isBroken) throw new Error('Failed to fetch')
    return { default: { notFound: { title: 'Page introuvable' } } }
  })
  const { openTexts, startI18n } = await import('./index.ts')
  await startI18n('fr')
  await openTexts(['pages'])
  expect(i18next.t('pages.notFound.title')).toBe('Oops! Page not found')
  expect(warned).toHaveBeenCalled()
  isBroken = false
  await openTexts([])
  expect(i18next.t('pages.notFound.title')).toBe('Page introuvable')
})

// All files of a worker share i18next.
afterAll(async () => {
  await i18next.changeLanguage('en')
  vi.doUnmock('./fr/pages.json')
  vi.restoreAllMocks()
  vi.resetModules()
})
