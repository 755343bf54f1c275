// A giver who is not content says so within a day (spec 000 §9): the money is frozen, and the tasker is notified.
import {
  expectAccessible,
  expectAccessibleDialog,
  expectFocusKept,
  expectNoSidewaysScroll,
  inBothLooks,
} from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import {
  bookingCard,
  complainedJob,
  decideDisputes,
  ledgerOf,
  paidChange,
  paidJob,
  paymentOf,
} from './jobs.ts'

test('a complaint needs a reason and freezes the money', async ({ signedInPage, server }) => {
  const job = await paidJob(server)
  const client = await server.signedIn('theo')
  await client.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  const grace = await signedInPage('grace')
  await grace.goto('/bookings?tab=completed')
  await bookingCard(grace, job).getByRole('button', { name: 'Something is wrong' }).click()
  const dialog = grace.getByRole('alertdialog')
  await expect(dialog).toContainText('The payment is frozen at once.')
  await dialog.getByLabel('Your complaint').fill('Bad.')
  await dialog.getByRole('button', { name: 'Send complaint' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Please say what is wrong in at least 10 characters')
  await dialog.getByLabel('Your complaint').fill('The walk to the side door is still covered.')
  await grace.reload()
  await bookingCard(grace, job).getByRole('button', { name: 'Something is wrong' }).click()
  await expect(dialog.getByLabel('Your complaint')).toHaveValue('The walk to the side door is still covered.')
  await dialog.getByRole('button', { name: 'Send complaint' }).click()
  await expect(bookingCard(grace, job)).toContainText('until an administrator has decided on the complaint')
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'frozen' })
})

test('Theo reads the complaint and tells his side, once; Grace is notified', async ({
  signedInPage,
  server,
}) => {
  const job = await complainedJob(server)
  const grace = await signedInPage('grace')
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(grace, job)).toBeFocused()
  await expect(bookingCard(grace, job)).toContainText(/has until .+ to answer/)

  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  const card = bookingCard(theo, job)
  await expect(card).toBeInViewport()
  await expect(card).toContainText('The walk to the side door is still covered.')
  await expect(card).toContainText('Your $80.00 stays in escrow')
  await expect(card.getByRole('radio', { name: '5 stars' })).toHaveCount(0)
  await expect(card).toContainText(/to tell your side/)
  const send = card.getByRole('button', { name: 'Send answer' })
  await card.getByLabel('Your side').fill('  I did it  ')
  await send.click()
  await expect(card.getByRole('alert')).toHaveText('Please say what happened in at least 10 characters')
  await card.getByLabel('Your side').fill('The walk was clear at four.')
  await theo.reload()
  await expect(card.getByLabel('Your side')).toHaveValue('The walk was clear at four.')
  await send.click()
  await expect(card.getByLabel('Your side')).toHaveCount(0)
  await expectFocusKept(theo)
  await expect(card).toContainText('Your answer')
  await expect(bookingCard(grace, job)).toContainText('The walk was clear at four.')
  await expect(bookingCard(grace, job)).toContainText(/has answered/)
})

test('before Theo has answered Ada can only release', async ({ signedInPage, server }) => {
  const job = await complainedJob(server)
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  const row = ada.getByRole('listitem').filter({ hasText: job.title })
  await row.getByRole('button', { name: 'Decide' }).click()
  const dialog = ada.getByRole('alertdialog')
  await expect(dialog.getByRole('radio', { name: 'Refund' })).toBeDisabled()
  await expect(dialog.getByRole('radio', { name: 'Split' })).toBeDisabled()
  await dialog.getByRole('radio', { name: 'Release' }).check()
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await ada.getByRole('alertdialog').getByRole('button', { name: 'Release to the tasker' }).click()
  await expect(toast(ada, 'Complaint decided')).toContainText('receives $80.00')
  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(theo, job)).toContainText('decided on the complaint: the payment is yours')
  await expect(bookingCard(theo, job).getByRole('radio', { name: '5 stars' })).toBeAttached()
})

