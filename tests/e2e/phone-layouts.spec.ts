// What a phone of 360×640 shows at once: cards of tasks and taskers, bookings as rows with the action first, and all tabs.
import type { Locator, Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const PHONE = { width: 360, height: 640 }

const cardsOf = (page: Page) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) })

/** How much of these is shown between the header and the lower edge, each from 0 to 1. */
async function shown(page: Page, parts: Locator): Promise<number[]> {
  const header = (await page.getByRole('banner').boundingBox()) ?? { y: 0, height: 0 }
  const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()))
  const [top, bottom] = [header.y + header.height, PHONE.height]
  return boxes.map((box) =>
    box
      ? Math.max(0, Math.min(box.y + box.height, bottom) - Math.max(box.y, top)) / Math.max(box.height, 1)
      : 0,
  )
}
const sum = (shares: number[]) => shares.reduce((all, share) => all + share, 0)

/** Scrolls until the second of these is just below the header. */
async function scrollToSecond(page: Page, parts: Locator) {
  const header = await page.getByRole('banner').boundingBox()
  await parts.nth(1).evaluate(
    (part, top) => {
      scrollBy(0, part.getBoundingClientRect().top - top)
    },
    (header?.height ?? 0) + 2,
  )
}

test('one and a half task cards are on the first screen, two after a scroll, each with both buttons', async ({
  signedInPage,
}) => {
  const page = await signedInPage('theo', PHONE)
  await page.goto('/browse')
  const cards = cardsOf(page)
  await expect(cards.nth(2)).toBeVisible()
  expect(sum(await shown(page, cards))).toBeGreaterThanOrEqual(1.5)
  const open = cards.filter({ hasNotText: 'You applied' }).first()
  const [accept, details] = [open.getByText('Accept Task'), open.getByText('View Details')]
  const boxes = await Promise.all([accept, details].map((button) => button.boundingBox()))
  // In one row, beside the pay.
  expect(boxes[0]?.y).toBeCloseTo(boxes[1]?.y ?? 0, 0)
  await scrollToSecond(page, cards)
  await expect.poll(async () => (await shown(page, cards)).filter((share) => share === 1).length).toBe(2)
  await expectNoSidewaysScroll(page)
})

test('two taskers are on a screen, and their filters take one row', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await page.goto('/find-taskers')
  const cards = cardsOf(page)
  await expect(cards.nth(2)).toBeVisible()
  expect((await shown(page, cards)).at(0)).toBe(1)
  const tops = await Promise.all(
    ['City', 'Category', 'Hourly rate'].map(async (label) => (await page.getByLabel(label).boundingBox())?.y),
  )
  expect(new Set(tops).size).toBe(1)
  await scrollToSecond(page, cards)
  await expect.poll(async () => (await shown(page, cards)).filter((share) => share === 1).length).toBe(2)
  await expectNoSidewaysScroll(page)
})

for (const person of ['theo', 'grace'] as const)
  test(`all tabs of ${person === 'theo' ? 'a tasker' : 'a giver'}’s profile are on the first screen`, async ({
    signedInPage,
  }) => {
    const page = await signedInPage(person, PHONE)
    await page.goto('/profile')
    const tabs = page.getByRole('tab')
    await expect(tabs).toHaveCount(person === 'theo' ? 4 : 3)
    for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 })
    await page.getByRole('tab', { name: 'Security' }).click()
    await expect(page.getByRole('tabpanel')).toContainText('Email notifications')
    await expectNoSidewaysScroll(page)
  })
