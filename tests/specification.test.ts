// docs/specification.md: each row names the tests that show it, by titles that their files have.
import { expect, test } from 'vitest'
import { files, type Node, nodes, tree } from './support/sources.ts'

/** Rows from here on do not name titles yet. */
const FIRST_SECTION_WITHOUT_TITLES = '## Task core'

test('every test that a row names exists', () => {
  const [table] = files(/^docs\/specification\.md$/)
  const named = table?.text.indexOf(FIRST_SECTION_WITHOUT_TITLES) ?? 0
  const wrong: string[] = []
  for (const hit of table?.text.matchAll(/\]\(\.\.\/([^)]+\.(?:test|spec)\.tsx?)\)((?:,? "[^"]+")*)/g) ??
    []) {
    const [, path = '', quoted = ''] = hit
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title)
    const unknown = titles.filter((title) => !titlesIn(path).includes(title))
    if (titles.length === 0 && hit.index < named) unknown.push('has no title')
    wrong.push(...unknown.map((title) => `${table?.at(hit.index)} ${path}: ${title}`))
  }
  expect(wrong).toEqual([])
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
