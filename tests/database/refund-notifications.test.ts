// Notifications and e-mails about a refund: the giver receives one for each state, once, with what is true then.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { bankOf } from './bank.ts'
import { type Booking, balances, bookingAt, cancel, paymentOf, report } from './lives.ts'
import { as, asService, cast, databaseWithCast } from './personas.ts'
import { confirmAddresses, mailed } from './sent-emails.ts'

const db = databaseWithCast()
const bank = bankOf(db)
let booking: Booking
let id: string
beforeAll(() => confirmAddresses(db))
/** Theo has cancelled paid work: $120.00 goes back to Grace, who has read everything so far. */
beforeEach(async () => {
  await as(db, 'grace')('update public.notifications set read = true where not read')
  booking = await bookingAt(db, 'in_progress', { amount: 100 })
  await cancel(db, booking, cast.theo)
  id = (await paymentOf(db, booking)).id
  await news()
  await mailed(db)
})

/** Grace's notifications since the last call, each with its link; apart from her, only admins get any. */
async function news() {
  const { rows } = await as(
    db,
    'grace',
  )('select key, message, link from public.notifications where not read order by created_at')
  await as(db, 'grace')('update public.notifications set read = true where not read')
  const theo = await as(
    db,
    'theo',
  )(`select key from public.notifications where key like 'refund%' or key = 'transfer_failed'`)
  expect(theo.rows).toEqual([])
  for (const { key, link } of rows)
    if (key.startsWith('refund_')) expect(link).toBe(`/bookings?booking=${booking.id}`)
  return rows.map(({ key, message }) => `${key}: ${message}`)
}
const mails = async () => (await mailed(db)).filter(({ to }) => to === 'grace').map(({ keys }) => keys)
const refuse = (key: string, code: string | null) =>
  asService(db)(`select public.fail_refund($1, 'Refused', $2, $3)`, [id, key, code])
const finish = (refund: string) => asService(db)('select public.finish_refund($1, $2)', [id, refund])
const refund = (status: string, name = 'first') => ({
  id: `re_${name}_${id}`,
  object: 'refund',
  amount: 12_000,
  status,
  failure_reason: status === 'failed' ? 'expired_or_canceled_card' : undefined,
  payment_intent: `pi_${id}`,
  metadata: { payment_id: id },
})
const task = '"Clear the driveway"'
const SENT = `refund_sent: Your refund of $120.00 for ${task} takes 5 to 10 business days.`
const CAME_BACK = `refund_returned: Your refund of $120.00 for ${task} did not reach your card and came back to us. An administrator looks for another way to send it, and we tell you when it is sent. If you have a question, write to us.`

it('refused at once: reported once however often it is tried again, and then that it was sent', async () => {
  await refuse(`refund-${id}`, 'charge_already_refunded')
  await refuse(`refund-${id}`, 'charge_already_refunded')
  const delayed = `refund_failed: Your refund of $120.00 for ${task} has not gone through yet. The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.`
  expect(await news()).toEqual([delayed])
  const [email] = (await mailed(db)).filter(({ to }) => to === 'grace')
  expect(email).toMatchObject({ to: 'grace', subject: `Your refund of $120.00 for ${task} is delayed` })
  expect(email?.text).toContain('Goes back to you: $120.00')
  expect(email?.text).toContain(`Open the booking: https://meadowlark.example/bookings?booking=${booking.id}`)
  await refuse(`refund-${id}-2`, 'balance_insufficient')
  expect(await news()).toEqual([])
  expect(await mails()).toEqual([])
  await finish('re_third')
  await finish('re_third')
  expect(await news()).toEqual([SENT])
  expect(await mails()).toEqual([['refund_sent']])
})

it('refused for lack of the platform’s money: the reason says so; sent before the e-mail, only that is mailed', async () => {
  await refuse(`refund-${id}`, 'balance_insufficient')
  expect(await news()).toEqual([
    `refund_failed: Your refund of $120.00 for ${task} has not gone through yet. Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.`,
  ])
  await finish('re_second')
  expect(await mails()).toEqual([['refund_sent']])
})

it('sent, and returned later: reported once; another way is reported, too', async () => {
  await finish(`re_first_${id}`)
  await report(db, 'refund.created', refund('succeeded'))
  expect(await news()).toEqual([SENT])
  expect(await mails()).toEqual([['refund_sent']])
  await report(db, 'refund.failed', refund('failed'))
  await report(db, 'refund.updated', refund('failed'))
  expect(await news()).toEqual([CAME_BACK])
  expect(await mails()).toEqual([['refund_returned']])
  await refuse(`refund-${id}-2`, null)
  expect(await news()).toEqual([])
  // Made by hand at the provider.
  await report(db, 'refund.created', refund('succeeded', 'by_hand'))
  expect(await news()).toEqual([SENT])
})

it('first reported when it has failed: nobody says that it was sent, whoever says first that it failed', async () => {
  await asService(db)('select public.record_refund($1, $2)', [id, refund('failed')])
  await report(db, 'refund.failed', refund('failed'))
  await finish(`re_first_${id}`)
  expect(await news()).toEqual([CAME_BACK])
  expect(await mails()).toEqual([['refund_returned']])
  expect(await paymentOf(db, booking)).toMatchObject({ refund_status: 'failed', refunded_amount: '0.00' })
  for (const broken of [{}, { id: 're_x', status: 'failed' }, { id: 're_x', amount: '1', status: 'failed' }])
    await expect(asService(db)('select public.record_refund($1, $2)', [id, broken])).rejects.toThrow(
      'A refund has an id, an amount and a status',
    )
})

it('given back by the bank meanwhile, in part and then all: reported as received, and not sent once more', async () => {
  await bank.open(id, { cents: 5000 })
  await bank.lose(id, { cents: 5000 })
  const back = (amount: string) =>
    `refund_spared: $${amount} of your refund for ${task} went back to your card already, through your bank or the payment provider. We do not send it once more.`
  expect(await news()).toEqual([back('50.00')])
  const [email] = (await mailed(db)).filter(({ to }) => to === 'grace')
  expect(email?.subject).toBe(`Your refund of $50.00 for ${task} is with you already`)
  expect(email?.text).toContain('Already returned to your card: −$50.00')
  expect(email?.text).toContain('Goes back to you: $70.00')
  await bank.open(id, { nth: 2, cents: 7000 })
  await bank.lose(id, { nth: 2, cents: 7000 })
  expect(await news()).toEqual([back('70.00')])
  expect(await paymentOf(db, booking)).toMatchObject({ refund_status: 'none', refund_amount: '0.00' })
  expect(await balances(db, booking)).toEqual({})
})
