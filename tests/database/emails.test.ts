// E-mails and their recipients during whole lives of bookings, step by step.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  apply,
  bookingAt,
  cancel,
  move,
  openPayoutAccount,
  pay,
  paymentOf,
  postTask,
  release,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { confirmAddresses, mailed, subjects } from './sent-emails.ts'

const db = databaseWithCast()
beforeAll(() => confirmAddresses(db))
beforeEach(async () => {
  await mailed(db)
})

const task = '"Clear the driveway"'
const linesOf = (text: string) => text.match(/^.+: −?\$[\d,.]+$/gm)

it('a whole job', async () => {
  await openPayoutAccount(db)
  const booking = await apply(db, await postTask(db, { amount: 100 }))
  expect(await subjects(db)).toEqual([`grace: Theo T. applied to ${task}`])
  await move(db, booking, cast.grace, 'accepted')
  expect(await subjects(db)).toEqual([`theo: Grace Giver accepted your application for ${task}`])
  await pay(db, booking)
  const [receipt, start] = await mailed(db)
  expect(receipt).toMatchObject({
    to: 'grace',
    subject: `You paid $120.00 for ${task}: it is held in escrow`,
  })
  expect(linesOf(receipt?.text ?? '')).toEqual([
    'Task amount: $100.00',
    'Platform fee (15%): $15.00',
    'GST (5%): $5.00',
    'You paid: $120.00',
  ])
  const documents = async (person: string) =>
    (
      await as(db, person)('select id, kind, number from public.receipts where payment_id = $1', [
        (await paymentOf(db, booking)).id,
      ])
    ).rows
  const [paid] = await documents('grace')
  expect(receipt?.text).toContain(`Receipt R-${paid.number}: https://meadowlark.example/receipt/${paid.id}`)
  expect(start).toMatchObject({ to: 'theo', subject: `${task} is paid into escrow: you can start` })
  await move(db, booking, cast.theo, 'completed')
  const [marked, ...more] = await mailed(db)
  expect(more).toEqual([])
  expect(marked).toMatchObject({ to: 'grace', subject: `Please confirm: ${task} is marked complete` })
  // To the button that confirms, not to the top of the card.
  expect(marked?.email.events[0]?.link).toBe(`/bookings?booking=${booking.id}&part=next`)
  await release(db, booking)
  await settleWithProvider(db, booking)
  const [paidOut, ...none] = await mailed(db)
  expect(none).toEqual([])
  // One e-mail of two events.
  expect(paidOut).toMatchObject({
    to: 'theo',
    subject: `Grace Giver released $80.00 to you for ${task} and 1 more`,
    keys: ['payment_released', 'payout_sent'],
  })
  // Both events are about the same money: its lines and its statement are there once.
  expect(linesOf(paidOut?.text ?? '')).toEqual([
    'Task amount: $100.00',
    'Platform fee (15%): −$15.00',
    'GST (5%): −$5.00',
    'You receive: $80.00',
  ])
  expect(paidOut?.email.events[0]?.link).toBe(`/bookings?booking=${booking.id}`)
  const [earned] = await documents('theo')
  expect(paidOut?.text.match(/Payout statement .+/g)).toEqual([
    `Payout statement S-${earned.number}: https://meadowlark.example/receipt/${earned.id}`,
  ])
  expect(paidOut?.html).toContain(`href="https://meadowlark.example/receipt/${earned.id}"`)
  for (const person of ['grace', 'theo'] as const) {
    await tryInsert(db, person, 'reviews', { booking_id: booking.id, reviewer_id: cast[person], rating: 5 })
  }
  expect(await subjects(db)).toEqual([
    `grace: Theo Tasker reviewed you for ${task}`,
    `theo: Grace Giver reviewed you for ${task}`,
  ])
})

it('a payout alone says so with its fee', async () => {
  const booking = await bookingAt(db, 'released', { amount: 120 })
  await mailed(db)
  await settleWithProvider(db, booking)
  const [paidOut] = await mailed(db)
  expect(paidOut?.subject).toBe(`You were paid out $96.00 for ${task}`)
  expect(linesOf(paidOut?.text ?? '')).toContain('Platform fee (15%): −$18.00')
})

