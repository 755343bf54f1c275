// Working hours: a tasker enters them, others see when the tasker is free, and a giver asks for one of these times (issue 34).
import type { Page } from '@playwright/test'
import { expectGoodLooks, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import type { AppServer } from './server.ts'

const WEEK = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, starts: '09:00', ends: '17:00' }))

const saveHours = async (server: AppServer, hours: typeof WEEK, buffer: number) =>
  (await server.signedIn('theo'))
    .rpc('save_hours', {
      hours,
      time_zone: 'America/Regina',
      buffer_minutes: buffer,
      closed_on_holidays: false,
      shows_slots: true,
    })
    .throwOnError()

const idOf = async (server: AppServer, person: 'theo' | 'grace' | 'sam') =>
  (await (await server.signedIn(person)).auth.getUser()).data.user?.id ?? ''

// Other journeys of this server have Theo without hours.
test.afterEach(async ({ server }) => {
  await (await server.signedIn('theo')).rpc('remove_hours').throwOnError()
})

const hoursOf = (page: Page) => page.getByRole('region', { name: 'Working hours' })

test('Theo enters a week by keyboard, sees overlapping hours, copies a day, and adds a day off', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage('theo', NARROW)
  await page.goto('/profile?tab=settings')
  const week = hoursOf(page)
  await week.getByRole('button', { name: 'Add hours: Monday' }).press('Enter')
  await week.getByLabel('Monday, from').fill('08:30')
  await week.getByLabel('Monday, until').fill('12:00')
  await week.getByRole('button', { name: 'Add hours: Monday' }).press('Enter')
  await week.getByLabel('Monday, from').last().fill('11:00')
  await expect(week.getByText('These hours overlap others of the same day')).toHaveCount(2)
  await expectGoodLooks(page)
  await week.getByRole('button', { name: 'Save hours' }).click()
  await expect(week.getByText('These hours overlap others of the same day')).toHaveCount(2)
  await expect(week.getByLabel('Monday, from').first()).toBeFocused()
  await expect(toast(page, 'Working hours saved!')).toHaveCount(0)
  await page.reload()
  await expect(week.getByLabel('Monday, from').last()).toHaveValue('11:00')
  await week.getByLabel('Monday, from').last().fill('13:00')
  await week.getByLabel('Monday, until').last().fill('00:00')
  await week.getByRole('button', { name: 'Copy the hours: Monday' }).press('Enter')
  await page.getByRole('menuitem', { name: 'To Monday to Friday' }).press('Enter')
  await week.getByLabel('Time between two jobs').selectOption('45')
  await week.getByRole('button', { name: 'Save hours' }).press('Enter')
  await expect(toast(page, 'Working hours saved!')).toBeVisible()
  await expect(week.getByLabel('Friday, until').last()).toHaveValue('00:00')
  const theo = await server.signedIn('theo')
  const { data } = await theo
    .from('working_hours')
    .select('weekday,starts,ends')
    .order('weekday')
    .throwOnError()
  expect(data).toHaveLength(10)
  expect(data.at(-1)).toEqual({ weekday: 5, starts: '13:00:00', ends: '24:00:00' })

  const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
  await week.getByRole('button', { name: 'Add day' }).click()
  await expect(week.getByText('Choose a day')).toBeVisible()
  await week.getByLabel('Day', { exact: true }).fill(day)
  await week.getByRole('button', { name: 'Add day' }).click()
  await expect(week.getByRole('listitem')).toHaveCount(1)
  await expect(week.getByRole('listitem')).toContainText('Day off')
  await expectNoSidewaysScroll(page)
  await week.getByRole('button', { name: /^Remove: / }).click()
  await expect(week.getByRole('listitem')).toHaveCount(0)

  await week.getByRole('button', { name: 'Remove all hours' }).click()
  const question = page.getByRole('alertdialog')
  await expectGoodLooks(page)
  await question.getByRole('button', { name: 'Keep hours' }).click()
  await expect(week.getByLabel('Friday, until').last()).toHaveValue('00:00')
  await week.getByRole('button', { name: 'Remove all hours' }).click()
  await question.getByRole('button', { name: 'Remove hours' }).click()
  await expect(toast(page, 'Working hours removed')).toBeVisible()
  await expect(week.getByText('You have not set any hours yet')).toBeVisible()
  await expect(week.getByRole('button', { name: 'Remove all hours' })).toHaveCount(0)
  const { data: settings } = await theo.from('schedule_settings').select('user_id').throwOnError()
  expect(settings).toEqual([])
})