test('Ada splits the money, sees before what each side gets, and finds it again', async ({
  signedInPage,
  server,
}) => {
  const job = await complainedJob(server, { answer: 'The walk was clear at four.' })
  const ada = await signedInPage('ada', NARROW)
  // An address that a notification of earlier days has.
  await ada.goto('/admin/verify-users?tab=complaints')
  await expect(ada).toHaveURL('/admin/complaints')
  const search = ada.getByRole('searchbox', { name: 'Search by task or name' })
  await search.fill(job.title)
  const waiting = ada.getByRole('region', { name: 'Waiting for a decision' })
  const row = waiting.getByRole('listitem').filter({ hasText: job.title })
  for (const words of ['still covered', 'clear at four']) await expect(row).toContainText(words)
  await expect(row).toContainText('$120.00 frozen')
  await row.getByRole('button', { name: 'Decide' }).click()
  const dialog = ada.getByRole('alertdialog')
  for (const words of ['still covered', 'clear at four']) await expect(dialog).toContainText(words)
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('A decision is required')
  await dialog.getByRole('radio', { name: 'Release' }).check()
  await expect(dialog.getByRole('definition')).toHaveText(['$0.00', '$80.00', '$40.00', '$120.00'])
  await dialog.getByRole('radio', { name: 'Split' }).check()
  const returned = dialog.getByLabel(/that go back/)
  await returned.fill('100')
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(dialog.getByRole('alert')).toContainText('less than the task amount')
  await returned.fill('40')
  await expect(dialog.getByRole('definition')).toHaveText(['$48.00', '$48.00', '$24.00', '$120.00'])
  await dialog.getByLabel('Reason for the decision').fill('The photo shows half of it.')
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await ada.getByRole('alertdialog').getByRole('button', { name: 'Split' }).click()
  await expect(toast(ada, 'Complaint decided')).toContainText('gets back $48.00')
  await expect(row).toHaveCount(0)
  const decided = ada
    .getByRole('region', { name: 'Decided' })
    .getByRole('listitem')
    .filter({ hasText: job.title })
  for (const words of ['Split', 'got back $48.00', 'receives $48.00', 'Decided by Ada Wiens', 'half of it'])
    await expect(decided).toContainText(words)

  const grace = await signedInPage('grace')
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  const amounts = (page: typeof grace) => bookingCard(page, job).getByRole('definition')
  await expect(amounts(grace)).toHaveText(['$120.00', '\u2212$72.00', '$48.00'])
  await expect(bookingCard(grace, job)).toContainText('The photo shows half of it.')
  const theo = await signedInPage('theo')
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await expect(amounts(theo)).toHaveText(['$100.00', '\u2212$40.00', '\u2212$9.00', '\u2212$3.00', '$48.00'])
  await expect(bookingCard(theo, job)).not.toContainText('Cancel')

  // Lists and the task's screen say what was paid in the end.
  await grace.goto('/dashboard')
  const listed = grace.getByRole('listitem').filter({ has: grace.getByRole('heading', { name: job.title }) })
  await expect(listed).toContainText(/You paid\s*\$72/)
  for (const [page, sum] of [
    [grace, /You paid\s*\$72/],
    [theo, /You get\s*\$48/],
  ] as const) {
    await page.goto(`/task/${job.taskId}`)
    await expect(page.getByRole('main').getByRole('complementary')).toContainText(sum)
  }
})

