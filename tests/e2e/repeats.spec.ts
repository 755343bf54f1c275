// Visits that repeat: Grace posts a weekly task, Theo applies to all visits, she accepts, pays the first, skips one and stops the rest
// with the sum in view. Then a snowfall task, for which Theo reports the snow with a photo.
import { expectAccessible, showTheme } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { enterCard } from './jobs.ts'
import { greenPng } from './pictures.ts'
import type { AppServer } from './server.ts'

const TITLE = 'Clean the small office'
/** The agreement in words, on the page of a task and above the visits. */
const WEEKLY = /^Every \w+ at 10:00 a.m., from/

test('a weekly task from its post to its stop', async ({ signedInPage, server }) => {
  test.setTimeout(180_000)
  const [giver, tasker] = await Promise.all([server.newAccount('grace'), server.newAccount('theo')])
  const grace = await signedInPage(giver)
  const theo = await signedInPage(tasker)

  await test.step('Grace posts it once, sees every visit, and leaves a day out', async () => {
    await grace.goto('/post-task')
    const main = grace.getByRole('main')
    await main.getByLabel('Title', { exact: true }).fill(TITLE)
    await main.getByLabel('Description', { exact: true }).fill('Three rooms, the kitchen and the floor.')
    await main.getByLabel('Category', { exact: true }).selectOption('Cleaning')
    await main.getByLabel('Location', { exact: true }).fill('Saskatoon, Nutana')
    await main.getByLabel('Pay for the task', { exact: true }).fill('40')
    await main.getByLabel('Repeats').selectOption('Every week')
    await main.getByRole('button', { name: 'Post Task' }).click()
    await expect(main.getByRole('alert').filter({ hasText: 'Say when the repeat ends' })).toBeVisible()
    await main.getByLabel('Number of visits', { exact: true }).fill('53')
    await main.getByLabel('Number of visits', { exact: true }).fill('5')
    await expect(main.getByText('The visits are then shown here.')).toBeVisible()
    await main.getByLabel('Date and time').fill(`${day(7)}T10:00`)
    await main.getByLabel('How long it takes').selectOption('60')
    await expect(main.getByText(WEEKLY)).toBeVisible()
    await expect(main.getByText('5 visits', { exact: true })).toBeVisible()
    const days = main.getByRole('group', { name: 'Visits. Press a day to leave it out.' })
    await expect(days.getByRole('button')).toHaveCount(5)
    await days.getByRole('button').nth(4).click()
    await expect(main.getByText('4 visits', { exact: true })).toBeVisible()
    await expect(main.getByText(', $40 each', { exact: true })).toBeVisible()
    await expectAccessible(grace)
    await main.getByRole('button', { name: 'Post Task' }).click()
    await expect(toast(grace, 'posted successfully')).toBeVisible()
  })

  const job = await taskOf(server, giver)
  await test.step('Theo sees the visits and applies to all of them', async () => {
    await theo.goto(`/task/${job}`)
    await expect(theo.getByRole('heading', { name: 'Visits' })).toBeVisible()
    await expect(theo.getByRole('main')).toContainText('4 visits, $40 each')
    await expect(theo.getByText('You apply for all visits, at the same price each.')).toBeVisible()
    await theo.getByRole('button', { name: 'Apply Now' }).click()
    await expect(toast(theo, 'Your application has been submitted')).toBeVisible()
  })

  await test.step('Grace accepts all visits at once', async () => {
    await grace.goto('/bookings')
    await expect(grace.getByText('You accept all visits, at this price each.')).toBeVisible()
    await grace.getByRole('button', { name: 'Accept', exact: true }).click()
    const question = grace.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Accept anyway' }).click()
    await expect(toast(grace, 'Booking accepted')).toBeVisible()
    const series = grace.getByRole('region', { name: TITLE })
    await expect(series).toContainText('4 visits, $40 each')
    await expect(series).toContainText('0 done')
  })

  await test.step('she pays the first visit', async () => {
    const series = grace.getByRole('region', { name: TITLE })
    await series.getByRole('button', { name: /^Pay/ }).click()
    const dialog = grace.getByRole('dialog', { name: 'Complete Payment' })
    await expect(dialog).toContainText('$48.00')
    await enterCard(grace, '4242 4242 4242 4242')
    await dialog.getByRole('button', { name: 'Pay $48.00' }).click()
    await expect(toast(grace, 'Payment Successful')).toBeVisible()
  })

  await test.step('each visit says which one it is to both, and the agreement stays when the first one moves', async () => {
    await grace.goto('/bookings')
    const planned = await grace.getByRole('region', { name: TITLE }).getByText(WEEKLY).textContent()
    await moveFirstVisit(server, giver, tasker)
    for (const page of [grace, theo]) {
      await page.goto('/bookings')
      const series = page.getByRole('region', { name: TITLE })
      await expect(series.getByText('Visit 1 of 4', { exact: true })).toBeVisible()
      await expect(series.getByText(WEEKLY)).toHaveText(planned ?? '')
      await series.getByRole('link', { name: TITLE }).first().click()
      const main = page.getByRole('main')
      await expect(main.getByText(/^Visit \d of 4$/)).toBeVisible()
      await expect(main.getByText(WEEKLY)).toHaveText(planned ?? '')
      await expect(main).toContainText('4 visits, $40 each')
      await page.goto(`/task/${await taskOfVisit(server, giver, 3)}`)
      await expect(main.getByText('Visit 3 of 4', { exact: true })).toBeVisible()
      await expect(main.getByText(WEEKLY)).toHaveText(planned ?? '')
      await expectAccessible(page)
    }
  })

  await test.step('Theo skips a visit, without a fee', async () => {
    await theo.goto('/bookings')
    const series = theo.getByRole('region', { name: TITLE })
    await series.getByRole('button', { name: 'Show the other visits (3)' }).click()
    await expectAccessible(theo)
    const visit = series.getByRole('list', { name: 'Other visits' }).getByRole('listitem').first()
    await visit.getByRole('button', { expanded: false }).click()
    await visit.getByRole('button', { name: 'Skip this visit' }).click()
    const dialog = theo.getByRole('alertdialog', { name: 'Skip the visit?' })
    await expect(dialog).toContainText('is cancelled without a fee. The other visits stay.')
    await dialog.getByRole('button', { name: 'Skip this visit' }).click()
    await expect(toast(theo, 'Visit skipped')).toBeVisible()
    expect(await statusesOf(server, giver)).toEqual(['in_progress', 'cancelled', 'accepted', 'accepted'])
  })

  await test.step('he reads what stopping costs him, and keeps the visits', async () => {
    const series = theo.getByRole('region', { name: TITLE })
    await series.getByRole('button', { name: 'Stop the visits' }).click()
    const dialog = theo.getByRole('alertdialog', { name: 'Stop the visits?' })
    await expect(
      dialog.getByRole('radio', { name: /Cancelling counts against your record\.$/ }),
    ).toBeVisible()
    await dialog.getByRole('button', { name: 'Keep the visits' }).click()
  })

  await test.step('Grace stops the rest, on a phone, and reads the sum before', async () => {
    await grace.setViewportSize(NARROW)
    await grace.goto('/bookings')
    const series = grace.getByRole('region', { name: TITLE })
    await series.getByRole('button', { name: 'Stop the visits' }).click()
    const dialog = grace.getByRole('alertdialog', { name: 'Stop the visits?' })
    await expect(dialog).toContainText('Unpaid visits that are dropped without a fee: 2')
    await expect(dialog.getByText('Paid visits: 1')).toHaveCount(1)
    await dialog.getByRole('radio', { name: /^Cancel them, too/ }).check()
    await expect(dialog).toContainText('Fee $5.00, $43.00 back.')
    await expectAccessible(grace)
    await showTheme(grace, 'dark')
    await expectAccessible(grace)
    await showTheme(grace, 'light')
    await dialog.getByRole('button', { name: 'Stop the visits' }).click()
    await expect(toast(grace, 'The visits are stopped')).toBeVisible()
    expect(await statusesOf(server, giver)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    await expect(grace.getByRole('region', { name: TITLE })).toContainText('Stopped')
  })
})

test('a snowfall task: the report with a photo, and a visit that is paid or not needed', async ({
  signedInPage,
  server,
}) => {
  test.setTimeout(120_000)
  const [giver, tasker] = await Promise.all([server.newAccount('grace'), server.newAccount('theo')])
  await agreedSnow(server, giver, tasker)
  const theo = await signedInPage(tasker, NARROW)
  await theo.goto('/bookings')
  const series = theo.getByRole('region', { name: 'Shovel after snow' })
  await expect(series).toContainText('When 5 cm of snow or more have fallen')
  await series.getByRole('button', { name: 'It has snowed' }).click()
  const dialog = theo.getByRole('dialog', { name: 'Report snow' })
  for (const [typed, problem] of [
    ['7.5', 'Enter the depth in whole centimetres'],
    ['3', 'A visit is agreed from 5 cm of snow on'],
  ] as const) {
    await dialog.getByLabel('Snow in centimetres').fill(typed)
    await dialog.getByRole('button', { name: 'Report', exact: true }).click()
    await expect(dialog.getByRole('alert')).toHaveText(problem)
  }
  await dialog.getByLabel('Snow in centimetres').fill('8')
  await dialog.getByLabel('When do you come today?').fill('23:59')
  await dialog.getByRole('button', { name: 'Report', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('Add a photo of the snow')
  await dialog
    .locator('input[type=file]')
    .setInputFiles([{ name: 'snow.png', mimeType: 'image/png', buffer: await greenPng() }])
  await expect(dialog.getByRole('img')).toBeVisible()
  await expectAccessible(theo)
  await dialog.getByRole('button', { name: 'Report', exact: true }).click()
  await expect(toast(theo, 'Reported. The task giver has been asked to pay.')).toBeVisible()

  const grace = await signedInPage(giver)
  await grace.goto('/bookings')
  const visits = grace.getByRole('region', { name: 'Shovel after snow' })
  await expect(visits).toContainText('8 cm of snow reported')
  await expect(visits.getByRole('button', { name: /^Pay/ })).toBeVisible()
  await expect(visits.getByText('Visit 1 of at most 12', { exact: true })).toBeVisible()
  await expectAccessible(grace)
  await visits.getByRole('button', { name: 'Skip this visit' }).click()
  await grace
    .getByRole('alertdialog', { name: 'Is the visit not needed?' })
    .getByRole('button', { name: 'Not needed' })
    .click()
  await expect(toast(grace, 'Visit skipped')).toBeVisible()
  expect(await statusesOf(server, giver)).toEqual(['accepted', 'cancelled'])
})

/** That many days from now. */
function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

async function taskOf(server: AppServer, giver: `${string}@example.com`): Promise<string> {
  const client = await server.signedIn(giver)
  const { data: session } = await client.auth.getUser()
  const { data } = await client
    .from('tasks')
    .select('id')
    .eq('task_giver_id', session.user?.id)
    .single()
    .throwOnError()
  return data.id
}

/** The page of that visit. */
async function taskOfVisit(
  server: AppServer,
  giver: `${string}@example.com`,
  number: number,
): Promise<string> {
  const client = await server.signedIn(giver)
  const { data } = await client
    .from('bookings')
    .select('task_id')
    .eq('visit_number', number)
    .single()
    .throwOnError()
  return data.task_id
}

/** Grace and Theo agree that the first visit is an hour later. */
async function moveFirstVisit(
  server: AppServer,
  giver: `${string}@example.com`,
  tasker: `${string}@example.com`,
): Promise<void> {
  const [grace, theo] = await Promise.all([server.signedIn(giver), server.signedIn(tasker)])
  const { data: user } = await grace.auth.getUser()
  const { data: first } = await grace
    .from('bookings')
    .select('id,task:tasks(scheduled_date)')
    .eq('visit_number', 1)
    .single()
    .throwOnError()
  const task = first.task as unknown as { scheduled_date: string }
  const starts_at = new Date(Date.parse(task.scheduled_date) + 3_600_000).toISOString()
  const { data: proposal } = await grace
    .from('time_proposals')
    .insert({ booking_id: first.id, proposed_by: user.user?.id, starts_at })
    .select('id')
    .single()
    .throwOnError()
  await theo.from('time_proposals').update({ state: 'accepted' }).eq('id', proposal.id).throwOnError()
}

/** The states of the visits, by number. */
async function statusesOf(server: AppServer, giver: `${string}@example.com`): Promise<string[]> {
  const client = await server.signedIn(giver)
  const { data } = await client
    .from('bookings')
    .select('status')
    .not('series_id', 'is', null)
    .order('visit_number')
    .throwOnError()
  return data.map(({ status }) => status)
}

/** A snowfall task on which both have agreed. */
async function agreedSnow(
  server: AppServer,
  giver: `${string}@example.com`,
  tasker: `${string}@example.com`,
): Promise<void> {
  const [grace, theo] = await Promise.all([server.signedIn(giver), server.signedIn(tasker)])
  const [{ data: from }, { data: to }] = await Promise.all([grace.auth.getUser(), theo.auth.getUser()])
  const { data: task } = await grace
    .from('tasks')
    .insert({
      task_giver_id: from.user?.id,
      title: 'Shovel after snow',
      description: 'The walk and the three steps by the door.',
      category: 'Snow Removal',
      location: 'Saskatoon',
      pay_amount: 30,
      duration_minutes: 30,
      status: 'open',
      repeats: { every: 'snowfall', cm: 5, until: day(90), count: 12 },
    })
    .select('id')
    .single()
    .throwOnError()
  const { data: booking } = await theo
    .from('bookings')
    .insert({ task_id: task.id, task_doer_id: to.user?.id, status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', booking.id).throwOnError()
}
