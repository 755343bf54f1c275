// Every sentence that promises something, next to what makes it true (kept.ts). A new text of these pages and e-mails is listed
// there, or among those that promise nothing (none.ts).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/sources.ts'
import { kept } from './kept.ts'
import { noPromise } from './none.ts'

const PAGES = ['landing', 'pages', 'legal', 'auth', 'finish', 'confirmLink', 'verification']

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const keysOf = (value: unknown, path: string): string[] =>
  typeof value === 'string'
    ? [path]
    : Object.entries(value as object).flatMap(([name, inner]) => keysOf(inner, `${path}.${name}`))

const texts = [
  ...PAGES.flatMap((page) => keysOf(JSON.parse(read(`web/i18n/en/${page}.json`)), page)),
  ...keysOf(JSON.parse(read('web/i18n/en/layout.json')).footer, 'layout.footer'),
  ...keysOf(JSON.parse(read('shared/texts/en/emails.json')), 'emails'),
  ...keysOf(JSON.parse(read('supabase/templates/texts/en.json')), 'mail'),
]
const promised = kept.flatMap((one) => one.texts)
const others = Object.entries(noPromise).flatMap(([namespace, keys]) =>
  keys
    .trim()
    .split(/\s+/)
    .map((key) => `${namespace}.${key}`),
)

test('every text is a promise with its proof, or declared to be none, and is in one list', () => {
  expect([...promised, ...others].sort()).toEqual([...texts].sort())
})

test.each(kept.flatMap(({ by }) => by))('%s', (proof) => {
  const [, file = '', what = ''] = /^([^:]+): (.+)$/.exec(proof) ?? []
  const source = read(file)
  if (!/\.(test|spec)\.ts$/.test(file)) return expect(source).toContain(what)
  const titles = [...source.matchAll(/\b(?:it|test)(?:\.each\([^)]*\))?\(\s*(['"`])((?:(?!\1).)*)\1/g)]
  expect(titles.map(([, , title]) => title)).toContain(what)
})
