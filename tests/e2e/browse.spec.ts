// Browsing (spec 001 §2): open to anyone, searched and narrowed through the address, for taskers by what suits them.
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, appliedJob, postedTask } from './jobs.ts'
import { expectUnmoved, watchLayoutShift } from './layoutShift.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ translated: true })

const CATEGORIES = [
  'Snow Removal',
  'Cleaning',
  'Moving',
  'Delivery',
  'Handyman',
  'Gardening',
  'Pet Care',
  'Other',
]

/** The date in Saskatchewan so many days from now. */
const dayOf = (days: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Regina' }).format(Date.now() + days * 86_400_000)

/** The tasks listed, each a list item with a heading. */
function cardsOf(page: Page) {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) })
}

test('anyone browses; accepting is for taskers', async ({ page, signedInPage, server }) => {
  const { title, taskId } = await appliedJob(server, {}, await server.newAccount('theo'))
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Browse Available Tasks' })).toBeVisible()
  await expect(cardsOf(page).getByText('1 application', { exact: true })).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue(title)
  await expect(page.getByRole('link', { name: `View Details: ${title}` })).toHaveAttribute(
    'href',
    `/task/${taskId}`,
  )
  await expect(page.getByRole('link', { name: `Accept Task: ${title}` })).toHaveCount(0)

  const theo = await signedInPage('theo')
  await theo.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(theo.getByRole('heading', { level: 1, name: 'Recommended Tasks For You' })).toBeVisible()
  for (const action of ['Accept Task', 'View Details'])
    await expect(theo.getByRole('link', { name: `${action}: ${title}` })).toHaveAttribute(
      'href',
      `/task/${taskId}`,
    )
})

