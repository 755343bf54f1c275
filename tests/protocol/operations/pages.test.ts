// How documented commands are read from a page.
import { expect, test } from 'vitest'
import { blocksOf, commandsOf } from './pages.ts'

test('blocks have their page, line and language, also within a list', () => {
  const page = 'Text\n\n```sh\nnpm ci\n```\n\n1. A step:\n\n   ```sql\n   select 1;\n   ```\n\n    indented\n'
  expect(blocksOf('page.md', page)).toEqual([
    { page: 'page.md', line: 4, language: 'sh', text: 'npm ci\n' },
    { page: 'page.md', line: 10, language: 'sql', text: 'select 1;\n' },
    { page: 'page.md', line: 13, language: 'indented', text: '    indented' },
  ])
})

test('comments go, and lines that belong together are one command', () => {
  const text = [
    '# why',
    'npm run keys -- list   # all of them',
    "curl '<address>' \\",
    "  -d '{",
    '  "a": 1 }\'',
    'cat > file <<END',
    'one',
    'END',
    'npm ci',
  ].join('\n')
  expect(commandsOf({ text })).toEqual([
    'npm run keys -- list',
    `curl '<address>' -d '{\n  "a": 1 }'`,
    'cat > file <<END\none\nEND',
    'npm ci',
  ])
})