it('others who applied, and who withdrew', async () => {
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  await confirmAddresses(db)
  const taskId = await postTask(db)
  const booking = await apply(db, taskId)
  const other = await apply(db, taskId, una)
  expect(await subjects(db)).toEqual([`grace: Theo Tasker applied to ${task} and 1 more`])
  await move(db, other, una, 'cancelled')
  expect(await subjects(db)).toEqual([`grace: Una T. withdrew the application for ${task}`])
  await apply(db, taskId, una)
  await mailed(db)
  await move(db, booking, cast.grace, 'accepted')
  expect(await subjects(db)).toEqual([
    `theo: Grace Giver accepted your application for ${task}`,
    `una: Your application for ${task} was not chosen`,
  ])
})

it('a complaint, its answer and a split, with the sums of both', async () => {
  const booking = await bookingAt(db, 'completed', { amount: 100 })
  await mailed(db)
  await tryInsert(db, 'grace', 'complaints', { booking_id: booking.id, reason: 'Half of it is still white.' })
  expect(await subjects(db)).toEqual([
    `ada: A complaint to decide: ${task}`,
    `theo: Grace Giver complains about ${task}: please answer within 48 hours`,
  ])
  await as(
    db,
    'theo',
  )(`update public.complaints set answer = 'It snowed again at noon.' where answer is null`)
  expect(await subjects(db)).toEqual([`grace: Theo Tasker answered your complaint about ${task}`])
  const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
  await as(db, 'ada')(`select public.decide_complaint($1, 'split', 50)`, [rows[0].id])
  const [giver, tasker] = await mailed(db)
  expect(giver).toMatchObject({
    to: 'grace',
    subject: `The payment for ${task} is split: $60.00 goes back to you`,
  })
  expect(linesOf(giver?.text ?? '')).toEqual([
    'You paid: $120.00',
    'Kept for the work, with its fees: −$60.00',
    'Goes back to you: $60.00',
  ])
  expect(tasker).toMatchObject({
    to: 'theo',
    subject: `The payment for ${task} is split: $40.00 goes to you`,
  })
  expect(linesOf(tasker?.text ?? '')).toEqual([
    'Task amount, as decided: $50.00',
    'Platform fee (15%): −$7.50',
    'GST (5%): −$2.50',
    'You receive: $40.00',
  ])
})

it('cancellations, by either side, with their sums', async () => {
  const unpaid = await bookingAt(db, 'accepted')
  await mailed(db)
  await cancel(db, unpaid, cast.theo)
  expect(await subjects(db)).toEqual([`grace: Theo Tasker cancelled the booking for ${task}`])
  const byGiver = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '30 minutes' })
  await mailed(db)
  await cancel(db, byGiver, cast.grace)
  const [giver, tasker] = await mailed(db)
  expect(giver?.subject).toBe(`${task} was cancelled: $70.00 goes back to you`)
  expect(linesOf(giver?.text ?? '')).toEqual([
    'You paid: $120.00',
    'Cancellation fee: −$50.00',
    'Goes back to you: $70.00',
  ])
  expect(tasker?.subject).toBe(`${task} was cancelled: your share of the fee is $40.00`)
  expect(linesOf(tasker?.text ?? '')).toEqual([
    'Cancellation fee: $50.00',
    'Platform fee (15%): −$7.50',
    'GST (5%): −$2.50',
    'You receive: $40.00',
  ])
  await settleWithProvider(db, byGiver)
  expect(await subjects(db)).toEqual([
    `grace: Your refund of $70.00 for ${task} is on its way`,
    `theo: You were paid out $40.00 for ${task}`,
  ])
  const byTasker = await bookingAt(db, 'in_progress', { amount: 100 })
  await mailed(db)
  await cancel(db, byTasker, cast.theo)
  expect(await subjects(db)).toEqual([`grace: ${task} was cancelled: $120.00 goes back to you`])
})

it('payouts that wait, and why one did not go through', async () => {
  await owner(db)('delete from public.payout_accounts')
  const booking = await bookingAt(db, 'released', { amount: 50 })
  const waits = (await mailed(db)).find(({ to }) => to === 'theo')
  expect(waits?.keys).toContain('payout_waiting')
  await openPayoutAccount(db)
  const { id } = await paymentOf(db, booking)
  await asService(db)(
    `select public.fail_payout($1, 'No such account: <b>acct</b>', $2, 'insufficient_capabilities_for_transfer')`,
    [id, `payout-${id}`],
  )
  const failed = (await mailed(db)).find(({ keys }) => keys.includes('payout_failed'))
  expect(failed).toMatchObject({ to: 'theo', subject: `The payout of $40.00 for ${task} did not go through` })
  expect(failed?.text).toContain('Your payout account cannot take money yet.')
  expect(failed?.html).toContain('href="https://meadowlark.example/profile?tab=payout"')
  // The provider's words are for administrators.
  expect(`${failed?.text} ${failed?.html}`).not.toContain('No such account')
})

