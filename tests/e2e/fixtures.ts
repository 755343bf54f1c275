// The base of every journey: the worker's server, pages of signed-in people, and a watch on each page. The watch
// fails the test for a console error, an exception, a failed request or a request to another origin.
import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  expect,
  type Page,
  type Request,
  type Response,
  type ViewportSize,
  type WebError,
} from '@playwright/test'
import { type LentBrowser, lendBrowser } from './browsers.ts'
import { type AppServer, type Person, startAppServer } from './server.ts'
import { translatePages, watchTexts } from './translator.ts'

export { expect } from '@playwright/test'
export { newAddress } from './server.ts'

export const NARROW: ViewportSize = { width: 360, height: 640 }
export const WIDE: ViewportSize = { width: 1280, height: 800 }

/** A page that a stranger does not find, though the app shows it to whom it belongs (packages/server/src/http/function-pages.ts). */
const NOT_FOR_STRANGERS = /^(\/[a-z]{2})?\/(task|profile)\/[^/]+$/

/** Requests that a page without a network makes anyway: `problems.allow(NO_NETWORK)`. */
export const NO_NETWORK =
  /ERR_INTERNET_DISCONNECTED|ERR_FAILED.*\/config\.json|(TypeError|AuthRetryableFetchError): Failed to fetch/

type Watch = {
  /** Expect a problem whose description fits, in this test: `problems.allow(/^400 .*\/auth\/v1\/token/)`. */
  allow(pattern: RegExp): void
}

type TestFixtures = {
  /** A translator is at work on every page: `test.use({ translated: true })`. */
  translated: boolean
  /** A fresh browser: nobody is signed in and nothing is stored. */
  lend(): Promise<LentBrowser>
  problems: Watch & { watch(context: BrowserContext): () => void }
  /** A new page, in a fresh browser, with this person signed in. */
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
  translated: [false, { option: true }],
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

  lend: async (
    { browser, contextOptions, serviceWorkers, locale, timezoneId, translated, server, problems },
    use,
  ) => {
    const ends: (() => Promise<void>)[] = []
    await use(async () => {
      const settings = { ...contextOptions, serviceWorkers, locale, timezoneId }
      const options = { ...settings, viewport: WIDE, baseURL: server.url }
      const one = await lendBrowser(`${serviceWorkers} ${translated} ${timezoneId}`, async () => {
        const context = await browser.newContext(options)
        await watchTexts(context)
        if (translated) await translatePages(context)
        return context
      })
      const unwatch = problems.watch(one.context)
      ends.push(() => one.giveBack().finally(unwatch))
      return one
    })
    await Promise.all(ends.map((end) => end()))
  },

  context: async ({ lend }, use) => use((await lend()).context),

  signedInPage: async ({ lend, server }, use) => {
    await use(async (person, viewport = WIDE) => {
      const { context, store } = await lend()
      await store(...(await sessionOf(server, person)))
      const page = await context.newPage()
      if (viewport !== WIDE) await page.setViewportSize(viewport)
      return page
    })
  },
})

/** The entry of a browser's storage that supabase-js leaves after this person signed in. */
async function sessionOf(server: AppServer, person: string): Promise<[name: string, value: string]> {
  const { data } = await (await server.signedIn(person)).auth.getSession()
  return [`sb-${new URL(server.url).hostname.split('.')[0]}-auth-token`, JSON.stringify(data.session)]
}

/** Reports everything on this browser's pages that a person would call broken, until the returned function is called. */
function watch(context: BrowserContext, origin: string, report: (problem: string) => void) {
  const onConsole = (message: ConsoleMessage) => {
    // A failed load is reported below with its status and address.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      report(`console: ${message.text()}`)
  }
  const onError = (web: WebError) => report(`exception: ${web.error().stack ?? web.error().message}`)
  const onRequest = (request: Request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(`${origin}/`))
      report(`another origin: ${request.url()}`)
  }
  const onFailure = (request: Request) => {
    // A page that is left, or a query that nobody waits for any more, ends its requests.
    const reason = request.failure()?.errorText ?? ''
    // The same of a file that the service worker was asked for. One that lacks is an exception where it is imported.
    if (reason === 'net::ERR_FAILED' && request.url().startsWith(`${origin}/assets/`)) return
    if (reason !== 'net::ERR_ABORTED') report(`${reason}: ${request.method()} ${request.url()}`)
  }
  const onResponse = (response: Response) => {
    const isPage = response.request().isNavigationRequest()
    const { pathname } = new URL(response.url())
    if (response.status() === 404 && isPage && NOT_FOR_STRANGERS.test(pathname)) return
    if (response.status() >= 400)
      report(`${response.status()} ${response.request().method()} ${response.url().replace(origin, '')}`)
  }
  context.on('console', onConsole).on('weberror', onError).on('request', onRequest)
  context.on('requestfailed', onFailure).on('response', onResponse)
  return () => {
    context.off('console', onConsole).off('weberror', onError).off('request', onRequest)
    context.off('requestfailed', onFailure).off('response', onResponse)
  }
}

/** Moves the pointer over a built page, which starts its app, and waits until the app answers. */
export async function reachFor(page: Page) {
  await page.mouse.move(300, 300)
  await page.mouse.move(310, 310)
  await expect(page.locator('html')).toHaveAttribute('data-quiet', '')
}

/** The short message at the screen's edge that holds this text. */
export function toast(page: Page, text: string) {
  return page.locator('[data-sonner-toast]').filter({ hasText: text })
}

/** The Data API's answer to a write when the database was cut off in the middle: it may have been made. */
const UNKNOWN = { code: 'PGRST001', message: 'Database client error. Retrying the connection.' }

/**
 * The server gets the first request of this method to such an address, and its answer never arrives; `unknown`: it is that
 * nobody knows.
 */
export async function loseAnswer(
  page: Page,
  method: 'POST' | 'PATCH',
  address: RegExp,
  { unknown = false } = {},
) {
  let lost = 0
  await page.route(address, async (route) => {
    if (route.request().method() !== method || lost > 0) return route.fallback()
    await route.fetch()
    lost++
    if (unknown) await route.fulfill({ status: 503, json: UNKNOWN })
    else await route.abort()
  })
  return { lost: () => lost }
}

/** Forgets the session from an address that runs no app: one that runs would go on asking, as a stranger. */
export async function forgetSession(page: Page) {
  await page.goto('/config.json')
  await page.evaluate(() => localStorage.clear())
}
