// Every event that a person would want to know about: its recipients, its words, and where a click leads.
import { expect, it } from 'vitest'
import { bankOf } from './bank.ts'
import { bellOf } from './bell.ts'
import {
  apply,
  type Booking,
  bookingAt,
  cancel,
  handInDocument,
  move,
  openPayoutAccount,
  paymentOf,
  postTask,
  release,
  report,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
const bank = bankOf(db)
const { heard, messages, keys, nothingNew, seen } = bellOf(db)

const age = (booking: Booking, column: string, interval: string) =>
  owner(db)(`update public.bookings set ${column} = now() - $2::interval where id = $1`, [
    booking.id,
    interval,
  ])
const timePasses = async () => {
  while ((await asService(db)('select public.run_scheduled() as n')).rows[0].n > 0);
}

it('applications: received, withdrawn, accepted, declined', async () => {
  const booking = await bookingAt(db, 'pending')
  expect(await heard('grace')).toMatchObject([
    {
      key: 'application_received_unverified',
      title: 'New application',
      message: 'Theo T. applied to "Clear the driveway". Theo T. is not verified yet.',
      link: `/bookings?booking=${booking.id}`,
      params: { person: 'Theo T.', task: 'Clear the driveway' },
    },
  ])
  await move(db, booking, cast.theo, 'cancelled')
  expect(await messages('grace')).toEqual(['Theo T. withdrew the application for "Clear the driveway".'])
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  const again = await apply(db, booking.taskId)
  await apply(db, booking.taskId, una)
  await move(db, again, cast.grace, 'accepted')
  expect(await messages('theo')).toEqual(['Grace Giver accepted your application for "Clear the driveway".'])
  expect(await messages(una)).toEqual(['Your application for "Clear the driveway" was not chosen.'])
  await nothingNew()
})

it('a task that is withdrawn, by its giver or by the schedule: who had applied', async () => {
  const una = await signUp(db, { name: 'Ula Tasker', role: 'task_doer' })
  const { id, taskId } = await bookingAt(db, 'pending')
  const other = await apply(db, taskId, una)
  const withdraw = `update public.tasks set status = 'cancelled' where id = $1`
  await nothingNew()
  await as(db, 'grace')(withdraw, [taskId])
  for (const [person, booking] of [
    ['theo', id],
    [una, other.id],
  ] as const) {
    expect(await heard(person)).toMatchObject([
      {
        key: 'task_withdrawn',
        message: '"Clear the driveway" was withdrawn, so your application has ended.',
        link: `/bookings?booking=${booking}`,
      },
    ])
  }
  expect(await messages('grace')).toEqual([])
  const late = await bookingAt(db, 'pending', { scheduled: '-25 hours' })
  await nothingNew()
  await timePasses()
  expect(await keys('theo')).toEqual(['application_expired'])
  expect(await keys('grace')).toEqual(['task_expired'])
  expect(late.taskId).not.toBe(taskId)
})

it('the job: held, started, complete, released, paid out, reviewed', async () => {
  await openPayoutAccount(db)
  const booking = await bookingAt(db, 'accepted', { amount: 100 })
  await nothingNew()
  await as(db, 'grace')('select public.prepare_payment($1)', [booking.id])
  const { id, total } = await paymentOf(db, booking)
  const paid = {
    id: `pi_${id}`,
    object: 'payment_intent',
    amount: Number(total) * 100,
    currency: 'cad',
    metadata: { payment_id: id },
  }
  await report(db, 'payment_intent.succeeded', paid)
  await report(db, 'payment_intent.succeeded', paid) // notified once
  expect(await heard('grace')).toMatchObject([
    {
      key: 'payment_held',
      message: 'The payment of $120.00 for "Clear the driveway" is held in escrow.',
      params: { amount: 120 },
    },
  ])
  expect(await keys('theo')).toEqual(['task_started'])
  await move(db, booking, cast.theo, 'completed')
  expect((await heard('grace'))[0]?.link).toBe(`/bookings?booking=${booking.id}&part=next`)
  await release(db, booking)
  await release(db, booking)
  expect(await messages('theo')).toEqual(['Grace Giver released $80.00 for "Clear the driveway".'])
  await settleWithProvider(db, booking)
  expect(await messages('theo')).toEqual([
    '$80.00 for "Clear the driveway" is on its way to your bank account.',
  ])
  for (const person of ['grace', 'theo'] as const) {
    await tryInsert(db, person, 'reviews', { booking_id: booking.id, reviewer_id: cast[person], rating: 5 })
  }
  expect(await heard('theo')).toMatchObject([{ key: 'review_received', link: `/profile/${cast.theo}` }])
  expect(await keys('grace')).toEqual(['review_received'])
})

it('a cancellation, with its amounts', async () => {
  const unpaid = await bookingAt(db, 'accepted')
  await nothingNew()
  await cancel(db, unpaid, cast.theo)
  expect(await messages('grace')).toEqual(['Theo Tasker cancelled the booking for "Clear the driveway".'])
  const byGiver = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '30 minutes' })
  await nothingNew()
  await cancel(db, byGiver, cast.grace)
  expect(await heard('grace')).toMatchObject([
    {
      message:
        'You cancelled the booking for "Clear the driveway". Fee $50.00, refund $70.00. The task is listed again.',
      params: { fee: 50, refund: 70 },
    },
  ])
  expect(await messages('theo')).toEqual([
    'Grace Giver cancelled the booking for "Clear the driveway". Your share of the cancellation fee is $40.00.',
  ])
  await settleWithProvider(db, byGiver)
  expect(await messages('grace')).toEqual([
    'Your refund of $70.00 for "Clear the driveway" takes 5 to 10 business days.',
  ])
  const byTasker = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '30 minutes' })
  await nothingNew()
  await cancel(db, byTasker, cast.theo)
  expect(await messages('grace')).toEqual([
    'Theo Tasker cancelled the booking for "Clear the driveway". Fee $0.00, refund $120.00. The task is listed again.',
  ])
  await settleWithProvider(db, byTasker)
  const atFlatFee = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '3 days' })
  await nothingNew()
  await cancel(db, atFlatFee, cast.grace)
  expect(await messages('theo')).toEqual([
    'Grace Giver cancelled the booking for "Clear the driveway". Your share of the cancellation fee is $4.00.',
  ])
  await nothingNew()
})

