// Saved application texts: whose they are, and their rules.
import { expect, it } from 'vitest'
import { tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const save = (title: string, text: string, by: Persona = 'theo', user: string = cast.theo) =>
  tryInsert(db, by, 'application_texts', { user_id: user, title, text })
const titles = async (person: Persona) =>
  (await as(db, person)('select title from public.application_texts order by title')).rows.map(
    ({ title }) => title,
  )

it('belong to one person, who reads, renames and removes them', async () => {
  expect(await save(' Snow ', ' I have a blower. Call 306-555-0123. ')).toBe(null)
  expect(await save('Snow', 'Mine', 'sam')).toBe('You can only save texts for yourself')
  for (const person of ['grace', 'ada', 'sam'] as const) {
    expect(await titles(person)).toEqual([])
    expect((await as(db, person)(`update public.application_texts set title = 'x'`)).rowCount).toBe(0)
    expect((await as(db, person)('delete from public.application_texts')).rowCount).toBe(0)
  }
  const { rows } = await as(db, 'theo')('select title, text from public.application_texts')
  // It is masked when it is sent.
  expect(rows).toEqual([{ title: 'Snow', text: 'I have a blower. Call 306-555-0123.' }])
  await as(db, 'theo')(`update public.application_texts set title = 'Winter'`)
  expect(await titles('theo')).toEqual(['Winter'])
  expect((await as(db, 'theo')('delete from public.application_texts')).rowCount).toBe(1)
})

it.each<[string, string, string]>([
  ['', 'Text', 'Give the text a name'],
  [' \u200b', 'Text', 'Give the text a name'],
  ['x'.repeat(61), 'Text', 'Name too long (max 60 characters)'],
  ['Snow', ' ', 'Write the text that you want to save'],
  ['Snow', 'x'.repeat(1001), 'Text too long (max 1000 characters)'],
])('are refused with the rule that they break: %j, %j', async (title, text, rule) => {
  expect(await save(title, text)).toBe(rule)
  expect(await save('x'.repeat(60), 'x'.repeat(1000))).toBe(null)
})

it('have one name each and are twenty at most, also at the same moment', async () => {
  const same = await Promise.all(Array.from({ length: 3 }, () => save('Snow', 'I have a blower.')))
  expect(same.filter((said) => said === null)).toHaveLength(1)
  expect(await save('SNOW', 'Other')).toBe('You have a text with this name already')
  expect(await save('Snow', 'Mine', 'grace', cast.grace)).toBe(null)
  await owner(db)(
    `insert into public.application_texts (user_id, title, text) select $1, 'Text ' || n, 'x' from generate_series(1, 17) n`,
    [cast.theo],
  )
  const last = await Promise.all([save('A', 'x'), save('B', 'x'), save('C', 'x')])
  expect(last.filter((said) => said === null)).toHaveLength(2)
  expect(last).toContain('You can save at most 20 texts. Remove one first.')
  expect(
    await as(
      db,
      'theo',
    )(`update public.application_texts set title = 'snow' where title = 'Text 1'`).catch(
      (error) => error.message,
    ),
  ).toBe('You have a text with this name already')
})

it('are in the export of their person', async () => {
  await save('Snow', 'I have a blower.')
  const { rows } = await owner(db)(`select public.data_of_person($1) -> 'application_texts' as texts`, [
    cast.theo,
  ])
  expect(rows[0].texts).toMatchObject([{ title: 'Snow', text: 'I have a blower.' }])
})
