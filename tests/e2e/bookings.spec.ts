// My Bookings (spec 001 §2): tabs with counts, what needs one first, applications side by side, what a card shows to each
// side, deciding, and talking about it.
import { expectFocusKept } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, openBooking, paidJob, postedTask } from './jobs.ts'

const TABS = ['All', 'Pending', 'Accepted', 'In Progress', 'Completed', 'Rejected']

test('six tabs, each with its count', async ({ signedInPage, server }) => {
  await appliedJob(server)
  const newest = await appliedJob(server)
  const page = await signedInPage('theo')
  await page.goto('/bookings')
  const theo = await server.signedIn('theo')
  const { data } = await theo.auth.getUser()
  const { data: bookings } = await theo
    .from('bookings')
    .select('status')
    .eq('task_doer_id', data.user?.id ?? '')
    .throwOnError()
  const countOf = (tab: string) =>
    bookings.filter(({ status }) => tab === 'All' || status === tab.toLowerCase().replace(' ', '_')).length
  await expect(page.getByRole('tab')).toHaveText(TABS.map((tab) => new RegExp(`^${tab}\\s*${countOf(tab)}$`)))
  await page.getByRole('tab', { name: 'Pending' }).click()
  await expectFocusKept(page)
  const titles = page.getByRole('tabpanel').getByRole('heading', { level: 2 })
  await expect(titles).toHaveCount(countOf('Pending'))
  await expect(titles.first()).toHaveText(newest.title)
})

test('an empty tab does not say that applications appear in it', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('grace'))
  await page.goto('/bookings')
  const panel = page.getByRole('tabpanel')
  await expect(panel).toContainText('No bookings yet')
  await expect(panel).toContainText('When taskers apply to your tasks, they appear here.')
  await page.getByRole('tab', { name: 'Rejected' }).click()
  await expect(panel).toContainText('No bookings here')
  await expect(panel).not.toContainText('they appear here')
})

test('a card shows the application to the giver, who declines it', async ({ signedInPage, server }) => {
  const job = await appliedJob(server, { hours: 72 })
  const grace = await server.signedIn('grace')
  const { data: booking } = await grace
    .from('bookings')
    .select('task:tasks(scheduled_date), doer:public_profiles!task_doer_id(rating, total_reviews)')
    .eq('id', job.bookingId)
    .single<{ task: { scheduled_date: string }; doer: { rating: number; total_reviews: number } }>()
    .throwOnError()
  const at = { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'America/Regina' } as const
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=pending')
  const card = bookingCard(page, job)
  for (const text of [
    'Theo Kowalchuk',
    booking.doer.rating.toFixed(1),
    `· ${booking.doer.total_reviews} review`,
    'Saskatoon',
    'Pending',
    'Two cars wide, and the walk to the side door.',
    'I have a blower and an hour.',
    'Snow Removal',
    'Task amount$100.00',
    'Nutana, Saskatoon',
    new Intl.DateTimeFormat('en-CA', at).format(new Date(booking.task.scheduled_date)),
  ])
    await expect(card).toContainText(text)
  await expect(card.getByText('Verified', { exact: true })).toBeVisible()
  await expect(card.getByText('Pay to get started')).toHaveCount(0)
  await expect(card).not.toContainText('theo@example.com')
  await card.getByRole('button', { name: 'Decline' }).click()
  await expect(toast(page, 'Booking rejected')).toBeVisible()
  await expect(card).toHaveCount(0)
  await expectFocusKept(page)
  await page.getByRole('tab', { name: /^All/ }).click()
  const posted = page.getByRole('region', { name: 'Posted, waiting for taskers' }).getByRole('listitem')
  await expect(posted.filter({ hasText: job.title })).toContainText('No open applications')

  const theo = await signedInPage('theo')
  await theo.goto('/bookings?tab=rejected')
  await expect(bookingCard(theo, job)).toBeVisible()
})

test('deciding is for the giver: the tasker may withdraw', async ({ signedInPage, server }) => {
  const job = await appliedJob(server)
  const theo = await signedInPage('theo')
  await theo.goto('/bookings?tab=pending')
  await expect(bookingCard(theo, job).getByRole('button', { name: 'Withdraw Application' })).toBeVisible()
  for (const name of ['Accept', 'Decline'])
    await expect(bookingCard(theo, job).getByRole('button', { name })).toHaveCount(0)
})

test('a decline can be taken back', async ({ signedInPage, server }) => {
  const job = await appliedJob(server)
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=pending')
  await bookingCard(page, job).getByRole('button', { name: 'Decline' }).click()
  await expect(page.getByText(/^“.*” with Theo .* moved to “Rejected”\.$/)).toContainText(job.title)
  await toast(page, 'Booking rejected').getByRole('button', { name: 'Undo' }).click()
  const accept = bookingCard(page, job).getByRole('button', { name: 'Accept', exact: true })
  await expect(accept).toBeVisible()
  // The toast has gone, and the keyboard's place with it.
  await expect(bookingCard(page, job)).toBeFocused()
  // Once the toast is gone, its present state.
  await bookingCard(page, job).getByRole('button', { name: 'Decline' }).click()
  await expect(toast(page, 'Booking rejected')).toBeVisible()
  await page.goto('/bookings?tab=rejected')
  await bookingCard(page, job).getByRole('button', { name: 'Undo' }).click()
  const moved = page.getByText(/^“.*” with Theo .* moved to “Pending”\.$/)
  await expect(moved).toContainText(job.title)
  // It moves once more while the tab is open.
  const grace = await server.signedIn('grace')
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', job.bookingId).throwOnError()
  await expect(page.getByText(/^“.*” with Theo .* moved to “Accepted”\.$/)).toContainText(job.title)
})