test('the eight categories narrow the list, and the address keeps the choice', async ({ page }) => {
  await page.setViewportSize(NARROW)
  await page.goto('/browse')
  await expect(page.getByText(/^24 of \d+( or more)? tasks$/)).toBeVisible()
  const choice = page.getByRole('group', { name: 'Category' })
  await expect(choice.getByRole('radio')).toHaveCount(1 + CATEGORIES.length)
  await expect(choice.getByRole('radio', { name: 'All Categories' })).toBeChecked()
  for (const category of CATEGORIES)
    await expect(choice.getByRole('radio', { name: category })).toBeAttached()
  // On a phone they are one row that scrolls.
  const tops = await choice
    .locator('label')
    .evaluateAll((chips) => chips.map((chip) => chip.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  await choice.getByText('Pet Care').click()
  await expect(page).toHaveURL('/browse?category=Pet+Care')
  const cards = cardsOf(page)
  await expect(cards.first()).toBeVisible()
  await expect(cards.filter({ hasNotText: 'Pet Care' })).toHaveCount(0)
  await page.reload()
  await expect(choice.getByRole('radio', { name: 'Pet Care' })).toBeChecked()
  // As for people who come from the sixteen categories, whose ninth is at the end of the row.
  await expect(choice.getByText('Pet Care')).toBeInViewport({ ratio: 1 })
  await page.goBack()
  await expect(choice.getByRole('radio', { name: 'All Categories' })).toBeChecked()
})

test('a search takes what is typed literally and finds places too', async ({ page, server }) => {
  const { title } = await postedTask(server, { title: '100% clean_up (garage), please' })
  await page.goto('/browse')
  const box = page.getByPlaceholder('Search tasks, location...')
  await box.fill(title)
  await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
  await expect(cardsOf(page)).toHaveCount(1)
  for (const words of ['100%_', 'a,b),or(', '"\'\\']) {
    await box.fill(`${words} nothing like it`)
    await expect(page.getByText('No tasks found')).toBeVisible()
  }
  await box.fill('Nutana')
  await expect(cardsOf(page).first()).toContainText('Nutana')
})

test('a task that is taken is not listed', async ({ page, server }) => {
  const { title } = await acceptedJob(server)
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(page.getByText('No tasks found')).toBeVisible()
})

test("tasks in a tasker's categories and for their skills come first", async ({
  page: stranger,
  signedInPage,
  server,
}) => {
  const newest = await postedTask(server, { title: 'Water the plants', category: 'Other' })
  await stranger.goto('/browse')
  await expect(cardsOf(stranger).first()).toContainText(newest.title)
  const theo = await server.signedIn('theo')
  const { data: best } = await theo
    .rpc('recommended_tasks', { max_results: 1 })
    .select('title, recommendation_score')
    .single()
    .throwOnError()
  expect(best.recommendation_score).toBeGreaterThan(0)
  const page = await signedInPage('theo')
  await page.goto('/browse')
  const first = cardsOf(page).first()
  await expect(first).toContainText('Suits you')
  await expect(first).toContainText(/In your categories|of your skills: |Your skill: /)
  await expect(first.getByRole('heading')).toHaveText(best.title)
  await page.goto(`/browse?search=${encodeURIComponent(newest.title)}`)
  await expect(cardsOf(page)).toHaveCount(1)
  await expect(cardsOf(page)).not.toContainText('Suits you')
})

test('place, pay and days narrow the list; each has its chip, back undoes, nothing found offers a way on', async ({
  page,
  server,
}) => {
  const { title } = await postedTask(server, { title: 'Level the gravel drive', hours: 48 * 24 })
  await page.setViewportSize(NARROW)
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(page.getByText('1 task', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Filters' }).click()
  const panel = page.getByRole('dialog', { name: 'Filters' })
  await expect(panel.getByRole('button', { name: 'Show tasks' })).toBeInViewport({ ratio: 1 })
  await panel.getByLabel('Pay from').fill('90')
  await panel.getByLabel('Pay up to').fill('30')
  await panel.getByRole('button', { name: 'Show tasks' }).click()
  await expect(panel.getByRole('alert')).toHaveText(['The most must not be below the least'])
  await expectAccessible(page, { within: '[role="dialog"]' })
  await panel.getByLabel('Pay up to').fill('')
  await panel.getByLabel('Pay from').fill('99000')
  await panel.getByLabel('Place').fill('Nutana')
  await panel.getByRole('button', { name: 'Show tasks' }).click()
  await expect(page).toHaveURL(/place=Nutana&min=99000/)
  await expect(page.getByText('No tasks found')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Post a Task' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear: $99000 or more' }).click()
  await expect(cardsOf(page)).toHaveCount(1)
  await page.goBack()
  await expect(page.getByText('No tasks found')).toBeVisible()
  await page.getByRole('button', { name: 'Show all tasks' }).click()
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await expect(cardsOf(page).first()).toBeVisible()

  // Each alone leaves it out or keeps it: it is in Nutana, for $100, on a different day.
  await page.getByRole('searchbox').fill(title)
  for (const [label, misses, fits, chip] of [
    ['Place', 'Moose Jaw', 'Nutana, Saskatoon', 'Nutana, Saskatoon'],
    ['Pay from', '100.01', '100', '$100 or more'],
    ['Pay up to', '99.99', '100', 'Up to $100'],
    ['From day', dayOf(50), dayOf(48), /^Clear: From/],
    ['To day', dayOf(46), dayOf(48), /^Clear: Until/],
  ] as const) {
    for (const value of [misses, fits]) {
      await page.getByRole('button', { name: 'Filters' }).click()
      await panel.getByLabel(label).fill(value)
      await panel.getByRole('button', { name: 'Show tasks' }).click()
      if (value === misses) await expect(page.getByText('No tasks found')).toBeVisible()
      else await expect(cardsOf(page)).toHaveCount(1)
    }
    await page.getByRole('button', { name: typeof chip === 'string' ? `Clear: ${chip}` : chip }).click()
    await expect(cardsOf(page)).toHaveCount(1)
  }
  await page.goto('/browse?category=Tutoring')
  await expect(page.getByRole('main').getByRole('link', { name: 'Post a Task' })).toHaveAttribute(
    'href',
    '/post-task?category=Other',
  )
})

test('ten thousand tasks scroll like twenty: those near the window are in the page, and one comes back to where one was', async ({
  page,
}) => {
  const MANY = 10_000
  await page.addInitScript(watchLayoutShift)
  await page.route(/\/rest\/v1\/tasks\?/, async (route) => {
    const [first] = (await (await route.fetch()).json()) as [{ id: string }]
    const json = Array.from({ length: MANY }, (_, row) => ({
      ...first,
      id: `00000000-0000-4000-8000-${String(row + 1).padStart(12, '0')}`,
      title: `Task number ${row + 1}`,
      photos: [],
    }))
    await route.fulfill({ json })
  })
  await page.setViewportSize(NARROW)
  await page.goto('/browse')
  const cards = cardsOf(page)
  const nth = (row: number) =>
    page.getByRole('heading', { level: 2, name: `Task number ${row}`, exact: true })
  await expect(nth(1)).toBeVisible()
  await expectUnmoved(page)
  expect(await cards.count()).toBeLessThan(20)
  await expect(cards.first()).toHaveAttribute('aria-posinset', '1')

  // The focus stays where it is, however far one scrolls, and goes on from there.
  await nth(1).getByRole('link').focus()
  // A translator's page is drawn anew when the app has come, its footer included.
  await expect(page.locator('html')).toHaveAttribute('data-quiet', '')
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2))
  await expect(nth(1)).not.toBeInViewport()
  await expect(nth(1).getByRole('link')).toBeFocused()
  expect(await cards.count()).toBeLessThan(20)

  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await expect(page.getByRole('contentinfo')).toBeInViewport()
  await expect(nth(MANY)).toBeVisible()
  // The position at the click itself: cards near the end are measured, and move, while Playwright scrolls to it.
  await page.evaluate(() => {
    const keep = () => {
      document.documentElement.dataset.place = String(scrollY)
    }
    addEventListener('click', keep, { capture: true, once: true })
  })
  await nth(MANY - 1).click()
  await expect(page).toHaveURL(/^[^?]*\/auth\?/)
  await page.goBack()
  await expect(nth(MANY - 1)).toBeInViewport()
  const place = Number(await page.locator('html').getAttribute('data-place'))
  expect(Math.abs((await page.evaluate(() => scrollY)) - place)).toBeLessThan(5)
})
