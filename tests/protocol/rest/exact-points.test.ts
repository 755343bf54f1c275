// Where a task is, as strangers and applicants see it: by every way that reads, the centre of a cell and nothing finer.
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listen, rejection } from '../../../packages/server/tests/realtime/changes-fixture.ts'
import { makeAccount, signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

type Person = { name: string; client: SupabaseClient }
type Position = { latitude: number; longitude: number }

/** Two points of one cell in Saskatoon, 300 m apart. */
const points: [Position, Position] = [
  { latitude: 52.115713, longitude: -106.657129 },
  { latitude: 52.113217, longitude: -106.658934 },
]
const address = 'Temperance Street 1114'

let server: TestServer
let grace: SupabaseClient
let people: Person[]
let tasks: [string, string]
/** Every latitude that is public anyway: of places and of cells. */
let known: Set<number>

const sql = async (text: string, values: unknown[] = []) =>
  (await server.database.pool.query(text, values)).rows

/** Posts a task of Grace at a point. */
async function post({ latitude, longitude }: Position): Promise<string> {
  const task = {
    task_giver_id: await makeAccount(server, 'grace'),
    title: 'Clear the driveway',
    description: 'Two cars wide, and the walk to the door.',
    category: 'Snow Removal',
    location: 'Saskatoon',
    pay_amount: 80,
  }
  const { data } = await grace.from('tasks').insert(task).select('id').single().throwOnError()
  await grace.from('task_points').insert({ task_id: data.id, latitude, longitude }).throwOnError()
  await grace.from('task_addresses').insert({ task_id: data.id, address }).throwOnError()
  return data.id
}

beforeAll(async () => {
  server = await startTestServer()
  grace = await signedIn(server, 'grace')
  const theo = await makeAccount(server, 'theo')
  await sql('update private.profiles set id_verified = true where id = $1', [theo])
  tasks = [await post(points[0]), await post(points[1])]
  people = [
    { name: 'a stranger', client: stranger(server) },
    { name: 'Sam', client: await signedIn(server, 'sam') },
    { name: 'Theo, who applied', client: await signedIn(server, 'theo') },
  ]
  await people[2]?.client
    .from('bookings')
    .insert({ task_id: tasks[0], task_doer_id: theo, status: 'pending' })
    .throwOnError()
  known = new Set(
    (await sql('select latitude from public.places union select latitude from private.cells')).map(
      ({ latitude }) => latitude,
    ),
  )
})
afterAll(() => server?.stop())

/** Fails if the text has the address or a number that is a latitude near the points and not public anyway. */
function expectNothingFiner(text: string, where: string): void {
  expect(text, where).not.toContain(address)
  const near = [...text.matchAll(/\d+\.\d+/g)].map(([number]) => Number(number)).filter(isNear)
  expect(near.filter((latitude) => !known.has(latitude), where)).toEqual([])
}

const isNear = (number: number) => Math.abs(number - points[0].latitude) < 0.05

it('the check itself finds the points where they may be read', async () => {
  const { data } = await grace.from('task_points').select('*').throwOnError()
  expect(() => expectNothingFiner(JSON.stringify(data), 'Grace')).toThrow()
})

it('no table and no view has it, in any format, with no filter and no embedded row', async () => {
  const relations = await sql(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')`,
  )
  expect(relations.length).toBeGreaterThan(30)
  for (const { name, client } of people)
    for (const relation of relations)
      for (const request of [
        client.from(relation.name).select('*'),
        client.from(relation.name).select('*').csv(),
        client.from(relation.name).select('*, task_points(*)'),
        client.from(relation.name).select('*, tasks(*, task_points(*), task_addresses(*))'),
      ]) {
        const { data } = await request
        expectNothingFiner(JSON.stringify(data), `${name}: ${relation.name}`)
      }
})

it('no filter and no order by the points tells tasks apart', async () => {
  const [west, east] = points
  for (const { name, client } of people) {
    const counted = client.from('task_points').select('*', { count: 'exact', head: true })
    expect((await counted.lt('latitude', 60)).count ?? 0, name).toBe(0)
    const joined = await client
      .from('tasks')
      .select('id, task_points!inner(latitude)')
      .gt('task_points.latitude', (west.latitude + east.latitude) / 2)
    expect(joined.data ?? [], name).toEqual([])
    for (const ascending of [true, false]) {
      const ordered = client.from('tasks').select('id, task_points(latitude)').in('id', tasks)
      const { data } = await ordered.order('task_points(latitude)', { ascending }).order('id')
      expect(
        (data ?? []).map(({ id }) => id),
        name,
      ).toEqual(data ? [...tasks].sort() : [])
    }
  }
})

it('no function gives it away', async () => {
  const functions = await sql(
    `select p.proname as name, array_agg(a.name) as names, array_agg(format_type(a.type, null)) as types
     from pg_proc p left join lateral unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) a (name, type) on true
     where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
       and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))
     group by p.oid, p.proname`,
  )
  expect(functions.length).toBeGreaterThan(30)
  for (const { name: person, client } of people)
    for (const { name, names, types } of functions.filter(({ name }) => name !== 'delete_account')) {
      const given = (names as (string | null)[]).flatMap((argument, at) =>
        argument === null ? [] : [[argument, valueFor(argument, types[at])]],
      )
      const { data } = await client.rpc(name, Object.fromEntries(given))
      expectNothingFiner(JSON.stringify(data), `${person}: ${name}`)
    }
})

/** Something that a function may take for its argument. */
function valueFor(name: string, type: string): unknown {
  if (type === 'uuid') return tasks[0]
  if (name === 'latitude') return 52.13
  if (name === 'longitude') return -106.67
  if (name === 'radius_km') return 50
  if (name === 'max_results') return 100
  if (name === 'sort') return 'distance'
  if (type === 'text' && /query|term/.test(name)) return 'Saskatoon'
  return null
}

it('no page for search engines and no list of files has it', async () => {
  for (const path of [`page-head?path=/task/${tasks[0]}`, `sitemap?path=/sitemap.xml`]) {
    const answer = await fetch(`${server.url}/functions/v1/${path}`)
    expectNothingFiner(await answer.text(), path)
  }
  for (const { name, client } of people) {
    const { data } = await client.storage.from('task-photos').list()
    expectNothingFiner(JSON.stringify(data ?? []), name)
  }
})

it('no change that is sent live has it', async () => {
  const [, sam, theo] = people as [Person, Person, Person]
  const heard = []
  for (const { client } of [sam, theo]) {
    expect(await rejection(client, { table: 'task_points' })).toContain('Unable to subscribe')
    heard.push(await listen(client, { table: 'tasks' }, { table: 'bookings' }))
  }
  const [there, back] = [points[1], points[0]]
  for (const point of [there, back])
    await grace.from('task_points').update(point).eq('task_id', tasks[0]).throwOnError()
  await grace
    .from('tasks')
    .update({ description: 'Three cars wide, and the walk.' })
    .eq('id', tasks[0])
    .throwOnError()
  await sql(`update public.bookings set message = 'I have a blower.' where task_id = $1`, [tasks[0]])
  await (heard[1] as (typeof heard)[number]).until(1)
  for (const { events } of heard) expectNothingFiner(JSON.stringify(events), 'live')
})

it('a thousand questions about distance tell no more than one', async () => {
  const [sam] = people.slice(1) as [Person]
  const centres = await sql('select distinct public_latitude from public.tasks where id = any ($1)', [tasks])
  expect(centres.length, 'the points are in one cell').toBe(1)
  const answers = new Set<string>()
  for (let nth = 0; nth < 200; nth++) {
    // Spirals around the points, so that the edge of the radius passes between them at every angle.
    const angle = nth * 2.4
    const reach = 0.03 + nth / 4000
    const { data } = await sam.client.rpc('nearby_tasks', {
      latitude: points[0].latitude + reach * Math.sin(angle),
      longitude: points[0].longitude + reach * Math.cos(angle),
      radius_km: 5,
      sort: 'distance',
    })
    answers.add(JSON.stringify((data ?? []).map(({ id }: { id: string }) => tasks.indexOf(id))))
  }
  expect([...answers].sort()).toEqual(expect.arrayContaining(['[]']))
  // Both or none, and always in the same order.
  expect(answers.size).toBe(2)
})

it('the exact point and the address come with acceptance, and go with the cancellation', async () => {
  const theo = (people[2] as Person).client
  const read = async () => [
    (await theo.from('task_points').select('latitude, longitude').throwOnError()).data,
    (await theo.from('task_addresses').select('address').throwOnError()).data,
  ]
  expect(await read()).toEqual([[], []])
  await grace.from('bookings').update({ status: 'accepted' }).eq('task_id', tasks[0]).throwOnError()
  expect(await read()).toEqual([[points[0]], [{ address }]])
  const { data: booking } = await theo
    .from('bookings')
    .select('id')
    .eq('task_id', tasks[0])
    .single()
    .throwOnError()
  await theo.rpc('cancel_booking', { booking_id: booking.id, reason: 'The blower is broken.' }).throwOnError()
  expect(await read()).toEqual([[], []])
})
