// Cancelling a booking: what it costs is said beforehand, charged by the server, and given back (spec 001 §9).
import type { Page } from '@playwright/test'
import { expectFocusKept } from './accessibility.ts'
import { expect, loseAnswer, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, ledgerOf, paidJob, paymentOf } from './jobs.ts'

const dialogOf = (page: Page) => page.getByRole('alertdialog', { name: 'Cancel Booking' })
const listAgain = (page: Page) => dialogOf(page).getByRole('radio', { name: /^List it again/ })
const closeTask = (page: Page) => dialogOf(page).getByRole('radio', { name: /^Close it/ })

// The amount at each boundary is in tests/database/fees.test.ts, its rule in web/features/bookings/cancellationRate.test.ts.
const CASES = [
  { when: 'two days before', hours: 48, fee: 5, refund: 115, rule: 'A flat cancellation fee of $5 applies.' },
  { when: 'minutes before', hours: 0.5, fee: 50, refund: 70, rule: '50% of the task amount' },
]

for (const { when, hours, fee, refund, rule } of CASES) {
  test(`a giver who has paid cancels ${when}: a fee of $${fee}, the rest comes back`, async ({
    signedInPage,
    server,
  }) => {
    const job = await paidJob(server, { amount: 100, hours })
    const late = hours < 1
    const page = await signedInPage('grace')
    await page.goto('/bookings?tab=in_progress')
    await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
    const question = dialogOf(page)
    await expect(question).toContainText(rule)
    await expect(question).toContainText(`$${refund}.00`)
    await expect(question).toContainText('Refunds take 5 to 10 business days.')
    await question.getByLabel('Reason').fill('The snow melted.')
    await (late ? closeTask(page) : listAgain(page)).check()
    await question.getByRole('button', { name: 'Cancel Booking' }).click()
    await expect(toast(page, 'Booking Cancelled')).toContainText(`$${refund}.00`)
    await expect(toast(page, 'Booking Cancelled')).toContainText(
      late ? 'The task is closed.' : 'The task is listed again.',
    )
    // The cost, not the title once more.
    await expect(toast(page, 'Booking Cancelled')).not.toContainText('cancelled')

    await expect
      .poll(() => paymentOf(server, job), { timeout: 20_000 })
      .toMatchObject({ escrow_status: 'refunded', cancellation_fee: fee, refunded_amount: refund })
    const { data: task } = await (await server.signedIn(job.giver))
      .from('tasks')
      .select('status')
      .eq('id', job.taskId)
      .single()
    expect(task?.status).toBe(late ? 'cancelled' : 'open')
    const payment = await paymentOf(server, job)
    const ledger = await ledgerOf(server, payment.id)
    expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0)
    expect(ledger.escrow).toBe(0)
  })
}

test('the giver chooses what happens to the task; nothing is chosen for her', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, { hours: 48 })
  const page = await signedInPage('grace', { width: 360, height: 640 })
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = dialogOf(page)
  await expect(question.getByRole('group', { name: 'What happens to the task?' })).toBeVisible()
  await expect(
    question.getByText(/^Other taskers can apply\. It stays scheduled for .+ [ap]\.m\.$/),
  ).toBeVisible()
  await expect(question.getByText('Nobody else can apply. You can post it again later.')).toBeVisible()
  for (const option of [listAgain(page), closeTask(page)]) await expect(option).not.toBeChecked()
  await question.getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(question.getByRole('alert')).toHaveText('Choose what happens to the task')
  await expect(question.getByRole('alert')).toBeInViewport({ ratio: 1 })
  await expect(listAgain(page)).toBeFocused()
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held' })
  await closeTask(page).check()
  await expect(question.getByRole('alert')).toHaveCount(0)
})

test('a task whose time has passed is closed, and the dialog says so', async ({ signedInPage, server }) => {
  const job = await paidJob(server, { hours: 48 })
  const { error } = await server
    .operator()
    .from('tasks')
    .update({ scheduled_date: new Date(Date.now() - 3_600_000).toISOString() })
    .eq('id', job.taskId)
  expect(error).toBeNull()
  const theo = await signedInPage('theo')
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(theo, job).getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(dialogOf(theo)).toContainText('The task’s time has passed, so the task is closed.')
  await expect(dialogOf(theo)).not.toContainText('opens again')
  const page = await signedInPage('grace')
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = dialogOf(page)
  await expect(question).toContainText("The task's time has passed, so the task is closed.")
  await expect(question.getByRole('radio')).toHaveCount(0)
  await question.getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(page, 'Booking Cancelled')).toContainText('The task is closed.')
  const { data } = await (await server.signedIn('grace'))
    .from('tasks')
    .select('status')
    .eq('id', job.taskId)
    .single()
  expect(data).toEqual({ status: 'cancelled' })
})

test('while its giver is suspended the task goes on hold, and both dialogs say so', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  const job = await paidJob(server, { giver, hours: 48 })
  const person = (await (await server.signedIn(giver)).auth.getUser()).data.user?.id
  const cancels = (page: Page) =>
    bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await cancels(theo)
  await expect(dialogOf(theo)).toContainText('The task opens again for other taskers.')
  await dialogOf(theo).getByRole('button', { name: 'Keep booking' }).click()
  const ada = await server.signedIn('ada')
  await ada.rpc('suspend_person', { person, reason: 'Asked for money before the work.' }).throwOnError()
  await cancels(theo)
  await expect(dialogOf(theo)).toContainText(
    'The task is on hold while the task giver’s account is suspended.',
  )
  await expect(dialogOf(theo)).not.toContainText('opens again')

  const grace = await signedInPage(giver)
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await cancels(grace)
  const held = 'The task stays on hold while your account is suspended.'
  await expect(dialogOf(grace)).toContainText(held)
  await listAgain(grace).check()
  await dialogOf(grace).getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(grace, 'Booking Cancelled')).toContainText(held)
})

