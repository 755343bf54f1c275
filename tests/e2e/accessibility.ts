// axe over a page as it stands.
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Fails with every element that breaks a rule, in the theme that is shown. `except` names rules that cannot hold here. */
export async function expectAccessible(page: Page, except: string[] = []) {
  const axe = new AxeBuilder({ page }).withTags(STANDARDS).disableRules(except)
  const { violations } = await axe.analyze()
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
  const theme = await page.locator('html').getAttribute('data-theme')
  expect(found, `axe, ${theme} theme, ${page.url()}`).toEqual([])
}

/** Fails when the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page) {
  const [content, visible] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ])
  expect(content, `width of ${page.url()}`).toBeLessThanOrEqual(visible ?? 0)
}
