// A complaint's decision moves money: it is asked about with the sums, decided once and as it was seen, and a split is called one.
import { expectAccessibleDialog } from './accessibility.ts'
import { expect, test, toast } from './fixtures.ts'
import { bookingCard, complainedJob } from './jobs.ts'

test('a decision is asked about with its sums, and no double click or Enter makes it', async ({
  signedInPage,
  server,
}) => {
  const job = await complainedJob(server, { answer: 'The walk was clear at four.' })
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  await ada.getByRole('link', { name: `Open the case ${job.title}` }).click()
  const main = ada.getByRole('main')
  await main.getByRole('radio', { name: 'Split' }).check()
  const returned = main.getByLabel(/that go back/)
  await returned.fill('40')
  const question = ada.getByRole('alertdialog', { name: 'Decide this complaint?' })
  await main.getByRole('button', { name: 'Decide' }).dblclick()
  await expect(question.getByRole('definition')).toHaveText(['$48.00', '$48.00', '$24.00', '$120.00'])
  await expect(question).toContainText('both are told')
  await expectAccessibleDialog(ada)
  await question.getByRole('button', { name: 'Back to the decision' }).click()
  // The second Enter goes back, where the focus is.
  await returned.press('Enter')
  await expect(question).toBeVisible()
  await ada.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(returned).toHaveValue('40')
  await main.getByRole('button', { name: 'Decide' }).click()
  await question.getByRole('button', { name: 'Split' }).click()
  await expect(toast(ada, 'Complaint decided')).toContainText('gets back $48.00')
  for (const words of ['Split', 'got back $48.00', 'receives $48.00']) await expect(main).toContainText(words)

  for (const person of ['grace', 'theo'] as const) {
    const page = await signedInPage(person)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(page, job)).toContainText('Decided: the payment is split')
    await bookingCard(page, job)
      .getByRole('link', { name: /^(Receipt|Payout statement) / })
      .click()
    await expect(page.getByText('the payment was split. Grace')).toContainText(
      /gets back \$48\.00.*gets \$48\.00/,
    )
  }
})

test('input that arrived meanwhile is read first: the decision is refused and says why', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^400 POST \/rest\/v1\/rpc\/decide_complaint/)
  const job = await complainedJob(server)
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  await ada.getByRole('link', { name: `Open the case ${job.title}` }).click()
  const main = ada.getByRole('main')
  await main.getByRole('radio', { name: 'Release' }).check()
  await main.getByRole('button', { name: 'Decide' }).click()
  const theo = await server.signedIn('theo')
  await theo
    .from('complaints')
    .update({ answer: 'It snowed again.' })
    .eq('booking_id', job.bookingId)
    .throwOnError()
  await ada.getByRole('alertdialog').getByRole('button', { name: 'Release to the tasker' }).click()
  await expect(main.getByRole('alert')).toContainText('This case has changed since you opened it')
  await expect(main).toContainText('It snowed again.')
})
