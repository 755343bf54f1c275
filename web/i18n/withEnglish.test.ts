// A key that a language lacks is read in English, and never shows its name.
import { expect, test } from 'vitest'
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
