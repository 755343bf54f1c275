// Messages name times by the clock of the task's place, in words: at the bell, in e-mails and pushes, also where that clock changes.
import { beforeEach, expect, it } from 'vitest'
import { clockNameIn, momentIn } from '../../shared/locale.ts'
import { textsIn } from '../../supabase/functions/_shared/texts.ts'
import { extra, propose as proposeChange } from './changes.ts'
import { apply, type Booking, move, pay } from './lives.ts'
import { counter, offer, runScheduled } from './offers.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { propose } from './proposals.ts'
import { confirmAddresses, mailed } from './sent-emails.ts'
import { subscribe } from './subscriptions.ts'

const db = databaseWithCast({ fresh: true })

const REGINA = 'America/Regina'
const places = [
  { location: 'Lloydminster', zone: 'America/Edmonton', clock: 'Mountain Time' },
  { location: '12 Main St, Creighton', zone: 'America/Winnipeg', clock: 'Central Time' },
  { location: 'Saskatoon', zone: REGINA, clock: 'Saskatchewan time' },
]

beforeEach(() => confirmAddresses(db))

/** The person's unread notifications, oldest first; reading them marks them as read. */
async function heard(person: 'grace' | 'theo') {
  const { rows } = await as(
    db,
    person,
  )('select message, params from public.notifications where not read order by created_at, key')
  await as(db, person)('update public.notifications set read = true where not read')
  return rows as { message: string; params: Record<string, unknown> }[]
}

