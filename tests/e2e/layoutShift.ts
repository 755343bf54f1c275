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
