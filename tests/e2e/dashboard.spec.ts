// The dashboard (spec 000 §2): a giver's, a tasker's, and that of someone who has just arrived.
import type { Page } from '@playwright/test'
import { expectAccessible, expectGoodLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, appliedJob, paidJob, postedTask } from './jobs.ts'

/** The figure of a card at the head of the dashboard. */
const figure = (page: Page, label: string) =>
  page
    .locator('main dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd > span')
    .first()

const dollars = (amount: number) =>
  new Intl.NumberFormat('en-CA', { style: 'currency', currency: 'CAD' }).format(amount).replace(/\.00$/, '')

test("Grace's: her tasks and what she can do next", async ({ signedInPage, server }) => {
  const newest = await postedTask(server)
  await postedTask(server, { giver: await server.newAccount('grace'), title: 'Of another giver' })
  const page = await signedInPage('grace')
  await page.goto('/dashboard')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Grace')
  await expect(main.getByText('Manage your tasks')).toBeVisible()
  for (const [name, path] of [
    [/^Bookings$/, '/bookings'],
    [/^Profile$/, '/profile'],
    [/^Post a New Task/, '/post-task'],
    [/^View Bookings/, '/bookings'],
  ] as const)
    await expect(main.getByRole('link', { name })).toHaveAttribute('href', path)
  await expect(main.getByRole('link', { name: 'Get Verified' })).toHaveCount(0)
  for (const stat of ['Rating', 'Total Reviews', 'Posted Tasks', 'Spent', 'Earnings'])
    await expect(main.getByText(stat, { exact: true })).toBeVisible()
  const grace = await server.signedIn('grace')
  const id = (await grace.auth.getUser()).data.user?.id
  const { count } = await grace
    .from('tasks')
    .select('id', { count: 'exact', head: true })
    .eq('task_giver_id', id)
  await expect(figure(page, 'Posted Tasks')).toHaveText(String(count))
  const { data: spent } = await grace.rpc('my_spending').throwOnError()
  expect(spent).toBeGreaterThan(0)
  await expect(figure(page, 'Spent')).toHaveText(dollars(spent))
  const details = main.getByRole('link', { name: /^View Details/ })
  await expect(details).toHaveText(Array(5).fill('View Details'))
  await expect(details.first()).toHaveAttribute('href', `/task/${newest.taskId}`)
  await expect(main.getByText('Of another giver')).toHaveCount(0)
  await expect(main.getByText(/^5 of \d+ tasks$/)).toBeVisible()
  await expect(main.getByRole('link', { name: /^Accept Task/ })).toHaveCount(0)
})

