// Saved cards: added, paid with, made the default, removed; and what the provider refuses.
import { expectAccessible, expectAccessibleDialog } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard, providerFails } from './jobs.ts'

const tab = '/profile?tab=payment'

test('a giver saves a card, pays with it, chooses the default and removes it', async ({
  server,
  signedInPage,
}) => {
  const giver = await server.newAccount('grace')
  const page = await signedInPage(giver, NARROW)
  await page.goto(tab)
  await expect(page.getByText('No saved cards yet')).toBeVisible()
  const addCard = async (number: string) => {
    await page.getByRole('button', { name: 'Add Card' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add Card' })
    await dialog.getByLabel('Card number').fill(number)
    await dialog.getByLabel('Expiry date').fill('12 / 34')
    await dialog.getByLabel('Security code').fill('123')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save card' }).click()
    return dialog
  }
  await addCard('4242 4242 4242 4242')
  await expect(toast(page, 'Card Added!')).toBeVisible()
  const visa = page.getByRole('listitem').filter({ hasText: 'Visa ending in 4242' })
  await expect(visa).toContainText('Expires 12 / 34')
  await expect(visa).toContainText('Default')

  // The bank asks before it lets this one be kept.
  const dialog = await addCard('4000 0025 0000 3155')
  const bank = dialog.frameLocator('iframe')
  await bank.getByRole('button', { name: 'Complete authentication' }).click()
  const second = page.getByRole('listitem').filter({ hasText: 'Visa ending in 3155' })
  await expect(second).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Visa ending' }).first()).toContainText('3155')
  await page.getByRole('button', { name: 'Make default: Visa ending in 3155' }).click()
  await expect(second).toContainText('Default')
  await expect(visa).not.toContainText('Default')
  await expectAccessible(page)

  const job = await acceptedJob(server, { giver })
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await page.getByRole('button', { name: 'Pay $120.00' }).first().click()
  const paying = page.getByRole('dialog', { name: 'Complete Payment' })
  await expect(paying.getByRole('radio', { name: /3155/ })).toBeChecked()
  await paying.getByRole('radio', { name: /4242/ }).check()
  await expect(paying.getByLabel('Card number')).toBeHidden()
  await expectAccessible(page)
  await paying.getByRole('button', { name: 'Pay $120.00' }).click()
  await expect(paying.getByText('Payment secured')).toBeVisible()

  await page.goto(tab)
  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).click()
  await expectAccessibleDialog(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(toast(page, 'Card Removed')).toBeVisible()
  await expect(visa).toBeHidden()
})

test('the card that Grace has in the demo pays', async ({ server, signedInPage }) => {
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Pay $120.00' }).click()
  const paying = page.getByRole('dialog', { name: 'Complete Payment' })
  await expect(paying.getByRole('radio', { name: 'Visa ending in 4242' })).toBeChecked()
  await paying.getByRole('button', { name: 'Pay $120.00' }).click()
  await expect(paying.getByText('Payment secured')).toBeVisible()
})

test('a card that the provider refuses is not kept, and the form shows the reason', async ({
  signedInPage,
  problems,
}) => {
  problems.allow(/^402 POST \/sandbox\/stripe\/v1\/setup_intents/)
  const page = await signedInPage('grace')
  await page.goto(tab)
  await page.getByRole('button', { name: 'Add Card' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Card' })
  await dialog.getByRole('button', { name: 'Use test card 4000 0000 0000 0002' }).click()
  await dialog.getByRole('button', { name: 'Save card' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Your card was declined. Please use another card.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('0002')).toBeHidden()
})

test('without a publishable key the button is disabled, and a notice says why', async ({
  signedInPage,
  problems,
}) => {
  problems.allow(/^503 POST \/functions\/v1\/get-stripe-config/)
  const page = await signedInPage('grace')
  await page.route('**/functions/v1/get-stripe-config', (route) =>
    route.fulfill({ status: 503, json: { error: 'Publishable key not found' } }),
  )
  await page.goto(tab)
  await expect(page.getByText('Cards cannot be added yet')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Card' })).toBeDisabled()
})

test('a card that the provider fails to keep is said to be none at the form, and added once it works again', async ({
  server,
  signedInPage,
  problems,
}) => {
  problems.allow(/^502 POST \/functions\/v1\/create-setup-intent/)
  const page = await signedInPage(await server.newAccount('grace'))
  await page.goto(tab)
  await page.getByRole('button', { name: 'Add Card' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Card' })
  await dialog.getByRole('button', { name: 'Use test card 4242 4242 4242 4242' }).click()
  // As often as the SDK asks by itself.
  await providerFails(server, 'POST /v1/setup_intents', 4)
  await dialog.getByRole('button', { name: 'Save card' }).click()
  await expect(dialog.getByText('Failed to create payment method')).toHaveCount(1)
  await expect(dialog.locator('footer').getByRole('alert')).toHaveText('Failed to create payment method')
  await expect(dialog.locator('[aria-invalid]')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Save card' }).click()
  await expect(toast(page, 'Card Added!')).toBeVisible()
})
