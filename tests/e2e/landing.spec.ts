// The landing page (spec 000 §2): what it promises, where it leads, and the search that suggests while one types.
import type { Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { expectUnmoved, watchLayoutShift } from './layoutShift.ts'
import { translatePages } from './translator.ts'

test('it promises what the specification promises', async ({ page }) => {
  await page.goto('/')
  const main = page.getByRole('main')
  for (const promise of [
    'Verified taskers',
    'Secure escrow-style payments',
    'Ratings and reviews',
    'Real-time messaging',
    'Smart scheduling',
    'GPS-based matching',
    'Notifications',
    'Achievement badges',
    'Mandatory ID verification',
    'Optional background checks',
    '24/7 support',
  ])
    await expect(main.getByText(promise, { exact: true }).first()).toBeVisible()
  await expect(main.getByText('Made for Saskatchewan:')).toBeVisible()
  for (const [figure, claim] of [
    ['1000+', 'active users'],
    ['500+', 'tasks completed'],
  ] as const)
    await expect(main.locator('dl > div').filter({ hasText: claim })).toHaveText(claim + figure)
  await expect(main.getByRole('heading', { level: 2 })).toHaveText([
    ...['Popular Categories', 'How it works', 'Everything the job needs', 'Safety and trust'],
    ...['Why choose Meadowlark', 'What would you cross off your list today?'],
  ])
  const popular = main.getByRole('region', { name: 'Popular Categories' }).getByRole('listitem')
  await expect(popular).toHaveText([/^Snow Removal/, /^Cleaning/, /^Moving/, /^General Labor/])
})

test('it shows open tasks as they are, and the way of the money', async ({ page, server }) => {
  const { title, taskId } = await postedTask(server, { amount: 64 })
  await page.setViewportSize(NARROW)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Everything the job needs' }).scrollIntoViewIfNeeded()
  // Parts that were scrolled past before the app was there load on the way back.
  await expect(page.locator('html')).toHaveAttribute('data-quiet')
  await page.getByText('Achievement badges').scrollIntoViewIfNeeded()
  await page.getByRole('heading', { name: 'Safety and trust' }).scrollIntoViewIfNeeded()
  const open = page.getByRole('region', { name: 'Open right now' })
  const task = open.getByRole('listitem').filter({ hasText: title })
  await expect(task.getByRole('link')).toHaveAttribute('href', `/task/${taskId}`)
  await expect(task.getByText('$51.20')).toBeVisible()
  await expectNoSidewaysScroll(page)
  await task.scrollIntoViewIfNeeded()
  await expect(task.getByText('$51.20')).toBeInViewport({ ratio: 1 })
  for (const station of ['You pay', 'It is held', 'The work is done', 'You release it'])
    await expect(page.getByRole('heading', { name: station })).toBeVisible()
})

test('how it works is explained to both sides in four steps each', async ({ page }) => {
  await page.goto('/')
  for (const [side, steps] of [
    ['For task givers', ['Post your task', 'Browse proposals', 'Select and connect', 'Pay and review']],
    ['For task doers', ['Browse tasks', 'Submit proposals', 'Get hired', 'Build reputation']],
  ] as const) {
    const told = page
      .locator('div')
      .filter({ has: page.locator(`> h3:text-is("${side}")`) })
      .last()
    await expect(told.getByRole('listitem').getByRole('heading')).toHaveText([...steps])
  }
})

test('its shortcuts and buttons lead where they say', async ({ page }) => {
  await page.goto('/')
  const main = page.getByRole('main')
  const shortcuts = main.getByRole('navigation', { name: 'Categories' }).getByRole('link')
  await expect(shortcuts).toHaveText([
    ...['Snow Removal', 'Cleaning', 'Moving', 'Delivery', 'Handyman', 'Gardening', 'Pet Care', 'Painting'],
  ])
  for (const link of await shortcuts.all())
    await expect(link).toHaveAttribute(
      'href',
      `/browse?${new URLSearchParams({ category: (await link.textContent()) ?? '' })}`,
    )
  await expect(main.getByRole('link', { name: 'Browse Tasks' }).first()).toHaveAttribute('href', '/browse')
  await expect(main.getByRole('link', { name: 'Post a Task' }).first()).toHaveAttribute('href', '/post-task')
  await expect(main.getByRole('link', { name: 'Sign Up Now' })).toHaveAttribute('href', '/auth')
  await expect(main.getByRole('link', { name: 'Explore Tasks' })).toHaveAttribute('href', '/browse')
  // Where the browser offers no prompt.
  await main.getByRole('button', { name: 'Install App' }).click()
  await expect(page).toHaveURL('/install')
})

test('Enter searches at once while suggestions are shown', async ({ page }) => {
  await page.goto('/')
  const box = page.getByRole('combobox', { name: 'Search tasks' })
  await box.fill('snow')
  await expect(page.getByRole('option').first()).toBeVisible()
  await box.press('Enter')
  await expect(page).toHaveURL('/browse?search=snow')
})

test('a job is posted with the words that were typed, also by a stranger', async ({
  page,
  signedInPage,
  server,
}) => {
  const words = 'Assemble a wardrobe'
  const title = (on: Page) => on.getByLabel('Title', { exact: true })
  await page.goto('/')
  await page.getByRole('combobox', { name: 'Search tasks' }).fill(words)
  await page.getByRole('option', { name: `Post “${words}”` }).click()
  await expect(page).toHaveURL(`/post-task?title=${words.replaceAll(' ', '+')}`)
  await expect(title(page)).toHaveValue(words)

  // The title of a draft is kept: the typed one is what starting over begins with.
  const grace = await signedInPage(await server.newAccount('grace'))
  await grace.goto('/post-task')
  await title(grace).fill('Stack the firewood')
  await grace.goto(`/post-task?title=${encodeURIComponent(words)}`)
  await expect(title(grace)).toHaveValue('Stack the firewood')
  await grace.getByRole('button', { name: 'Start over' }).click()
  await expect(title(grace)).toHaveValue(words)

  const theo = await signedInPage('theo')
  await theo.goto('/')
  await theo.getByRole('combobox', { name: 'Search tasks' }).fill(words)
  await expect(theo.getByRole('main')).toContainText('Nothing open matches that yet')
  await expect(theo.getByRole('option')).toHaveCount(0)
})

test('the search suggests categories first, then the five newest open tasks, from two letters on', async ({
  page,
  server,
}) => {
  for (let nth = 0; nth < 6; nth++) await postedTask(server, { title: `Snowshoe repair ${nth}` })
  const { title, taskId } = await postedTask(server, { title: 'Snowshoe repair 6' })
  await page.goto('/')
  const box = page.getByRole('combobox', { name: 'Search tasks' })
  await box.fill('sn')
  await expect(page.getByRole('option', { name: 'Snow Removal' })).toBeVisible()
  await box.fill('snow')
  await expect(page.getByRole('option')).toHaveText([
    /^Snow Removal/,
    ...[6, 5, 4, 3, 2].map((nth) => new RegExp(`^Snowshoe repair ${nth}`)),
    'Post “snow”',
  ])
  await box.fill(' s ')
  await expect(page.getByRole('option')).toHaveCount(0)

  await box.fill(title)
  await expect(page.getByRole('option')).toHaveText([new RegExp(`^${title}`), `Post “${title}”`])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  // Visitors must sign in, and come back to the task.
  await expect(page).toHaveURL(`/auth?next=${encodeURIComponent(`/task/${taskId}`)}`)
})

test('the search asks for tasks 300 milliseconds after the last letter, never for a single one', async ({
  browser,
  server,
}) => {
  // A clock stays in its browser: not in one that other tests get.
  const context = await browser.newContext({ baseURL: server.url })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/rpc/search_tasks')) asked.push(request.postDataJSON().query)
  })
  await page.clock.install()
  await page.goto('/')
  const box = page.getByRole('combobox', { name: 'Search tasks' })
  await box.fill('snow')
  await expect.poll(() => asked.splice(0)).toEqual(['"snow"'])
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
  await box.fill(' s ')
  await page.clock.runFor(1000)
  await box.fill('snowp')
  await page.clock.runFor(299)
  await box.fill('snowplo')
  await page.clock.runFor(299)
  expect(asked).toEqual([])
  await page.clock.runFor(1)
  await expect.poll(() => asked).toEqual(['"snowplo"'])
  await context.close()
})

