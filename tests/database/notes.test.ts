// The admins' notes on a person: read and written by admins through profiles, and by nobody else in any way.
import { expect, it } from 'vitest'
import { bookingAt, refusal } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
const notes = 'Licence looked altered; asked for another.'

it('are an admin’s to read and to write, through the row that the person reads whole', async () => {
  const write = `update public.profiles set verification_notes = $2 where id = $1`
  await as(db, 'ada')(write, [cast.theo, notes])
  await bookingAt(db, 'accepted')
  const read = async (person: string, columns = '*') =>
    (await as(db, person)(`select ${columns} from public.profiles where id = $1`, [cast.theo])).rows
  expect((await read('ada'))[0].verification_notes).toBe(notes)
  expect(
    (await asService(db)('select verification_notes from public.profiles where id = $1', [cast.theo])).rows,
  ).toEqual([{ verification_notes: notes }])
  // Theo reads his own row, Grace that of her counterpart.
  for (const person of ['theo', 'grace']) {
    const [row] = await read(person)
    expect(row).toMatchObject({
      id: cast.theo,
      full_name: 'Theo Tasker',
      phone: null,
      verification_notes: null,
    })
    expect((await read(person, 'verification_notes as n'))[0]).toEqual({ n: null })
    expect((await read(person, 'to_jsonb(profiles) as n'))[0].n.verification_notes).toBe(null)
    const asked = (condition: string) =>
      as(db, person)(`select id from public.profiles where id = $1 and verification_notes ${condition}`, [
        cast.theo,
      ])
    expect((await asked(`ilike '%licence%'`)).rowCount).toBe(0)
    expect((await asked('is null')).rowCount).toBe(1)
  }
  const told = await as(db, 'theo')('select to_jsonb(n)::text as row from public.notifications n')
  expect(told.rows.filter(({ row }) => row.includes('altered'))).toEqual([])
  expect((await as(db, 'theo')('select from public.audit_log')).rowCount).toBe(0)
  await expect(as(db, 'anonymous')('select from public.profiles')).rejects.toThrow(/permission denied/)
})

it('outlive the person’s own changes, and are not theirs to write', async () => {
  const { rows } = await as(db, 'theo')(
    `update public.profiles set bio = ' Carpenter. ' where id = $1 returning *`,
    [cast.theo],
  )
  expect(rows[0]).toMatchObject({ bio: 'Carpenter.', verification_notes: null })
  const kept = await owner(db)('select bio, verification_notes from public.profiles where id = $1', [
    cast.theo,
  ])
  expect(kept.rows).toEqual([{ bio: 'Carpenter.', verification_notes: notes }])
  for (const value of [`'Trustworthy'`, `''`]) {
    expect(
      await refusal(
        as(db, 'theo')(`update public.profiles set verification_notes = ${value} where id = $1`, [cast.theo]),
      ),
    ).toBe('Only admins can change the verification of a profile')
  }
  // Null is what Theo reads there: to write it back changes nothing.
  await as(db, 'theo')(`update public.profiles set verification_notes = null where id = $1`, [cast.theo])
  const still = await owner(db)('select verification_notes from public.profiles where id = $1', [cast.theo])
  expect(still.rows).toEqual([{ verification_notes: notes }])
})
