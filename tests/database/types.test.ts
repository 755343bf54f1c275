// The app's database types and rules, and docs/database.md, are those of the migrations.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databasePage } from '../../scripts/database-page.mjs'
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

it('docs/database.md is current (npm run types:database writes it), and its introduction names what exists', async () => {
  const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8')
  expect(page).toBe(await databasePage(db.url, page))
  const [introduction = ''] = page.split('<!-- Generated')
  const named = [...introduction.matchAll(/`((?:public|private)\.\w+)`/g)].map(([, name]) => name)
  const { rows } = await db.database.pool.query(
    `select name from unnest($1::text[]) name
     where to_regclass(name) is null and not exists (select from pg_proc p where p.pronamespace::regnamespace || '.' || p.proname = name)`,
    [named],
  )
  expect(named.length).toBeGreaterThan(8)
  expect(rows).toEqual([])
})
