// Changes of the price after the agreement: Theo asks for more and adds an expense, Grace pays both, a decrease goes back, and a
// tip follows. Receipts and the ledger show each. On a phone, a proposal is declined. A limit for expenses is set with the task, and the
// one that Theo saw binds.
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import {
  bookingCard,
  enterCard,
  type Job,
  ledgerOf,
  openBooking,
  paidJob,
  paymentOf,
  postedTask,
} from './jobs.ts'
import type { AppServer } from './server.ts'

/** Pays in the dialog that is open, with a new card. */
async function payNow(page: Page, total: string) {
  await enterCard(page, '4242 4242 4242 4242')
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  await dialog.getByRole('button', { name: `Pay ${total}` }).click()
  await expect(toast(page, 'Payment Successful')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
}

type Extra = {
  kind: string
  state: string
  payment: {
    id: string
    total: number
    payout_amount: number
    receipts: { kind: string; total: number }[]
  } | null
}

/** The changes of a booking's price with their extra payments; Ada reads the documents of both people. */
async function extrasOf(server: AppServer, { bookingId }: Job) {
  const client = await server.signedIn('ada')
  const { data } = await client
    .from('booking_changes')
    .select('kind,state,payment:payments(id,total,payout_amount,receipts(kind,total))')
    .eq('booking_id', bookingId)
    .order('created_at')
    .throwOnError()
  return data as unknown as Extra[]
}

test('an increase, an expense, a decrease and a tip, each with its money', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/400 POST .*propose_change/)
  test.setTimeout(180_000)
  const job = await paidJob(server, { amount: 80, title: 'Paint the porch' })
  const theo = await signedInPage('theo')
  const grace = await signedInPage('grace')
  const his = bookingCard(theo, job)
  const hers = bookingCard(grace, job)

  await test.step('Theo asks for more, with his reason', async () => {
    await theo.goto('/bookings')
    await his.getByRole('button', { name: 'Ask for more' }).click()
    const dialog = theo.getByRole('dialog', { name: 'Ask for more' })
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(dialog.getByRole('alert').first()).toContainText('Enter an amount of a dollar or more')
    await dialog.getByLabel('How much more').fill('20')
    await expect(dialog).toContainText('$16.00')
    await dialog.getByLabel('Reason').fill('The railing needs paint, too.')
    await theo.reload()
    await his.getByRole('button', { name: 'Ask for more' }).click()
    await expect(dialog.getByLabel('How much more')).toHaveValue('20')
    await expectAccessible(theo)
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(toast(theo, 'Sent. The price stays as it is until it is accepted.')).toBeVisible()
    await expect(his).toContainText('You asked for $20.00 more')
    await expect(his.locator('[data-change=increase]')).toContainText(/You get\s*\$16\.00/)
    await expect(his.getByRole('button', { name: 'Ask for more' })).toHaveCount(0)
  })

  await test.step('Grace accepts and pays the difference into escrow', async () => {
    await grace.goto('/bookings')
    await expect(hers).toContainText('asks for $20.00 more')
    await expect(hers).toContainText('The railing needs paint, too.')
    await inBothLooks(grace, () => expectAccessible(grace))
    await hers.getByRole('button', { name: 'Accept and pay $24.00' }).click()
    await expect(grace.getByRole('dialog', { name: 'Complete Payment' })).toContainText(
      /Increase\s*·\s*Paint the porch/,
    )
    await payNow(grace, '$24.00')
    await expect(hers).toContainText('Price now')
    await expect(hers).toContainText('$100.00')
    await expect(hers).toContainText('$120.00 is in escrow')
  })

  await test.step('she sets a limit, he adds an expense with its receipt, and she pays it without a fee', async () => {
    await hers.getByRole('button', { name: 'Limit for expenses' }).click()
    const limit = grace.getByRole('dialog', { name: 'Limit for expenses' })
    await limit.getByLabel('Limit').fill('50')
    await limit.getByRole('button', { name: 'Save the limit' }).click()
    await expect(toast(grace, 'Limit saved')).toBeVisible()
    await theo.reload()
    await his.getByRole('button', { name: 'Add an expense' }).click()
    const dialog = theo.getByRole('dialog', { name: 'Add an expense' })
    await dialog.getByLabel('Amount on the receipt').fill('32.50')
    await dialog.getByLabel('Reason').fill('Two litres of paint.')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(dialog.getByRole('alert').filter({ hasText: 'Add a photo of the receipt' })).toBeVisible()
    const picture = sharp({ create: { width: 600, height: 900, channels: 3, background: '#f4f1ea' } })
    await dialog
      .locator('input[type=file][multiple]')
      .setInputFiles([{ name: 'r.jpg', mimeType: 'image/jpeg', buffer: await picture.jpeg().toBuffer() }])
    await expect(dialog.getByRole('status').filter({ hasText: 'photo uploaded' })).toBeAttached()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(toast(theo, 'Sent.')).toBeVisible()
    await grace.reload()
    await expect(hers.getByRole('img', { name: /Photo of the receipt/ })).toBeVisible()
    await hers.getByRole('button', { name: 'Accept and pay $32.50' }).click()
    await payNow(grace, '$32.50')
    await expect(hers).toContainText(/Price now\s*\$100\.00/)
    await expect(hers).toContainText(/Expenses, without a fee\s*\$32\.50/)
  })

  await test.step('both agree on a lower price, which goes back at the release', async () => {
    await hers.getByRole('button', { name: 'Lower the price' }).click()
    const dialog = grace.getByRole('dialog', { name: 'Lower the price' })
    await dialog.getByLabel('How much less').fill('60')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(dialog).toContainText('The amount can be at most $55')
    await dialog.getByLabel('How much less').fill('10')
    await expect(dialog).toContainText(/Goes back to you\s*\$12\.00/)
    await expect(dialog).not.toContainText('You pay')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await theo.reload()
    await expect(his.locator('[data-change=decrease]')).toContainText(/You get less\s*\$8\.00/)
    await his.getByRole('button', { name: 'Accept the lower price' }).click()
    await expect(toast(theo, 'The price is lower now')).toBeVisible()
    await expect(his).toContainText('$12.00 goes back to')
    await his.getByRole('button', { name: 'Mark Task Complete' }).click()
    await expect(his).toContainText('Waiting for')
    await grace.reload()
    await hers.getByRole('button', { name: 'Confirm and Release' }).first().click()
    await grace.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }).click()
    await expect
      .poll(() => paymentOf(server, job))
      .toMatchObject({ escrow_status: 'released', refund_amount: 12 })
  })

  await test.step('she adds a tip, all of it his', async () => {
    await grace.goto(`/bookings?booking=${job.bookingId}`)
    await hers.getByRole('button', { name: 'Add a tip' }).click()
    const dialog = grace.getByRole('dialog', { name: 'Add a tip' })
    await dialog.getByLabel('Tip', { exact: true }).fill('15')
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await payNow(grace, '$15.00')
    await theo.goto(`/bookings?booking=${job.bookingId}`)
    await expect(his).toContainText('Tips')
    await his.getByText('All changes (4)').click()
    await his
      .getByRole('link', { name: /^S-\d+$/ })
      .last()
      .click()
    await expect(theo.getByRole('main')).toContainText('Tip')
    await expect(theo.getByRole('main')).toContainText('$15.00')
    await expect(theo.getByRole('main')).not.toContainText('Platform fee')
  })

  await test.step('receipts and the ledger show each', async () => {
    const extras = await extrasOf(server, job)
    expect(
      extras.map(({ kind, state, payment }) => [kind, state, payment?.total, payment?.payout_amount]),
    ).toEqual([
      ['increase', 'done', 24, 16],
      ['expense', 'done', 32.5, 32.5],
      ['decrease', 'done', undefined, undefined],
      ['tip', 'done', 15, 15],
    ])
    for (const { payment } of extras) {
      if (!payment) continue
      expect(payment.receipts.map(({ kind, total }) => [kind, total]).sort()).toEqual([
        ['receipt', payment.total],
        ['statement', payment.payout_amount],
      ])
      await expect
        .poll(async () => {
          const { provider, platform_fees, gst, ...owed } = await ledgerOf(server, payment.id)
          return { kept: (provider ?? 0) + (platform_fees ?? 0) + (gst ?? 0), owed }
        })
        .toEqual({ kept: 0, owed: { escrow: 0, tasker: 0 } })
    }
  })
})