it('payouts that wait or fail', async () => {
  await owner(db)('delete from public.payout_accounts')
  const waiting = await bookingAt(db, 'released', { amount: 50 })
  expect(await keys('theo')).toContain('payout_waiting')
  await openPayoutAccount(db)
  const { id } = await paymentOf(db, waiting)
  await asService(db)(`select public.fail_payout($1, 'No such account', $2)`, [id, `payout-${id}`])
  expect(await messages('theo')).toEqual([
    'The payout of $40.00 for "Clear the driveway" did not go through. The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.',
  ])
  await nothingNew()
})

it('complaints: opened, answered, decided', async () => {
  const booking = await bookingAt(db, 'completed', { amount: 100 })
  await nothingNew()
  await tryInsert(db, 'grace', 'complaints', { booking_id: booking.id, reason: 'Half of it is still white.' })
  const link = `/bookings?booking=${booking.id}`
  expect(await heard('theo')).toMatchObject([{ key: 'complaint_opened', link: `${link}&part=answer` }])
  expect(await heard('ada')).toMatchObject([
    {
      message: 'Grace Giver complains about "Clear the driveway".',
      link: expect.stringMatching(/^\/admin\/complaints\/[0-9a-f-]{36}$/),
    },
  ])
  await as(
    db,
    'theo',
  )(`update public.complaints set answer = 'It snowed again at noon.' where answer is null`)
  expect(await messages('grace')).toEqual(['Theo Tasker answered your complaint about "Clear the driveway".'])
  const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
  await as(db, 'ada')(`select public.decide_complaint($1, 'release')`, [rows[0].id])
  expect(await heard('grace')).toMatchObject([
    { message: 'For "Clear the driveway", $0.00 goes back to you.', link },
  ])
  expect(await heard('theo')).toMatchObject([
    { message: 'For "Clear the driveway", $80.00 goes to you.', link },
  ])
})