/** Grace's task at that place, so many hours from now. Returns its id. */
async function postedIn(location: string, hours: number): Promise<string> {
  const { rows } = await as(db, 'grace')(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes, status)
     values ($1, 'Clear the driveway', 'Two cars wide, and the walk.', 'Snow Removal', $2, 80, now() + make_interval(hours => $3), 30, 'open')
     returning id`,
    [cast.grace, location, hours],
  )
  return rows[0].id
}

/** Theo's application or accepted booking at that place. */
async function bookingIn(location: string, { hours = 72, accepted = true } = {}): Promise<Booking> {
  const booking = await apply(db, await postedIn(location, hours))
  if (accepted) await move(db, booking, cast.grace, 'accepted')
  return booking
}

/** The time by that clock as PostgreSQL has it, in English. */
async function written(at: unknown, zone: string): Promise<string> {
  const { rows } = await owner(db)(
    `select to_char($1::timestamptz at time zone $2, 'FMDay, FMMonth FMDD, FMHH12:MI a.m.') as text`,
    [at, zone],
  )
  return rows[0].text
}

async function notify(booking: Booking, key: string, at: string) {
  const params = `jsonb_build_object('task', 'Clear the driveway', 'person', 'Grace', 'at', $3::timestamptz, 'when', private.day_and_time($3))`
  await owner(db)(`select private.notify_person($1, $2, ${params}, private.booking_link($4))`, [
    cast.theo,
    key,
    at,
    booking.id,
  ])
}

it.each(places)(
  'at the clock changes of $location, in English and German',
  async ({ location, zone, clock }) => {
    const booking = await bookingIn(location)
    await owner(db)('truncate public.notifications, private.email_events')
    const moments = [
      '2027-03-14T07:59:00Z',
      '2027-03-14T08:00:00Z',
      '2027-03-14T08:59:00Z',
      '2027-03-14T09:00:00Z',
      '2027-11-07T06:30:00Z',
      '2027-11-07T07:30:00Z',
      '2027-11-07T08:30:00Z',
    ]
    for (const at of moments) {
      await notify(booking, 'work_reminder', at)
      const when = await written(at, zone)
      const [notice] = await heard('theo')
      expect(notice?.message).toBe(`"Clear the driveway" with Grace is on ${when}, ${clock}.`)
      const [email] = await mailed(db)
      expect(email?.subject).toBe(`Coming up: "Clear the driveway" on ${when} (${clock})`)
      expect(email?.text).toContain(`is on ${when}, ${clock}.`)
      expect(email?.html.replace(/<\/?bdi>/g, '')).toContain(`is on ${when}, ${clock}.`)

      await owner(db)(`update private.profiles set language = 'de' where id = $1`, [cast.theo])
      await notify(booking, 'work_reminder', at)
      const [german] = await mailed(db)
      const there = momentIn('de', new Date(at), { timeZone: zone })
      expect(german?.subject).toBe(`Bald: „Clear the driveway“ am ${there} (${clockNameIn('de', zone)})`)
      expect(german?.text).toContain(`ist am ${there}, ${clockNameIn('de', zone)}.`)
      await owner(db)(`update private.profiles set language = 'en' where id = $1`, [cast.theo])
      await heard('theo')
    }
  },
)

it('by the words of each language where the clock skips and repeats an hour', async () => {
  expect(await written('2027-03-14T07:59:00Z', 'America/Winnipeg')).toBe('Sunday, March 14, 1:59 a.m.')
  expect(await written('2027-03-14T08:00:00Z', 'America/Winnipeg')).toBe('Sunday, March 14, 3:00 a.m.')
  const params = { task: 'Rake', person: 'Grace', at: '2027-03-14T08:00:00Z', zone: 'America/Winnipeg' }
  const say = (language: 'fr' | 'ar' | 'zh') =>
    textsIn(language).notifications.say('work_reminder.message', params, { escape: (value) => value })
  expect(say('fr')).toMatch(/le dim\. 14 mars.*3.h.00, heure du Centre\.$/)
  expect(say('ar')).toContain('3:00')
  expect(say('ar')).toContain('التوقيت المركزي')
  expect(say('zh')).toContain('3:00')
  expect(say('zh')).toContain('北美中部时间')
})

it.each(places)('whatever happens to a booking in $location', async ({ location, zone, clock }) => {
  const offered = await offer(db, await postedIn(location, 100), [{ amount: 90 }])
  const booking = await bookingIn(location)
  await pay(db, booking)
  await owner(db)('truncate public.notifications')
  const at = async (text: string, values: unknown[]) =>
    `${await written((await owner(db)(text, values)).rows[0].at, zone)}, ${clock}`

  await counter(db, offered, 70)
  const answerBy = await at('select answer_by as at from public.bookings where id = $1', [offered.id])
  expect((await heard('theo'))[0]?.message).toContain(`Answer by ${answerBy}.`)

  const proposal = await propose(db, booking, booking.tasker, 80)
  const proposed = await at('select starts_at as at from public.time_proposals where id = $1', [proposal])
  expect((await heard('grace'))[0]?.message).toContain(`to ${proposed}. The agreed time`)

  const change = await proposeChange(db, booking, 'increase', 20)
  const until = await at('select answer_by as at from public.booking_changes where id = $1', [change])
  expect((await heard('grace'))[0]?.message).toContain(`Answer by ${until}.`)
})

it.each(places)('in both reminders of $location, subject and all', async ({ location, zone, clock }) => {
  const unpaid = await bookingIn(location, { hours: 18 })
  await owner(db)(`update public.bookings set accepted_at = now() - interval '2 days' where id = $1`, [
    unpaid.id,
  ])
  const booking = await bookingIn(location, { hours: 23 })
  await pay(db, booking)
  await owner(db)(`update public.payments set held_at = now() - interval '2 days' where booking_id = $1`, [
    booking.id,
  ])
  await mailed(db)
  await runScheduled(db)
  const { rows } = await owner(db)('select scheduled_date as at from public.tasks where id = $1', [
    booking.taskId,
  ])
  const emails = await mailed(db)
  const subjectsOf = (key: string) =>
    emails.filter(({ keys }) => keys[0] === key).map(({ to, subject }) => `${to}: ${subject}`)
  const work = `Coming up: "Clear the driveway" on ${await written(rows[0].at, zone)} (${clock})`
  expect(subjectsOf('work_reminder')).toEqual(expect.arrayContaining([`theo: ${work}`]))
  const [toPay] = emails.flatMap(({ email }) => email.events.filter(({ key }) => key === 'pay_reminder'))
  const due = await written(toPay?.params.at, zone)
  expect(textsIn('en').notifications.say('pay_reminder.subject', toPay?.params)).toBe(
    `Please pay for "Clear the driveway" by ${due} (${clock})`,
  )
  expect(emails.map(({ text }) => text).join()).toContain(`by ${due}, ${clock}. Otherwise the booking`)
})

it('in changes of a task, with the clock of the place that it moves to', async () => {
  const { taskId } = await bookingIn('Saskatoon', { accepted: false })
  await owner(db)('truncate public.notifications')
  const at = '2099-01-02 20:00+00'
  await as(db, 'grace')(`update public.tasks set location = 'Creighton', scheduled_date = $2 where id = $1`, [
    taskId,
    at,
  ])
  const [notice] = await heard('theo')
  expect(notice?.message).toContain(
    'the time is now Friday, January 2, 2:00 p.m., Central Time; the place is',
  )
  expect(notice?.params.changed).toContainEqual({
    what: 'time',
    at: expect.stringMatching(/^2099-01-02T/),
    zone: 'America/Winnipeg',
  })
  const german = textsIn('de').notifications.say('task_changed.message', notice?.params)
  expect(german).toContain('2. Jan., 14:00, Nordamerikanische Zentralzeit')
  await as(db, 'grace')(`update public.tasks set scheduled_date = '2099-07-02 20:00+00' where id = $1`, [
    taskId,
  ])
  expect((await heard('theo'))[0]?.message).toContain('Thursday, July 2, 3:00 p.m., Central Time')
})

it('in pushes, and in a notification that is written anew', async () => {
  await subscribe(db, 'theo')
  const booking = await bookingIn('Creighton')
  await owner(db)('truncate public.notifications')
  await owner(db)('delete from private.push_messages')
  await notify(booking, 'work_soon', '2027-07-01T15:00:00Z')
  const { rows } = await asService(db)('select public.begin_push(10) as pushes')
  const [push] = rows[0].pushes
  const local = 'Thursday, July 1, 10:00 a.m.'
  expect(textsIn('en').notifications.say('work_soon.message', push.params)).toContain(
    `${local}, Central Time.`,
  )
  // Functions of the version before name the marketplace's clock, and take the time by it.
  expect(push.params.when).toBe('Thursday, July 1, 9:00 a.m.')

  const { rows: notices } = await owner(db)('select id from public.notifications')
  await owner(db)(`select private.refill_notification($1, '{"person": "Somebody"}')`, [notices[0].id])
  expect((await heard('theo'))[0]?.message).toBe(
    `"Clear the driveway" with Somebody begins at ${local}, Central Time.`,
  )
})

it('not where no task has a time', async () => {
  await owner(db)(`select private.notify_person($1, 'verification_approved', '{}', '/profile')`, [cast.theo])
  const [notice] = await heard('theo')
  expect(notice?.params).toEqual({})
  const booking = await bookingIn('Lloydminster')
  await pay(db, booking)
  await extra(db, booking, 'increase', 20)
  for (const { params } of await heard('theo'))
    if (!('at' in params)) expect(params).not.toHaveProperty('zone')
})
