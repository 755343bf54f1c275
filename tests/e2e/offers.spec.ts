// Offers of another price: Theo offers two, Grace makes a counter-offer that he accepts, and what they agreed on is what she pays
// and he receives. Then she chooses one of two prices of his, and a task that takes no offers says so.
import { expectAccessible, showTheme } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { bookingCard, enterCard, postedTask } from './jobs.ts'
import type { AppServer } from './server.ts'

test('an offer, a counter-offer, and the agreed price everywhere', async ({ signedInPage, server }) => {
  test.setTimeout(120_000)
  const job = await postedTask(server, { amount: 60, hours: 72, title: 'Wash the storm windows' })
  const theo = await signedInPage('theo')
  const grace = await signedInPage('grace')

  await test.step('Theo offers two prices, with what he keeps of each', async () => {
    await theo.goto(`/task/${job.taskId}`)
    await expect(theo.getByRole('button', { name: 'Apply Now' })).toBeVisible()
    await theo.getByLabel('Message to the task giver').fill('I have a long ladder.')
    await theo.getByRole('button', { name: 'Offer another price' }).click()
    await expect(theo.getByLabel('Message to the task giver')).toHaveValue('I have a long ladder.')
    await theo.getByLabel('Price', { exact: true }).fill('20')
    await theo.getByRole('button', { name: 'Send offer' }).click()
    await expect(theo.getByRole('alert').filter({ hasText: 'at least $25' })).toBeVisible()
    await theo.getByLabel('Price', { exact: true }).fill('90')
    await expect(
      theo.getByText('You receive $72.00 after fee and GST. The task giver pays $108.00 in all.'),
    ).toBeVisible()
    await theo.getByRole('button', { name: 'Add another choice' }).click()
    const second = theo.getByRole('group', { name: 'Price 2' })
    await second.getByLabel('Price', { exact: true }).fill('80')
    await second.getByLabel('Date and time').fill(dayAfterTomorrow())
    await theo.getByLabel('Reason for the price').fill('There are twelve, and two are on the upper floor.')
    await theo.reload()
    await theo.getByRole('button', { name: 'Offer another price' }).click()
    await expect(second.getByLabel('Price', { exact: true })).toHaveValue('80')
    await theo.getByLabel('Message to the task giver').fill('I have a ladder.')
    await theo.getByRole('button', { name: 'Apply at $60.00 instead' }).click()
    await expect(theo.getByLabel('Message to the task giver')).toHaveValue('I have a ladder.')
    await theo.getByRole('button', { name: 'Offer another price' }).click()
    await theo.getByRole('button', { name: 'Send offer' }).click()
    await expect(toast(theo, 'Offer sent')).toBeVisible()
    await expect(bookingCard(theo, job)).toContainText('You receive $72.00 after fee and GST')
    await expect(bookingCard(theo, job)).toContainText('Waits for an answer until')
    await theo.goto(`/task/${job.taskId}`)
    await expect(theo.getByText('You offered $90.00')).toBeVisible()
    await expect(theo.getByText('You receive $64.00 after fee and GST.')).toBeVisible()
  })

  await test.step('Grace sees what each costs in all, and makes a counter-offer', async () => {
    await grace.goto('/bookings')
    const card = bookingCard(grace, job)
    await expect(card).toContainText('I have a ladder.')
    await expect(card).toContainText('You pay $108.00 in all')
    await expect(card).toContainText('You pay $96.00 in all')
    await expect(card).toContainText('There are twelve, and two are on the upper floor.')
    await card.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect(toast(grace, 'Choose a price')).toBeVisible()
    await card.getByRole('button', { name: 'Make a counter-offer' }).click()
    const dialog = grace.getByRole('dialog', { name: 'Counter-offer' })
    await dialog.getByLabel('Your price').fill('200000')
    await dialog.getByRole('button', { name: 'Send counter-offer' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('Pay amount too high')
    await dialog.getByLabel('Your price').fill('70')
    await expect(dialog).toContainText('$84.00')
    await dialog.getByLabel('Message').fill('The upper ones can stay as they are.')
    await dialog.getByRole('button', { name: 'Send counter-offer' }).click()
    await expect(toast(grace, 'Counter-offer sent')).toBeVisible()
    await expect(card).toContainText('can answer until')
    await expect(card.getByRole('button', { name: /Accept/ })).toHaveCount(0)
  })

  await test.step('he accepts it', async () => {
    await theo.reload()
    await expect(theo.getByText('The task giver made a counter-offer. You decide next.')).toBeVisible()
    await expectAccessible(theo)
    await theo.getByRole('link', { name: 'Answer the counter-offer' }).click()
    const card = bookingCard(theo, job)
    await expect(card).toContainText('Your offer was $90.00 and $80.00. If you decline, it is open to Grace')
    await expect(card).toContainText('The upper ones can stay as they are.')
    await expect(card).toContainText('You receive $56.00 after fee and GST')
    await card.getByRole('button', { name: 'Accept $70.00' }).click()
    await expect(toast(theo, 'Agreed. The task giver has been asked to pay.')).toBeVisible()
    await expect(card).toContainText('Waiting for task giver to make payment')
  })

  await test.step('the task and the payment show the agreed price', async () => {
    await grace.goto(`/task/${job.taskId}`)
    await expect(grace.getByRole('main')).toContainText('$84.00')
    await grace.goto('/bookings')
    await bookingCard(grace, job).getByRole('button', { name: /^Pay/ }).click()
    const dialog = grace.getByRole('dialog', { name: 'Complete Payment' })
    for (const figure of ['$70.00', '$10.50', '$3.50', '$84.00']) await expect(dialog).toContainText(figure)
    await enterCard(grace, '4242 4242 4242 4242')
    await dialog.getByRole('button', { name: 'Pay $84.00' }).click()
    await expect(toast(grace, 'Payment Successful')).toBeVisible()
    const client = await server.signedIn('grace')
    const { data } = await client
      .from('payments')
      .select('amount,total,payout_amount')
      .eq('task_id', job.taskId)
      .single()
    expect(data).toEqual({ amount: 70, total: 84, payout_amount: 56 })
  })
})

test('on a phone: one of two prices is chosen, at its time', async ({ signedInPage, server }) => {
  const job = await offeredJob(server, 'Stack the firewood')
  const client = await server.signedIn('theo')
  const grace = await signedInPage('grace', NARROW)
  await grace.goto('/bookings')
  await grace
    .getByRole('listitem')
    .filter({ hasText: job.title })
    .getByRole('button', { name: 'See the offer' })
    .click()
  await grace.getByRole('radio', { name: /^\$75\.00/ }).check()
  await grace.getByRole('button', { name: 'Accept $75.00' }).click()
  await expect(toast(grace, 'Booking accepted')).toBeVisible()
  const { data } = await client.from('tasks').select('scheduled_date,status').eq('id', job.taskId).single()
  expect([new Date(String(data?.scheduled_date)).toISOString(), data?.status]).toEqual([job.at, 'assigned'])
})

test('offers are compared price by price, and one is accepted from there', async ({
  signedInPage,
  server,
}) => {
  const job = await offeredJob(server, 'Haul the old fence')
  const other = await server.signedIn(await server.newAccount('theo'))
  const { data: session } = await other.auth.getUser()
  await other
    .from('bookings')
    .insert({ task_id: job.taskId, task_doer_id: session.user?.id, status: 'pending' })
    .throwOnError()
  const grace = await signedInPage('grace')
  await grace.goto('/bookings')
  const group = grace.getByRole('listitem').filter({ has: grace.getByRole('heading', { name: job.title }) })
  await group.getByRole('button', { name: 'Compare' }).click()
  const dialog = grace.getByRole('dialog', { name: 'Compare offers' })
  const rows = dialog.getByRole('row')
  await expect(rows).toHaveCount(4)
  await expect(rows.nth(0)).toContainText('Reviewed jobs: Snow Removal')
  await expect(rows.nth(1)).toContainText('$72.00')
  await expect(rows.nth(1)).toContainText('Not verified yet')
  await expect(rows.nth(2)).toContainText('$90.00')
  await expect(rows.nth(3)).toContainText('$108.00')
  await expectAccessible(grace)
  await showTheme(grace, 'dark')
  await expectAccessible(grace)
  await grace.setViewportSize(NARROW)
  await expectAccessible(grace)
  await showTheme(grace, 'light')
  await rows.nth(2).getByRole('button', { name: 'Accept $75.00' }).click()
  await expect(toast(grace, 'Booking accepted')).toBeVisible()
  const client = await server.signedIn('theo')
  const { data } = await client
    .from('bookings')
    .select('status,agreed_amount,accepted_option')
    .eq('task_id', job.taskId)
    .single()
  expect(data).toEqual({ status: 'accepted', agreed_amount: 75, accepted_option: 2 })
})

test('counter-offers that wait for their answers are compared, too', async ({ signedInPage, server }) => {
  const job = await offeredJob(server, 'Level the gravel')
  const other = await server.signedIn(await server.newAccount('theo'))
  const { data: session } = await other.auth.getUser()
  await other
    .from('bookings')
    .insert({
      task_id: job.taskId,
      task_doer_id: session.user?.id,
      status: 'pending',
      offer_options: [{ amount: 85 }],
      offer_reason: 'It needs a roller.',
    })
    .throwOnError()
  const client = await server.signedIn('grace')
  await client.from('bookings').update({ counter_amount: 70 }).eq('task_id', job.taskId).throwOnError()
  const grace = await signedInPage('grace', NARROW)
  await grace.goto('/bookings')
  const group = grace.getByRole('listitem').filter({ has: grace.getByRole('heading', { name: job.title }) })
  await group.getByRole('button', { name: 'Compare' }).click()
  const rows = grace.getByRole('dialog', { name: 'Compare offers' }).getByRole('row')
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(1)).toContainText('$84.00')
  await expect(rows.nth(1)).toContainText('Your counter-offer')
  await expect(rows.getByRole('button')).toHaveCount(0)
})

test('a refused counter-offer says why, and the typed price stays', async ({
  signedInPage,
  server,
  problems,
}) => {
  const job = await offeredJob(server, 'Split the birch')
  const grace = await signedInPage('grace')
  await grace.goto('/bookings')
  await bookingCard(grace, job).getByRole('button', { name: 'Make a counter-offer' }).click()
  const dialog = grace.getByRole('dialog', { name: 'Counter-offer' })
  await dialog.getByLabel('Your price').fill('70')
  problems.allow(/^400 PATCH .*\/rest\/v1\/bookings/)
  const json = { code: 'P0001', message: 'This offer is over', details: null, hint: 'status' }
  await grace.route('**/rest/v1/bookings*', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 400, json }) : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Send counter-offer' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('This offer is over')
  await expect(dialog.getByLabel('Your price')).toHaveValue('70')
})

