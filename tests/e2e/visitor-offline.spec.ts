// Visitors who are not signed in: what they have opened opens again without a network.
import type { Page } from '@playwright/test'
import { VISITED_ASSETS, VISITED_PAGES } from '../../shared/worker.ts'
import { expect, NARROW, NO_NETWORK, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { keptNames } from './kept.ts'
import { startProxy } from './proxy.ts'
import { PASSWORD } from './server.ts'
import { activeWorker, visitorReady, workerReady } from './workers.ts'

test.use({ serviceWorkers: 'allow' })

/** As anybody who reads a page does. */
const touch = (page: Page) => page.mouse.wheel(0, 300)
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const lacks = (page: Page) => page.getByRole('main').getByRole('alert')

async function signIn(page: Page, email: string) {
  await page.goto('/auth')
  await page.getByRole('main').getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL('/dashboard')
}

/** Forgets the files that earlier tests in this browser have loaded: a worker gets them from there without a network. */
async function forgetFiles(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  await session.detach()
}

/** Whether this browser has stored pages that a visitor saw; a store that is not there yet is not made. */
const keptByVisitor = (page: Page) =>
  page.evaluate(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === 'kept')) return false
    return new Promise<boolean>((resolve) => {
      const opening = indexedDB.open('kept')
      opening.onsuccess = () => {
        const found = opening.result.transaction('entries').objectStore('entries').getKey('queries:visitor')
        found.onsuccess = () => resolve(found.result !== undefined)
        opening.result.close()
      }
    })
  })

test('a stranger opens again what they have opened, with the tasks they saw; the rest says what is lacking', async ({
  page,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  await forgetFiles(page)
  const { title } = await postedTask(server)
  await page.setViewportSize(NARROW)
  await page.goto('/faq')
  await touch(page)
  await visitorReady(page)
  await page.goto('/browse')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
  await touch(page)
  await page.waitForLoadState('networkidle')
  // The list is saved shortly after it is shown.
  await expect.poll(() => keptByVisitor(page)).toBe(true)
  await page.context().setOffline(true)
  await page.goto('/faq')
  await expect(heading(page)).toHaveText('Frequently asked questions')
  await page.goto('/browse')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
  await touch(page)
  await expect(page.getByText('You are offline').first()).toBeVisible()
  await expect(lacks(page)).toHaveCount(0)
  // A search of which nothing was seen.
  await page.goto('/browse?search=piano')
  await touch(page)
  await expect(lacks(page)).toContainText('Nothing is kept here yet')
  await page.goto('/terms')
  await expect(lacks(page)).toContainText('This page could not be shown')
  await expect(lacks(page)).toContainText('You are offline')
  await page.context().setOffline(false)
  // The browser detects the network a moment before the worker has it.
  await expect(async () => {
    await page.reload()
    await expect(heading(page)).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await expect(lacks(page)).toHaveCount(0)
})

test('a page that a visitor has read in French opens in French, by its address and by the one without a language', async ({
  page,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  const { title } = await postedTask(server)
  await page.goto('/fr/faq')
  await touch(page)
  await visitorReady(page)
  await page.goto('/fr/browse')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
  await touch(page)
  await page.waitForLoadState('networkidle')
  await expect.poll(() => keptByVisitor(page)).toBe(true)
  await page.context().setOffline(true)
  const expectFrench = async (address: string, words: string) => {
    await page.goto(address)
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
    await expect(heading(page)).toHaveText(words)
  }
  await expectFrench('/fr/faq', 'Foire aux questions')
  await expectFrench('/fr/browse', 'Tâches disponibles')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
  await touch(page)
  await expect(page.getByText('Vous êtes hors ligne').first()).toBeVisible()
  await expect(lacks(page)).toHaveCount(0)
  // The language that a visitor has chosen, at the address without one.
  await page.evaluate(() => localStorage.setItem('language', 'fr'))
  await expectFrench('/faq', 'Foire aux questions')
})

test('a release reaches visitors with the next page, and a sign-in brings the app’s worker, both without a question', async ({
  browser,
  server,
}) => {
  const proxy = await startProxy(server.url)
  const context = await browser.newContext({ baseURL: proxy.url, reducedMotion: 'reduce' })
  try {
    const page = await context.newPage()
    await page.goto('/faq')
    await touch(page)
    await visitorReady(page)
    proxy.change('/faq', (text) => text.replace('<html ', '<html data-release="next" '))
    proxy.change('/visitor-worker.js', (text) => `${text}\n// the next version`)
    await page.goto('/faq')
    await expect(page.locator('html')).toHaveAttribute('data-release', 'next')
    await touch(page)
    await page.waitForLoadState('networkidle')
    await expect(toast(page, 'A new version is ready')).toHaveCount(0)

    await signIn(page, await server.newAccount('theo'))
    await workerReady(page)
    await page.waitForFunction(
      () =>
        new URL(navigator.serviceWorker.controller?.scriptURL ?? '/', location.href).pathname ===
        '/service-worker.js',
    )
    await expect(toast(page, 'A new version is ready')).toHaveCount(0)
    const names = () => page.evaluate(() => caches.keys())
    await expect.poll(names).not.toContain(VISITED_PAGES)
    expect(await names()).not.toContain(VISITED_ASSETS)
    await page.reload()
    await expect(heading(page)).toBeVisible()
    await expect(toast(page, 'A new version is ready')).toHaveCount(0)
  } finally {
    await context.close()
    await proxy.close()
  }
})

test('a person who signs out leaves nothing of their account, and stays with the app’s worker', async ({
  page,
  server,
}) => {
  const { title } = await postedTask(server)
  await page.goto('/faq')
  await touch(page)
  await visitorReady(page)
  await signIn(page, await server.newAccount('theo'))
  await workerReady(page)
  await page.goto('/browse')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await expect.poll(() => keptNames(page)).toEqual([])
  await page.goto('/faq')
  await touch(page)
  await page.waitForLoadState('networkidle')
  expect(await activeWorker(page)).toBe('/service-worker.js')
})

test('a visitor who only looks at a page, without touching it, gets no worker', async ({ page }) => {
  await page.goto('/faq')
  await page.waitForLoadState('networkidle')
  expect(await activeWorker(page)).toBeNull()
})
