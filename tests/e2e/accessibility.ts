// axe over a page as it stands, in the light and in the dark theme.
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Fails with every element that breaks a rule, for each theme; the page is left in the theme it had. */
export async function expectAccessible(page: Page) {
  const before = await page.evaluate(() => document.documentElement.dataset.theme)
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze()
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
    )
    expect(found, `axe, ${theme} theme, ${page.url()}`).toEqual([])
  }
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name
  }, before)
}

/** Fails when the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page) {
  const [content, visible] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ])
  expect(content, `width of ${page.url()}`).toBeLessThanOrEqual(visible ?? 0)
}
