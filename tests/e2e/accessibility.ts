// axe over a page as it stands, in the light and in the dark theme.
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Fails with every element that breaks a rule; colours are looked at in both themes. The theme is left as it was.
 * `except` names rules that cannot hold here.
 */
export async function expectAccessible(page: Page, except: string[] = []) {
  const shown = (await page.locator('html').getAttribute('data-theme')) ?? 'light'
  const other = shown === 'light' ? 'dark' : 'light'
  await expectNoViolations(page, shown, (axe) => axe.withTags(STANDARDS).disableRules(except))
  await showTheme(page, other)
  await expectNoViolations(page, other, (axe) => axe.withRules(['color-contrast', 'link-in-text-block']))
  await showTheme(page, shown)
}

async function expectNoViolations(page: Page, theme: string, choose: (axe: AxeBuilder) => AxeBuilder) {
  const { violations } = await choose(new AxeBuilder({ page })).analyze()
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
  expect(found, `axe, ${theme} theme, ${page.url()}`).toEqual([])
}

/** Switches the theme and waits until the last colour has arrived: one transition may start the next. */
async function showTheme(page: Page, theme: string) {
  await page.evaluate(async (name) => {
    const nextFrame = () => new Promise(requestAnimationFrame)
    const ending = () =>
      document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    document.documentElement.dataset.theme = name
    for (let quiet = 0; quiet < 3; quiet++) {
      await nextFrame()
      const moving = ending()
      if (moving.length > 0) quiet = 0
      await Promise.allSettled(moving.map(({ finished }) => finished))
    }
  }, theme)
}

/** Fails when the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page) {
  const [content, visible] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ])
  expect(content, `width of ${page.url()}`).toBeLessThanOrEqual(visible ?? 0)
}
