// Cards that do not simply work (spec 001 §8): declined, without funds, and those whose bank asks first.
import { expectApart } from './accessibility.ts'
import { expect, NARROW, test, toast, WIDE } from './fixtures.ts'
import { acceptedJob, bookingCard, enterCard, paymentOf } from './jobs.ts'

const WORDS = {
  declined: 'Your card was declined. Please use another card.',
  funds: 'Your card has insufficient funds. Please use another card.',
  bank: 'Your bank did not confirm it. Please try again or use another card.',
}

const DECLINED = /^402 POST \/sandbox\/stripe/

test('a declined card changes nothing, and another one pays', async ({ signedInPage, server, problems }) => {
  problems.allow(DECLINED)
  problems.allow(/ERR_FAILED.*\/confirm/)
  const job = await acceptedJob(server, { amount: 80 })
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  const dialog = page.getByRole('dialog')
  const pay = dialog.getByRole('button', { name: 'Pay $96.00' })
  await expect(dialog.locator(':focus')).toHaveAttribute('data-initial-focus', 'true')

  await enterCard(page, '4000 0000 0000 0002')
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await pay.click()
    const refusal = toast(page, 'Payment Failed').and(page.locator('[data-removed=false]'))
    await expect(refusal).toBeVisible()
    await expect(dialog.getByLabel('Card number')).toBeFocused()
    await expect(dialog.getByLabel('Card number')).toHaveAccessibleDescription(WORDS.declined)
    await expect(dialog.locator('footer').getByRole('alert')).toHaveText(WORDS.declined)
    await expectApart(refusal, dialog)
  }
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })

  await enterCard(page, '4242 4242 4242 4242')
  // Nothing of the refused card is shown with the next one.
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await expect(dialog.getByLabel('Card number')).toHaveAccessibleDescription('')
  // The card is charged, and the answer lost: what the page hears by itself takes the failure away.
  await page.route(
    '**/payment_intents/*/confirm*',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await pay.click()
  await expect(toast(page, 'Payment Successful')).toBeVisible()
  await expect(toast(page, 'Payment Failed').and(page.locator('[data-removed=false]'))).toHaveCount(0)
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held', total: 96 })
})

test('a card whose bank asks pays after the answer, and not without it', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(DECLINED)
  const job = await acceptedJob(server, { amount: 50 })
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  const pay = page.getByRole('dialog').getByRole('button', { name: 'Pay $60.00' })
  const bank = page.frameLocator('iframe[title="Confirmation by your bank"]')

  await enterCard(page, '4000 0025 0000 3155')
  await pay.click()
  await bank.getByRole('button', { name: 'Fail authentication' }).click()
  await expect(toast(page, 'Payment Failed')).toBeVisible()
  // No field is at fault.
  await expect(page.getByRole('dialog').locator('footer').getByRole('alert')).toHaveText(WORDS.bank)
  await expect(page.getByLabel('Card number')).toHaveAccessibleDescription('')
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })

  await enterCard(page, '4000 0025 0000 3155')
  await pay.click()
  await bank.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(toast(page, 'Payment Successful')).toBeVisible()
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held', total: 60 })
})

/** Typed input, the payer's message, its field ('none' if no field is at fault), and whether the bank asks. */
type Refusal = { number: string; said: string; code?: string; field: string; asks?: true }
/** One for each place of a refusal; web/features/payments/card/cardFailure.test.ts has the words of every code. */
const REFUSALS: Refusal[] = [
  {
    number: '4000 0000 0000 0069',
    said: 'Your card has expired. Please use another card.',
    field: 'Expiry date',
  },
  { number: '4000 0000 0000 0127', said: "Your card's security code is incorrect.", field: 'Security code' },
  {
    number: '4000 0000 0000 0119',
    said: 'Your card could not be charged just now. Nothing was paid; please try again in a moment.',
    field: 'none',
  },
  { number: '4000 0082 6000 3178', said: WORDS.funds, field: 'Card number', asks: true },
  {
    number: '4242 4242 4242 4242',
    code: '12',
    said: "Your card's security code is incomplete.",
    field: 'Security code',
  },
]

