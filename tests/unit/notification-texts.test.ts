// The generated texts and rules of notifications are current.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFile } from '../../scripts/notification-texts.mjs'

test('the rows of the schema are current (npm run notifications writes them)', () => {
  const [path, content] = generatedFile()
  expect(readFileSync(path, 'utf8')).toBe(content)
})
