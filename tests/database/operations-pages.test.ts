// The SQL that the pages for operators have on e-mail and privacy runs as it is written there.
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { asService, cast, enterCast, owner } from './personas.ts'

const db = {} as TestDatabase
beforeEach(async () => {
  const fresh = await createTestDatabase()
  Object.assign(db, fresh)
  await enterCast(db)
  return () => fresh.drop()
})

/** Each statement of a page, about Theo; commands of psql in a shell among them. */
function statementsOf(page: string): string[] {
  const text = readFileSync(repositoryFile(`docs/operations/${page}.md`), 'utf8')
    .replaceAll('<id>', cast.theo)
    .replaceAll('<theo@example.com>', 'theo@example.com')
    .replaceAll('<address>', '192.0.2.1')
    .replaceAll('<new name>', 'Theo Keeler')
  const blocks = [...text.matchAll(/```sql\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'))
  const quoted = [...text.matchAll(/psql -- .*?-\w*c "(.*?)"/g)].map(([, statement = '']) => statement)
  // The block that deletes the account comes last.
  return [...blocks, ...quoted]
    .filter((line) => line !== '')
    .sort((a, b) => Number(a.startsWith('delete')) - Number(b.startsWith('delete')))
}
const rows = async (text: string) => (await owner(db)(text)).rows

describe('docs/operations/privacy.md', () => {
  it('finds, hands over, corrects, silences and removes an account', async () => {
    const statements = statementsOf('privacy')
    expect(statements.length).toBeGreaterThan(15)
    const results = new Map<string, unknown[]>()
    for (const statement of statements) results.set(statement, await rows(statement))
    const of = (words: RegExp) => [...results].find(([statement]) => words.test(statement))?.[1]
    expect(of(/select id, email, phone/)).toMatchObject([{ id: cast.theo }])
    expect(JSON.stringify(of(/data_of_person/))).toContain('theo@example.com')
    expect(of(/deletion_obstacle/)).toEqual([{ deletion_obstacle: null }])
    expect(await rows(`select from auth.users where id = '${cast.theo}'`)).toEqual([])
    expect(await rows('select from auth.sessions')).toEqual([])
  })
})

describe('docs/operations/mail.md', () => {
  it('shows and lifts what is suppressed', async () => {
    await asService(db)(`select public.record_mail_event('1', 'complained', 'theo@example.com')`)
    const suppressed = () =>
      rows('select private.is_suppressed(id) from auth.users where email like $$theo%$$')
    expect(await suppressed()).toEqual([{ is_suppressed: true }])
    for (const statement of statementsOf('mail')) await rows(statement)
    expect(await suppressed()).toEqual([{ is_suppressed: false }])
  })
})
