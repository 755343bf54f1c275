// One price, said the same way from both sides wherever money is named: what the other one gets or pays, fee and GST, and one's
// own sum. A task of $80: the giver pays $96, the tasker gets $64.
import type { Locator } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, doneJob, paidJob, postedTask } from './jobs.ts'

test.use({ translated: true })

const amount = 80

/** The lines of the first split in `place`, without how it adds up. */
async function split(place: Locator): Promise<string[]> {
  const lines = place.locator('dl').first().locator('div')
  await expect(lines.first()).toBeVisible()
  return (await lines.allInnerTexts()).map((line) => line.replace(/\s+/g, ' '))
}

const giverReads = (paid = false) => [
  'Theo Kowalchuk gets $64.00',
  'Fee and GST $32.00',
  `You ${paid ? 'paid' : 'pay'} $96.00`,
]
const taskerReads = (paid = false) => [
  `Grace Morin ${paid ? 'paid' : 'pays'} $96.00`,
  'Fee and GST −$32.00',
  'You get $64.00',
]

test('whoever posts a task reads under the amount what it means, as it is typed', async ({
  signedInPage,
}) => {
  const page = await signedInPage('grace', NARROW)
  await page.goto('/post-task')
  const form = page.getByRole('main')
  await form.getByLabel('Title', { exact: true }).fill('Shovel the front walk')
  await form.getByLabel('Description', { exact: true }).fill('Twenty metres and three steps.')
  await form.getByLabel('Category', { exact: true }).selectOption('Snow Removal')
  await form.getByRole('button', { name: 'Continue' }).click()
  await form.getByLabel('Location', { exact: true }).fill('Nutana, Saskatoon')
  await form.getByRole('button', { name: 'Continue' }).click()
  const pay = page.getByRole('region', { name: 'Price' })
  await pay.getByLabel('Pay for the task').fill('80')
  const sums = ['The tasker gets $64.00', 'Fee and GST $32.00', 'You pay $96.00']
  await expect.poll(() => split(pay)).toEqual(sums)
  const how = pay.getByText('How it adds up')
  await how.click()
  await expect(pay.locator('details dl')).toHaveText([
    'Task amount$80.00Platform fee (15%)$12.00GST (5%)$4.00You pay$96.00',
    'Task amount$80.00Platform fee (15%)−$12.00GST (5%)−$4.00The tasker gets$64.00',
  ])
  await expectNoSidewaysScroll(page)
  await inBothLooks(page, () => expectAccessible(page))
})

test('a tasker reads what they get on cards, and the whole before applying', async ({
  signedInPage,
  server,
}) => {
  const { title, taskId } = await postedTask(server, { amount })
  const page = await signedInPage('theo')
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  const card = page.getByRole('main').locator('article, li, div').filter({ hasText: title }).last()
  await expect(page.getByRole('main')).toContainText(/You get\s*\$64\s*Task amount\s*\$80/)
  await expect(card).toBeVisible()
  await page.goto(`/task/${taskId}`)
  const aside = page.getByRole('complementary')
  await expect.poll(() => split(aside)).toEqual(taskerReads())
  await page.setViewportSize(NARROW)
  await expect(page.getByRole('main')).toContainText(/You get\s*\$64/)
  await expectNoSidewaysScroll(page)
})

test('giver and tasker read the same price before accepting, paying and releasing', async ({
  signedInPage,
  server,
}) => {
  const applied = await appliedJob(server, { amount })
  const grace = await signedInPage('grace')
  const theo = await signedInPage('theo')
  await grace.goto('/bookings')
  await theo.goto('/bookings')
  await expect.poll(() => split(bookingCard(grace, applied))).toEqual(giverReads())
  await expect.poll(() => split(bookingCard(theo, applied))).toEqual(taskerReads())

  const accepted = await acceptedJob(server, { amount })
  await grace.goto('/bookings')
  await expect.poll(() => split(bookingCard(grace, accepted))).toEqual(giverReads())
  await bookingCard(grace, accepted).getByRole('button', { name: 'Pay $96.00' }).click()
  const paying = grace.getByRole('dialog', { name: 'Complete Payment' })
  await expect.poll(() => split(paying)).toEqual(giverReads())
  for (const line of ['Task amount', 'Platform fee (15%)', 'GST (5%)'])
    await expect(paying.getByText(line).first()).toBeVisible()

  const done = await doneJob(server, { amount })
  await grace.goto('/bookings')
  await bookingCard(grace, done).getByRole('button', { name: 'Confirm and Release' }).click()
  await expect.poll(() => split(grace.getByRole('alertdialog'))).toEqual(giverReads(true))
  await theo.goto('/bookings')
  await expect.poll(() => split(bookingCard(theo, done))).toEqual(taskerReads(true))
})

test('cancelling shows what everyone gets of what was paid', async ({ signedInPage, server }) => {
  const job = await paidJob(server, { amount })
  const grace = await signedInPage('grace')
  await grace.goto('/bookings')
  await bookingCard(grace, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const question = grace.getByRole('alertdialog')
  for (const [label, sum] of [
    ['You paid', '$96.00'],
    ['Cancellation fee', '−$5.00'],
    ['Refund to you', '$91.00'],
    ['Theo Kowalchuk gets', '$4.00'],
    ['Fee and GST', '$1.00'],
  ] as const)
    await expect(question.locator('dl > div').filter({ hasText: label })).toContainText(sum)
  const theo = await signedInPage('theo')
  await theo.goto('/bookings')
  await bookingCard(theo, job).getByRole('button', { name: 'Cancel Booking' }).click()
  const theirs = theo.getByRole('alertdialog').locator('dl > div')
  await expect(theirs).toHaveText(['Grace Morin gets back$96.00', 'You get$0.00'])
})