test('applications for one task are side by side; accepting one says what became of the others', async ({
  signedInPage,
  server,
}) => {
  const job = await appliedJob(server)
  const newcomer = await server.newAccount('theo')
  const other = await server.signedIn(newcomer)
  const { data } = await other.auth.getUser()
  await other
    .from('bookings')
    .insert({ task_id: job.taskId, task_doer_id: data.user?.id, status: 'pending' })
    .throwOnError()
  await other
    .from('profiles')
    .update({ city: 'Warman' })
    .eq('id', data.user?.id ?? '')
    .throwOnError()
  const page = await signedInPage('grace')
  await page.goto('/bookings')
  const needsYou = page.getByRole('region', { name: 'Needs you' })
  const card = needsYou.getByRole('listitem').filter({ has: page.getByRole('heading', { name: job.title }) })
  await expect(card).toContainText('2 applications')
  await expect(card).toContainText('Accepting one declines the others')
  const applicants = card.getByRole('listitem')
  await expect(applicants).toHaveCount(2)
  const theo = applicants.filter({ hasText: 'I have a blower and an hour.' })
  await expect(theo).toContainText('You pay$120.00')
  await expect(theo).toContainText(/jobs? done/)
  await expect(applicants.filter({ hasText: 'Not verified yet' })).toContainText(/Warman · about 2\d km away/)
  await theo.getByRole('button', { name: 'Accept', exact: true }).click()
  await expect(toast(page, 'Booking accepted')).toBeVisible()
  // The other is where the button said that it goes; no line about it stays behind.
  await expect(page.getByRole('region', { name: 'Past' }).getByText(job.title)).toBeVisible()
  await expect(page.getByText(/ moved to “Past”\.$/)).toHaveCount(0)
  await expect(bookingCard(page, job).filter({ hasText: 'I have a blower' })).toContainText('Accepted')
})

test('a section that has nothing has no heading either', async ({ signedInPage, server }) => {
  const email = await server.newAccount('grace')
  const job = await postedTask(server, { giver: email })
  const page = await signedInPage(email)
  await page.goto('/bookings')
  await expect(page.getByRole('main').getByText(job.title)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Needs you' })).toBeVisible()
  for (const name of ['Waiting for an answer', 'Under way', 'Past'])
    await expect(page.getByRole('heading', { name, exact: true })).toHaveCount(0)
})

test('a past booking is one line that opens, at its address at once', async ({ signedInPage, server }) => {
  const job = await appliedJob(server)
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'cancelled' }).eq('id', job.bookingId).throwOnError()
  const page = await signedInPage('theo', NARROW)
  await page.goto('/bookings')
  const past = page.getByRole('region', { name: 'Past' })
  await expect(past).toContainText(/Cancelled: \d+/)
  const row = past.getByRole('button', { name: job.title })
  await expect(row).toHaveAttribute('aria-expanded', 'false')
  await row.click()
  const opened = past.getByRole('listitem').filter({ has: page.getByRole('button', { name: job.title }) })
  await expect(opened.getByText('Two cars wide, and the walk to the side door.')).toBeVisible()
  await expect(opened.getByText(job.title)).toHaveCount(1)
  // Back finds it open; anew it is closed.
  await opened.getByRole('link', { name: `View Details: ${job.title}` }).click()
  await expect(page.getByRole('heading', { level: 1, name: job.title })).toBeVisible()
  await page.goBack()
  await expect(row).toHaveAttribute('aria-expanded', 'true')
  await page.goto('/bookings')
  await expect(row).toHaveAttribute('aria-expanded', 'false')
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await expect(row).toHaveAttribute('aria-expanded', 'true')
})