test('a giver may forbid offers on a task', async ({ signedInPage, server }) => {
  const job = await postedTask(server, { title: 'Sweep the chimney' })
  const grace = await signedInPage('grace')
  await grace.goto(`/task/${job.taskId}/edit`)
  await grace.getByRole('radio', { name: 'Only at this price' }).check()
  await grace.getByRole('button', { name: 'Save changes' }).click()
  await expect(grace).toHaveURL(`/task/${job.taskId}`)
  const theo = await signedInPage('theo')
  await theo.goto(`/task/${job.taskId}`)
  await expect(theo.getByRole('button', { name: 'Apply Now' })).toBeVisible()
  await expect(theo.getByRole('button', { name: 'Offer another price' })).toHaveCount(0)
  await expect(theo.getByText('This task takes no offers: apply at the posted price.')).toBeVisible()
})

/** A task for $60 for which Theo offers $90, or $75 in 30 hours. */
async function offeredJob(server: AppServer, title: string) {
  const job = await postedTask(server, { amount: 60, hours: 72, title })
  const client = await server.signedIn('theo')
  const { data: session } = await client.auth.getUser()
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 30 * 3_600_000).toISOString()
  await client
    .from('bookings')
    .insert({
      task_id: job.taskId,
      task_doer_id: session.user?.id,
      status: 'pending',
      offer_options: [{ amount: 90 }, { amount: 75, starts_at: at }],
      offer_reason: 'It is a long way to the alley.',
    })
    .throwOnError()
  return { ...job, at }
}

/** As the browser's field has it. */
function dayAfterTomorrow(): string {
  const day = new Date(Date.now() + 2 * 24 * 3_600_000)
  return `${day.toISOString().slice(0, 10)}T10:00`
}
