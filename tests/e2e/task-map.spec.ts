// The tasks of /browse on a map: by keyboard, accessible, loaded only when it is opened.
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { browserOnThisMachine, WEBGL_FLAGS } from '../../scripts/find-browser.mjs'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, WIDE } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import type { AppServer } from './server.ts'
import { uniqueWord } from './unique.ts'

// The map needs WebGL, here in software.
test.use({
  launchOptions: {
    executablePath: await browserOnThisMachine(),
    args: WEBGL_FLAGS,
  },
})

const mapOf = (page: Page) => page.getByRole('region', { name: 'Tasks on the map' })

/** From 0 for black to 255, the mean of what the picture shows. */
async function brightness(picture: Locator): Promise<number> {
  const { channels } = await sharp(await picture.screenshot()).stats()
  return channels.slice(0, 3).reduce((sum, { mean }) => sum + mean / 3, 0)
}

/** Tasks at these places, the last one listed first; resolves to a word that only their titles have. */
async function postedAt(server: AppServer, ...locations: string[]): Promise<string> {
  const word = uniqueWord()
  for (const location of locations) await postedTask(server, { title: `Wash ${word}`, location })
  return word
}

test('markers open the cards of their tasks by keyboard, and the shown area can be searched', async ({
  page,
  server,
}) => {
  const { title } = await postedTask(server, { title: 'Salt the steps' })
  const programs: string[] = []
  page.on('request', (request) => {
    if (/maplibre|TaskMap/.test(request.url())) programs.push(request.url())
  })
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
  expect(programs).toEqual([])
  await page.getByRole('button', { name: 'Show map' }).click()
  const map = mapOf(page)
  const marker = map.getByRole('button', { name: `${title}, $100, Nutana, Saskatoon` })
  await marker.focus()
  await page.keyboard.press('Enter')
  const panel = map.getByRole('region', { name: '1 item here' })
  await expect(panel.getByRole('heading', { name: title })).toBeVisible()
  await expect(panel).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(marker).toBeFocused()

  // The list is next to it, and is the same.
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(1)
  await map.getByRole('button', { name: 'Zoom out' }).press('Enter')
  await map.getByRole('button', { name: 'Search this area' }).click()
  await expect(page).toHaveURL(/near=5\d\.\d\d%2C-10\d\.\d\d/)
  await expect(page.getByRole('button', { name: 'Clear: Area of the map' })).toBeVisible()

  await page.setViewportSize(NARROW)
  await page.getByRole('button', { name: 'Map', exact: true }).click()
  await expect(page).toHaveURL(/view=map/)
  await expect(page.getByRole('main').getByRole('article')).toBeHidden()
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
})

test('the marker of several tasks zooms in and gives the focus to the first; tasks at one point follow each other', async ({
  page,
  server,
}) => {
  const word = await postedAt(server, 'Nutana, Saskatoon', 'Nutana, Saskatoon', 'Estevan', 'Warman')
  await page.goto(`/browse?view=map&search=${word}`)
  const map = mapOf(page)
  await map.getByRole('button', { name: '3 items here' }).press('Enter')
  await expect(map.getByRole('button', { name: /^Wash .* Warman$/ })).toBeFocused()
  const marker = map.getByRole('button', { name: '2 items here' })
  await marker.press('Enter')
  const panel = map.getByRole('region', { name: '2 items here' })
  await expect(panel).toBeFocused()
  await expect(marker).toHaveAttribute('aria-pressed', 'true')
  await expect(panel.getByText('1 of 2')).toBeVisible()
  const first = await panel.getByRole('heading').textContent()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(panel.getByRole('button', { name: 'Next item' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(panel.getByText('2 of 2')).toBeVisible()
  await expect(panel.getByRole('heading')).not.toHaveText(first ?? '')
  await inBothLooks(page, () => expectAccessible(page))
  await panel.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(marker).toBeFocused()
})

test('a wide window keeps the map next to the list; cards and markers mark each other', async ({
  page,
  server,
}) => {
  const word = await postedAt(server, 'Yorkton', 'Estevan', 'Swift Current', 'Nipawin', 'Meadow Lake')
  await page.setViewportSize(WIDE)
  await page.goto('/faq')
  await page.goto(`/browse?search=${word}`)
  const cards = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('article') })
  await expect(cards).toHaveCount(5)
  await page.getByRole('button', { name: 'Show map' }).click()
  const map = mapOf(page)
  const marker = (place: string) => map.getByRole('button', { name: new RegExp(`^Wash .* ${place}$`) })
  const marked = (place: string) => map.locator(`[data-marked][aria-label$="${place}"]`)
  await expect(marker('Yorkton')).toBeVisible()
  await expect(map.locator('[data-marked]')).toHaveCount(0)
  await cards.filter({ hasText: 'Nipawin' }).hover()
  await expect(marked('Nipawin')).toBeVisible()
  // Cards that scroll below a resting pointer are marked, too.
  await page.mouse.move(0, 0)
  await cards.filter({ hasText: 'Estevan' }).getByRole('link').first().focus()
  await expect(marked('Estevan')).toBeVisible()
  await expect(map.locator('[data-marked]')).toHaveCount(1)

  const last = cards.filter({ hasText: 'Yorkton' })
  await page.evaluate(() => window.scrollTo(0, 0))
  await expect(last).not.toBeInViewport()
  await marker('Yorkton').press('Enter')
  await expect(last).toHaveAttribute('aria-current', 'true')
  await expect(last).toBeInViewport({ ratio: 0.9 })
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(5)
  await page.keyboard.press('Escape')
  await expect(last).not.toHaveAttribute('aria-current')

  await page.goto('/browse')
  await expect(map).toBeVisible()
  await expect(cards.first()).toBeVisible()
  await page.getByRole('button', { name: 'Theme' }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  // Land is white in the light theme.
  await expect.poll(() => brightness(map.locator('canvas'))).toBeLessThan(80)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Hide map' }).click()
  await expect(map).toHaveCount(0)
  await page.reload()
  await expect(cards.first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show map' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Show map' })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL('/faq')
})

test('on a phone, Back closes the card and then the map', async ({ page, server }) => {
  const word = await postedAt(server, 'Regina')
  await page.setViewportSize(NARROW)
  await page.goto(`/browse?search=${word}`)
  await page.getByRole('button', { name: 'Map', exact: true }).click()
  const map = mapOf(page)
  const marker = map.getByRole('button', { name: /^Wash .* Regina$/ })
  await marker.click()
  await expect(map.getByRole('region', { name: '1 item here' })).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.goBack()
  await expect(map.getByRole('region', { name: '1 item here' })).toHaveCount(0)
  await expect(marker).toBeFocused()
  await page.getByRole('searchbox').fill(`${word} nothing`)
  await expect(map.getByText('No tasks found')).toBeVisible()
  await page.getByRole('searchbox').fill(word)
  await expect(marker).toBeVisible()
  await page.goBack()
  await expect(map).toHaveCount(0)
  await expect(page).toHaveURL(`/browse?search=${word}`)
})
