// The lists of /browse and /find-taskers are read and shown before the app has started, and the app goes on with them.
import type { Page } from '@playwright/test'
import { expect, NARROW, reachFor, test } from './fixtures.ts'

const cards = (page: Page) => page.getByRole('main').getByRole('article')

/** The list as a stranger sees it who has not reached for the page. */
async function openUntouched(page: Page, path: string) {
  await page.goto(path, { waitUntil: 'networkidle' })
  await expect(cards(page).first()).toBeVisible()
  await expect(page.locator('[data-early=list]')).toHaveCount(1)
}

/** Once the app shows its own list. */
const takenOver = (page: Page) => expect(page.locator('[data-early]')).toHaveCount(0)

type WatchingWindow = Window & { fewest?: number; here?: boolean }

/** Counts in each frame from now on how many cards are in sight. */
const watchCards = (page: Page) =>
  page.evaluate(() => {
    const watching: WatchingWindow = window
    watching.fewest = Number.POSITIVE_INFINITY
    const inSight = ({ top, bottom }: DOMRect) => top < innerHeight && bottom > 0
    const look = () => {
      const shown = [...document.querySelectorAll('main article')].map((card) => card.getBoundingClientRect())
      watching.fewest = Math.min(watching.fewest ?? 0, shown.filter(inSight).length)
      requestAnimationFrame(look)
    }
    look()
  })

test('the app shows the same cards, at the same place, without reading them again', async ({ page }) => {
  await page.setViewportSize(NARROW)
  const reads: string[] = []
  page.on('request', (request) => {
    if (/\/rest\/v1\/(tasks|rpc\/count_tasks)/.test(request.url())) reads.push(request.url())
  })
  await openUntouched(page, '/browse')
  await expect(page.getByText('24 of')).toBeVisible()
  await watchCards(page)
  await page.mouse.move(180, 500)
  await page.mouse.wheel(0, 900)
  await takenOver(page)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(600)
  await expect(page.locator('html')).toHaveAttribute('data-quiet')
  expect(await page.evaluate(() => (window as WatchingWindow).fewest)).toBeGreaterThan(0)
  expect(reads).toHaveLength(2)
})

test('the focused element keeps the focus, and a link leads on within the app', async ({ page }) => {
  await openUntouched(page, '/browse')
  const last = cards(page).last().getByRole('link').first()
  const key = await cards(page).last().locator('xpath=..').getAttribute('data-key')
  await last.focus()
  await takenOver(page)
  await expect(page.locator(`[data-key="${key}"] a:focus`)).toBeInViewport()
  await page.reload()
  await openUntouched(page, '/browse')
  await page.evaluate(() => {
    const leaving: WatchingWindow = window
    leaving.here = true
  })
  await cards(page)
    .nth(1)
    .getByRole('link', { name: /^View Details/ })
    .click()
  await expect(page).toHaveURL(/\/auth\?next=%2Ftask%2F/)
  expect(await page.evaluate(() => (window as WatchingWindow).here)).toBe(true)
})

test('taskers, too: a heart asks to sign in, a badge says what it is', async ({ page }) => {
  await openUntouched(page, '/find-taskers')
  await cards(page)
    .first()
    .getByRole('button', { name: /^Badges of / })
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.reload()
  await openUntouched(page, '/find-taskers')
  await cards(page)
    .first()
    .getByRole('button', { name: /^Save / })
    .click()
  await expect(page).toHaveURL(/\/auth\?next=%2Ffind-taskers/)
})

test('in the language of the address, with its links', async ({ page }) => {
  await openUntouched(page, '/fr/browse')
  await expect(cards(page).first().getByRole('link').first()).toHaveAttribute('href', /^\/fr\/task\//)
  const untouched = await cards(page).first().innerText()
  await reachFor(page)
  await takenOver(page)
  expect(await cards(page).first().innerText()).toBe(untouched)
  await expect(cards(page).first().getByRole('link').first()).toHaveAttribute('href', /^\/fr\/task\//)
})

for (const [path, answer, text] of [
  ['/browse', '**/rest/v1/tasks?**', 'No tasks found'],
  ['/find-taskers', '**/rest/v1/rpc/search_taskers**', 'No verified taskers found'],
] as const)
  test(`an empty list of ${path} is shown without the app, which does not read it again`, async ({
    page,
  }) => {
    let reads = 0
    await page.route(answer, (route) => {
      reads += 1
      return route.fulfill({ json: [] })
    })
    await page.goto(path, { waitUntil: 'networkidle' })
    const list = page.locator('[data-early=list]')
    await expect(list).toContainText(text)
    await expect(list.getByRole('link')).toHaveAttribute('href', '/post-task')
    await reachFor(page)
    await takenOver(page)
    await expect(page.getByRole('main')).toContainText(text)
    expect(reads).toBe(1)
  })

test('where the list cannot be read, the app says so', async ({ page, problems }) => {
  problems.allow(/^503 GET \/rest\/v1\/tasks|Failed to load/)
  await page.route('**/rest/v1/tasks?**', (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.goto('/browse')
  await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toBeVisible()
})
