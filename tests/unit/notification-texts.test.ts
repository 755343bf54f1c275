// What is generated from the English texts and rules of notifications is current.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFile } from '../../scripts/notification-texts.mjs'

test('the rows of the schema are current (npm run notifications writes them)', () => {
  const [path, content] = generatedFile()
  expect(readFileSync(path, 'utf8')).toBe(content)
})
