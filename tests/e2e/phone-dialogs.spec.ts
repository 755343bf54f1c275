// Dialogs and rows on a phone of 360×640: the price before the card, an error where the eye is, and a booking whose money is on hold.
import { expect, test } from './fixtures.ts'
import { acceptedJob, bookingCard, complainedJob, doneJob, openBooking } from './jobs.ts'

const PHONE = { width: 360, height: 640 }

test('the payment dialog opens on its price, and the card comes after it', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server, { amount: 80 })
  const page = await signedInPage('grace', PHONE)
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: 'Pay $96.00' }).click()
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  await expect(dialog.getByLabel('Card number').or(dialog.getByLabel('Another card')).first()).toBeAttached()
  for (const line of ['Theo K. gets', 'Fee and GST', 'You pay', 'Platform fee (15%)'])
    await expect(dialog.getByText(line, { exact: true })).toBeInViewport({ ratio: 1 })
  // The keyboard goes on from there.
  await expect(dialog.locator(':focus')).toContainText('You pay')
})

test('an error below a field is in view where the dialog scrolls', async ({ signedInPage, server }) => {
  const job = await doneJob(server)
  const page = await signedInPage('grace', PHONE)
  await page.goto('/bookings?tab=completed')
  const card = await openBooking(page, job)
  await card.getByRole('button', { name: 'Something is wrong' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Send complaint' }).click()
  await expect(dialog.getByLabel('Your complaint')).toBeFocused()
  await expect(dialog.getByRole('alert')).toBeInViewport({ ratio: 1 })
})

test('a closed row says that its money is on hold', async ({ signedInPage, server }) => {
  const job = await complainedJob(server)
  const page = await signedInPage('grace', PHONE)
  await page.goto('/bookings?tab=completed')
  const row = bookingCard(page, job).getByRole('button', { expanded: false })
  await expect(row).toContainText('Payment on hold')
  await expect(row).not.toContainText('Completed')
})
