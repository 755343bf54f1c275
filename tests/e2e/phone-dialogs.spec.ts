// Dialogs and rows on a phone of 360×640: the price before the card, an error where the eye is, and a booking whose money is on hold.
import { expect, newAddress, test } from './fixtures.ts'
import { acceptedJob, bookingCard, complainedJob, doneJob, openBooking } from './jobs.ts'
import { PASSWORD } from './server.ts'
import { saysWho } from './wizard.ts'

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
  for (const line of [/^Theo .+ gets$/, 'Fee and GST', 'You pay', 'Platform fee (15%)'])
    await expect(dialog.getByText(line, { exact: true }).first()).toBeInViewport({ ratio: 1 })
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

test('a wrong code says so where it was entered', async ({ page, problems }) => {
  problems.allow(/^403 POST \/auth\/v1\/verify/)
  await page.setViewportSize(PHONE)
  await page.goto('/auth?view=sign-up')
  await page.getByLabel('Full name').fill('Grace')
  await page.getByLabel('Email').fill(newAddress('grace'))
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
  // The form of sign-in has taken the place of this one.
  await expect(page.getByRole('tab', { name: 'Sign In' })).toHaveAttribute('aria-selected', 'true')
  await page.getByText('Enter the code from the email instead').click()
  await page.getByLabel('Six-digit code').fill('000000')
  await page.getByLabel('Six-digit code').press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'This code is wrong' })).toBeInViewport({ ratio: 1 })
})

test('a closed row says that its money is on hold', async ({ signedInPage, server }) => {
  const job = await complainedJob(server)
  const page = await signedInPage('grace', PHONE)
  await page.goto('/bookings?tab=completed')
  const row = bookingCard(page, job).getByRole('button', { expanded: false })
  await expect(row).toContainText('Payment on hold')
  await expect(row).not.toContainText('Completed')
})

test('the review of a verification shows lists as the language writes them, and no label over a value', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'), PHONE)
  await page.goto('/verification')
  await saysWho(page)
  await page.getByLabel('Government ID type').selectOption('Passport')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Skills').fill('drywall, ,dog walking,')
  await page.getByLabel('Certifications').fill('Working at heights with a rope, Class 1A licence')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('definition').filter({ hasText: 'drywall' })).toHaveText(
    'drywall and dog walking',
  )
  const covered = await page.getByRole('term').evaluateAll((labels) =>
    labels
      .filter((label) => {
        const words = document.createRange()
        words.selectNodeContents(label)
        const value = label.nextElementSibling?.getBoundingClientRect()
        return words.getBoundingClientRect().right > (value?.left ?? 0)
      })
      .map((label) => label.textContent),
  )
  expect(covered).toEqual([])
})
