// Heads of pages and sitemaps show no more than a stranger reads, and nothing closed or hidden.
import { describe, expect, it } from 'vitest'
import { bookingAt, list, postTask } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const everybody: Persona[] = ['anonymous', 'sam', 'theo', 'grace', 'ada']

const one = async (person: string, call: string, values: unknown[] = []) =>
  (await as(db, person)(`select public.${call} as told`, values)).rows[0].told
const owned = async (call: string, values: unknown[] = []) =>
  (await owner(db)(`select public.${call} as told`, values)).rows[0].told

describe('the head of a task', () => {
  it('tells everybody the same of an open one, and not where exactly it is', async () => {
    const id = await postTask(db, { amount: 80 })
    await owner(db)(`insert into public.task_addresses (task_id, address) values ($1, '12 Elm Street')`, [id])
    const told = await one('anonymous', 'task_head($1)', [id])
    expect(told).toMatchObject({
      id,
      title: 'Clear the driveway',
      location: 'Saskatoon',
      pay_amount: 80,
      photo: null,
    })
    expect(JSON.stringify(told)).not.toMatch(/Elm Street|Grace/)
    for (const person of everybody) expect(await one(person, 'task_head($1)', [id])).toEqual(told)
  })

  it('is none for a task that is taken, hidden, of a suspended giver, or never was: to nobody', async () => {
    const { taskId } = await bookingAt(db, 'accepted')
    const hidden = await postTask(db)
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [hidden])
    const suspended = await postTask(db, { giver: cast.sam })
    await as(db, 'ada')('select public.suspend_person($1, $2)', [cast.sam, 'Spam'])
    for (const id of [taskId, hidden, suspended, cast.ada])
      for (const person of everybody) expect(await one(person, 'task_head($1)', [id])).toBeNull()
    expect(await owned('sitemap_tasks()')).toEqual([])
  })
})

describe('the head of a person', () => {
  it('covers people whom strangers see, and is for search engines where Find Taskers lists them', async () => {
    for (const id of [cast.theo, cast.grace, cast.ada])
      expect(await one('anonymous', 'person_head($1)', [id])).toBeNull()
    await list(db)
    const told = await one('anonymous', 'person_head($1)', [cast.theo])
    expect(told).toMatchObject({
      full_name: 'Theo T.',
      total_reviews: 0,
      role: 'task_doer',
      listed: true,
    })
    expect(Object.keys(told)).not.toEqual(expect.arrayContaining(['email', 'phone']))
    for (const person of everybody) expect(await one(person, 'person_head($1)', [cast.theo])).toEqual(told)
    await postTask(db)
    expect(await one('anonymous', 'person_head($1)', [cast.grace])).toMatchObject({ listed: false })
    expect(await owned('sitemap_taskers()')).toEqual([cast.theo])
  })

  it.each([
    ['who hides their profile', `visibility = 'hidden'`],
    ['who is suspended', `hidden_for = 'suspension'`],
    ['whom a report hides', `hidden_for = 'report'`],
    ['who left', 'deleted_at = now()'],
  ])('is none of somebody %s, not even to themselves', async (_, change) => {
    await list(db)
    await owner(db)(`update private.profiles set ${change} where id = $1`, [cast.theo])
    for (const person of everybody) expect(await one(person, 'person_head($1)', [cast.theo])).toBeNull()
  })
})

it('sitemaps name every open task once, whatever a part holds, and new ones at their end', async () => {
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push(await postTask(db))
  // Three were posted at the same moment.
  await owner(db)('update public.tasks set created_at = now() where id = any ($1)', [ids.slice(2, 5)])
  const { tasks: ends } = await owned('sitemap_parts(3)')
  expect(ends).toHaveLength(2)
  const named: string[] = []
  for (const after of [null, ...ends]) {
    const part = await owned('sitemap_tasks($1, 3)', [after])
    expect(part.length).toBeLessThanOrEqual(3)
    named.push(...part.map(({ id }: { id: string }) => id))
  }
  expect(named.toSorted()).toEqual(ids.toSorted())
  await postTask(db)
  expect((await owned('sitemap_parts(3)')).tasks).toEqual(ends)
  expect(await owned('sitemap_tasks($1)', [cast.ada])).toEqual([])
})
