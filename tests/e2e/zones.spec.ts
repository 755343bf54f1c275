// Times of tasks in Creighton, which keeps Manitoba's clock with its daylight saving, for people whose devices are there and in Regina
// (issue 34). Whether Lloydminster has daylight saving depends on the browser's version (docs/places.md); unit tests have its rules.
import type { Page } from '@playwright/test'
import { expectGoodLooks, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob } from './jobs.ts'

const now = new Date()
/** The next 15 January and 15 July that are at least two days away, as inputs have days. */
const winter = nextDay('01-15')
const summer = nextDay('07-15')

function nextDay(day: string) {
  const years = [now.getFullYear(), now.getFullYear() + 1]
  return years
    .map((year) => `${year}-${day}`)
    .find((each) => Date.parse(each) - now.getTime() > 2 * 86_400_000) as string
}

/** The next Sunday with that number of a month on which the clocks change, at least two days away. */
function nextChange(month: number, sunday: 1 | 2) {
  const of = (year: number) => {
    const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
    return new Date(Date.UTC(year, month - 1, 1 + ((7 - first) % 7) + (sunday - 1) * 7))
  }
  const years = [now.getFullYear(), now.getFullYear() + 1].map(of)
  return years
    .find((day) => day.getTime() - now.getTime() > 2 * 86_400_000)
    ?.toISOString()
    .slice(0, 10)
}

const hoursUntil = (instant: string) => (Date.parse(instant) - Date.now()) / 3_600_000
const when = (page: Page) => page.getByLabel('Date and time')
const note = (page: Page) => page.getByRole('status').filter({ hasText: 'Times: Central Time' })
const SKIPPED = 'The clocks go forward then, so this time does not exist. Choose an earlier or a later one.'
const TWICE = 'The clocks go back then, so this time comes twice. The first one counts.'

test('Grace in Regina posts a task in Creighton by the clock there, and moves it to the winter', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await page.getByLabel('Title').fill('Shovel the roof')
  await page.getByLabel('Description').fill('A flat roof of a garage, with a ladder that is there.')
  await page.getByLabel('Category').selectOption('Snow Removal')
  await page.getByRole('textbox', { name: 'Pay' }).fill('120')
  await expect(page.getByText('Saskatchewan time. Leave it empty if any time suits you.')).toBeVisible()
  await page.getByLabel('Location').fill('Creighton')
  await expect(page.getByText('Central Time. Leave it empty if any time suits you.')).toBeVisible()
  const post = page.getByRole('button', { name: 'Post task' }).last()

  const skipped = `${nextChange(3, 2)}T02:30`
  await when(page).fill(skipped)
  await post.click()
  await expect(page.getByRole('alert').filter({ hasText: SKIPPED })).toBeVisible()
  await expect(when(page)).toBeFocused()
  await expect(when(page)).toHaveValue(skipped)
  await expect(page.getByLabel('Title')).toHaveValue('Shovel the roof')

  await when(page).fill(`${nextChange(11, 1)}T01:30`)
  await expect(page.getByText(TWICE)).toBeVisible()
  await when(page).fill(`${summer}T09:00`)
  await expect(page.getByText(TWICE)).toHaveCount(0)
  await expect(note(page)).toContainText(/On your device: .+8:00/)
  await expectGoodLooks(page)
  await post.click()
  await expect(toast(page, 'Your task has been posted successfully')).toBeVisible()

  const grace = await server.signedIn('grace')
  const stored = async () =>
    (
      await grace
        .from('tasks')
        .select('id,scheduled_date')
        .eq('title', 'Shovel the roof')
        .single()
        .throwOnError()
    ).data
  const { id, scheduled_date } = await stored()
  expect(new Date(scheduled_date).toISOString()).toBe(`${summer}T14:00:00.000Z`)
  await page.goto(`/task/${id}`)
  await expect(
    page
      .getByRole('main')
      .getByText(/9:00\sa\.m\./)
      .first(),
  ).toBeVisible()
  await expect(page.getByText('(Central Time)').first()).toBeVisible()
  await expectGoodLooks(page)

  await page.goto(`/task/${id}/edit`)
  await expect(when(page)).toHaveValue(`${summer}T09:00`)
  await when(page).fill(`${winter}T09:00`)
  await expect(note(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(toast(page, 'Your changes are saved')).toBeVisible()
  expect(new Date((await stored()).scheduled_date).toISOString()).toBe(`${winter}T15:00:00.000Z`)
})

test('bookings in Creighton name their clock in summer and not in winter, when both clocks agree', async ({
  signedInPage,
  server,
}) => {
  const warm = await acceptedJob(server, {
    hours: hoursUntil(`${summer}T14:00Z`),
    location: 'Creighton',
    title: 'Mow the lawn',
  })
  const cold = await acceptedJob(server, {
    hours: hoursUntil(`${winter}T15:00Z`),
    location: 'Creighton',
    title: 'Salt the steps',
  })
  const page = await signedInPage('grace')
  await page.goto('/bookings')
  const cardOf = (title: string) => page.getByRole('article').filter({ hasText: title })
  await expect(
    cardOf(warm.title)
      .getByText(/9:00\sa\.m\. \(Central Time\)/)
      .first(),
  ).toBeVisible()
  await expect(
    cardOf(cold.title)
      .getByText(/9:00\sa\.m\.$/)
      .first(),
  ).toBeVisible()
  await expectGoodLooks(page)
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
