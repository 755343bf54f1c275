// The secret address of a person's calendar: who makes, reads and ends it, and which bookings it shows.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, bookingAt, cancel, move, postTask } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

type Event = Record<string, string | null> & { id: string; status: string }
type Feed = { language: string; events: Event[] } | null

const address = async (person: string): Promise<string> =>
  (await as(db, person)('select public.create_calendar_address() as token')).rows[0].token
const feed = async (token: string | null): Promise<Feed> =>
  (await asService(db)('select public.calendar_feed($1) as feed', [token])).rows[0].feed
const eventOf = async (token: string, booking: string) =>
  (await feed(token))?.events.find(({ id }) => id === booking)

/** Grace's task with a street address, in that many hours, and Theo's booking of it. */
async function booked(
  state: 'pending' | 'accepted',
  scheduled: string | null = '50 hours',
  minutes: number | null = 90,
) {
  const task = await postTask(db, { scheduled, minutes })
  await as(db, 'grace')(
    `insert into public.task_addresses (task_id, address) values ($1, '12 Main Street')`,
    [task],
  )
  const booking = await apply(db, task)
  if (state === 'accepted') await move(db, booking, 'grace', 'accepted')
  return booking
}

beforeEach(async () => {
  await owner(db)('delete from public.calendar_addresses')
  await owner(db)('delete from public.tasks')
})

describe('the address', () => {
  it('has 32 random bytes, is read by its person alone, and a new one ends it at once', async () => {
    const first = await address('theo')
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(await feed(first)).toEqual({ language: 'en', events: [] })
    for (const [person, rows] of [
      ['theo', 1],
      ['grace', 0],
      ['ada', 0],
    ] as const)
      expect((await as(db, person)('select token from public.calendar_addresses')).rows).toHaveLength(rows)
    const second = await address('theo')
    expect(second).not.toBe(first)
    expect(await feed(first)).toBeNull()
    expect(await feed(second)).not.toBeNull()
  })

  it('is turned off by its person alone', async () => {
    const token = await address('theo')
    for (const person of ['grace', 'ada'])
      expect((await as(db, person)('delete from public.calendar_addresses')).rowCount).toBe(0)
    expect((await as(db, 'theo')('delete from public.calendar_addresses')).rowCount).toBe(1)
    expect(await feed(token)).toBeNull()
  })

  it('is made neither by hand nor by strangers, and the feed is the function’s to read', async () => {
    await expect(
      as(db, 'theo')(`insert into public.calendar_addresses (user_id, token) values ($1, 'x')`, [cast.theo]),
    ).rejects.toThrow(/permission denied/)
    await expect(as(db, 'theo')(`update public.calendar_addresses set token = 'x'`)).rejects.toThrow(
      /permission denied/,
    )
    await expect(as(db, 'anonymous')('select public.create_calendar_address()')).rejects.toThrow(
      /permission denied/,
    )
    await expect(as(db, 'theo')(`select public.calendar_feed('x')`)).rejects.toThrow(/permission denied/)
  })

  it('made twice at once remains one', async () => {
    const made = await Promise.all(['theo', 'theo', 'theo'].map(address))
    const feeds = await Promise.all(made.map(feed))
    expect(feeds.filter(Boolean)).toHaveLength(1)
  })

  it.each([null, '', 'x', '0'.repeat(64)])('%j is none', async (token) => {
    await address('theo')
    expect(await feed(token)).toBeNull()
  })

  it('shows nothing while its person is suspended, and nothing of a deleted account', async () => {
    const token = await address('sam')
    await as(db, 'ada')('select public.suspend_person($1, $2)', [cast.sam, 'Spam in chats'])
    expect(await feed(token)).toBeNull()
    await as(db, 'ada')('select public.lift_suspension($1)', [cast.sam])
    expect(await feed(token)).not.toBeNull()
    const leaver = await signUp(db, { name: 'Lena Listed', role: 'task_giver' })
    const theirs = await address(leaver)
    expect(await feed(theirs)).not.toBeNull()
    await owner(db)('delete from auth.users where id = $1', [leaver])
    expect(await feed(theirs)).toBeNull()
  })
})

describe('the bookings of an address', () => {
  it('begin with the agreement, on both sides, with the place and the other’s name', async () => {
    const [theo, grace] = [await address('theo'), await address('grace')]
    const waiting = await booked('pending')
    expect((await feed(theo))?.events).toEqual([])
    expect((await feed(grace))?.events).toEqual([])
    await move(db, waiting, 'grace', 'accepted')
    expect(await eventOf(theo, waiting.id)).toMatchObject({
      title: 'Clear the driveway',
      role: 'tasker',
      other: 'Grace Giver',
      status: 'accepted',
      place: 'Saskatoon',
      address: '12 Main Street',
      link: `/bookings?booking=${waiting.id}`,
    })
    expect(await eventOf(grace, waiting.id)).toMatchObject({
      role: 'giver',
      other: 'Theo Tasker',
      address: '12 Main Street',
    })
    expect((await feed(await address('sam')))?.events).toEqual([])
  })

  it('last as long as agreed, an hour without a duration, and are left out without a time', async () => {
    const token = await address('theo')
    const long = await booked('accepted', '50 hours', 90)
    const open = await booked('accepted', '70 hours', null)
    await booked('accepted', null)
    const events = (await feed(token))?.events ?? []
    const minutes = events.map(
      ({ ends_at, starts_at }) => (Date.parse(ends_at ?? '') - Date.parse(starts_at ?? '')) / 60_000,
    )
    expect(events.map(({ id }) => id)).toEqual([long.id, open.id])
    expect(minutes).toEqual([90, 60])
  })

  it('stay for 30 days once cancelled, at their own time and without the address; a withdrawn application never was one', async () => {
    const [theo, grace] = [await address('theo'), await address('grace')]
    const booking = await booked('accepted')
    const before = await eventOf(theo, booking.id)
    await cancel(db, booking, 'theo')
    await as(db, 'grace')(
      `update public.tasks set scheduled_date = now() + interval '9 days' where id = $1`,
      [booking.taskId],
    )
    for (const token of [theo, grace])
      expect(await eventOf(token, booking.id)).toMatchObject({
        status: 'cancelled',
        starts_at: before?.starts_at,
        ends_at: before?.ends_at,
        address: null,
      })
    expect(Date.parse((await eventOf(theo, booking.id))?.changed_at ?? '')).toBeGreaterThan(
      Date.parse(before?.changed_at ?? ''),
    )
    const withdrawn = await booked('pending', '90 hours')
    await move(db, withdrawn, 'theo', 'cancelled')
    expect((await feed(theo))?.events.map(({ id }) => id)).toEqual([booking.id])
    await owner(db)(`update public.bookings set cancelled_at = now() - interval '31 days' where id = $1`, [
      booking.id,
    ])
    expect((await feed(theo))?.events).toEqual([])
  })

  it('stay for 90 days once completed', async () => {
    const token = await address('theo')
    const done = await bookingAt(db, 'completed')
    await owner(db)(`update public.tasks set scheduled_date = now() - interval '1 day' where id = $1`, [
      done.taskId,
    ])
    expect(await eventOf(token, done.id)).toMatchObject({ status: 'completed' })
    await owner(db)(`update public.bookings set completed_at = now() - interval '91 days' where id = $1`, [
      done.id,
    ])
    expect(await eventOf(token, done.id)).toBeUndefined()
  })
})
