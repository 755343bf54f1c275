// What every journey starts from: the worker's server, pages of signed-in people, and a watch on each page that
// fails the test for a console error, an exception, a failed request or a request to another origin.
import { type BrowserContext, test as base, type Page, type ViewportSize } from '@playwright/test'
import { type AppServer, type Person, startAppServer } from './server.ts'

export { expect } from '@playwright/test'
export { newAddress } from './server.ts'

export const NARROW: ViewportSize = { width: 360, height: 740 }
export const WIDE: ViewportSize = { width: 1280, height: 800 }

type Watch = {
  /** Expect a problem whose description fits, in this test: `problems.allow(/^400 .*\/auth\/v1\/token/)`. */
  allow(pattern: RegExp): void
}

type TestFixtures = {
  problems: Watch & { watch(context: BrowserContext): void }
  /** A new page, in a browser of its own, with this person signed in. */
  signedInPage(person: Person | `${string}@example.com`, viewport?: ViewportSize): Promise<Page>
}

export const test = base.extend<TestFixtures, { server: AppServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const server = await startAppServer()
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),

  problems: [
    async ({ server }, use) => {
      const allowed: RegExp[] = []
      const seen: string[] = []
      await use({
        allow: (pattern) => allowed.push(pattern),
        watch: (context) => watch(context, server.url, (problem) => seen.push(problem)),
      })
      const unexpected = seen.filter((problem) => !allowed.some((pattern) => pattern.test(problem)))
      if (unexpected.length > 0) throw new Error(`The pages had problems:\n${unexpected.join('\n')}`)
    },
    { auto: true },
  ],

  context: async ({ context, problems }, use) => {
    problems.watch(context)
    await use(context)
  },

  signedInPage: async ({ browser, contextOptions, locale, timezoneId, server, problems }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (person, viewport = WIDE) => {
      const context = await browser.newContext({
        ...contextOptions,
        locale,
        timezoneId,
        viewport,
        baseURL: server.url,
        storageState: await storageWithSession(server, person),
      })
      contexts.push(context)
      problems.watch(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})

/** A browser's storage as supabase-js leaves it after this person signed in. */
async function storageWithSession(server: AppServer, person: string) {
  const { data } = await (await server.signedIn(person)).auth.getSession()
  const name = `sb-${new URL(server.url).hostname.split('.')[0]}-auth-token`
  return {
    cookies: [],
    origins: [{ origin: server.url, localStorage: [{ name, value: JSON.stringify(data.session) }] }],
  }
}

/** Reports everything on this browser's pages that a person would call broken. */
function watch(context: BrowserContext, origin: string, report: (problem: string) => void) {
  context.on('console', (message) => {
    // A failed load is reported below with its status and address.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      report(`console: ${message.text()}`)
  })
  context.on('weberror', (web) => report(`exception: ${web.error().stack ?? web.error().message}`))
  context.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      report(`another origin: ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    // A page that is left, or a query that nobody waits for any more, ends its requests.
    const reason = request.failure()?.errorText ?? ''
    if (reason !== 'net::ERR_ABORTED') report(`${reason}: ${request.method()} ${request.url()}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400)
      report(`${response.status()} ${response.request().method()} ${response.url().replace(origin, '')}`)
  })
}

/** The short message at the screen's edge that holds this text. */
export function toast(page: Page, text: string) {
  return page.locator('[data-sonner-toast]').filter({ hasText: text })
}
