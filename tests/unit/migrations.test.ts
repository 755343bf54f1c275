// A migration that is on main is never edited: databases have it already, and a start refuses a changed one.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../supabase/migrations/', import.meta.url)
const hashes = Object.fromEntries(
  readFileSync(new URL('../../supabase/migrations.sha256', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  ').reverse()),
)

test('no migration was changed since its hash was written: write the next one instead', () => {
  const now = Object.keys(hashes).map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(new URL(name, folder)))
      .digest('hex'),
  ])
  expect(Object.fromEntries(now)).toEqual(hashes)
})

test('every migration has its hash, after the ones before it (npm run migrations:hash adds it)', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  expect(Object.keys(hashes)).toEqual(files.sort())
})
