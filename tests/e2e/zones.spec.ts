// Times of tasks in Creighton, which keeps Manitoba's clock with its daylight saving, for people whose devices are there and in Regina
// (issue 34). Whether clocks change there and in Lloydminster depends on the browser's version (docs/places.md). Unit tests have the hours
// that daylight saving skips and repeats, and other-province.spec.ts one of Ontario.
import type { Page } from '@playwright/test'
import { expectGoodLooks, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test, toast, WIDE } from './fixtures.ts'
import { acceptedJob } from './jobs.ts'

/** The next 15 July that is at least two days away: in summer Creighton's clock is an hour ahead by any version of the rules. */
const now = new Date()
const summer = [now.getFullYear(), now.getFullYear() + 1]
  .map((year) => `${year}-07-15`)
  .find((day) => Date.parse(day) - now.getTime() > 2 * 86_400_000) as string

const hoursUntil = (instant: string) => (Date.parse(instant) - Date.now()) / 3_600_000
const when = (page: Page) => page.getByLabel('Date and time')
const note = (page: Page) => page.getByRole('status').filter({ hasText: /^Times: / })
const hint = (page: Page, clock: string) => page.getByText(`${clock}. Leave it empty if any time suits you.`)

test('Grace in Regina posts a task in Creighton by the clock there, and moves it to Saskatoon', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await page.getByLabel('Title').fill('Shingle the roof')
  await page.getByLabel('Description').fill('A flat roof of a garage, with a ladder that is there.')
  await page.getByLabel('Category').selectOption('Handyman')
  await page.getByLabel('Pay for the task').fill('120')
  await when(page).fill(`${summer}T09:00`)
  await expect(hint(page, 'Saskatchewan time')).toBeVisible()
  await expect(note(page)).toHaveCount(0)
  await page.getByLabel('Location').fill('Creighton')
  await expect(hint(page, 'Central Time')).toBeVisible()
  await expect(note(page)).toContainText(/Times: Central Time.*On your device: .+8:00/)
  await expectGoodLooks(page)
  await page.getByLabel('How long it takes').selectOption('60')
  await page.getByLabel('Repeats').selectOption('Every week')
  await page.getByLabel('Number of visits', { exact: true }).fill('3')
  await expect(page.getByText(/^Every \w+ at 9:00\sa\.m\., from/)).toBeVisible()
  await expect(page.getByText('By Central Time, the clock at the place.')).toBeVisible()
  await expect(page.getByRole('main').locator('aside')).toContainText(/9:00\sa\.m\.\s\(Central Time\)/)
  await page.getByLabel('Repeats').selectOption('Once')
  await page
    .getByRole('button', { name: /^Post task$/i })
    .last()
    .click()
  await expect(toast(page, 'Your task has been posted successfully')).toBeVisible()

  const grace = await server.signedIn('grace')
  const stored = async () => {
    const named = grace.from('tasks').select('id,scheduled_date').eq('title', 'Shingle the roof')
    const { data } = await named.single().throwOnError()
    return { id: data.id, at: new Date(data.scheduled_date).toISOString() }
  }
  const { id, at } = await stored()
  expect(at).toBe(`${summer}T14:00:00.000Z`)
  await page.goto(`/task/${id}`)
  const main = page.getByRole('main')
  await expect(main.getByText(/9:00\sa\.m\.$/).first()).toBeVisible()
  await expect(main.getByText('(Central Time)').first()).toBeVisible()
  await page.setViewportSize(NARROW)
  await expectNoSidewaysScroll(page)
  await page.setViewportSize(WIDE)

  await page.goto(`/task/${id}/edit`)
  await expect(when(page)).toHaveValue(`${summer}T09:00`)
  await page.getByLabel('Location').fill('Nutana, Saskatoon')
  await expect(hint(page, 'Saskatchewan time')).toBeVisible()
  await expect(note(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(toast(page, 'Your changes are saved')).toBeVisible()
  expect((await stored()).at).toBe(`${summer}T15:00:00.000Z`)
})

test('of two bookings of a giver in Regina, the one in Creighton names its clock', async ({
  signedInPage,
  server,
}) => {
  const day = { hours: hoursUntil(`${summer}T14:00Z`) }
  const there = await acceptedJob(server, { ...day, location: 'Creighton', title: 'Mow the lawn' })
  const here = await acceptedJob(server, { hours: day.hours + 3, location: 'Regina', title: 'Rake the yard' })
  const page = await signedInPage('grace')
  await page.goto('/bookings')
  const cardOf = (title: string) => page.getByRole('article').filter({ hasText: title })
  await expect(
    cardOf(there.title)
      .getByText(/9:00\sa\.m\. \(Central Time\)/)
      .first(),
  ).toBeVisible()
  await expect(
    cardOf(here.title)
      .getByText(/11:00\sa\.m\.$/)
      .first(),
  ).toBeVisible()
  await expectGoodLooks(page)

  const theo = await server.signedIn('theo')
  const { data } = await theo.auth.getUser()
  await theo
    .from('time_proposals')
    .insert({ booking_id: there.bookingId, proposed_by: data.user?.id, starts_at: `${summer}T15:00Z` })
    .throwOnError()
  await page.goto(`/bookings?booking=${there.bookingId}`)
  await cardOf(there.title).getByRole('button', { name: 'Accept new time' }).click()
  await expect(toast(page, 'New time agreed')).toContainText(/10:00\sa\.m\. \(Central Time\)/)
  await cardOf(there.title).getByText('Earlier proposals: 1').click()
  await expect(cardOf(there.title)).toContainText(/9:00\sa\.m\. \(Central Time\)/)
})

test('the e-mail and the notification about a task in Lloydminster name the clock there', async ({
  signedInPage,
  server,
}) => {
  // In January PostgreSQL has Lloydminster an hour behind the marketplace's clock.
  const day = [now.getFullYear(), now.getFullYear() + 1]
    .map((year) => `${year}-01-15`)
    .find((each) => Date.parse(each) - now.getTime() > 4 * 86_400_000) as string
  const giver = await server.newAccount('grace')
  const tasker = await server.newAccount('theo')
  const place = { location: 'Lloydminster', title: 'Clear the roof' }
  const job = await acceptedJob(server, { ...place, giver, hours: hoursUntil(`${day}T15:00Z`) }, tasker)
  const mailed = async () => {
    await server.operator().rpc('flush_emails').throwOnError()
    return (await server.messageTo(tasker)).subject
  }
  await expect.poll(mailed).toContain('accepted your application')
  const theo = await server.signedIn(tasker)
  const { data } = await theo.auth.getUser()
  const proposal = { booking_id: job.bookingId, proposed_by: data.user?.id, starts_at: `${day}T20:00:00Z` }
  await theo.from('time_proposals').insert(proposal).throwOnError()
  const grace = await server.signedIn(giver)
  await grace
    .from('time_proposals')
    .update({ state: 'accepted' })
    .eq('booking_id', job.bookingId)
    .throwOnError()
  const when = /\w+day, January 15, 1:00 p\.m\./.source
  await expect.poll(mailed).toMatch(new RegExp(`^"${job.title}" is now on ${when} \\(Mountain Time\\)$`))
  const mail = await server.messageTo(tasker)
  expect(mail.text).toMatch(new RegExp(`is now on ${when}, Mountain Time\\.`))

  const page = await signedInPage(tasker, NARROW)
  await page.goto('/notifications')
  await expect(page.getByText(/is now on \w+day, January 15, 1:00 p\.m\., Mountain Time\./)).toBeVisible()
  await expectNoSidewaysScroll(page)
})

test.describe('a device in Creighton', () => {
  test.use({ timezoneId: 'America/Winnipeg' })

  test('shows Theo a task there by its own clock, and one in Regina with the name of the clock', async ({
    signedInPage,
    server,
  }) => {
    const tasker = await server.newAccount('theo')
    const there = await acceptedJob(
      server,
      { hours: hoursUntil(`${summer}T14:00Z`), location: 'Creighton', title: 'Mow the lawn' },
      tasker,
    )
    const regina = await acceptedJob(
      server,
      { hours: hoursUntil(`${summer}T20:00Z`), location: 'Regina', title: 'Clean the garage' },
      tasker,
    )
    const page = await signedInPage(tasker, NARROW)
    await page.goto('/bookings')
    await expect(page.getByText(there.title).first()).toBeVisible()
    await expect(page.getByText(/2:00\sp\.m\. \(Saskatchewan time\)/).first()).toBeVisible()
    await expect(page.getByText(/9:00\sa\.m\. \(Central Time\)/)).toHaveCount(0)
    await expect(page.getByText(/9:00\sa\.m\./).first()).toBeVisible()
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: /jobs on .+: view route$/ }).click()
    const stops = page.getByRole('dialog').getByRole('listitem')
    await expect(stops.nth(0)).toContainText(/9:00\sa\.m\.\s*Mow the lawn/)
    await expect(stops.nth(1)).toContainText(/2:00\sp\.m\. \(Saskatchewan time\)/)
    await expect(stops.nth(1)).toContainText(regina.title)
  })
})
