// A hidden profile: not listed, and its words only for whom the person has to do with.
import { describe, expect, it } from 'vitest'
import { bookingAt } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const seen = async (person: string) =>
  (
    await as(db, person)(
      `select full_name, bio, city, skills, experience_years, hourly_rate, is_hidden, total_reviews
       from public.public_profiles where id = $1`,
      [cast.theo],
    )
  ).rows[0]
const whole = {
  full_name: 'Theo Tasker',
  bio: 'Theo, carpenter',
  city: 'Saskatoon',
  skills: ['Carpentry'],
  experience_years: 9,
  hourly_rate: '42.00',
  is_hidden: false,
  total_reviews: 0,
}
const card = {
  ...whole,
  bio: null,
  city: null,
  skills: [],
  experience_years: null,
  hourly_rate: null,
  is_hidden: true,
}

async function describeTheo() {
  await as(db, 'theo')(
    `update public.profiles set bio = $1, city = $2, skills = $3, experience_years = 9, hourly_rate = 42`,
    [whole.bio, whole.city, whole.skills],
  )
}
const hide = (value = 'hidden') => as(db, 'theo')('update public.profiles set visibility = $1', [value])
const found = async (query = '') =>
  (await as(db, 'grace')('select full_name from public.find_taskers($1)', [query])).rowCount

describe('a profile', () => {
  it('is public until its person hides it, then a card for strangers', async () => {
    await describeTheo()
    for (const person of ['anonymous', 'sam', 'grace']) expect(await seen(person)).toEqual(whole)
    await hide()
    for (const person of ['anonymous', 'sam', 'grace']) expect(await seen(person)).toEqual(card)
    for (const person of ['theo', 'ada']) expect(await seen(person)).toEqual(whole)
    await hide('public')
    expect(await seen('sam')).toEqual(whole)
  })

  it('shows all to whom its person has a booking with', async () => {
    await describeTheo()
    await hide()
    await bookingAt(db, 'pending')
    expect(await seen('grace')).toEqual(whole)
    expect(await seen('sam')).toEqual(card)
  })

  it('is not listed in Find Taskers while it is hidden, nor found by its words', async () => {
    await describeTheo()
    await owner(db)('update public.profiles set id_verified = true where id = $1', [cast.theo])
    expect([await found(), await found('carpenter')]).toEqual([1, 1])
    await hide()
    expect([await found(), await found('carpenter'), await found('Theo')]).toEqual([0, 0, 0])
  })

  it('is hidden by its person alone', async () => {
    for (const person of ['grace', 'ada']) {
      const change = as(db, person)(`update public.profiles set visibility = 'hidden' where id = $1`, [
        cast.theo,
      ])
      await change.catch((error) => expect(String(error)).toMatch(/./))
    }
    expect((await owner(db)(`select from private.profiles where visibility = 'hidden'`)).rowCount).toBe(0)
  })
})