test('a search that fails is logged, and shows no error and no suggestions', async ({ page, problems }) => {
  problems.allow(/^5\d\d /)
  problems.allow(/^console: landing search:/)
  await page.goto('/')
  const box = page.getByRole('combobox', { name: 'Search tasks' })
  await box.fill('snow')
  await expect(page.getByRole('option').nth(1)).toBeVisible()
  await page.route(/\/rest\/v1\/(tasks|rpc)/, (route) => route.fulfill({ status: 500, body: '{}' }))
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('landing search:'))
  await box.fill('snowplo')
  await logged
  await expect(page.getByRole('option')).toHaveText(['Post “snowplo”'])
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
})

/** Bytes of JavaScript as sent, until the page is quiet. */
const MOST_AT_FIRST = 110_000
test('a stranger reads it before the app has loaded, and what they do at once is done when it has', async ({
  browser,
  server,
}) => {
  // One that has loaded nothing before.
  const context = await browser.newContext({ baseURL: server.url, locale: 'fr-CA' })
  const page = await context.newPage()
  await page.addInitScript(watchLayoutShift)
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  const scripts = new Set<string>()
  let bytes = 0
  network.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.goto('/es', { waitUntil: 'networkidle' })
  await expect(page.locator('html')).toHaveAttribute('lang', 'es')
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(MOST_AT_FIRST)
  // Fonts that come late move nothing: they are used from the next page on.
  const fonts = await page.evaluate(async () =>
    [...(await document.fonts.ready)]
      .filter(({ status }) => status !== 'unloaded')
      .map(({ family }) => family),
  )
  expect(fonts).toEqual(expect.arrayContaining(['Bricolage Grotesque Variable', 'Figtree Variable']))
  // The picture is in its place, and stays there when the app takes over.
  await expect(page.locator('.sun').first()).toHaveCSS('position', 'absolute')
  await page.getByRole('banner').getByRole('button', { name: 'Idioma' }).click()
  await expect(page.getByRole('menuitemradio', { name: 'Español' })).toBeChecked()
  await expectUnmoved(page)
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await expect(page).toHaveURL('/de')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await context.close()
})

test('early input on a translated page is carried out, too', async ({ page }) => {
  await translatePages(page, ' (translated)')
  await page.goto('/')
  await page.getByRole('main').getByRole('link', { name: 'Post a Task (translated)' }).first().click()
  await expect(page).toHaveURL('/post-task')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('(translated)')
})
