// The Payout tab: a new tasker from the bank form to money sent, what the form refuses, and what the provider still wants.
import { expectAccessible } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { bookingCard, paidJob } from './jobs.ts'

const tab = '/profile?tab=payout'

test('a new tasker gives bank details, and the money that waited is sent', async ({
  server,
  signedInPage,
}) => {
  const email = await server.newAccount('theo')
  const job = await paidJob(server, { amount: 100 }, { tasker: email })
  const theo = await server.signedIn(email)
  const grace = await server.signedIn('grace')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  await grace
    .from('payments')
    .update({ escrow_status: 'released' })
    .eq('booking_id', job.bookingId)
    .throwOnError()

  const payment = async () =>
    (await theo.from('payments').select('id, payout_status').eq('booking_id', job.bookingId).single()).data
  await expect.poll(payment).toMatchObject({ payout_status: 'waiting' })
  const id = (await payment())?.id
  const { error } = await server.operator().rpc('fail_payout', {
    payment_id: id,
    message: 'Your destination account needs a capability',
    idempotency_key: `payout-${id}`,
    code: 'insufficient_capabilities_for_transfer',
  })
  expect(error).toBeNull()

  const page = await signedInPage(email, NARROW)
  // Why it was refused, and the way to what is missing.
  await page.goto(`/bookings?booking=${job.bookingId}`)
  const card = bookingCard(page, job)
  await expect(card).toContainText('Your payout account cannot take money yet.')
  await expect(card).not.toContainText('capability')
  const numbers: string[] = []
  page.on('request', (request) => {
    if ((request.postData() ?? '').includes('000123456789')) numbers.push(new URL(request.url()).pathname)
  })
  await card.getByRole('link', { name: 'Set up payout account' }).click()
  await expect(page.getByText('Not Set Up')).toBeVisible()
  const history = page.getByRole('listitem').filter({ hasText: job.title })
  await expect(history).toContainText('Anything it still needs is listed above')
  await expect(page.getByText('$80.00 is waiting for your payout account.')).toBeVisible()
  await expectAccessible(page)

  const save = page.getByRole('button', { name: 'Save Bank Details' })
  await save.click()
  await expect(page.getByText('Please fill in all bank account fields')).toBeVisible()
  await expect(page.getByLabel('Institution number')).toBeFocused()
  await page.getByLabel('Institution number').pressSequentially('0a00999')
  await expect(page.getByLabel('Institution number')).toHaveValue('000')
  await page.getByLabel('Transit number').fill('11')
  await page.getByLabel('Account number').fill('000123456789012')
  await expect(page.getByLabel('Account number')).toHaveValue('000123456789')
  await save.click()
  await expect(page.getByText('Transit number must have 5 digits')).toBeVisible()
  await page.getByLabel('Transit number').fill('11000')
  await page.getByLabel('First name').fill('Theo')
  await page.getByLabel('Last name').fill('Tasker')
  await page.getByLabel('Date of birth').fill('1990-02-01')
  await page.getByLabel('Home address').fill('12 Elm St')
  await page.getByLabel('City').fill('Saskatoon')
  await page.getByLabel('Postal code').fill('90210')
  await save.click()
  await expect(page.getByText('Postal code must look like S7K 1N1')).toBeVisible()
  await page.getByLabel('Postal code').fill('S7K 1N1')
  await save.click()
  await expect(page.getByText('Please accept the agreement with the payment provider')).toBeVisible()
  await page.getByRole('checkbox', { name: /Connected Account Agreement/ }).check()
  await save.click()

  await expect(toast(page, 'Bank Details Saved!')).toBeVisible()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Payout account' })).toBeFocused()
  await expect(page.getByText('STRIPE TEST BANK ending in 6789')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Update Bank Details' })).toBeVisible()
  await expect(page.getByText('is waiting for your payout account')).toBeHidden()
  // The whole number went to the payment provider, and nowhere else.
  expect(numbers).toEqual(['/sandbox/stripe/v1/tokens'])
  await expect.poll(payment).toMatchObject({ payout_status: 'sent' })
  // Without a reload.
  await expect(history.getByText('Sent', { exact: true })).toBeVisible()
})

test('a wrong number and a wrong address are said at their fields; the provider asks for the rest itself', async ({
  server,
  signedInPage,
  problems,
}) => {
  problems.allow(/^400 POST \/sandbox\/stripe\/v1\/tokens/)
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto(tab)
  await page.getByRole('button', { name: 'Use test account 000123456789' }).click()
  await page.getByLabel('Account number').fill('987654321')
  await page.getByLabel('Last name').fill('Tasker')
  await page.getByLabel('Date of birth').fill('1990-02-01')
  await page.getByLabel('Home address').fill('address_no_match')
  await page.getByLabel('City').fill('Saskatoon')
  await page.getByLabel('Postal code').fill('S7K 1N1')
  await page.getByRole('checkbox', { name: /Connected Account Agreement/ }).check()
  await page.getByRole('button', { name: 'Save Bank Details' }).click()
  await expect(page.getByText('You must use a test bank account number')).toBeVisible()
  await expect(page.getByLabel('Account number')).toBeFocused()
  await page.getByLabel('Account number').fill('000123456789')
  await page.getByRole('button', { name: 'Save Bank Details' }).click()

  await expect(page.getByRole('heading', { name: 'Next step' })).toBeVisible()
  await expect(page.getByText("The address on the account couldn't be verified")).toBeVisible()
  await expect(page.getByText('Not Set Up')).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByLabel('Account number')).toBeHidden()
  await page.getByLabel('Home address').fill('12 Elm St')
  await page.getByRole('button', { name: 'Save Bank Details' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Update Bank Details' }).click()
  await page.getByRole('button', { name: 'Keep the current account' }).click()
  await expect(page.getByLabel('Account number')).toBeHidden()
})

test('while the provider checks the account is pending; a payout that came back says why and what to do', async ({
  server,
  signedInPage,
}) => {
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const page = await signedInPage(email)
  await page.goto(tab)
  await page.getByRole('button', { name: 'Use test account 000111111113' }).click()
  await page.getByLabel('Last name').fill('Tasker')
  await page.getByLabel('Date of birth').fill('1990-02-01')
  await page.getByLabel('Home address').fill('12 Elm St')
  await page.getByLabel('City').fill('Saskatoon')
  await page.getByLabel('Postal code').fill('S7K 1N1')
  await page.getByRole('checkbox', { name: /Connected Account Agreement/ }).check()
  await page.getByRole('button', { name: 'Save Bank Details' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  const path = /\/rest\/v1\/payout_accounts/
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const [account] = [await response.json()].flat()
    await route.fulfill({ response, json: [{ ...account, account_status: 'pending' }] })
  })
  await page.reload()
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await expect(page.getByText('The payment provider is checking your details.')).toBeVisible()
  const save = page.getByRole('button', { name: 'Save Bank Details' })
  await expect(save).toBeVisible()
  await page.unroute(path)
  // It looks again by itself.
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await expect(save).toHaveCount(0)

  const job = await paidJob(server, { amount: 100 }, { tasker: email, card: 'pm_card_bypassPending' })
  const grace = await server.signedIn('grace')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  await grace
    .from('payments')
    .update({ escrow_status: 'released' })
    .eq('booking_id', job.bookingId)
    .throwOnError()
  const deposits = async () => (await theo.from('payouts').select('status').throwOnError()).data
  await expect.poll(deposits, { timeout: 20_000 }).toEqual([{ status: 'failed' }])
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'To the account ending in 1113' })
  await expect(row).toContainText('$80.00')
  await expect(row).toContainText('Came back')
  await expect(row).toContainText(
    'The bank account has been closed. Update your bank details: the payment provider then sends it again by itself.',
  )
})

test('a giver has no Payout tab', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto(tab)
  await expect(page.getByRole('tab', { name: 'Basic Info' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Payout' })).toBeHidden()
})
