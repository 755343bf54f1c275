// How much of a page moves without a person's doing: https://web.dev/articles/cls.
import { expect, type Page } from '@playwright/test'

/** Of the layout, in all. */
const MOST_SHIFT = 0.02

type Shift = { shift: number; moved: string[] }
type ShiftedWindow = Window & Shift
type ShiftEntry = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null }[]
}

/** `page.addInitScript(watchLayoutShift)`: adds up, from a page's beginning, what moves on it. */
export function watchLayoutShift(): void {
  const shifted = window as unknown as ShiftedWindow
  shifted.shift = 0
  shifted.moved = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput, sources } = entry as ShiftEntry
      if (hadRecentInput) continue
      shifted.shift += value
      const nodes = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement))
      shifted.moved.push(`${value}: ${nodes.map((node) => node?.outerHTML.slice(0, 200)).join(' | ')}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Fails, and shows what has moved, where that is more than MOST_SHIFT. */
export async function expectUnmoved(page: Page, what = page.url()): Promise<void> {
  const { shift, moved } = await page.evaluate(() => {
    const { shift, moved } = window as unknown as ShiftedWindow
    return { shift, moved }
  })
  expect.soft(shift, `${what} moves: ${moved.join('\n')}`).toBeLessThan(MOST_SHIFT)
}

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