it('an action done before its e-mail went out is not asked for any more', async () => {
  await owner(db)('delete from public.payout_accounts')
  const booking = await apply(db, await postTask(db, { amount: 50 }))
  await move(db, booking, cast.grace, 'accepted')
  expect(await subjects(db)).toEqual([`theo: Grace Giver accepted your application for ${task}`])
  await pay(db, booking)
  await move(db, booking, cast.theo, 'completed')
  await release(db, booking)
  await openPayoutAccount(db)
  await settleWithProvider(db, booking)
  const [giver, tasker, ...none] = await mailed(db)
  expect(none).toEqual([])
  // Neither "please confirm" nor "waits for your bank details".
  expect(giver).toMatchObject({ to: 'grace', keys: ['payment_held'] })
  expect(tasker).toMatchObject({ to: 'theo', keys: ['payment_released', 'payout_sent'] })
  expect(tasker?.text).toContain('See your payouts: https://meadowlark.example/profile?tab=payout')
  const wrong = await bookingAt(db, 'completed')
  await mailed(db)
  await tryInsert(db, 'grace', 'complaints', { booking_id: wrong.id, reason: 'Half of it is still white.' })
  const { rows } = await as(
    db,
    'theo',
  )(`update public.complaints set answer = 'It snowed again.' where answer is null returning id`)
  await as(db, 'ada')(`select public.decide_complaint($1, 'release')`, [rows[0].id])
  expect((await mailed(db)).map(({ to, keys }) => `${to}: ${keys.join(', ')}`)).toEqual([
    'grace: complaint_answered, complaint_decided_giver',
    'theo: complaint_decided_tasker',
  ])
})

it('a silent giver: reminded, then taken to agree', async () => {
  const booking = await bookingAt(db, 'completed')
  await mailed(db)
  const days = (count: number) =>
    owner(db)(`update public.bookings set completed_at = now() - make_interval(days => $2) where id = $1`, [
      booking.id,
      count,
    ])
  await days(1)
  await asService(db)('select public.run_scheduled()')
  expect(await subjects(db)).toEqual([`grace: Please confirm ${task}, or tell us what is wrong`])
  await days(7)
  await asService(db)('select public.run_scheduled()')
  expect((await subjects(db)).map((line) => line.replace(/ and 1 more$/, ''))).toEqual([
    `grace: The payment for ${task} was released`,
    `theo: $80.00 was released to you for ${task}`,
  ])
})

it('verifications: who handed one in, and every admin', async () => {
  await tryInsert(db, 'theo', 'verifications', {
    user_id: cast.theo,
    terms_accepted: true,
    privacy_accepted: true,
    legal_name: 'Theodore Tasker',
    date_of_birth: '1990-01-01',
    id_type: 'passport',
  })
  expect(await subjects(db)).toEqual([
    'ada: A verification to review: Theo Tasker',
    'theo: Your verification is under review',
  ])
  await as(
    db,
    'ada',
  )(
    `update public.verifications set verification_status = 'rejected', refusal_reason = 'The photo is blurred'`,
  )
  const [refused] = await mailed(db)
  expect(refused).toMatchObject({ to: 'theo', subject: 'Your verification was refused' })
  expect(refused?.text).toContain('The photo is blurred')
  expect(refused?.html).toContain('href="https://meadowlark.example/verification"')
})

it('a name from before the rules, and what somebody writes in a chat, are no links', async () => {
  const booking = await bookingAt(db, 'in_progress')
  await mailed(db)
  await owner(db)(`set session_replication_role = replica;
    update private.profiles set full_name = 'www.evil.example/prize Now' where id = '${cast.theo}';
    set session_replication_role = origin`)
  await tryInsert(db, 'theo', 'messages', {
    booking_id: booking.id,
    sender_id: cast.theo,
    receiver_id: cast.grace,
    message: 'Pay at https://evil.example or mail sam@evil.example',
  })
  const [email] = await mailed(db, '1 hour')
  expect(email?.subject).toMatch(/^www\. evil\. example\/prize Now wrote to you/)
  for (const part of [email?.html, email?.text]) {
    expect(part).toContain('sam@ evil. example')
    expect(part).not.toMatch(/evil\.example|www\.evil|https:\/\/evil/)
  }
})