test("Theo's: open tasks to accept at once", async ({ signedInPage, server }) => {
  const applied = await appliedJob(server)
  const open = await postedTask(server)
  const taken = await acceptedJob(server)
  const page = await signedInPage('theo')
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/rest\/v1\/user_roles/, async (route) => {
    await held
    await route.fallback()
  })
  // Each of his figures is another number, so that none can stand for another.
  await page.route(/\/rest\/v1\/profiles\?/, async (route) => {
    const response = await route.fetch()
    const json = { ...(await response.json()), rating: 4.3, total_reviews: 17, completed_tasks: 41 }
    await route.fulfill({ response, json })
  })
  await page.goto('/dashboard')
  const main = page.getByRole('main')
  // While it is not known who one is here, nothing of either side is shown.
  await expect(main.getByText('Loading', { exact: false })).toBeAttached()
  for (const words of [
    ...['Manage your tasks', 'Posted Tasks', 'Spent', 'Post a New Task', 'Your Tasks'],
    ...['Find your next opportunity', 'Completed Tasks', 'Earnings', 'Browse Available Tasks'],
  ])
    await expect(main.getByText(words, { exact: true })).toHaveCount(0)
  answer()
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Theo')
  await expect(main.getByText('Find your next opportunity')).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Available Tasks - Accept Instantly' })).toBeVisible()
  await expect(main.getByText('Like Uber - One Tap Accept')).toBeVisible()
  await expect(main.getByText('Accepting is applying: nothing to pay')).toBeVisible()
  await expect(main.getByRole('link', { name: 'Verification Verified' })).toHaveAttribute(
    'href',
    '/verification',
  )
  await expect(main.getByRole('link', { name: 'Browse Available Tasks' })).toHaveAttribute('href', '/browse')
  const rows = main.getByRole('listitem').filter({ has: page.getByRole('article') })
  await expect(rows).toHaveCount(5)
  // The newest first, what is open alone.
  await expect(rows.getByRole('heading').first()).toHaveText(open.title)
  await expect(rows.getByRole('heading').nth(1)).toHaveText(applied.title)
  await expect(rows.filter({ hasText: taken.title })).toHaveCount(0)
  for (const words of ['Two cars wide, and the walk to the side door.', 'Snow Removal', 'Nutana, Saskatoon'])
    await expect(rows.first().getByText(words, { exact: true })).toBeVisible()
  await expect(rows.first().getByText('$100', { exact: true })).toBeVisible()
  const row = main.getByRole('listitem').filter({ has: page.getByRole('heading', { name: applied.title }) })
  await expect(row).toContainText('You applied')
  await expect(row.getByRole('link', { name: `View Details: ${applied.title}` })).toBeVisible()
  await expect(figure(page, 'Rating')).toHaveText('4.3')
  await expect(figure(page, 'Total Reviews')).toHaveText('17')
  await expect(figure(page, 'Completed Tasks')).toHaveText('41')

  const theo = await server.signedIn('theo')
  const { data: earned } = await theo.rpc('my_earnings')
  await expect(figure(page, 'Earnings')).toHaveText(dollars(earned as number))

  const accept = main.getByRole('link', { name: `Accept Task: ${open.title}` })
  await expect(accept).toHaveText('Accept Task')
  await accept.click()
  await expect(page).toHaveURL(`/task/${open.taskId}`)
})

test("Sam's: nothing yet, said kindly", async ({ signedInPage }) => {
  const page = await signedInPage('sam')
  // A failed part next to the screen leaves the screen intact.
  await page.route(/\/assets\/(Horizon|NotificationBell|UsedAsApp)-/, (route) => route.abort())
  await page.goto('/dashboard')
  const main = page.getByRole('main')
  await expect(main.getByText('No tasks available yet')).toBeVisible()
  await expect(main.getByRole('definition').filter({ hasText: 'no reviews yet' })).toContainText('0.0')
  await expect(figure(page, 'Earnings')).toHaveText('$0')
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Sam')
  // People without a name are greeted by their address.
  await page.route(/\/rest\/v1\/profiles\?/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), full_name: '' } })
  })
  await page.reload()
  await expect(main.getByRole('heading', { level: 1 })).toContainText('sam@example.com')
})