test('on a phone: a proposal is declined and the old price stays', async ({ signedInPage, server }) => {
  const job = await paidJob(server, { amount: 60, title: 'Weed the beds' })
  const client = await server.signedIn('theo')
  await client
    .rpc('propose_change', {
      booking_id: job.bookingId,
      kind: 'increase',
      amount: 25,
      reason: 'There is a second bed behind the garage, with roots as thick as a thumb.',
    })
    .throwOnError()
  const grace = await signedInPage('grace', NARROW)
  await grace.goto('/bookings')
  const card = await openBooking(grace, job)
  await expect(card).toContainText('asks for $25.00 more')
  await inBothLooks(grace, async () => {
    await expectNoSidewaysScroll(grace)
    await expectAccessible(grace)
  })
  await card.getByRole('button', { name: 'Decline', exact: true }).click()
  await expect(toast(grace, 'Declined. The price stays as it was.')).toBeVisible()
  await expect(card).toContainText('All changes (1)')
  expect(await paymentOf(server, job)).toMatchObject({ amount: 60, escrow_status: 'held' })
})

test('a limit for expenses is set with the task, and the one that he saw binds', async ({
  signedInPage,
  server,
}) => {
  test.setTimeout(120_000)
  const posted = await postedTask(server, { amount: 60, title: 'Patch the fence' })
  const giver = await server.signedIn('grace')
  const grace = await signedInPage('grace')
  const theo = await signedInPage('theo', NARROW)
  const terms = 'Plus expenses up to $40.00, each with a receipt that'
  let job: Job = { ...posted, bookingId: '' }

  await test.step('Grace adds it to her task', async () => {
    await grace.goto(`/task/${posted.taskId}/edit`)
    const limit = grace.getByLabel('I also pay for materials and disposal, up to')
    await limit.fill('0.50')
    await grace.getByRole('button', { name: 'Save changes' }).click()
    await expect(grace.getByRole('main').getByRole('alert')).toHaveText([
      'Enter an amount of a dollar or more, with two decimals at most',
    ])
    await limit.fill('5000.01')
    await grace.getByRole('button', { name: 'Save changes' }).click()
    await expect(grace.getByRole('main').getByRole('alert')).toHaveText([
      'A limit for expenses can be at most $5,000',
    ])
    await limit.fill('40')
    await expect(grace.getByText(`${terms} you accept.`)).toBeVisible()
    await grace.reload()
    await expect(limit).toHaveValue('40')
    await grace.getByRole('button', { name: 'Save changes' }).click()
    await expect(grace.getByRole('main')).toContainText('Up to $40.00, each with a receipt')
  })

  await test.step('Theo reads it on his phone before he applies', async () => {
    await theo.goto(`/task/${posted.taskId}`)
    await expect(theo.getByText('Materials and disposal')).toBeVisible()
    await expect(theo.getByText(`${terms} the task giver accepts.`)).toBeVisible()
    await inBothLooks(theo, async () => {
      await expectNoSidewaysScroll(theo)
      await expectAccessible(theo)
    })
    await theo.getByRole('button', { name: 'Offer another price' }).click()
    await expect(theo.getByText(`${terms} the task giver accepts.`)).toHaveCount(2)
    await theo.getByRole('button', { name: 'Apply at $60.00 instead' }).click()
    await giver.from('tasks').update({ expense_limit: 45 }).eq('id', posted.taskId).throwOnError()
    await expect(theo.getByText('The limit for expenses of this task has changed.')).toBeVisible()
    await giver.from('tasks').update({ expense_limit: 40 }).eq('id', posted.taskId).throwOnError()
    await expect(theo.getByText(`${terms} the task giver accepts.`)).toBeVisible()
    await theo.getByRole('button', { name: 'Apply Now' }).click()
    await expect(toast(theo, 'Your application has been submitted')).toBeVisible()
    const { data } = await giver
      .from('bookings')
      .select('id')
      .eq('task_id', posted.taskId)
      .single()
      .throwOnError()
    job = { ...posted, bookingId: data.id }
  })

  await test.step('a later change of the task leaves his limit', async () => {
    await giver.from('tasks').update({ expense_limit: 10 }).eq('id', posted.taskId).throwOnError()
    await theo.goto(`/task/${posted.taskId}`)
    await expect(theo.getByText('Your application keeps $40.00.')).toBeVisible()
  })

  await test.step('Grace reads it where she compares, accepts and pays', async () => {
    const other = await server.signedIn(await server.newAccount('theo'))
    const { data: session } = await other.auth.getUser()
    await other
      .from('bookings')
      .insert({ task_id: job.taskId, task_doer_id: session.user?.id, status: 'pending' })
      .throwOnError()
    await grace.goto('/bookings')
    const group = grace.getByRole('listitem').filter({ has: grace.getByRole('heading', { name: job.title }) })
    await expect(group).toContainText(`${terms} you accept.`)
    await group.getByRole('button', { name: 'Compare' }).click()
    const compared = grace.getByRole('dialog', { name: 'Compare offers' })
    await expect(compared.getByRole('row').filter({ hasText: 'up to $10.00' })).toHaveCount(1)
    const his = compared.getByRole('row').filter({ hasText: `${terms} you accept.` })
    await his.getByRole('button', { name: 'Accept' }).click()
    // Below it is that of the other applicant, who was declined.
    const card = bookingCard(grace, job).first()
    await expect(card).toContainText(`${terms} you accept.`)
    await card.getByRole('button', { name: /^Pay/ }).click()
    const dialog = grace.getByRole('dialog', { name: 'Complete Payment' })
    await expect(dialog).toContainText(`${terms} you accept.`)
    await expectAccessible(grace)
    await enterCard(grace, '4242 4242 4242 4242')
    await dialog.getByRole('button', { name: 'Pay $72.00' }).click()
    await expect(toast(grace, 'Payment Successful')).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
  })

  await test.step('she raises it, and cannot lower it', async () => {
    const card = bookingCard(grace, job).first()
    await card.getByRole('button', { name: 'Limit for expenses' }).click()
    const dialog = grace.getByRole('dialog', { name: 'Limit for expenses' })
    await expect(dialog.getByLabel('Limit')).toHaveValue('40')
    await dialog.getByLabel('Limit').fill('39.99')
    await dialog.getByRole('button', { name: 'Save the limit' }).click()
    await expect(dialog.getByRole('alert').first()).toContainText('A limit can be raised, not lowered')
    await dialog.getByLabel('Limit').fill('55')
    await dialog.getByRole('button', { name: 'Save the limit' }).click()
    await expect(toast(grace, 'Limit saved')).toBeVisible()
    await expect(card).toContainText('Expenses up to $55.00, each with a photo of its receipt.')
    await theo.goto(`/task/${posted.taskId}`)
    await expect(theo.getByRole('main')).toContainText('Up to $55.00, each with a receipt')
  })
})
