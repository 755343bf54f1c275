// Values that an operator edits are only in marketplace.config.ts: marketing figures, and the dates of the legal
// texts.
import { expect, test } from 'vitest'
import { claims, legalTextsChanged } from '../../marketplace.config.ts'
import { withValues } from '../../shared/textValues.ts'
import legal from '../i18n/en/legal.json' with { type: 'json' }

const FIGURES = [claims.activeUsers, claims.tasksCompleted, '$2,500+', '10,000+', '4.8/5']

const sources = import.meta.glob<string>(
  ['../{app,features,ui,lib,i18n}/**/*.{ts,tsx,json}', '!**/*.test.ts'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
)

test('no text and no screen repeats a figure of the marketing', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(200)
  const repeated = Object.entries(sources).flatMap(([path, text]) =>
    FIGURES.filter((figure) => text.includes(figure)).map((figure) => `${path}: ${figure}`),
  )
  expect(repeated).toEqual([])
})

/** A changed legal text, or another value that it names, needs a new day in marketplace.config.ts, and here. */
test.each([
  ['terms', '2026-11-29', 'ab48f4444d1a'],
  ['privacy', '2026-11-29', 'a5e079a417ab'],
] as const)('the day that readers see of the %s is that of its last change', async (name, day, hash) => {
  const read = withValues(JSON.stringify(legal[name]), 'en')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(read))
  const text = Array.from(new Uint8Array(digest).slice(0, 6), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  expect([legalTextsChanged[name], text]).toEqual([day, hash])
})
