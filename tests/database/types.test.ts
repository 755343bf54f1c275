// The app's database types and rules are those of the migrations.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseRules, databaseTypes } from '../../scripts/database-types.mjs'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db?.drop())

it('web/lib/database.types.ts is current (npm run types:database writes it)', async () => {
  const written = readFileSync(new URL('../../web/lib/database.types.ts', import.meta.url), 'utf8')
  expect(written).toBe(await databaseTypes(db.url))
})

it('shared/rules.ts is current (npm run types:database writes it)', async () => {
  const written = readFileSync(new URL('../../shared/rules.ts', import.meta.url), 'utf8')
  expect(written).toBe(await databaseRules(db.url))
})