it('verification: handed in, approved, refused with its reason, the name or the photo changed, the badge removed', async () => {
  await tryInsert(db, 'theo', 'verifications', {
    user_id: cast.theo,
    terms_accepted: true,
    privacy_accepted: true,
    legal_name: 'Theodore Tasker',
    date_of_birth: '1990-01-01',
    id_type: 'passport',
  })
  const decide = (what: string) => as(db, 'ada')(`update public.verifications set ${what}`)
  expect(await keys('theo')).toEqual(['verification_submitted'])
  expect(await keys('ada')).toEqual(['verification_waiting'])
  await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
  expect(await heard('theo')).toMatchObject([
    { message: 'Your verification was refused: The photo is blurred', link: '/verification' },
  ])
  await handInDocument(db)
  await decide(`verification_status = 'verified', id_verified = true`)
  expect(await keys('theo')).toEqual(['verification_approved'])
  await apply(db, await postTask(db))
  expect(await messages('grace')).toEqual(['Theo Tasker applied to "Clear the driveway".'])
  await decide(`verification_status = 'rejected', refusal_reason = 'The licence has expired.'`)
  expect(await heard('theo')).toMatchObject([
    {
      message: 'You are no longer verified: The licence has expired. You can correct it and hand in again.',
      link: '/verification',
    },
  ])
  await decide(`verification_status = 'verified', id_verified = true`)
  await nothingNew()
  const change = (person: string, what: string) =>
    as(db, person)(`update public.profiles set ${what} where id = $1`, [cast.theo])
  await change('theo', `avatar_url = '/theo.jpg'`)
  expect(await messages('ada')).toEqual(['Theo Tasker has another profile photo now.'])
  await change('theo', `full_name = 'Theo Other'`)
  expect(await keys('theo')).toEqual(['name_under_review'])
  expect(await keys('ada')).toEqual(['verified_name_changed'])
  await change('theo', `full_name = 'Theo Tasker'`)
  await decide(`verification_status = 'verified', id_verified = true`)
  await nothingNew()
  await change('ada', 'verified_by_admin = true')
  expect(await keys('theo')).toEqual([])
  await change('ada', 'verified_by_admin = false')
  expect(await keys('theo')).toEqual(['badge_removed'])
})

it('messages, to people who are away', async () => {
  const booking = await bookingAt(db, 'accepted')
  await nothingNew()
  await tryInsert(db, 'grace', 'messages', {
    booking_id: booking.id,
    sender_id: cast.grace,
    receiver_id: cast.theo,
    message: 'The key is under the mat.',
  })
  expect(await messages('theo')).toEqual(['Grace Giver: The key is under the mat.'])
})

it('time-triggered events', async () => {
  const unanswered = await bookingAt(db, 'pending')
  await age(unanswered, 'created_at', '31 days')
  const unpaid = await bookingAt(db, 'accepted')
  await age(unpaid, 'accepted_at', '15 days')
  const overdue = await bookingAt(db, 'pending', { scheduled: '-25 hours' })
  await move(db, overdue, cast.theo, 'cancelled')
  const silent = await bookingAt(db, 'completed')
  await age(silent, 'completed_at', '1 day')
  await nothingNew()
  await timePasses()
  expect((await keys('theo')).sort()).toEqual(['application_expired', 'booking_expired'])
  expect((await keys('grace')).sort()).toEqual(['booking_expired', 'confirm_reminder', 'task_expired'])
  await age(silent, 'completed_at', '7 days')
  await timePasses()
  expect(await keys('theo')).toEqual(['payment_released_by_time'])
  expect(await keys('grace')).toEqual(['confirmed_by_time'])
})

