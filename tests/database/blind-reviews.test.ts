// A review is blind until both are in or its 14 days are over. Everything that others can read is the same before and
// after it was written: every table, view, figure, notification and live event. And who is asked to write one, and
// when.
import { describe, expect, it } from 'vitest'
import { type Booking, bookingAt, release, settleWithProvider, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const review = (booking: Booking, person: 'grace' | 'theo' | 'ada', rating = 2) =>
  tryInsert(db, person, 'reviews', {
    booking_id: booking.id,
    reviewer_id: cast[person],
    rating,
    comment: 'Late, and the walk was missed.',
  })

/** Everything that a person can read through the API, by table, view and function. */
async function readable(person: Persona): Promise<Record<string, unknown>> {
  const role = person === 'anonymous' ? 'anon' : 'authenticated'
  const { rows: relations } = await owner(db)(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')
       and has_table_privilege($1, oid, 'select') order by 1`,
    [role],
  )
  const sources = [
    ...relations.map(({ name }) => `public.${name}`),
    `public.review_counts('${cast.theo}')`,
    `public.review_counts('${cast.grace}')`,
    `public.find_taskers()`,
    `public.search_tasks()`,
    ...(person === 'anonymous'
      ? []
      : [`(select b.id, r.rating from public.bookings b left join public.reviews r on r.booking_id = b.id)`]),
    `(select t.id, count(r.*) from public.tasks t left join public.reviews r on r.task_id = t.id group by t.id)`,
  ]
  const seen: Record<string, unknown> = {}
  for (const source of sources) {
    const { rows } = await as(
      db,
      person,
    )(`select coalesce(json_agg(row_to_json(s) order by s::text), '[]') as rows from ${source} s`)
    seen[source] = rows[0].rows
  }
  return seen
}

/** The rows that realtime sends, with the transaction that wrote each: an event would change it. */
async function published(): Promise<unknown> {
  const { rows: tables } = await owner(db)(
    `select format('%I.%I', schemaname, tablename) as name from pg_publication_tables
     where pubname = 'supabase_realtime' order by 1`,
  )
  return Promise.all(
    tables.map(async ({ name }) => [
      name,
      (await owner(db)(`select xmin::text, t::text from ${name} t order by 2`)).rows,
    ]),
  )
}

const readers: Persona[] = ['theo', 'sam', 'anonymous']
const everything = () => Promise.all(readers.map(readable))

async function timePasses(): Promise<void> {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
}

const asked = async (person: 'grace' | 'theo') =>
  (
    await as(
      db,
      person,
    )(`select link, message from public.notifications where key = 'review_asked' order by created_at`)
  ).rows

const hourPasses = () => owner(db)(`update private.review_requests set ask_at = now()`)

describe('the first review', () => {
  it('changes nothing that anybody but its writer can read, nor anything that realtime tells', async () => {
    const booking = await bookingAt(db, 'released')
    const before = await everything()
    const events = await published()
    expect(await review(booking, 'grace')).toBe(null)
    await timePasses()
    expect(await everything()).toEqual(before)
    expect(await published()).toEqual(events)
    expect((await readable('grace'))['public.reviews']).toHaveLength(1)

    expect(await review(booking, 'theo', 5)).toBe(null)
    const after = await everything()
    for (const reader of [0, 1, 2]) expect(after[reader]?.['public.reviews']).toHaveLength(2)
    expect(after[0]?.[`public.review_counts('${cast.theo}')`]).toEqual([{ stars: 2, count: 1 }])
  })

  it('is not found out by trying to write it again', async () => {
    const booking = await bookingAt(db, 'released')
    const attempts = () =>
      Promise.all([
        tryInsert(db, 'theo', 'reviews', { booking_id: booking.id, reviewer_id: cast.grace, rating: 5 }),
        as(db, 'theo')(
          `insert into public.reviews (booking_id, reviewer_id, rating) values ($1, $2, 5) on conflict do nothing`,
          [booking.id, cast.grace],
        ).catch((error: Error) => error.message),
        as(db, 'theo')(`delete from public.reviews where booking_id = $1`, [booking.id]).catch(
          (error: Error) => error.message,
        ),
      ])
    const before = await attempts()
    await review(booking, 'grace')
    expect(await attempts()).toEqual(before)
  })

  it('is hidden from an administrator whom it is about', async () => {
    await owner(db)(`update public.user_roles set role = 'admin' where user_id = $1`, [cast.grace])
    const booking = await bookingAt(db, 'released')
    await review(booking, 'theo')
    const seen = async (person: Persona) =>
      (await as(db, person)('select from public.reviews where booking_id = $1', [booking.id])).rowCount
    expect([await seen('grace'), await seen('ada'), await seen('theo')]).toEqual([0, 1, 1])
    await review(booking, 'grace')
    expect(await seen('grace')).toBe(2)
  })

  it('is counted and announced once its time is over, and not a moment before', async () => {
    const booking = await bookingAt(db, 'released')
    await review(booking, 'grace')
    const before = await everything()
    await owner(db)(
      `update public.reviews set visible_from = now() + interval '1 minute' where booking_id = $1`,
      [booking.id],
    )
    await timePasses()
    expect(await everything()).toEqual(before)
    await owner(db)(`update public.reviews set visible_from = now() where booking_id = $1`, [booking.id])
    await timePasses()
    const theo = await as(db, 'grace')(
      'select rating, total_reviews from public.public_profiles where id = $1',
      [cast.theo],
    )
    expect(theo.rows).toEqual([{ rating: '2.00', total_reviews: 1 }])
    const heard = await as(db, 'theo')(`select from public.notifications where key = 'review_received'`)
    expect(heard.rowCount).toBe(1)
  })
})

describe('after a complaint', () => {
  const days = (booking: Booking, count: number) =>
    owner(db)(`update public.bookings set completed_at = now() - make_interval(days => $2) where id = $1`, [
      booking.id,
      count,
    ])
  const toReview = async (person: 'grace' | 'theo', booking: Booking) =>
    (
      await as(db, person)(
        `select due_at - now() > interval '13 days' as two_weeks from public.my_action_items()
         where kind = 'review' and booking_id = $1`,
        [booking.id],
      )
    ).rows

  it('the time runs from the decision, and what was written before stays blind until then', async () => {
    const booking = await bookingAt(db, 'completed')
    expect(await review(booking, 'theo')).toBe(null)
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still white.',
    })
    expect(await review(booking, 'grace')).toBe('A review can be written once the complaint is decided')
    await days(booking, 20)
    await timePasses()
    const shown = () => as(db, 'sam')('select rating from public.reviews where booking_id = $1', [booking.id])
    expect((await shown()).rowCount).toBe(0)

    const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
    await as(db, 'ada')(`select public.decide_complaint($1, 'release')`, [rows[0].id])
    expect((await shown()).rowCount).toBe(0)
    expect(await toReview('grace', booking)).toEqual([{ two_weeks: true }])
    expect(await toReview('theo', booking)).toEqual([])
    await hourPasses()
    await timePasses()
    expect((await asked('grace')).filter(({ link }) => link.includes(booking.id))).toHaveLength(1)
    expect(await review(booking, 'grace')).toBe(null)
    expect((await shown()).rowCount).toBe(2)
  })

  it('and ends 14 days later', async () => {
    const booking = await bookingAt(db, 'completed')
    await review(booking, 'theo')
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still white.',
    })
    const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
    await as(db, 'ada')(`select public.decide_complaint($1, 'release')`, [rows[0].id])
    await days(booking, 30)
    await owner(db)(`update public.complaints set decided_at = now() - interval '14 days' where id = $1`, [
      rows[0].id,
    ])
    expect(await review(booking, 'grace')).toBe('A review can be written within 14 days of the decision')
    expect(await toReview('grace', booking)).toEqual([])
    expect(
      (await as(db, 'sam')('select from public.reviews where booking_id = $1', [booking.id])).rowCount,
    ).toBe(1)
  })
})

describe('both are asked', () => {
  it('an hour after the money is released, once', async () => {
    const booking = await bookingAt(db, 'completed')
    await timePasses()
    expect([await asked('grace'), await asked('theo')]).toEqual([[], []])
    await release(db, booking)
    await timePasses()
    expect([await asked('grace'), await asked('theo')]).toEqual([[], []])
    await hourPasses()
    await timePasses()
    const link = `/bookings?booking=${booking.id}&part=review`
    const words = (name: string) =>
      `Please review ${name} for "Clear the driveway". Your review is shown once both of you have written, or after 14 days.`
    expect(await asked('grace')).toEqual([{ link, message: words('Theo Tasker') }])
    expect(await asked('theo')).toEqual([{ link, message: words('Grace Giver') }])
    await hourPasses()
    await timePasses()
    expect(await asked('theo')).toHaveLength(1)
  })

  it('but not who has written, and the text is not revealed by it', async () => {
    const booking = await bookingAt(db, 'released')
    await review(booking, 'grace')
    await hourPasses()
    await timePasses()
    expect([await asked('grace'), await asked('theo')]).toEqual([[], [expect.anything()]])
  })

  it.each([
    ['giver', 'grace', 'theo'],
    ['tasker', 'theo', 'grace'],
  ] as const)('nor about a %s who has deleted their account', async (_side, leaver, stayer) => {
    const leaves = () => owner(db)('delete from auth.users where id = $1', [cast[leaver]])
    const items = async () =>
      (await as(db, stayer)(`select booking_id from public.my_action_items() where kind = 'review'`)).rows
    await owner(db)('update auth.users set email_confirmed_at = now()')
    const [early, late] = [await bookingAt(db, 'released'), await bookingAt(db, 'released')]
    for (const booking of [early, late]) await settleWithProvider(db, booking)
    await owner(db)(`update private.review_requests set ask_at = now() where booking_id = $1`, [early.id])
    await owner(db)('select private.ask_for_reviews()')
    expect([await asked(stayer), await items()]).toEqual([
      [expect.objectContaining({ link: expect.stringContaining(early.id) })],
      [{ booking_id: early.id }, { booking_id: late.id }],
    ])
    const emails = () =>
      owner(db)(`select from private.email_events where key = 'review_asked' and email_id is null`)
    expect((await emails()).rowCount).toBeGreaterThan(0)

    await leaves()
    await hourPasses()
    await timePasses()
    expect([await asked(stayer), await items(), (await emails()).rowCount]).toEqual([[], [], 0])
    expect(await review(late, stayer)).toBe(
      'This person has deleted their account, so there is nobody to review any more',
    )
    const { rows } = await owner(db)('select private.person_name($1) as name', [cast[leaver]])
    expect(rows).toEqual([{ name: 'Deleted user' }])
  })

  it('nor anybody once the 14 days are over', async () => {
    const booking = await bookingAt(db, 'released')
    await owner(db)(`update public.bookings set completed_at = now() - interval '14 days' where id = $1`, [
      booking.id,
    ])
    await hourPasses()
    await timePasses()
    expect([await asked('grace'), await asked('theo')]).toEqual([[], []])
  })
})

describe('the stars of a person', () => {
  it('add up by their number', async () => {
    for (const stars of [5, 5, 3]) {
      const booking = await bookingAt(db, 'released')
      await review(booking, 'grace', stars)
      await review(booking, 'theo', 4)
    }
    const counts = async (person: string) =>
      (await as(db, 'anonymous')('select * from public.review_counts($1)', [person])).rows
    expect(await counts(cast.theo)).toEqual([
      { stars: 5, count: 2 },
      { stars: 3, count: 1 },
    ])
    expect(await counts(cast.grace)).toEqual([{ stars: 4, count: 3 }])
    expect(await counts(cast.sam)).toEqual([])
  })
})