test('a failure to load shows a toast with the words of the server, and Try again in its place', async ({
  signedInPage,
  problems,
}) => {
  problems.allow(/^500 GET \/rest\/v1\/tasks/)
  const page = await signedInPage('grace')
  await page.route(/\/rest\/v1\/tasks/, (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: '{"code":"XX000","message":"The roof leaks"}',
    }),
  )
  await page.goto('/dashboard')
  await expect(toast(page, 'Error')).toContainText('The roof leaks', { timeout: 20_000 })
  await expect(toast(page, 'Error')).toHaveAttribute('data-type', 'error')
  const main = page.getByRole('main')
  await expect(main.getByRole('alert')).not.toContainText('The roof leaks')
  await expect(main.getByText('No tasks available yet')).toHaveCount(0)
  await expect(main.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('pending items are first, live, and one tap away', async ({ signedInPage, server }) => {
  const email = await server.newAccount('grace')
  const giver = await server.signedIn(email)
  const page = await signedInPage(email)
  await page.goto('/dashboard')
  const needsYou = page.getByRole('region', { name: 'Needs you' })
  await expect(needsYou).toContainText('Nothing is waiting for you')

  const { data } = await giver.auth.getUser()
  const { data: task } = await giver
    .from('tasks')
    .insert({
      task_giver_id: data.user?.id,
      title: 'Stack the firewood',
      description: 'Two cords, under the roof behind the house.',
      category: 'Gardening',
      location: 'Nutana, Saskatoon',
      pay_amount: 60,
      status: 'open',
    })
    .select('id')
    .single()
    .throwOnError()
  const row = page.getByRole('listitem').filter({ hasText: 'Two cords, under the roof' })
  await expect(row).toContainText('No open applications')
  await expect(row.getByText('Open', { exact: true })).toBeVisible()

  const theo = await server.signedIn('theo')
  const doer = (await theo.auth.getUser()).data.user?.id
  const { data: booking } = await theo
    .from('bookings')
    .insert({ task_id: task.id, task_doer_id: doer, status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  await expect(needsYou.getByRole('heading')).toContainText([
    'Needs you',
    '1 application for “Stack the firewood”',
  ])
  await expect(row).toContainText('1 applicant')
  await needsYou.getByRole('link', { name: 'Choose a tasker' }).click()
  await expect(page).toHaveURL(`/bookings?tab=pending&task=${task.id}`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Stack the firewood' }).last()).toBeFocused()
  await page.setViewportSize(NARROW)
  await page.goto('/dashboard')
  // On a phone it is the first thing below the greeting, whole.
  const first = needsYou.getByRole('listitem').first()
  await expect(first).toBeInViewport({ ratio: 1 })
  await expect(first.getByRole('link', { name: 'Choose a tasker' })).toBeInViewport({ ratio: 1 })
  const next = page.getByRole('heading', { level: 1 }).locator('xpath=following::h2[1]')
  await expect(next).toHaveText('Needs you')
  await expectGoodLooks(page)
  await page.setViewportSize(NARROW)
  await giver.from('bookings').update({ status: 'accepted' }).eq('id', booking.id).throwOnError()
  await expect(needsYou).toContainText('Pay for “Stack the firewood”')
  await expect(needsYou).toContainText('$72.00 with fees')
  await needsYou.getByRole('link', { name: 'Pay' }).click()
  await expect(page).toHaveURL(`/bookings?booking=${booking.id}&part=next`)
  // On a phone the button is a screen below the card's head: it is in sight, and has the focus.
  const pay = page.getByRole('button', { name: 'Pay $72.00' })
  await expect(pay).toBeInViewport({ ratio: 1 })
  await expect(pay).toBeFocused()

  // Work that is near says when, as one speaks of it.
  const job = await paidJob(server, { giver: email, hours: 20 })
  await page.goto('/dashboard')
  const ahead = needsYou.getByRole('listitem').filter({ hasText: job.title })
  await expect(ahead.getByRole('heading')).toHaveText(/” (today|tomorrow), \d{1,2}:\d\d\s[ap]\.m\.$/)
  await expect(ahead).toContainText('With Theo Kowalchuk')
  await ahead.getByRole('link', { name: 'See booking' }).click()
  await expect(page).toHaveURL(`/bookings?booking=${job.bookingId}`)
})

test('with a task that is not posted yet, nobody reads that nothing is waiting', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('grace'))
  await page.goto('/post-task')
  await page.getByRole('main').getByLabel('Title', { exact: true }).fill('Stack the firewood')
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  const main = page.getByRole('main')
  await expect(main.getByRole('region', { name: 'Needs you' })).toContainText('Stack the firewood')
  await expect(main.getByRole('link', { name: 'Finish and post' })).toBeVisible()
  await expect(main.getByText('Nothing is waiting for you')).toHaveCount(0)
})

test('a tasker who waits for the badge is led to the payout account next', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  await theo
    .from('verifications')
    .insert({
      user_id: (await theo.auth.getUser()).data.user?.id,
      terms_accepted: true,
      privacy_accepted: true,
      legal_name: 'Theodore Tasker',
      date_of_birth: '1990-01-01',
      id_type: 'passport',
    })
    .throwOnError()
  const page = await signedInPage(email, NARROW)
  await page.goto('/dashboard')
  const needsYou = page.getByRole('region', { name: 'Needs you' })
  await expect(needsYou).not.toContainText(/verification|verified/i)
  await expect(page.getByText('In review')).toBeVisible()
  await needsYou.getByRole('link', { name: 'Set up payouts' }).click()
  // On a phone the tab is below the card of the person: it is where the page begins.
  await expect(page.getByRole('tab', { name: 'Payout' })).toBeInViewport()
})

test('an admin is led to the back office, and has no figures of a tasker', async ({ signedInPage }) => {
  const ada = await signedInPage('ada')
  await ada.goto('/dashboard')
  const main = ada.getByRole('main')
  await expect(main.getByRole('link', { name: 'Open the back office' })).toHaveAttribute('href', '/admin')
  await expect(main.getByText('Decide what is waiting for you')).toBeVisible()
  // They may post tasks, whose bookings are theirs.
  for (const [name, path] of [
    [/^Bookings$/, '/bookings'],
    [/^Profile$/, '/profile'],
    [/^View Bookings/, '/bookings'],
  ] as const)
    await expect(main.getByRole('link', { name })).toHaveAttribute('href', path)
  for (const words of ['Find your next opportunity', 'Completed Tasks', 'Earnings', 'Available Tasks'])
    await expect(main.getByText(words)).toHaveCount(0)
  await expect(main.getByRole('link', { name: /^(Accept Task|Browse Available)/ })).toHaveCount(0)
  await expectAccessible(ada)
})

test('figures that could not be read are not shown as zero', async ({ signedInPage, problems }) => {
  problems.allow(/^500 POST \/rest\/v1\/rpc\/my_earnings/)
  problems.allow(/^net::ERR_INTERNET_DISCONNECTED/)
  problems.allow(/^console: WebSocket/)
  const page = await signedInPage('theo')
  let reads = 0
  await page.route(/\/rest\/v1\/rpc\/my_earnings/, (route) => {
    reads++
    return route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"no"}' })
  })
  await page.goto('/dashboard')
  const main = page.getByRole('main')
  const again = main.getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible({ timeout: 20_000 })
  await expect(main).not.toContainText('$0')
  const before = reads
  await again.click()
  await expect.poll(() => reads).toBeGreaterThan(before)
  await expect(again).toBeVisible({ timeout: 20_000 })
  // Without a network a retry cannot work.
  await page.context().setOffline(true)
  await expect(again).toHaveCount(0)
  await expect(figure(page, 'Earnings')).toHaveText('–')
  await page.context().setOffline(false)
})

test('Get Verified shows the state of the verification, and is no invitation once it is handed in', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  const page = await signedInPage(email)
  const shows = async (name: string) => {
    await page.goto('/dashboard')
    await expect(page.getByRole('main').getByRole('link', { name, exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Your account' }).click()
    await expect(page.getByRole('menuitem', { name, exact: true })).toBeVisible()
  }
  await shows('Get Verified Not started')
  const theo = await server.signedIn(email)
  await theo
    .from('verifications')
    .insert({
      user_id: (await theo.auth.getUser()).data.user?.id,
      legal_name: 'Theo',
      id_type: 'passport',
      terms_accepted: true,
      privacy_accepted: true,
      date_of_birth: '1990-01-01',
    })
    .throwOnError()
  // Once submitted, the verification is shown as a state instead of an invitation.
  await shows('Verification In review')
})
