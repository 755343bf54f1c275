// Notifications are read in the bell, as push messages and in e-mails, by devices with any clock.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rules } from '../../shared/rules.ts'

test.each(rules.languages)(
  '%s: messages and subjects that name a moment say by which clock, for bell, push and e-mail alike',
  (language) => {
    const { texts, changes } = JSON.parse(
      readFileSync(new URL(`../../shared/texts/${language}/notifications.json`, import.meta.url), 'utf8'),
    ) as { texts: Record<string, { message: string; subject?: string }>; changes: Record<string, string> }
    const sentences = [
      ...Object.values(texts).flatMap(({ message, subject = '' }) => [message, subject]),
      ...Object.values(changes),
    ]
    const moments = sentences.filter((text) => /\{\{(when|at, moment)\}\}/.test(text))
    expect(moments.length).toBeGreaterThan(5)
    expect(moments.filter((text) => !/\{\{clock\}\}/.test(text))).toEqual([])
  },
)
