// axe over a page as it stands, and over both of its looks.
import AxeBuilder from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { NARROW, WIDE } from './fixtures.ts'
import { expectNoOverlaps } from './overlaps.ts'

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The program of axe, half a megabyte: a page takes it once, and not at each look. */
async function loadAxe(page: Page) {
  if (await page.evaluate(() => 'axe' in window)) return
  // biome-ignore lint/complexity/useLiteralKeys: private in its types, and the one place that has the source
  await page.evaluate(new AxeBuilder({ page })['script']())
}

/**
 * Whether each of these is, in part, below the header or the bar with a form's buttons, which are sticky: scrolling brings it
 * out. A small target anywhere else, or below something that stays over it, counts as it is.
 */
function areBelowSticky(selectors: string[]): boolean {
  const bars = [...document.querySelectorAll('header, .foot-bar')]
    .filter((bar) => getComputedStyle(bar).position === 'sticky')
    .map((bar) => bar.getBoundingClientRect())
  return selectors.every((selector) => {
    const box = document.querySelector(selector)?.getBoundingClientRect()
    return box && bars.some(({ top, bottom }) => box.top < bottom && box.bottom > top)
  })
}

export type Scope = {
  /** Rules that cannot hold here. */
  except?: string[]
  /** Selector of the part to look at; the whole page when left out. */
  within?: string
  /** Selectors of parts that are looked at elsewhere. */
  outside?: string[]
}

/** Fails with every element that breaks a rule, in the theme that is shown. */
export async function expectAccessible(page: Page, { except = [], within, outside = [] }: Scope = {}) {
  await loadAxe(page)
  const look = async (rules?: string[]) => {
    const axe = new AxeBuilder({ page, axeSource: 'undefined' })
      // Passed rules are not listed, and no second page is opened for frames, because the app has none.
      .options({ resultTypes: ['violations'] })
      .setLegacyMode(true)
    if (rules) axe.withRules(rules)
    else axe.withTags(STANDARDS).disableRules(except)
    if (within) axe.include(within)
    for (const part of outside) axe.exclude(part)
    return (await axe.analyze()).violations
  }
  let violations = await look()
  const small = violations.find(({ id }) => id === 'target-size')
  if (
    small &&
    (await page.evaluate(
      areBelowSticky,
      small.nodes.map(({ target }) => target.join(' ')),
    ))
  ) {
    const pinFootBar = (position: string) =>
      page.evaluate((value) => {
        const bar = document.querySelector<HTMLElement>('.foot-bar')
        if (bar) bar.style.position = value
        scrollTo(0, 0)
      }, position)
    await pinFootBar('static')
    violations = [...violations.filter((one) => one !== small), ...(await look(['target-size']))]
    await pinFootBar('')
  }
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
  const theme = await page.locator('html').getAttribute('data-theme')
  expect(found, `axe, ${theme} theme, ${page.url()}`).toEqual([])
}

/** The dialog that is open, once it has come. */
export async function expectAccessibleDialog(page: Page) {
  const dialog = '[role="dialog"], [role="alertdialog"]'
  await expect(page.locator(dialog).first()).toBeVisible()
  await expectAccessible(page, { within: dialog })
}

/** Fails when the focus has fallen to the page as a whole, where the keyboard would begin at the top again. */
export async function expectFocusKept(page: Page) {
  const focused = () => page.evaluate(() => document.activeElement?.localName)
  await expect.poll(focused, `what has the focus: ${page.url()}`).not.toBe('body')
}

/** Fails when two things that are shown lie over each other. */
export async function expectApart(one: Locator, other: Locator) {
  const overlap = async () => {
    const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()])
    if (!a || !b) return 'one of them is not shown'
    const apart =
      a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height
    return apart ? 'apart' : JSON.stringify([a, b])
  }
  await expect.poll(overlap).toBe('apart')
}

/** Fails when the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page) {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  // A window that has just become narrower is laid out anew first.
  await expect.poll(overflow, `pixels wider than the window: ${page.url()}`).toBeLessThanOrEqual(0)
}

/** Shows a theme in place, as its menu does, and waits until every colour has changed. */
export async function showTheme(page: Page, theme: 'light' | 'dark') {
  await page.evaluate(async (name) => {
    document.documentElement.dataset.theme = name
    const running = () => document.getAnimations().filter(({ playState }) => playState === 'running')
    do {
      await new Promise(requestAnimationFrame)
      await Promise.allSettled(running().map(({ finished }) => finished))
    } while (running().length > 0)
  }, theme)
}

/** The two looks that everything is checked in, so that each width and each theme is seen on every page. */
const LOOKS = [
  ['light', NARROW],
  ['dark', WIDE],
] as const

/** Runs `check` on a page as it stands, narrow in the light theme and then wide in the dark one, and leaves it so. */
export async function inBothLooks(page: Page, check: () => Promise<void>) {
  for (const [theme, viewport] of LOOKS) {
    await page.setViewportSize(viewport)
    await showTheme(page, theme)
    await check()
  }
}

/** Checks everything on screen, dialogs included. */
export async function expectGoodLooks(page: Page, scope?: Scope) {
  await inBothLooks(page, async () => {
    await expectNoSidewaysScroll(page)
    await expectNoOverlaps(page, scope?.within)
    await expectAccessible(page, scope)
  })
}
