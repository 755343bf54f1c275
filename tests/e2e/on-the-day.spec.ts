// The day of the work: Theo says that he is on the way and that he has arrived, and adds a photo; Grace sees it. Then two missed
// bookings: Theo admits that he did not come, and Grace objects to the report that nobody was there.
import { expectAccessible, expectAccessibleDialog, showTheme } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { bookingCard, type Job, paidJob } from './jobs.ts'
import { greenPng } from './pictures.ts'
import type { AppServer } from './server.ts'

/** Moves the agreed time of a job, as passing time does: so many minutes ago. */
async function pass(server: AppServer, job: Job, minutes: number) {
  const at = new Date(Date.now() - minutes * 60_000).toISOString()
  await server.operator().from('tasks').update({ scheduled_date: at }).eq('id', job.taskId).throwOnError()
}

test('on the way, arrived, a photo before the work, done', async ({ signedInPage, server }) => {
  test.setTimeout(120_000)
  const job = await paidJob(server, { hours: 1, title: 'Clear the eaves' })
  const theo = await signedInPage('theo', NARROW)
  const grace = await signedInPage('grace')
  const [his, hers] = [bookingCard(theo, job), bookingCard(grace, job)]
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await theo.goto(`/bookings?booking=${job.bookingId}`)

  await test.step('on the way', async () => {
    await his.getByRole('button', { name: 'On my way' }).click()
    await expectAccessible(theo)
    await showTheme(theo, 'dark')
    await expectAccessible(theo)
    await showTheme(theo, 'light')
    await his
      .getByRole('button', { name: /^Between/ })
      .nth(1)
      .click()
    await expect(toast(theo, 'The task giver knows when you arrive.')).toBeVisible()
    await expect(hers).toContainText('is on the way and arrives between')
  })

  await test.step('arrived, with a photo that Grace sees', async () => {
    await his.getByRole('button', { name: 'Arrived' }).click()
    await expect(toast(theo, 'Arrival stated')).toBeVisible()
    await expect(hers).toContainText('arrived today')
    await expect(his.getByRole('button', { name: 'Save photos' })).toBeDisabled()
    await his
      .getByRole('group', { name: 'Photos before the work' })
      .locator('input[type=file]')
      .setInputFiles({ name: 'eaves.png', mimeType: 'image/png', buffer: await greenPng() })
    await expect(his.getByText('1 photo uploaded')).toBeVisible()
    await theo.reload()
    await his.getByRole('button', { name: 'Save photos' }).click()
    await expect(toast(theo, 'Photos saved')).toBeVisible()
    await expect(his.getByRole('button', { name: 'Save photos' })).toBeDisabled()
    await expect(hers.getByRole('figure').filter({ hasText: 'Photos before the work' })).toBeVisible()
    await expectAccessible(grace)
  })
})

test('Theo admits that he did not come: Grace gets everything back', async ({ signedInPage, server }) => {
  const job = await paidJob(server, { amount: 80, hours: 1, title: 'Carry the couch' })
  await pass(server, job, 31)
  const grace = await signedInPage('grace', NARROW)
  const hers = bookingCard(grace, job)
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await hers.getByRole('button', { name: /did not come$/ }).click()
  const dialog = grace.getByRole('dialog', { name: /did not come$/ })
  await expect(dialog).toContainText('the task giver gets the full amount back')
  await dialog.getByLabel('What happened?').fill('No')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(dialog).toContainText('Say what happened in at least ten characters')
  await dialog.getByLabel('What happened?').fill('I waited for an hour and rang twice.')
  await expectAccessibleDialog(grace)
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(toast(grace, 'Report sent')).toBeVisible()
  await expect(hers).toContainText('the task giver gets the full amount back')

  const theo = await signedInPage('theo')
  const his = bookingCard(theo, job)
  await theo.goto(`/bookings?booking=${job.bookingId}&part=missed`)
  await expect(his).toContainText('I waited for an hour and rang twice.')
  await expect(his).toContainText('the task giver gets the full amount back')
  await expectAccessible(theo)
  await his.getByRole('button', { name: 'It is true' }).click()
  await theo.getByRole('alertdialog').getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(theo, 'Booking Cancelled')).toBeVisible()
  const client = await server.signedIn('grace')
  const { data } = await client
    .from('payments')
    .select('escrow_status,refund_amount')
    .eq('booking_id', job.bookingId)
    .single()
  expect(data).toEqual({ escrow_status: 'refunded', refund_amount: 96 })
})

test('Theo reports that nobody was there, and Grace objects: Ada reads both', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, { amount: 80, hours: 1, title: 'Hang the shelves' })
  const client = await server.signedIn('theo')
  await client
    .from('bookings')
    .update({ arrived_at: new Date().toISOString() })
    .eq('id', job.bookingId)
    .throwOnError()
  await pass(server, job, 20)
  const late = new Date(Date.now() - 20 * 60_000).toISOString()
  await server.operator().from('bookings').update({ arrived_at: late }).eq('id', job.bookingId).throwOnError()
  const theo = await signedInPage('theo')
  const his = bookingCard(theo, job)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await his.getByRole('button', { name: 'Nobody was there' }).click()
  const dialog = theo.getByRole('dialog', { name: 'Nobody was there' })
  await expect(dialog).toContainText('the fee is 50% of the task amount')
  await dialog.getByLabel('What happened?').fill('I rang and waited for twenty minutes.')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(dialog).toContainText('Add a photo from the place')
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer: await greenPng() })
  await expect(dialog.getByText('1 photo uploaded')).toBeVisible()
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(toast(theo, 'Report sent')).toBeVisible()

  const grace = await signedInPage('grace')
  const hers = bookingCard(grace, job)
  await grace.goto(`/bookings?booking=${job.bookingId}&part=missed`)
  await hers.getByLabel('I object: what happened?').fill('I was in the yard all morning.')
  await hers.getByRole('button', { name: 'Send objection' }).click()
  await expect(toast(grace, 'Objection sent. An administrator decides.')).toBeVisible()
  await expect(hers).toContainText('an administrator decides, and the payment is on hold until then')
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  await ada
    .getByRole('link', { name: new RegExp(job.title) })
    .first()
    .click()
  await expect(ada.getByText('I was in the yard all morning.').first()).toBeVisible()
  await expect(ada.getByText('I rang and waited for twenty minutes.').first()).toBeVisible()
})
