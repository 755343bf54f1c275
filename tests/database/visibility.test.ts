// Visibility of people, and the details that a hidden profile withholds: it is not listed, and its words are only for
// people with a booking.
import { describe, expect, it } from 'vitest'
import { apply, bookingAt, list, move, postTask, release, tryInsert } from './lives.ts'
import {
  as,
  asApplication,
  asHalfSignedIn,
  asService,
  cast,
  databaseWithCast,
  owner,
  signUp,
} from './personas.ts'

const db = databaseWithCast({ fresh: true })

const seenBy = async (query: ReturnType<typeof as>) =>
  (
    await query(
      `select full_name, bio, city, skills, experience_years, hourly_rate, is_hidden, total_reviews
       from public.public_profiles where id = $1`,
      [cast.theo],
    )
  ).rows[0]
const seen = (person: string) => seenBy(as(db, person))
const whole = {
  full_name: 'Theo T.',
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
/** A shown review of Theo's: strangers see who wrote it. */
async function authored() {
  const booking = await bookingAt(db, 'completed')
  await tryInsert(db, 'theo', 'reviews', { booking_id: booking.id, reviewer_id: cast.theo, rating: 5 })
  await owner(db)('update public.reviews set visible_from = now()')
}
const hide = (value = 'hidden') => as(db, 'theo')('update public.profiles set visibility = $1', [value])
const found = async (query = '') =>
  (await as(db, 'grace')('select full_name from public.find_taskers($1)', [query])).rowCount

const names = async (query: ReturnType<typeof as>) =>
  (await query('select id from public.public_profiles')).rows.map(({ id }) => id).sort()
const strangers = () => [as(db, 'anonymous'), as(db, 'sam')] as const
/** The data that both kinds of strangers see of others. */
const seenByStrangers = async () => {
  const [anonymous, sam] = [await names(strangers()[0]), await names(strangers()[1])]
  expect(sam.filter((id) => id !== cast.sam)).toEqual(anonymous)
  return anonymous
}
const ask = (tasker: string) =>
  tryInsert(db, 'grace', 'tasks', {
    task_giver_id: cast.grace,
    title: 'Clear the driveway',
    description: 'Two cars wide, and the walk to the door.',
    category: 'Snow Removal',
    location: 'Saskatoon',
    pay_amount: 50,
    asked_tasker_id: tasker,
  })

describe('a person', () => {
  it('is nobody to strangers without something public: newcomers, admins, the hidden, in no list and by no id', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await owner(db)(`update private.profiles set visibility = 'hidden', completed_tasks = 1 where id = $1`, [
      una,
    ])
    expect(await seenByStrangers()).toEqual([])
    for (const stranger of strangers()) {
      expect((await stranger('select from public.badges')).rowCount).toBe(0)
      const head = await stranger('select public.person_head($1) as head', [una])
      expect(head.rows).toEqual([{ head: null }])
      // By the row that the caller hands in, whoever's id it has.
      const badges = await stranger(
        'select public.earned_badges(jsonb_populate_record(null::public.public_profiles, $1)) as badges',
        [{ id: una }],
      )
      expect(badges.rows).toEqual([{ badges: [] }])
    }
    expect(await ask(una)).toBe('Only a tasker can be asked')
    for (const admin of [as(db, 'ada'), asService(db)]) expect(await names(admin)).toHaveLength(5)
    expect(await names(as(db, 'theo'))).toEqual([cast.theo])
  })

  it('is seen by everybody while Find Taskers lists them', async () => {
    await list(db)
    expect(await seenByStrangers()).toEqual([cast.theo])
    for (const unlisted of [`visibility = 'hidden'`, `hidden_for = 'suspension'`]) {
      await owner(db)(`update private.profiles set ${unlisted} where id = $1`, [cast.theo])
      expect([unlisted, await seenByStrangers()]).toEqual([unlisted, []])
      await owner(db)(`update private.profiles set visibility = 'public', hidden_for = null where id = $1`, [
        cast.theo,
      ])
    }
    // As the list has it, whatever that says.
    const { rows } = await owner(db)('select array_agg(id) as ids from private.listed_taskers')
    expect(await seenByStrangers()).toEqual(rows[0].ids)
  })

  it('is seen by everybody while a task of theirs is open and shown', async () => {
    const task = await postTask(db)
    expect(await seenByStrangers()).toEqual([cast.grace])
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [task])
    expect(await seenByStrangers()).toEqual([])
    await owner(db)('update public.tasks set hidden_for = null where id = $1', [task])
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [task])
    expect(await seenByStrangers()).toEqual([])
  })

  it('is seen by everybody as the author of a review from when it is shown until it is hidden', async () => {
    const booking = await bookingAt(db, 'completed')
    await release(db, booking)
    await tryInsert(db, 'grace', 'reviews', { booking_id: booking.id, reviewer_id: cast.grace, rating: 5 })
    expect(await seenByStrangers()).toEqual([])
    await owner(db)('update public.reviews set visible_from = now()')
    expect(await seenByStrangers()).toEqual([cast.grace])
    await owner(db)('update public.reviews set hidden_at = now()')
    expect(await seenByStrangers()).toEqual([])
  })

  it('is seen by whom they have to do with: from an application on, and while one asks the other', async () => {
    await list(db)
    expect(await ask(cast.theo)).toBe(null)
    // Hidden meanwhile: the giver still sees whom they ask, and the tasker who asks.
    await hide()
    expect(await names(as(db, 'grace'))).toEqual([cast.grace, cast.theo])
    expect(await names(as(db, 'theo'))).toEqual([cast.grace, cast.theo])
    await owner(db)(`update public.tasks set hidden_for = 'report'`)
    expect(await names(as(db, 'theo'))).toEqual([cast.theo])
    await owner(db)(`update public.tasks set status = 'cancelled'`)
    expect(await names(as(db, 'grace'))).toEqual([cast.grace])

    const booking = await apply(db, await postTask(db))
    await move(db, booking, cast.grace, 'rejected')
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where status = 'open'`)
    for (const person of ['grace', 'theo'])
      expect(await names(as(db, person))).toEqual([cast.grace, cast.theo])
    expect(await seenByStrangers()).toEqual([])
  })

  it('has nobody to do with as an application’s, or before the second step of a sign-in', async () => {
    await bookingAt(db, 'accepted')
    const half = asHalfSignedIn(db, 'grace', '00000000-0000-4000-8000-0000000000fe')
    for (const query of [
      asApplication(db, 'grace'),
      asApplication(db, 'ada', { hook: false, aal: 'aal2' }),
      half,
    ])
      expect(await names(query)).toEqual([])
  })
})

describe('a profile', () => {
  it('is public until its person hides it, then a card for strangers', async () => {
    await describeTheo()
    await list(db)
    for (const person of ['anonymous', 'sam', 'grace']) expect(await seen(person)).toEqual(whole)
    await hide()
    for (const person of ['anonymous', 'sam', 'grace']) expect(await seen(person)).toBeUndefined()
    await authored()
    for (const query of [as(db, 'anonymous'), as(db, 'sam'), asApplication(db, 'grace')])
      expect(await seenBy(query)).toEqual(card)
    for (const person of ['theo', 'ada'])
      expect(await seen(person)).toEqual({ ...whole, full_name: 'Theo Tasker' })
    await hide('public')
    expect(await seen('sam')).toEqual(whole)
  })

  it('shows all to whom its person has a booking with', async () => {
    await describeTheo()
    await hide()
    await bookingAt(db, 'pending')
    expect(await seen('grace')).toEqual(whole)
    expect(await seen('sam')).toBeUndefined()
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
