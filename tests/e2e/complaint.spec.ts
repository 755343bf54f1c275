// A giver who is not content says so within a day (spec 000 §9): the money is frozen, and the tasker hears of it.
import { expect, test, toast } from './fixtures.ts'
import { bookingCard, paidJob, paymentOf } from './jobs.ts'

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
  await dialog.getByRole('button', { name: 'Send complaint' }).click()
  await expect(toast(grace, 'Complaint sent')).toBeVisible()
  await expect(bookingCard(grace, job)).toContainText('until an administrator has decided on the complaint')
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'frozen' })
})
