// Requests of many people at once share connections, and their statements leave in one write: none may see another's
// role, claims, rows, settings or failure, and none may wait behind one that takes long.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amount } from '../support/soak.ts'
import { type Fixture, openFixture } from './fixture.ts'

type Person = { id: string; headers: Record<string, string> }

let fixture: Fixture
let people: Person[]
beforeAll(async () => {
  fixture = await openFixture()
  people = await Promise.all(
    Array.from({ length: 25 }, async () => {
      const id = randomUUID()
      const claims = { sub: id, role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 600 }
      const token = await fixture.server.services.keys.sign(claims)
      return { id, headers: { authorization: `Bearer ${token}`, 'accept-profile': 'api' } }
    }),
  )
  await fixture.sql(`
    create function api.mine(api.notes) returns json language sql stable as $$
      select json_build_object('uid', auth.uid(), 'role', current_user,
        'header', current_setting('request.headers')::json ->> 'x-mark',
        'path', current_setting('request.path')) $$;
    create view api.slowly as select id, pg_sleep(2)::text as slept from api.clients where id = 1;
    grant select on api.slowly to anon, authenticated`)
  await fixture.reload()
  await fixture.sql(
    `insert into api.notes (id, owner, body) select n, $1::uuid[][n], 'note ' || n from generate_series(1, 25) n`.replace(
      '$1::uuid[][n]',
      '($1::uuid[])[n]',
    ),
    [people.map(({ id }) => id)],
  )
})
afterAll(() => fixture?.stop())

/** Asks the same reads often enough for the server to know that they are quick. */
async function warmUp(): Promise<void> {
  const [first] = people
  for (let n = 0; n < 12; n++) {
    await fixture.ask('/notes?select=id,body,mine', { headers: first?.headers })
    await fixture.ask('/tasks?id=eq.1', { headers: first?.headers })
    await fixture.ask('/tasks?id=eq.x', { headers: first?.headers })
  }
}

test('everybody gets their own rows, under their own claims, whatever fails next to them', async () => {
  await warmUp()
  const wrong: unknown[] = []
  const one = async (person: Person, turn: number) => {
    const mark = `${person.id} ${turn}`
    const own = fixture.ask('/notes?select=id,body,mine', {
      headers: { ...person.headers, 'x-mark': mark },
    })
    const failing = fixture.ask(`/tasks?id=eq.x${turn}`, { headers: person.headers })
    const stranger = fixture.ask('/notes?select=id', { headers: { 'accept-profile': 'api' } })
    const number = 1 + (turn % 8)
    const plain = fixture.ask(`/tasks?select=id&id=eq.${number}`, { headers: person.headers })
    const expected = [
      {
        id: people.indexOf(person) + 1,
        body: `note ${people.indexOf(person) + 1}`,
        mine: { uid: person.id, role: 'authenticated', header: mark, path: '/notes' },
      },
    ]
    const seen = await (await own).json()
    if (JSON.stringify(seen) !== JSON.stringify(expected)) wrong.push([seen, expected])
    const failure = await (await failing).json()
    if (failure.code !== '22P02' || !failure.message.includes(`"x${turn}"`)) wrong.push(failure)
    const nobodys = await (await stranger).json()
    if (JSON.stringify(nobodys) !== '[]') wrong.push(nobodys)
    const row = await (await plain).json()
    if (JSON.stringify(row) !== JSON.stringify([{ id: number }])) wrong.push(row)
  }
  for (let turn = 0; turn < amount({ gate: 3, soak: 40 }); turn++)
    await Promise.all(people.map((person) => one(person, turn)))
  expect(wrong).toEqual([])
})

test('a write among reads is done once, by its caller', async () => {
  await warmUp()
  const [owner] = people as [Person]
  await Promise.all(
    people.map(async (person, index) => {
      const insert = fixture.ask('/notes', {
        method: 'POST',
        headers: { ...person.headers, 'content-profile': 'api', 'content-type': 'application/json' },
        body: JSON.stringify({ id: 100 + index, body: 'written' }),
      })
      const read = fixture.ask('/notes?select=id,body,mine', { headers: owner.headers })
      expect((await insert).status).toBe(201)
      expect((await read).status).toBe(200)
    }),
  )
  const rows = await fixture.sql(`select id, owner from api.notes where id >= 100 order by id`)
  expect(rows).toEqual(people.map(({ id }, index) => ({ id: 100 + index, owner: id })))
})

test('the schema may change under statements that several people share', async () => {
  await warmUp()
  let isChanged = false
  // Six ask, one question after another, before, while and after the schema changes.
  const asking = people.slice(0, 6).map(async (person) => {
    const answers: string[] = []
    while (answers.length < 10 || !isChanged) {
      const response = await fixture.ask('/notes?select=*&id=lt.100', { headers: person.headers })
      answers.push(String([response.status, (await response.json())[0]?.owner === person.id]))
    }
    return answers
  })
  await fixture.sql(
    'alter table api.notes add column later int; alter table api.notes alter body type varchar',
  )
  await fixture.sql('notify pgrst')
  isChanged = true
  expect(new Set((await Promise.all(asking)).flat())).toEqual(new Set(['200,true']))
})

test('quick reads do not wait behind a slow one', async () => {
  await warmUp()
  let ended = 0
  const slow = Promise.all(
    Array.from({ length: 6 }, async () => {
      const response = await fixture.ask('/slowly', { headers: { 'accept-profile': 'api' } })
      ended++
      return response.status
    }),
  )
  const quick = await Promise.all(
    people.map(({ headers }) =>
      fixture.ask('/tasks?id=eq.1', { headers }).then((response) => response.status),
    ),
  )
  expect(new Set(quick)).toEqual(new Set([200]))
  // The slow ones are still at it: nobody waited for them.
  expect(ended).toBe(0)
  expect(new Set(await slow)).toEqual(new Set([200]))
})

test('a read that is stuck behind one that was always quick is answered elsewhere', async () => {
  await warmUp()
  const locker = await fixture.server.database.pool.connect()
  // On a busy machine the others may take longer than eight seconds.
  await fixture.sql(`do $$ begin execute format(
    'alter role authenticated in database %I set statement_timeout = 0', current_database()); end $$`)
  await fixture.reload()
  try {
    await locker.query('begin; lock table api.tasks in access exclusive mode')
    const stuck = Promise.all(
      people
        .slice(0, 8)
        .map(({ headers }) => fixture.ask('/tasks?id=eq.1', { headers }).then((response) => response.status)),
    )
    const others = await Promise.all(
      people.map(({ headers }) =>
        fixture.ask('/notes?select=id,body,mine', { headers }).then((response) => response.status),
      ),
    )
    expect(new Set(others)).toEqual(new Set([200]))
    // No statement timeout has freed the connections that are stuck: their answers, below, are whole.
    await locker.query('rollback')
    expect(new Set(await stuck)).toEqual(new Set([200]))
  } finally {
    locker.release(true)
  }
})
