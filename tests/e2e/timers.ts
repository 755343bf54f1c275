// Timers of a page, held so that a journey sees what is before and after them without waiting.
import type { Page } from '@playwright/test'

/** Holds the timer of so many milliseconds that the page sets next, until the returned function is called. */
export async function holdTimer(page: Page, after: number) {
  await page.evaluate((held) => {
    const { setTimeout } = window
    const waiting = new Promise<() => void>((resolve) => {
      window.setTimeout = ((run: () => void, after?: number) =>
        after === held ? Number(resolve(run)) : setTimeout(run, after)) as typeof setTimeout
    })
    Object.assign(window, { runTimer: async () => (await waiting)() })
  }, after)
  return () => page.evaluate(() => (window as Window & { runTimer?: () => Promise<void> }).runTimer?.())
}