test('a tasker who cancels leaves the whole payment to the giver, also when the answer is lost', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^net::ERR_FAILED: POST .*\/handle-cancellation/)
  const job = await paidJob(server, { amount: 100 })
  const page = await signedInPage('theo')
  await page.goto('/bookings?tab=in_progress')
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = dialogOf(page)
  await expect(question).toContainText('The task giver gets the full amount back')
  await loseAnswer(page, 'POST', /\/handle-cancellation$/)
  await question.getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(page, 'Booking Cancelled')).toBeVisible()
  await expect
    .poll(() => paymentOf(server, job), { timeout: 20_000 })
    .toMatchObject({ escrow_status: 'refunded', cancellation_fee: 0, refunded_amount: 120 })
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await expect(bookingCard(page, job)).toContainText('nothing is paid out for this task')
})

test('a refund that comes back: the giver is notified once, and card and receipt say the same', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, { amount: 100 }, { card: 'pm_card_refundFail' })
  const theo = await server.signedIn('theo')
  await theo.functions.invoke('handle-cancellation', { body: { bookingId: job.bookingId } })
  await expect
    .poll(() => paymentOf(server, job), { timeout: 20_000 })
    .toMatchObject({ refund_status: 'failed' })
  const page = await signedInPage('grace')
  await page.goto(`/bookings?booking=${job.bookingId}`)
  const card = bookingCard(page, job)
  await expect(card.getByRole('heading', { name: 'Cancelled after payment' })).toBeVisible()
  await expect(card).toContainText('The refund has not gone through yet. An administrator has been told')
  await expect(card.getByRole('link', { name: 'Contact us' })).toBeVisible()
  await card.getByRole('link', { name: /^Receipt R-/ }).click()
  await expect(page.getByText('$120.00 still to come back.')).toBeVisible()
  await page.goto('/profile?tab=payment')
  await expect(page.getByRole('listitem').filter({ hasText: job.title })).toContainText(
    '$120.00 still to come back',
  )
  const grace = await server.signedIn('grace')
  const returned = async () => {
    const { data } = await grace
      .from('notifications')
      .select('key')
      .eq('key', 'refund_returned')
      .eq('link', `/bookings?booking=${job.bookingId}`)
      .throwOnError()
    return data.length
  }
  expect(await returned()).toBe(1)

  // An admin sends it again, from where the notification leads; to this card in vain.
  const admin = await signedInPage('ada')
  await admin.goto(`/admin/money?tab=refunds&search=${job.taskId}`)
  const row = admin.getByRole('tabpanel').getByRole('listitem')
  await expect(row).toContainText('Failed')
  await row.getByRole('button', { name: /^Refund \$120\.00 to .*: send again$/ }).click()
  await expect(toast(admin, 'The refund is on its way again')).toBeVisible()
  await expectFocusKept(admin)
  await expect.poll(returned, { timeout: 20_000 }).toBe(2)
})

test('an accepted booking that is not paid costs nothing, and the task opens again', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = dialogOf(page)
  await expect(question).toContainText('No fee applies')
  await question.getByRole('button', { name: 'Keep booking' }).click()
  await expect(bookingCard(page, job)).toBeVisible()
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  await listAgain(page).check()
  await question.getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(page, 'Booking Cancelled')).toBeVisible()

  const sam = await server.signedIn('sam')
  const { data } = await sam.from('tasks').select('status').eq('id', job.taskId).single()
  expect(data).toEqual({ status: 'open' })
})

test('an applicant withdraws, and may apply again', async ({ signedInPage, server }) => {
  const job = await appliedJob(server)
  const page = await signedInPage('theo')
  await page.goto('/bookings?tab=pending')
  await bookingCard(page, job).getByRole('button', { name: 'Withdraw Application' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw Application' }).click()
  await expect(toast(page, 'Application Withdrawn')).toBeVisible()
  await page.goto(`/task/${job.taskId}`)
  await page.getByRole('button', { name: 'Apply Now' }).click()
  await expect(page).toHaveURL('/bookings')
})

test('a cancellation that fails says so and leaves the booking, and the reason that was typed', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/handle-cancellation/)
  const job = await paidJob(server)
  const page = await signedInPage('grace')
  await page.route('**/functions/v1/handle-cancellation', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"error":"Try again in a moment"}',
    }),
  )
  await page.goto('/bookings?tab=in_progress')
  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = dialogOf(page)
  await question.getByLabel('Reason').fill('The truck broke down.')
  await listAgain(page).check()
  const asked = page.waitForRequest('**/functions/v1/handle-cancellation')
  await question.getByRole('button', { name: 'Cancel Booking' }).click()
  const sent = { bookingId: job.bookingId, reason: 'The truck broke down.', listAgain: true }
  expect((await asked).postDataJSON()).toMatchObject(sent)
  expect((await asked).headers().authorization).toMatch(/^Bearer ey/)
  await expect(toast(page, 'Cancellation Failed')).toBeVisible()
  await expect(question.getByRole('alert')).toHaveText('Try again in a moment')
  await expect(question.getByLabel('Reason')).toHaveValue('The truck broke down.')
  await expect(listAgain(page)).toBeChecked()
  await question.getByRole('button', { name: 'Keep booking' }).click()
  await expect(bookingCard(page, job)).toContainText('In Progress')
})
