// The service workers of a page (web/worker).
import { expect, type Page } from '@playwright/test'
import { APPS_WORKER, VISITED_PAGES, VISITORS_WORKER } from '../../shared/worker.ts'

/** The path of the worker that is active for this page; null where there is none. */
export const activeWorker = (page: Page) =>
  page.evaluate(async () => {
    const { active } = (await navigator.serviceWorker.getRegistration()) ?? {}
    return active?.state === 'activated' ? new URL(active.scriptURL).pathname : null
  })

/** Waits until the app's worker has everything and answers for the app. */
export const workerReady = (page: Page) => expect.poll(() => activeWorker(page)).toBe(APPS_WORKER)

/** Whether the worker has the page that every unvisited address opens with; it comes after the files of a visited one. */
const isShellKept = (page: Page) =>
  page.evaluate(async (pages) => Boolean(await (await caches.open(pages)).match('/app.html')), VISITED_PAGES)

/** Waits until the visitors' worker answers for this page, the first of a visit, and has its files. */
export async function visitorReady(page: Page) {
  await expect.poll(() => activeWorker(page)).toBe(VISITORS_WORKER)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  // A page that is left earlier has not reported its files, and does not open offline.
  await expect.poll(() => isShellKept(page)).toBe(true)
}
