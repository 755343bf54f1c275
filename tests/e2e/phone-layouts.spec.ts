// How much fits on a phone's screen of 360×640: cards of tasks and taskers, bookings as rows with the action first, all tabs.
import type { Locator, Page } from '@playwright/test'
import { rules } from '../../shared/rules.ts'
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, test, toast } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, doneJob, paidJob, postedTask } from './jobs.ts'

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
/** Words of tabs that are wider than their tab, and tabs that reach beyond their row. */
function cutOff(list: HTMLElement): string[] {
  const { left, right } = list.getBoundingClientRect()
  return [...list.querySelectorAll<HTMLElement>('[role=tab]')]
    .filter((tab) => {
      const range = document.createRange()
      range.selectNodeContents(tab)
      const [edge, words] = [tab.getBoundingClientRect(), range.getBoundingClientRect()]
      return (
        Math.floor(edge.left - left) < 0 ||
        Math.ceil(edge.right - right) > 0 ||
        words.left < edge.left - 0.5 ||
        words.right > edge.right + 0.5
      )
    })
    .map((tab) => tab.innerText)
}

/** The menu in which a language is chosen. The page behind it stays as it is, which is far faster than loading it in each. */
const menuOf = (page: Page) => page.getByRole('dialog')
const openMenu = (page: Page) =>
  page.getByRole('banner').locator('button[aria-haspopup="dialog"]').last().click()

async function choose(page: Page, language: string) {
  await menuOf(page).locator(`label[lang="${language}"]`).click()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
}

async function closeMenu(page: Page) {
  await page.keyboard.press('Escape')
  await expect(menuOf(page)).toHaveCount(0)
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

const whole = async (page: Page, cards: Locator) =>
  (await shown(page, cards)).filter((share) => share === 1).length

/**
 * Opens a page in its fonts. A font that is late for the first picture is not used on that page (`font-display: optional`),
 * and the substitute is wider: on a loaded machine the same cards would be higher. Here the page waits for its fonts.
 */
async function gotoWithFonts(page: Page, path: string) {
  await page.goto(path)
  await page.evaluate(async () => {
    for (const { cssRules } of document.styleSheets)
      for (const rule of cssRules)
        if (rule instanceof CSSFontFaceRule) rule.style.setProperty('font-display', 'block')
    await document.fonts.ready
  })
}

test('two whole task cards are on the first screen, for a stranger too, each with its buttons', async ({
  page: stranger,
  signedInPage,
  server,
}) => {
  // The newest are on top: the height of a card depends on its title, and on nothing that tests before this one have posted.
  for (let count = 0; count < 3; count++) await postedTask(server)
  await stranger.setViewportSize(PHONE)
  await gotoWithFonts(stranger, '/browse')
  await expect(cardsOf(stranger).nth(2)).toBeVisible()
  await expect.poll(() => whole(stranger, cardsOf(stranger))).toBe(2)

  const page = await signedInPage('theo', PHONE)
  await gotoWithFonts(page, '/browse?sort=newest')
  const cards = cardsOf(page)
  await expect(cards.nth(2)).toBeVisible()
  await expect.poll(() => whole(page, cards)).toBe(2)
  for (const card of [cards.first(), cards.nth(1)])
    for (const text of ['You get', 'Task amount', '$']) await expect(card).toContainText(text)
  const open = cards.filter({ hasNotText: 'You applied' }).first()
  const [accept, details] = [open.getByText('Accept Task'), open.getByText('View Details')]
  const boxes = await Promise.all([accept, details].map((button) => button.boundingBox()))
  // In one row.
  expect(boxes[0]?.y).toBeCloseTo(boxes[1]?.y ?? 0, 0)
  // Machines of tests have no font for Hindi: it is drawn wider than on any phone.
  for (const language of rules.languages.filter((code) => code !== 'hi')) {
    await page.evaluate(() => scrollTo(0, 0))
    await openMenu(page)
    await choose(page, language)
    await closeMenu(page)
    await expect(cards.nth(2)).toBeVisible()
    // Where the bar about test payments takes two lines, and Cyrillic is drawn in a wide font, the second card ends below the screen.
    await expect.poll(async () => sum(await shown(page, cards)), language).toBeGreaterThanOrEqual(1.6)
    // Texts above the second card may still be changing, so each try scrolls anew.
    await expect
      .poll(async () => {
        await scrollToSecond(page, cards)
        return whole(page, cards)
      }, language)
      .toBeGreaterThanOrEqual(2)
    await expectNoSidewaysScroll(page)
  }
})

test('two whole taskers are on the first screen, and their filters take one row', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await gotoWithFonts(page, '/find-taskers')
  const cards = cardsOf(page)
  await expect(cards.nth(2)).toBeVisible()
  await expect.poll(() => whole(page, cards)).toBe(2)
  const tops = await Promise.all(
    ['City', 'Category', 'Hourly rate'].map(async (label) => (await page.getByLabel(label).boundingBox())?.y),
  )
  expect(new Set(tops).size).toBe(1)
  // The row shows that it goes on.
  await expect(page.getByLabel('Hourly rate')).toBeInViewport()
  const heights = await cards
    .getByText('View Profile')
    .evaluateAll((links) => links.map((link) => (link as HTMLElement).offsetHeight))
  expect(Math.max(...heights), 'one line').toBeLessThan(40)
  const cutSkills = await cards
    .locator('li[dir=auto]')
    .evaluateAll((skills) =>
      skills.filter((skill) => skill.scrollWidth > skill.clientWidth).map((skill) => skill.textContent),
    )
  expect(cutSkills).toEqual([])
  await scrollToSecond(page, cards)
  await expect.poll(() => whole(page, cards)).toBeGreaterThanOrEqual(2)
  await expectNoSidewaysScroll(page)
})

