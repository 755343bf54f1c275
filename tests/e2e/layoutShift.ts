// How much of a page moves without a person's doing: https://web.dev/articles/cls.
import type { Page } from '@playwright/test'

/** Of the layout, in all. */
export const MOST_SHIFT = 0.02

type ShiftedWindow = Window & { shift?: number }

/** `page.addInitScript(watchLayoutShift)`: adds up, from a page's beginning, what moves on it. */
export function watchLayoutShift(): void {
  const shifted: ShiftedWindow = window
  shifted.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
      if (!hadRecentInput) shifted.shift = (shifted.shift ?? 0) + value
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

export const layoutShift = (page: Page) => page.evaluate(() => (window as ShiftedWindow).shift)

/** Whatever the page asks the backend is answered in the order of asking, each once the answer before was drawn. */
export async function answersOneByOne(page: Page): Promise<void> {
  let before = Promise.resolve()
  await page.route(/\/(rest|functions)\/v1\//, async (route) => {
    const turn = before
    let drawn = () => {}
    before = new Promise((resolve) => {
      drawn = resolve
    })
    try {
      const response = await route.fetch()
      await turn
      await route.fulfill({ response })
      await page.evaluate(twoFrames)
    } catch {
      // A page that is left waits for nothing any more.
    } finally {
      drawn()
    }
  })
}

const twoFrames = () =>
  new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