it('chargebacks', async () => {
  for (const outcome of ['won', 'lost'] as const) {
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    await nothingNew()
    await bank.tell(id, ['created'], 'needs_response')
    await bank.tell(id, ['closed'], outcome)
    for (const person of ['grace', 'theo']) {
      const link = `/bookings?booking=${booking.id}`
      expect(await heard(person)).toMatchObject([
        { key: 'chargeback_opened', link },
        { key: `chargeback_${outcome}`, link },
      ])
    }
    const link = '/admin/verify-users?tab=complaints'
    expect(await heard('ada')).toMatchObject([
      {
        message:
          'The bank of the card holder took back $120.00 for "Clear the driveway". Send the evidence to the payment provider.',
        link,
      },
      { key: `chargeback_ended_${outcome}`, link },
    ])
  }
})

it('inquiries, chargebacks lost in part, refunds made at the provider, money that comes back', async () => {
  const booking = await bookingAt(db, 'in_progress', { amount: 100 })
  const { id } = await paymentOf(db, booking)
  await nothingNew()
  await bank.tell(id, ['created'], 'warning_needs_response')
  await bank.tell(id, ['closed'], 'warning_closed')
  expect(await keys('ada')).toEqual(['chargeback_inquiry', 'chargeback_inquiry_closed'])
  expect(await keys('theo')).toEqual([])
  await bank.lose(id, { nth: 2, cents: 6000 })
  expect(await messages('ada')).toEqual([
    'The bank of the card holder keeps $60.00 for "Clear the driveway".',
    '$60.00 of $120.00 for "Clear the driveway" went back to the card holder for good. Decide what becomes of the rest.',
  ])
  await as(db, 'ada')(`select public.decide_loss($1, 'carry_on')`, [id])
  for (const person of ['grace', 'theo'])
    expect(await keys(person)).toEqual(['payment_lost_in_part', 'loss_decided'])
  const whole = await bookingAt(db, 'in_progress', { amount: 100 })
  const { id: other } = await paymentOf(db, whole)
  await nothingNew()
  const all = { id: `re_${other}`, object: 'refund', amount: 12_000, payment_intent: `pi_${other}` }
  await report(db, 'refund.created', { ...all, status: 'succeeded' })
  for (const person of ['grace', 'theo']) expect(await keys(person)).toEqual(['payment_sent_back'])
  await report(db, 'refund.failed', { ...all, status: 'failed' }, undefined, 4_000_000_000)
  expect(await messages('ada')).toEqual([
    '$120.00 for "Clear the driveway" came back after the payment was settled. Decide at the payment provider whose it is.',
  ])
})

it('no text is there that nothing sends', async () => {
  const { rows } = await owner(db)('select key from private.notification_texts')
  // Read by the tests of e-mail delivery, the schedule, refunds, abandoned payouts, chargebacks and payout accounts.
  // Also by those of asked and changed tasks, blind reviews, suspensions, reports, exports, undone declines, recovery
  // codes, removed factors, suppressed addresses, split payments, saved searches, offers and questions.
  // And by those of calendars, rescheduling, the day of the work, price changes and series.
  const others = `email_undeliverable pay_reminder refund_failed refund_given_up payout_given_up refund_returned refund_spared marked_complete_on_hold task_marked_complete_early payout_returned work_reminder task_asked request_declined request_expired request_withdrawn
    review_asked decline_undone task_changed asked_task_changed account_suspended suspension_lifted role_changed
    content_reported content_hidden content_shown report_handled data_export_ready data_export_failed recovery_code_used recovery_codes_made first_recovery_codes_made factors_removed emails_stopped emails_resumed complaint_split_giver complaint_split_tasker search_matched searches_matched
    offer_received offers_received offer_lapsed counter_received counter_accepted counter_declined counter_lapsed question_asked question_answered calendar_unread
    time_proposed time_accepted time_declined time_lapsed
    work_soon tasker_on_the_way tasker_arrived tasker_missed giver_missed no_show_objected no_show_lapsed
    increase_proposed expense_submitted decrease_proposed decrease_accepted change_paid change_declined change_lapsed tip_received expense_limit_set
    series_accepted snow_series_accepted series_stopped snow_reported visit_skipped visit_cancelled visit_due visit_charge_soon visit_charge_failed`
  expect(rows.map((row) => row.key).sort()).toEqual([...seen, ...others.split(/\s+/)].sort())
})
