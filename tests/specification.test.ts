// docs/specification.md: each row names the tests that show it, by titles that their files have.
import { expect, test } from 'vitest'
import { files, type Node, nodes, tree } from './support/sources.ts'

test('every test that a row names exists', () => {
  const [table] = files(/^docs\/specification\.md$/)
  const wrong: string[] = []
  for (const hit of table?.text.matchAll(/\]\(\.\.\/([^)]+\.(?:test|spec)\.tsx?)\)((?:,? "[^"]+")*)/g) ??
    []) {
    const [, path = '', quoted = ''] = hit
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title)
    const unknown = titles.filter((title) => !titlesIn(path).includes(title))
    if (titles.length === 0) unknown.push('has no title')
    wrong.push(...unknown.map((title) => `${table?.at(hit.index)} ${path}: ${title}`))
  }
  expect(wrong).toEqual([])
})

test('every row names a test', () => {
  const [table] = files(/^docs\/specification\.md$/)
  const rows = table?.text.split('\n').filter((line) => /^\| (?!Statement \|)/.test(line)) ?? []
  expect(rows.length).toBeGreaterThan(350)
  expect(rows.filter((row) => !/\.(test|spec)\.tsx?\) "[^|]+" \|$/.test(row))).toEqual([])
})

/** Titles of the tests, steps and groups of a file, as its source spells them. */
function titlesIn(path: string): string[] {
  const source = files(/\.(test|spec)\.tsx?$/).find((one) => one.path === path)
  if (!source) return []
  return nodes(tree(source))
    .filter(
      ({ type, start }) =>
        type === 'CallExpression' && /(test|it|describe)\b/y.test(source.text.slice(start)),
    )
    .flatMap((node) => (node.arguments as Node[])[0] ?? [])
    .map(({ start, end }) => source.text.slice(start + 1, end - 1).replaceAll("\\'", "'"))
}