test('a refused card says why above Pay and on the field at fault; a good one pays after all of them', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(DECLINED)
  const job = await acceptedJob(server, { amount: 40 })
  const page = await signedInPage('grace', NARROW)
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  const pay = dialog.getByRole('button', { name: 'Pay $48.00' })
  const bank = page.frameLocator('iframe[title="Confirmation by your bank"]')
  for (const { number, said, code, field, asks } of REFUSALS) {
    await test.step(`${number} ${said}`, async () => {
      await enterCard(page, number)
      if (code) await dialog.getByLabel('Security code').fill(code)
      await expect(dialog.locator('footer').getByRole('alert')).toHaveCount(0)
      await pay.click()
      if (asks) await bank.getByRole('button', { name: 'Complete authentication' }).click()
      await expect(dialog.locator('footer').getByRole('alert')).toHaveText(said)
      // The reason is written once; the field at fault is described by it.
      await expect(dialog.getByText(said)).toHaveCount(1)
      const focused = dialog.getByLabel(field === 'none' ? 'Card number' : field)
      await expect(focused).toHaveAccessibleDescription(field === 'none' ? '' : said)
      await expect(focused).toBeFocused()
    })
  }
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
  await enterCard(page, '4242 4242 4242 4242')
  await pay.click()
  await expect(dialog.getByText('Payment secured')).toBeVisible()
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held', total: 48 })

  // Where it went is said once, by the list that it left last.
  await dialog.getByRole('button', { name: 'Done' }).click()
  const moved = page.getByRole('listitem').filter({ hasText: `“${job.title}” with Theo` })
  await expect(moved).toContainText('moved to “Under way”.')
  const grace = await server.signedIn('grace')
  const cancelling = { body: { bookingId: job.bookingId, reason: 'The truck broke down.' } }
  expect((await grace.functions.invoke('handle-cancellation', cancelling)).error).toBeNull()
  await expect(moved).toContainText('moved to “Past”.')
  await expect(moved).toHaveCount(1)
})

test('two tabs that pay at once pay once, and both say so', async ({ signedInPage, server, problems }) => {
  // The slower one hears that it is paid already.
  problems.allow(/^4\d\d POST \/(sandbox\/stripe|functions\/v1\/create-payment-intent)/)
  const job = await acceptedJob(server, { amount: 70 })
  const page = await signedInPage('grace')
  const tabs = [page, await page.context().newPage()]
  for (const tab of tabs) {
    await tab.goto('/bookings?tab=accepted')
    await bookingCard(tab, job).getByRole('button', { name: /^Pay/ }).click()
    await enterCard(tab, '4242 4242 4242 4242')
  }
  await Promise.all(
    tabs.map((tab) => tab.getByRole('dialog').getByRole('button', { name: 'Pay $84.00' }).click()),
  )
  for (const tab of tabs) {
    await expect(tab.getByRole('dialog').getByText('Payment secured')).toBeVisible()
    await tab.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await expect(bookingCard(tab, job).getByRole('button', { name: /^Pay/ })).toHaveCount(0)
  }
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held', total: 84 })
})

test('a payment that cannot begin says so and can be tried again', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/create-payment-intent/)
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  await page.route('**/functions/v1/create-payment-intent', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"error":"Try again in a moment"}',
    }),
  )
  await page.goto('/bookings?tab=accepted')
  const asked = page.waitForRequest('**/functions/v1/create-payment-intent')
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  const { data: theo } = await (await server.signedIn('theo')).auth.getUser()
  const booked = { bookingId: job.bookingId, taskId: job.taskId, payeeId: theo.user?.id }
  expect((await asked).postDataJSON()).toEqual({ amount: 100, ...booked })
  await expect(toast(page, 'Payment Error')).toContainText('Failed to initiate payment', { timeout: 20_000 })
  await page.unroute('**/functions/v1/create-payment-intent')
  await toast(page, 'Payment Error').getByRole('button', { name: 'Try Again' }).click()
  await enterCard(page, '4242 4242 4242 4242')
  await page.getByRole('dialog').getByRole('button', { name: 'Pay $120.00' }).click()
  await expect(toast(page, 'Payment Successful')).toBeVisible()
})

test('the dialog says what is missing to begin, and no card is charged', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/get-stripe-config/)
  problems.allow(/^401 (GET|HEAD|POST) \/rest\/v1\//)
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  await page.goto(`/bookings?booking=${job.bookingId}`)
  const open = bookingCard(page, job).getByRole('button', { name: /^Pay/ })
  const fault = async (name: string, status: number, json: object, said: string) => {
    const path = `**/functions/v1/${name}`
    await page.route(path, (route) => route.fulfill({ status, json }))
    await open.click()
    await expect(page.getByRole('dialog').getByText(said)).toBeVisible()
    await page.unroute(path)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await fault('get-stripe-config', 200, {}, 'Publishable key not found')
  await fault(
    'get-stripe-config',
    503,
    { error: 'away' },
    'Failed to initialize payment system. Please try again later.',
  )
  await fault('create-payment-intent', 200, {}, 'Failed to create payment intent')
  // The browser has forgotten the session under the open page, as when its data are cleared.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage))
      if (/^sb-.*-auth-token$/.test(key)) localStorage.removeItem(key)
  })
  await open.click()
  await expect(page.getByRole('dialog').getByText('Not authenticated')).toBeVisible()
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
})

test('paying before the card entry is there, or with a card that is not whole, says so and sends nothing', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/SandboxCardEntry*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  await page.getByRole('radio', { name: 'Visa ending in 4242' }).press('Enter')
  await expect(toast(page, 'Payment Failed')).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('Card element not found')
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
  release()
  const pay = page.getByRole('dialog').getByRole('button', { name: 'Pay $120.00' })
  await expect(pay).toBeEnabled()

  await enterCard(page, '4242')
  await pay.click()
  await expect(page.getByRole('dialog').getByLabel('Card number')).toHaveAccessibleDescription(
    'Your card number is incomplete.',
  )
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
})
