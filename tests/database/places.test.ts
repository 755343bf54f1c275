// Places: their rows, and the search by name, spelling, sound and postal code.
import { expect, it } from 'vitest'
import data from '../../supabase/places.json' with { type: 'json' }
import { refusal } from './lives.ts'
import { as, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const found = async (term: string | null, person = 'anonymous') =>
  (await as(db, person)('select name from public.search_places($1, 3)', [term])).rows.map(({ name }) => name)

it('finds a place by the start of its name, of a word, and with its city', async () => {
  expect(await found('sask')).toEqual(['Saskatoon', 'Saskatchewan Beach'])
  expect(await found('JAW', 'sam')).toEqual(['Moose Jaw'])
  expect(await found('  fort qu’app')).toEqual(["Fort Qu'Appelle"])
  expect((await found('nutana, saskatoon'))[0]).toBe('Nutana')
})

it('finds a place by its sound and by a similar spelling', async () => {
  expect((await found('rejina'))[0]).toBe('Regina')
  expect((await found('estavan'))[0]).toBe('Estevan')
  expect((await found('moosejaw'))[0]).toBe('Moose Jaw')
  expect((await found('sasktoon'))[0]).toBe('Saskatoon')
})

it('finds a place by a postal code or its start', async () => {
  for (const code of ['S4P', 's4p', 'S4P 1Y1', 's4p1y1']) expect(await found(code), code).toEqual(['Regina'])
  expect(await found('T9V')).toEqual(['Lloydminster'])
  expect(await found('S7')).toEqual(['Saskatoon'])
})

it('lists the largest first, and nothing for a term that fits no place', async () => {
  expect(await found('')).toEqual(['Saskatoon', 'Regina', 'Prince Albert'])
  for (const term of [null, 'xyzzy', '%', '_', 'NaN', '\\', "'; --", 'K1A', 'x'.repeat(5000)])
    expect(await found(term), String(term).slice(0, 20)).toEqual([])
  const { rows } = await as(db, 'sam')('select id from public.search_places($1, 1000000)', ['a'])
  expect(rows.length).toBeLessThanOrEqual(20)
})

it('has every place inside of the province, on its clock, and with more than one address', async () => {
  const { rows } = await owner(db)(
    `select min(population) >= 25 as inhabited,
       array_agg(name order by name) filter (where not private.province_boundary() @> point(longitude, latitude)) as outside,
       array_agg(name order by name) filter (where time_zone = 'America/Edmonton') as alberta,
       array_agg(name order by name) filter (where time_zone = 'America/Winnipeg') as manitoba,
       count(*) filter (where time_zone = 'America/Regina')::int as others
     from public.places`,
  )
  expect(rows).toEqual([
    {
      inhabited: true,
      // They are on the border; points up to 6 km from them are accepted.
      outside: ['Creighton', 'Lloydminster', 'Togo'],
      alberta: ['Lashburn', 'Lloydminster', 'Maidstone', 'Marsden', 'Marshall', 'Neilburg'],
      manitoba: ['Creighton', 'Denare Beach'],
      others: data.places.length - 8,
    },
  ])
})

it('knows villages, and two places of one name are far from each other', async () => {
  const { rows } = await as(db, 'anonymous')(`select id, kind from public.search_places('kenaston')`)
  expect(rows).toEqual([{ id: 'kenaston', kind: 'village' }])
  for (const name of ['Radville', 'Val Marie', 'La Loche', 'Love', 'Eyebrow'])
    expect((await found(name))[0]).toBe(name)
  expect((await found('ile a la crosse'))[0]).toBe('Île-à-la-Crosse')
  const { rows: twins } = await owner(db)(
    `select a.id, b.id as other from public.places a join public.places b on a.name = b.name and a.id < b.id
     where private.km_between(a.latitude, a.longitude, b.latitude, b.longitude) < 3`,
  )
  expect(twins).toEqual([])
})

it('knows where Allan and Hafford are, which encyclopedias put elsewhere', async () => {
  const { rows } = await as(
    db,
    'anonymous',
  )(
    `select name, private.km_between(latitude, longitude, 52.13, -106.66)::int as km
     from public.places where name in ('Allan', 'Hafford') order by name`,
  )
  expect(rows).toEqual([
    { name: 'Allan', km: 49 },
    { name: 'Hafford', km: 81 },
  ])
})

it('lets nobody change places, and follows the data when it changes', async () => {
  for (const person of ['anonymous', 'grace', 'ada'])
    expect(await refusal(as(db, person)(`delete from public.places`)), person).toMatch(/permission denied/)
  await owner(db)(`update public.places set name = 'Elsewhere' where id = 'regina'`)
  await owner(db)(`insert into public.places (id, name, kind, latitude, longitude, time_zone)
    values ('toronto', 'Toronto', 'city', 43.65, -79.38, 'America/Toronto')`)
  await owner(db)('select private.load_places()')
  expect(await found('regina')).toEqual(['Regina', 'Regina Beach', 'Northeast Regina'])
  expect(await found('toronto')).toEqual([])
})