test('an unverified tasker is marked on the card, before the acceptance, in the chat and on the profile', async ({
  signedInPage,
  server,
}) => {
  const job = await appliedJob(server, {}, await server.newAccount('theo'))
  const page = await signedInPage('grace', NARROW)
  await page.goto('/bookings?tab=pending')
  const card = bookingCard(page, job)
  await expect(card.getByText('Not verified yet')).toBeVisible()
  await card.getByRole('button', { name: 'Accept', exact: true }).click()
  const question = page.getByRole('alertdialog', { name: 'Not verified yet' })
  await expect(question).toContainText('nobody has compared their name with an ID')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(card).toContainText('Pending')
  await card.getByRole('button', { name: 'Accept', exact: true }).click()
  await question.getByRole('button', { name: 'Accept anyway' }).click()
  await expect(toast(page, 'Booking accepted')).toBeVisible()

  const opened = await openBooking(page, job)
  await opened.getByRole('button', { name: 'Chat' }).click()
  await expect(page.getByRole('dialog').getByText('Not verified yet')).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
  await page.keyboard.press('Escape')
  await bookingCard(page, job).getByRole('link', { name: 'Theo', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Theo' })).toBeVisible()
  await expect(page.getByText('Not verified yet')).toBeVisible()
})

test('a task that is withdrawn is not said to have gone to somebody else', async ({
  signedInPage,
  server,
}) => {
  const job = await appliedJob(server)
  const grace = await server.signedIn('grace')
  await grace.from('tasks').update({ status: 'cancelled' }).eq('id', job.taskId).throwOnError()
  const theo = await signedInPage('theo')
  await theo.goto('/bookings?tab=rejected')
  await expect(bookingCard(theo, job)).toContainText('This task was withdrawn, so no tasker was chosen.')
})

test('contact details appear on both sides once the booking is accepted', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const grace = await signedInPage('grace')
  await grace.goto('/bookings?tab=accepted')
  await expect(bookingCard(grace, job).getByRole('link', { name: 'theo@example.com' })).toBeVisible()
  await expect(bookingCard(grace, job).getByRole('link', { name: '(306) 555-0102' })).toBeVisible()
  const theo = await signedInPage('theo')
  await theo.goto('/bookings?tab=accepted')
  await expect(bookingCard(theo, job).getByRole('link', { name: 'grace@example.com' })).toBeVisible()
  await expect(bookingCard(theo, job).getByRole('button', { name: /^Pay/ })).toHaveCount(0)
})

test('a completed booking is still talked about, from its card', async ({ signedInPage, server }) => {
  const job = await paidJob(server)
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  const current = await theo.from('conversations').select('booking_id').eq('booking_id', job.bookingId)
  expect(current.data).toEqual([])
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=completed')
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('You can still read this and write to each other here.')
  await dialog.getByRole('textbox').fill('You left your gloves.')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await expect(dialog.getByText('You left your gloves.')).toBeVisible()
})

test('the two talk in the booking, and see what was read', async ({ signedInPage, server }) => {
  const job = await acceptedJob(server)
  const grace = await signedInPage('grace')
  await grace.goto('/bookings?tab=accepted')
  await bookingCard(grace, job).getByRole('button', { name: 'Chat' }).click()
  const hers = grace.getByRole('dialog', { name: 'Messages' })
  await hers.getByRole('textbox').fill('Is nine too early?')
  await hers.getByRole('button', { name: 'Send' }).click()
  await expect(hers.getByText('Is nine too early?')).toBeVisible()

  const theo = await signedInPage('theo')
  await theo.goto('/bookings?tab=accepted')
  await bookingCard(theo, job).getByRole('button', { name: 'Chat' }).click()
  await expect(theo.getByRole('dialog').getByText('Is nine too early?')).toBeVisible()
  await theo.getByRole('dialog').getByRole('textbox').fill('Nine is fine.')
  await theo.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  await expect(theo.getByRole('dialog').getByText('Nine is fine.')).toBeVisible()

  // The time is above the first of them, and between two only after more than five minutes.
  let minutes = 5
  await grace.route(/\/rest\/v1\/chat_messages/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    const read: { message: string; created_at: string }[] = await response.json()
    const [later, first] = read
    if (later && first)
      first.created_at = new Date(Date.parse(later.created_at) - minutes * 60_000).toISOString()
    await route.fulfill({ response, json: read })
  })
  for (const times of [1, 2]) {
    await grace.reload()
    await bookingCard(grace, job).getByRole('button', { name: 'Chat' }).click()
    await expect(hers.getByText('Nine is fine.')).toBeVisible()
    await expect(hers.getByRole('log').locator('li > time:only-child')).toHaveCount(times)
    minutes = 6
  }
  await grace.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a refusal of the database is shown in its words', async ({ signedInPage, server, problems }) => {
  problems.allow(/^400 PATCH \/rest\/v1\/bookings/)
  const job = await appliedJob(server)
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=pending')
  await expect(bookingCard(page, job)).toBeVisible()
  // Theo withdraws while her page still offers the choice.
  const accept = bookingCard(page, job).getByRole('button', { name: 'Accept', exact: true })
  await expect(accept).toBeVisible()
  // The page learns about it only once it has tried.
  let tried = () => {}
  const acted = new Promise<void>((resolve) => {
    tried = resolve
  })
  await page.route(/\/rest\/v1\/bookings/, async (route) => {
    if (route.request().method() === 'PATCH') tried()
    else await acted
    await route.continue()
  })
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'cancelled' }).eq('id', job.bookingId).throwOnError()
  await accept.click()
  await expect(toast(page, 'Error')).toContainText(
    'You cannot change this booking from cancelled to accepted',
  )
  await expect(toast(page, 'Error')).toHaveAttribute('data-type', 'error')
})
