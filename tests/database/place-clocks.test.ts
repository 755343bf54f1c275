// The app knows the clock of a place without asking (shared/placeClocks.ts): it must be the one of the database's place.
import { expect, it } from 'vitest'
import { clockOf, clockOfLocation } from '../../shared/placeClocks.ts'
import { databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

it('each place has the clock that the app knows, by its id and by texts that name it', async () => {
  const { rows } = await owner(db)(
    `select p.id, p.time_zone, private.match_place(text) as matched, text
     from public.places p cross join lateral (select concat_ws(', ', p.name, p.city) as label) l
     cross join lateral unnest(array[label, upper(label), label || ', SK', label || ' Saskatchewan', '12 Main St, ' || label]) text`,
  )
  expect(rows.length).toBeGreaterThan(1000)
  const zones = new Map(rows.map(({ id, time_zone }) => [id, time_zone]))
  for (const [id, zone] of zones) expect([id, clockOf({ place_id: id })]).toEqual([id, zone])
  const differing = rows.filter(
    ({ text, matched }) => clockOfLocation(text) !== (zones.get(matched) ?? 'America/Regina'),
  )
  expect(differing).toEqual([])
  expect(rows.filter(({ time_zone }) => time_zone !== 'America/Regina')).toHaveLength(40)
})