test('Ada splits a payment and sends the paid increase and expense back', async ({
  signedInPage,
  server,
}) => {
  test.setTimeout(120_000)
  const job = await paidJob(server, { title: 'Clear the long driveway' })
  const changes = [
    await paidChange(server, job, 'increase', 20),
    await paidChange(server, job, 'expense', 30),
  ]
  const theoClient = await server.signedIn('theo')
  await theoClient.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  const reason = 'The walk to the side door is still covered.'
  const giver = await server.signedIn('grace')
  const complained = giver.from('complaints').insert({ booking_id: job.bookingId, reason })
  const { data: complaint } = await complained.select('id').single().throwOnError()
  await theoClient
    .from('complaints')
    .update({ answer: 'The walk was clear at four.' })
    .eq('id', complaint.id)
    .throwOnError()

  const ada = await signedInPage('ada', NARROW)
  await ada.goto(`/admin/complaints/${complaint.id}`)
  // $20 and its fees, and the expense without any.
  await expect(ada.getByText('Extra payments: $54.00').first()).toBeVisible()
  const extras = ada.getByRole('group', { name: 'Extra payments: $54.00' })
  await expect(extras).toHaveCount(0)
  await ada.getByRole('radio', { name: 'Split' }).check()
  await ada.getByLabel(/that go back/).fill('40')
  await ada.getByRole('button', { name: 'Decide' }).click()
  await expect(ada.getByRole('alert').filter({ hasText: 'Choose what becomes of the extra' })).toBeVisible()
  await extras.getByRole('radio', { name: 'Refund' }).check()
  await inBothLooks(ada, async () => {
    await expectNoSidewaysScroll(ada)
    await expectAccessible(ada)
  })
  await ada.getByRole('button', { name: 'Decide' }).click()
  const confirming = ada.getByRole('alertdialog')
  await expect(confirming).toContainText('The extra payments of $54.00 go back to the task giver.')
  await confirming.getByRole('button', { name: 'Split' }).click()
  await expect(toast(ada, 'Complaint decided')).toContainText('gets back $48.00')

  await expect.poll(() => paymentOf(server, job)).toMatchObject({ refund_amount: 48, payout_amount: 48 })
  const { data: paid } = await giver
    .from('booking_changes')
    .select('payment:payments(id,total,refund_amount,escrow_status)')
    .in('id', changes)
    .order('created_at')
    .throwOnError()
  const payments = paid.flatMap(({ payment }) => payment)
  expect(payments).toMatchObject([
    { total: 24, refund_amount: 24, escrow_status: 'refunded' },
    { total: 30, refund_amount: 30, escrow_status: 'refunded' },
  ])
  const main = await paymentOf(server, job)
  await expect
    .poll(() => ledgerOf(server, main?.id ?? ''))
    .toEqual({ provider: 24, escrow: 0, tasker: 0, giver: 0, platform_fees: -18, gst: -6 })
  for (const { id } of payments)
    await expect
      .poll(async () => Object.values(await ledgerOf(server, id)).filter((balance) => balance !== 0))
      .toEqual([])

  const minus = (sum: string) => `\u2212${sum}`
  for (const [person, amounts] of [
    ['theo', ['$100.00', minus('$40.00'), minus('$9.00'), minus('$3.00'), '$48.00']],
    ['grace', ['$120.00', minus('$72.00'), '$48.00']],
  ] as const) {
    const page = await signedInPage(person, NARROW)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    const card = bookingCard(page, job)
    await expect(card.getByRole('definition')).toHaveText([...amounts])
    await card.getByText('All changes (2)').click()
    await expect(card.getByText('Paid back')).toHaveCount(2)
  }
})

test('nobody decides their own complaint; complaints that cannot be loaded hide no people', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^500 POST \/rest\/v1\/rpc\/find_complaints/)
  const job = await complainedJob(server, { giver: 'ada' })
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  const row = ada.getByRole('listitem').filter({ hasText: job.title })
  await expect(row).toContainText('You are part of this job: another admin decides.')
  await expect(row.getByRole('button')).toHaveCount(0)

  await ada.route(/find_complaints/, (route) => route.fulfill({ status: 500, json: {} }))
  await ada.reload()
  await expect(ada.getByText('Failed to load complaints.').first()).toBeVisible({ timeout: 20_000 })
  await ada.goto('/admin/verify-users')
  const own = ada.getByRole('listitem').filter({ hasText: 'ada@example.com' })
  await ada.getByRole('searchbox', { name: 'Search by name or email' }).fill('ada@')
  await expect(own).toContainText('Your own account: another admin decides.')
  await expect(own.getByRole('button')).toHaveCount(0)
})

