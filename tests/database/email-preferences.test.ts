// Notification choices, and unsubscribing with an e-mail's token; reminders of work; admins on failed transfers.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { bookingAt, openPayoutAccount, paymentOf, refusal, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { confirmAddresses, mailed, subjects } from './sent-emails.ts'

const db = databaseWithCast()
beforeAll(() => confirmAddresses(db))
beforeEach(async () => {
  await owner(db)('delete from public.notification_preferences')
  await mailed(db)
  await owner(db)('delete from public.notifications')
})

const notify = (person: string, key: string, params: object = {}) =>
  owner(db)(`select private.notify_person($1, $2, $3, '/dashboard')`, [person, key, JSON.stringify(params)])
const choose = (person: string, choice: object) =>
  tryInsert(db, person, 'notification_preferences', { user_id: cast.theo, ...choice })
const bells = async () =>
  (await as(db, 'theo')('select key from public.notifications')).rows.map((row) => row.key)
const settings = async (person: string) =>
  (await as(db, person)('select * from public.notification_settings()')).rows
const set = async (token: string, subscribed: boolean) =>
  (await as(db, 'anonymous')('select public.set_email_subscription($1, $2) as is', [token, subscribed]))
    .rows[0].is

it('all is on until it is turned off, the bell and e-mail each by itself', async () => {
  const kinds = [
    'applications',
    'bookings',
    'payments',
    'complaints',
    'messages',
    'reviews',
    'verification',
    'account',
    'alerts',
  ]
  expect((await settings('theo')).map(({ kind }) => kind)).toEqual(kinds)
  expect((await settings('ada')).map(({ kind }) => kind)).toEqual([...kinds.slice(0, -1), 'admin', 'alerts'])
  for (const row of await settings('theo')) expect(row).toMatchObject({ bell: true, email: true })
  expect(await choose('theo', { kind: 'verification', email: false })).toBeNull()
  expect(await choose('theo', { kind: 'reviews', bell: false })).toBeNull()
  await notify(cast.theo, 'verification_approved')
  await notify(cast.theo, 'review_received', { person: 'Grace Giver', task: 'Clear the driveway' })
  expect(await bells()).toEqual(['verification_approved'])
  expect(await subjects(db)).toEqual(['theo: Grace Giver reviewed you for "Clear the driveway"'])
})

it('payments and complaints always come, and nobody chooses for somebody else', async () => {
  for (const kind of ['payments', 'complaints', 'account']) {
    for (const way of ['bell', 'email']) {
      expect(await choose('theo', { kind, [way]: false })).toBe(
        'Payments, complaints and your account always come to the bell and by e-mail',
      )
    }
  }
  expect(await choose('sam', { kind: 'reviews', email: false })).toMatch(/row-level security/)
  expect(await choose('anonymous', { kind: 'reviews', email: false })).toMatch(/permission denied/)
})

it('an e-mail whose kind is turned off while it waits is not sent', async () => {
  await notify(cast.theo, 'verification_approved')
  await choose('theo', { kind: 'verification', email: false })
  expect(await subjects(db)).toEqual([])
})

it('an e-mail’s tokens turn off its kinds, and on again, for its reader alone', async () => {
  await notify(cast.theo, 'verification_approved')
  await notify(cast.theo, 'review_received', { person: 'Grace Giver', task: 'Clear the driveway' })
  await notify(cast.theo, 'confirmed_by_time', { task: 'Clear the driveway' })
  await notify(cast.grace, 'verification_approved')
  const [grace, theo] = await mailed(db)
  expect(theo?.email.unsubscribe_kinds.map(({ kind }) => kind)).toEqual(['reviews', 'verification'])
  const token = theo?.email.unsubscribe ?? ''
  const about = async () =>
    (await as(db, 'anonymous')('select public.email_subscription($1) as is', [token])).rows[0].is
  expect(await about()).toEqual({ kinds: ['reviews', 'verification'], subscribed: true })
  expect(await set(token, false)).toEqual({ kinds: ['reviews', 'verification'], subscribed: false })
  expect(await set(token, false)).toEqual(await about())
  await notify(cast.theo, 'verification_approved')
  await notify(cast.grace, 'verification_approved')
  await notify(cast.theo, 'confirmed_by_time', { task: 'Clear the driveway' })
  const after = await mailed(db)
  expect(after.map(({ to, keys }) => [to, keys])).toEqual([
    ['grace', ['verification_approved']],
    ['theo', ['confirmed_by_time']],
  ])
  // Each person and kind has its own token; required kinds have none.
  expect(after[0]?.email.unsubscribe).toBe(grace?.email.unsubscribe)
  expect(after[0]?.email.unsubscribe).not.toBe(token)
  expect(after[1]?.email).toMatchObject({ unsubscribe: null, unsubscribe_kinds: [] })
  expect(after[1]?.text).toContain('Emails about payments, complaints and your account are always sent')
  expect(await bells()).toContain('verification_approved')
  expect(await set(token, true)).toMatchObject({ subscribed: true })
})

it('a token that is none of ours says nothing', async () => {
  const none = '00000000-0000-4000-8000-0000000000ff'
  const { rows } = await as(db, 'anonymous')('select public.email_subscription($1) as is', [none])
  expect(rows[0].is).toBeNull()
  expect(await refusal(set(none, false))).toBe(
    'This link is not valid any more. Sign in to choose which e-mails you get.',
  )
})

it('both are reminded of work once, the day before', async () => {
  const booking = await bookingAt(db, 'in_progress', { scheduled: '23 hours' })
  await mailed(db)
  const remind = async () => {
    await asService(db)('select public.run_scheduled()')
    return (await subjects(db)).filter((line) => line.includes('Coming up'))
  }
  expect(await remind()).toEqual([]) // paid for less than a day ahead
  await owner(db)(`update public.payments set held_at = now() - interval '2 days' where booking_id = $1`, [
    booking.id,
  ])
  expect(await remind()).toEqual([
    expect.stringMatching(
      /^grace: Coming up: "Clear the driveway" on \w+day, \w+ \d+, \d+:\d\d [ap]\.m\. \(Saskatchewan time\)$/,
    ),
    expect.stringMatching(/^theo: /),
  ])
  expect(await remind()).toEqual([])
})

it('admins are notified about a payout that failed, once', async () => {
  await openPayoutAccount(db)
  const booking = await bookingAt(db, 'released', { amount: 50 })
  await mailed(db)
  const { id } = await paymentOf(db, booking)
  for (const key of [`payout-${id}`, `payout-${id}-2`]) {
    await asService(db)(`select public.fail_payout($1, 'No such account', $2)`, [id, key])
  }
  expect((await subjects(db)).filter((line) => line.startsWith('ada'))).toEqual([
    'ada: The payout of $40.00 for "Clear the driveway" did not go through',
  ])
})
