// Every figure that marketing claims stands in site.ts and nowhere else, so that an operator changes it in one place.
import { expect, test } from 'vitest'
import { claims } from './site.ts'

const sources = import.meta.glob<string>(
  ['../{app,features,ui,lib,i18n}/**/*.{ts,tsx,json}', '!**/*.test.ts'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
)

test('no text and no screen repeats a figure of the marketing', () => {
  const others = Object.entries(sources).filter(([path]) => !path.endsWith('/site.ts'))
  expect(others.length).toBeGreaterThan(200)
  const repeated = others.flatMap(([path, text]) =>
    Object.values(claims)
      .filter((figure) => text.includes(figure))
      .map((figure) => `${path}: ${figure}`),
  )
  expect(repeated).toEqual([])
})