test('both are notified about a chargeback, and admins with the next step', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, {}, { card: 'pm_card_createDispute', escrow: 'frozen' })
  const grace = await signedInPage('grace')
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(grace, job)).toContainText('$120.00 stays in escrow until the bank has decided')
  await expect(bookingCard(grace, job)).toContainText('Work that is not done yet can wait.')
  await expect(bookingCard(grace, job)).toContainText('Payment on hold')
  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(theo, job)).toContainText('Work that is not done yet can wait.')
  await expect(bookingCard(theo, job).getByRole('button', { name: 'Mark Task Complete' })).toHaveCount(0)
  await expect(bookingCard(grace, job).getByRole('button', { name: 'Cancel Booking' })).toHaveCount(0)
  const { data: news } = await (await server.signedIn('ada'))
    .from('notifications')
    .select('link')
    .eq('key', 'chargeback_to_answer')
    .limit(1)
    .single()
    .throwOnError()
  const ada = await signedInPage('ada', NARROW)
  await ada.goto(news.link)
  const row = ada
    .getByRole('region', { name: 'Chargebacks' })
    .getByRole('listitem')
    .filter({ hasText: job.title })
  await expect(row).toContainText('$120.00 of $120.00 disputed')
  await expect(row).toContainText('Taken back, to be answered')
  await expect(row).toContainText('Reason: fraudulent')
  await expect(row).toContainText(/Evidence by/)
})

test('a chargeback that is lost in part waits for Ada, who sees what each side gets', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, {}, { card: 'pm_card_createMultipleDisputes', escrow: 'frozen' })
  const theoClient = await server.signedIn('theo')
  await theoClient.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  await decideDisputes(server, job, ['winning_evidence', 'losing_evidence'])
  await expect.poll(() => paymentOf(server, job)).toMatchObject({ open_disputes: 0, unsettled_loss: 60 })

  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(theo, job)).toContainText('$60.00 of the $120.00 that was paid went back')
  await expect(bookingCard(theo, job)).toContainText('until an administrator has decided')
  const ada = await signedInPage('ada', NARROW)
  await ada.goto('/admin/complaints')
  const disputes = ada
    .getByRole('region', { name: 'Chargebacks' })
    .getByRole('listitem')
    .filter({ hasText: job.title })
  await expect(disputes).toHaveCount(2)
  await expect(disputes.filter({ hasText: 'Lost' })).toHaveCount(1)
  await expect(disputes.filter({ hasText: 'Won, the money is back' })).toHaveCount(1)
  const row = ada
    .getByRole('region', { name: 'Lost in part, to be decided' })
    .getByRole('listitem')
    .filter({ hasText: job.title })
  await expect(row).toContainText('$60.00 of $120.00 went back for good.')
  await row.getByRole('button', { name: 'Decide' }).click()
  const dialog = ada.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('A decision is required')
  await dialog.getByRole('radio', { name: 'Split' }).check()
  await dialog.getByLabel(/that go back/).fill('60')
  await expectAccessibleDialog(ada)
  await expect(dialog.getByRole('definition')).toHaveText(['$12.00', '$32.00', '$16.00', '$60.00'])
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(toast(ada, 'Payment decided')).toBeVisible()
  await expect(row).toHaveCount(0)

  const grace = await signedInPage('grace')
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(grace, job).getByRole('definition')).toHaveText([
    '$120.00',
    '\u2212$60.00',
    '\u2212$48.00',
    '$12.00',
  ])
  await theo.reload()
  await expect(bookingCard(theo, job)).toContainText('$32.00')
})
