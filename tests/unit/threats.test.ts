// For each threat, docs/security.md names the tests of its guard: every row names some, and they exist.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { files, root } from '../support/sources.ts'

/** Tests are named in short, as `auth/limits`, whole from the root, or by a link from where the document lies. */
const TEST = /`([^`]+)`|\]\(\.\.\/([^)]+)\)/g

function exists(name: string): boolean {
  const places = [
    name,
    `tests/protocol/${name}.test.ts`,
    `packages/server/tests/${name}.test.ts`,
    `tests/${name}.test.ts`,
    `tests/${name}.spec.ts`,
  ]
  return places.some((path) => /\.(test|spec)\.ts$/.test(path) && existsSync(join(root, path)))
}

test('each threat has a guard, and a test that exists', () => {
  const [source] = files(/^docs\/security\.md$/)
  const rows = source?.text.split('\n').filter((line) => /^\| (?!threat \|)/.test(line)) ?? []
  expect(rows.length).toBeGreaterThan(100)
  const wrong = rows.filter((row) => {
    const [, guard, tests, ...more] = row.slice(2, -2).split(' | ')
    const named = [...(tests ?? '').matchAll(TEST)].map(([, short, link]) => short ?? link ?? '')
    return !guard || more.length > 0 || named.length === 0 || !named.every(exists)
  })
  expect(wrong).toEqual([])
})