test('a stranger finds who is free, and Grace asks Theo for a time that is taken meanwhile, then for another', async ({
  page,
  signedInPage,
  server,
  problems,
}) => {
  await saveHours(server, WEEK, 30)
  const theoId = await idOf(server, 'theo')
  const inDays = (days: number) =>
    new Date(Date.now() + days * 86_400_000 - 6 * 3_600_000).toISOString().slice(0, 10)

  await page.goto('/find-taskers')
  const found = page.getByRole('link', { name: 'View Profile: Theo K.' })
  await page.getByLabel('Free on').fill(`${inDays(6)}T19:00`)
  await expect(page.getByText('No verified taskers found')).toBeVisible()
  await expect(page.getByText('Nobody who shows free times is free then.')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Post a Task' })).toHaveAttribute(
    'href',
    `/post-task?${new URLSearchParams({ at: `${inDays(6)}T19:00`, minutes: '60' })}`,
  )
  await page.getByLabel('Free on').fill(`${inDays(6)}T09:00`)
  await expect(found).toBeVisible()
  await page.getByLabel('For', { exact: true }).selectOption('480')
  await expect(page.getByRole('button', { name: /Free .* \(8 hrs\)/ })).toBeVisible()
  await expect(found).toBeVisible()
  await expectGoodLooks(page)
  await page.goBack()
  await expect(page.getByLabel('For', { exact: true })).toHaveValue('60')
  await page.goto(`/profile/${theoId}`)
  const next = page.getByRole('region', { name: 'Next free' }).getByRole('link')
  await expect(next).toHaveCount(3)

  const grace = await signedInPage('grace')
  await grace.goto(`/profile/${theoId}`)
  const [first] = await next.allTextContents()
  await grace.getByRole('link', { name: first }).click()
  const slots = grace.getByRole('region', { name: /^When Theo .* is free$/ })
  await expect(slots.getByRole('button', { pressed: true })).toHaveCount(1)
  await expect(grace.getByLabel('How long it takes')).toHaveValue('60')
  await expectGoodLooks(grace)
  await grace.getByLabel('Title').fill('Hang two doors')
  await grace.getByLabel('Description').fill('The hinges are there, the doors are in the hall.')
  await grace.getByLabel('Category').selectOption('Handyman')
  await grace.getByLabel('Location').fill('Saskatoon')
  await grace.getByLabel('Pay for the task').fill('120')

  await bookAt(server, await grace.getByLabel('Date and time').inputValue())
  problems.allow(/^400 POST .*\/rest\/v1\/tasks/)
  await grace
    .getByRole('button', { name: /^Ask Theo/ })
    .last()
    .click()
  const refused = 'This tasker is no longer free at that time. Choose another time.'
  await expect(grace.getByRole('alert').filter({ hasText: refused })).toBeVisible()
  await expect(grace.getByLabel('Date and time')).toBeFocused()
  await expect(grace.getByLabel('Title')).toHaveValue('Hang two doors')
  await expect(slots.getByText(/does not list this time as free/)).toBeVisible()

  await slots.getByRole('button').last().scrollIntoViewIfNeeded()
  await slots.getByRole('listitem').last().getByRole('button').click()
  await expect(slots.getByText(/does not list this time as free/)).toHaveCount(0)
  await grace
    .getByRole('button', { name: /^Ask Theo/ })
    .last()
    .click()
  await expect(toast(grace, 'Your task has been posted successfully')).toBeVisible()
})

test('a request begins with the time that was searched for, and another chosen time replaces it', async ({
  signedInPage,
  server,
}) => {
  await saveHours(server, WEEK, 30)
  const inDays = (days: number) =>
    new Date(Date.now() + days * 86_400_000 - 6 * 3_600_000).toISOString().slice(0, 10)
  const grace = await signedInPage(await server.newAccount('grace'))
  await grace.goto(`/find-taskers?${new URLSearchParams({ free: `${inDays(6)}T10:00`, minutes: '240' })}`)
  await grace.getByRole('link', { name: /^Ask first: Theo/ }).click()
  const when = grace.getByLabel('Date and time')
  await expect(when).toHaveValue(`${inDays(6)}T10:00`)
  await expect(grace.getByLabel('How long it takes')).toHaveValue('240')
  await grace.getByLabel('Title').fill('Hang two doors')

  await grace.goto(`/profile/${await idOf(server, 'theo')}`)
  const next = grace.getByRole('region', { name: 'Next free' }).getByRole('link').nth(1)
  const chosen = new URL((await next.getAttribute('href')) ?? '', server.url).searchParams.get('at') ?? ''
  await next.click()
  await expect(when).toHaveValue(chosen)
  await expect(grace.getByLabel('Title')).toHaveValue('Hang two doors')
  await when.fill(`${inDays(8)}T11:00`)
  await grace.reload()
  await expect(when).toHaveValue(`${inDays(8)}T11:00`)
})

/** Sam books Theo for an hour from a time of the marketplace's clock. */
async function bookAt(server: AppServer, local: string) {
  const sam = await server.signedIn('sam')
  const theo = await server.signedIn('theo')
  const task = await sam
    .from('tasks')
    .insert({
      task_giver_id: await idOf(server, 'sam'),
      title: 'Clear the driveway',
      description: 'Two cars wide, and the walk to the side door.',
      category: 'Snow Removal',
      location: 'Saskatoon',
      pay_amount: 60,
      scheduled_date: `${local}:00-06:00`,
      duration_minutes: 60,
      status: 'open',
    })
    .select('id')
    .single()
    .throwOnError()
  const booking = await theo
    .from('bookings')
    .insert({ task_id: task.data.id, task_doer_id: await idOf(server, 'theo'), status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  await sam.from('bookings').update({ status: 'accepted' }).eq('id', booking.data.id).throwOnError()
}