test('all tabs are in view in every language, each with its whole word', async ({ signedInPage }) => {
  for (const [person, screens] of [
    // A giver has the same bookings.
    ['theo', { '/profile': 4, '/bookings': 6 }],
    ['grace', { '/profile': 3 }],
  ] as const) {
    const page = await signedInPage(person, PHONE)
    for (const [path, count] of Object.entries(screens)) {
      await page.goto(path)
      await expect(page.getByRole('tab')).toHaveCount(count)
      // By its selector: what is behind an open menu has no role.
      const tabs = page.locator('[role=tablist]')
      await openMenu(page)
      for (const language of rules.languages) {
        await choose(page, language)
        await expect.poll(() => tabs.evaluate(cutOff), `${language} ${path}`).toEqual([])
        await expect(tabs, `${language} ${path}`).toBeInViewport({ ratio: 1 })
        await expectNoSidewaysScroll(page)
      }
      await choose(page, 'en')
      await closeMenu(page)
    }
    await page.goto('/profile?tab=security')
    await expect(page.getByRole('tabpanel')).toContainText('Email notifications')
    await expectNoSidewaysScroll(page)
  }
})

test('bookings are rows with the action before when and how much: three on a screen, the rest behind each', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  const jobs = [
    await appliedJob(server, { giver, title: 'Wash the windows' }),
    await acceptedJob(server, { giver, title: 'Rake the leaves' }),
    await doneJob(server, { giver, title: 'Clean the eaves' }),
    await paidJob(server, { giver, title: 'Move the piano' }),
  ] as const
  const page = await signedInPage(giver, PHONE)
  await page.goto('/bookings')
  const tabs = page.getByRole('tab')
  await expect(tabs).toHaveCount(6)
  for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 })
  const [applied, accepted, done, paid] = jobs.map((job) => bookingCard(page, job)) as [
    Locator,
    Locator,
    Locator,
    Locator,
  ]
  await expect(applied.getByRole('button', { name: 'Accept', exact: true })).toBeVisible()
  await expect(applied.getByRole('button', { name: 'Decline' })).toBeVisible()
  await expect(accepted.getByRole('button', { name: 'Pay $120.00' })).toBeVisible()
  await expect(done.getByRole('button', { name: 'Confirm and Release' })).toBeVisible()
  await expect(paid.getByRole('button')).toHaveCount(1)
  for (const [row, sum] of [
    [applied, 'Task amount$100'],
    [accepted, 'Task amount$100'],
    [done, 'You paid$120'],
  ] as const) {
    await expect(row).toContainText(sum)
    const [toggle, ...actions] = await row.getByRole('button').all()
    await expect(toggle as Locator).toHaveAttribute('aria-expanded', 'false')
    const boxes = await Promise.all(actions.map((action) => action.boundingBox()))
    const when = await row.getByText('Any time').boundingBox()
    for (const box of boxes) {
      expect(box?.height).toBeGreaterThanOrEqual(44)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(when?.y ?? 0)
    }
  }

  const rows = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem')
  await rows.first().evaluate((row) => scrollBy(0, row.getBoundingClientRect().top - 72))
  await expect.poll(async () => (await shown(page, rows)).filter((share) => share === 1).length).toBe(3)
  await expectNoSidewaysScroll(page)

  await applied.getByRole('button', { name: jobs[0].title }).click()
  for (const text of ['Theo', 'Verified', 'Two cars wide', 'I have a blower', 'Snow Removal', 'Pending'])
    await expect(applied).toContainText(text)
  // Once: the card has it, above what it is about.
  await expect(applied.getByRole('button', { name: 'Accept', exact: true })).toHaveCount(1)
  const accept = await applied.getByRole('button', { name: 'Accept', exact: true }).boundingBox()
  const message = await applied.getByText('I have a blower').boundingBox()
  expect(accept?.y).toBeLessThan(message?.y ?? 0)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)

  await done.getByRole('button', { name: 'Confirm and Release' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }).click()
  await expect(toast(page, 'Payment Released!')).toBeVisible()
})

test('a tasker’s row opens the form that says the work is done', async ({ signedInPage, server }) => {
  const job = await paidJob(server)
  const page = await signedInPage('theo', PHONE)
  await page.goto('/bookings?tab=in_progress')
  const row = bookingCard(page, job)
  await row.getByRole('button', { name: 'Mark Task Complete' }).click()
  await row.getByLabel('Completion notes').fill('Swept twice.')
  await row.getByRole('button', { name: 'Mark Task Complete' }).click()
  await expect(toast(page, 'Task Marked Complete!')).toBeVisible()
  // The row that it becomes elsewhere is in sight, below the header.
  const completed = page.getByRole('tab', { name: 'Completed' })
  await expect(completed).toHaveAttribute('aria-selected', 'true')
  await expect(row).toBeFocused()
  await expect.poll(async () => (await row.boundingBox())?.y).toBeGreaterThan(60)
})

test('once the only booking of a tab is cancelled, where it went is in sight', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  const job = await paidJob(server, { giver })
  const page = await signedInPage(giver, PHONE)
  await page.goto('/bookings?tab=in_progress')
  const row = bookingCard(page, job)
  await row.getByRole('button', { name: job.title }).click()
  await row.getByRole('button', { name: 'Cancel Booking' }).click()
  await page.getByRole('radio', { name: /^List it again/ }).check()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(toast(page, 'Booking Cancelled')).toBeVisible()
  const panel = page.getByRole('tabpanel')
  await expect(panel).toContainText('moved to “All”')
  await expect.poll(async () => (await panel.boundingBox())?.y).toBeGreaterThan(60)
})
