// The main screens in every language on the narrowest phone: nothing is wider than it, and no button cuts off its words.
import type { Page } from '@playwright/test'
import { rules } from '../../shared/rules.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, postedTask } from './jobs.ts'

// One after the other in one page: a screen's code and rows are loaded once.
test.describe.configure({ timeout: 300_000 })

const SCREENS = [
  '/',
  '/browse',
  '/find-taskers',
  '/categories',
  '/dashboard',
  '/post-task',
  '/task/:task',
  '/bookings?tab=accepted',
  '/profile',
  '/notifications/settings',
]

/**
 * Goes there inside the app and, once the screen has all that it shows, tells what is wider than the window or than
 * itself: the page, and buttons or links whose words are cut off.
 */
function tooWide(page: Page, path: string): Promise<string[]> {
  return page.evaluate(async (to) => {
    document.title = ''
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
    const shown = () =>
      document.title !== '' &&
      document.querySelector('#main h1') !== null &&
      document.querySelector('#main [aria-busy="true"]') === null
    const end = performance.now() + 20_000
    while (!shown()) {
      if (performance.now() > end) return ['it never came']
      await new Promise(requestAnimationFrame)
    }
    await document.fonts.ready
    const width = document.documentElement.clientWidth
    const found: string[] = []
    const beyond = document.documentElement.scrollWidth - width
    if (beyond > 0) found.push(`the page by ${beyond} px`)
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    for (const element of document.querySelectorAll<HTMLElement>(
      'button, a:not(.sr-only), label, h1, h2, h3',
    )) {
      const box = element.getBoundingClientRect()
      // Not shown, or there for screen readers alone.
      if (box.width <= 1 || element.clientWidth <= 1 || scrolls(element.parentElement)) continue
      const cut =
        element.scrollWidth - element.clientWidth > 1 && getComputedStyle(element).textOverflow !== 'ellipsis'
      if (box.left < -1 || box.right > width + 1 || cut)
        found.push(`${element.localName} ${element.textContent?.trim()}`)
    }
    return found
  }, path)
}

test('nothing is wider than a phone, in any language', async ({ server, signedInPage }) => {
  const giver = await server.newAccount('grace')
  const { taskId } = await postedTask(server, { giver })
  await acceptedJob(server, { giver })
  const page = await signedInPage(giver, NARROW)
  await page.goto('/terms')
  const wrong: string[] = []
  for (const language of rules.languages) {
    await page.evaluate((code) => localStorage.setItem('language', code), language)
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    for (const path of SCREENS) {
      const found = await tooWide(page, path.replace(':task', taskId))
      wrong.push(...found.map((what) => `${language} ${path}: ${what}`))
    }
  }
  expect(wrong).toEqual([])
})
