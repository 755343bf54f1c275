// Browsers (Playwright's contexts) that are lent to one test after the other, empty each time. A new one would load and
// compile the whole app again, which costs more than what most tests do with it.
import type { BrowserContext, Page } from '@playwright/test'

export type LentBrowser = {
  context: BrowserContext
  /** Puts an entry into the storage of the app's origin, before its first page is opened. */
  store(name: string, value: string): Promise<void>
  /** Closes its pages and empties it, for the next test. */
  giveBack(): Promise<void>
}

/** Those that no test has at the moment, by what sets them apart. A worker has its own. */
const idle = new Map<string, LentBrowser[]>()

/**
 * One of this kind that nobody has, made by `make` when there is none; its base URL is that of the app. Browsers of one
 * kind are made alike.
 */
export async function lendBrowser(kind: string, make: () => Promise<BrowserContext>): Promise<LentBrowser> {
  const alike = idle.get(kind) ?? []
  idle.set(kind, alike)
  return alike.pop() ?? prepared(await make(), (one) => alike.push(one))
}

async function prepared(context: BrowserContext, keep: (one: LentBrowser) => void): Promise<LentBrowser> {
  // An address of the app's that runs no app. While this page is open, what others have compiled is kept.
  const keeper = await context.newPage()
  await keeper.goto('/config.json')
  const one: LentBrowser = {
    context,
    store: (name, value) =>
      keeper.evaluate(([key, text]) => localStorage.setItem(key, text), [name, value] as const),
    async giveBack() {
      await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())))
      await Promise.all([
        context.unrouteAll(),
        context.setOffline(false),
        context.clearPermissions(),
        context.setGeolocation(null),
        empty(context, keeper),
      ])
      keep(one)
    },
  }
  return one
}

/** Forgets everything that pages store. */
async function empty(context: BrowserContext, keeper: Page) {
  const session = await context.newCDPSession(keeper)
  const { origin } = new URL(keeper.url())
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
}
