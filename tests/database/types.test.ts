// The app's database types are those of the migrations.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseTypes } from '../../scripts/database-types.mjs'
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
