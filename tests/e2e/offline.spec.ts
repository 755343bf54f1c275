// Without a network: what was last seen can be read, by its account alone, and is gone once that signs out.
import type { Page } from '@playwright/test'
import { button, drawer } from './drawer.ts'
import { expect, NO_NETWORK, test } from './fixtures.ts'
import { acceptedJob, bookingCard, say } from './jobs.ts'

test.use({ serviceWorkers: 'allow' })

/** The names of what this browser keeps. */
const kept = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('kept')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const names = opening.result.transaction('entries').objectStore('entries').getAllKeys()
          names.onsuccess = () => resolve(names.result.map(String))
          opening.result.close()
        }
      }),
  )

/** Waits until what this page shows is kept: the next save has been made. */
async function untilKept(page: Page, text: string) {
  const isThere = () =>
    page.evaluate(
      (wanted) =>
        new Promise<boolean>((resolve) => {
          const opening = indexedDB.open('kept')
          opening.onsuccess = () => {
            const all = opening.result.transaction('entries').objectStore('entries').getAll()
            all.onsuccess = () => resolve(JSON.stringify(all.result).includes(wanted))
            opening.result.close()
          }
        }),
      text,
    )
  await expect.poll(isThere).toBe(true)
}

test('tasks, bookings and conversations that were seen are read offline, by their account alone', async ({
  lend,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  const email = await server.newAccount('grace')
  const job = await acceptedJob(server, { giver: email })
  const words = `The side door is open ${job.bookingId.slice(0, 8)}`
  await say(server, 'theo', email, job, words)
  const { context } = await lend()
  const page = await context.newPage()
  const signIn = async (address: string) => {
    await page.goto('/auth')
    const form = page.getByRole('main')
    await form.getByLabel('Email').fill(address)
    await form.getByLabel('Password', { exact: true }).fill('Meadowlark1')
    await form.locator('form').getByRole('button', { name: 'Sign In' }).click()
    await expect(page).toHaveURL('/dashboard')
  }

  await test.step('seen while there is a network', async () => {
    await signIn(email)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(page, job)).toBeVisible()
    await button(page).click()
    await drawer(page).getByRole('listitem').filter({ hasText: job.title }).click()
    await expect(drawer(page).getByText(words)).toBeVisible()
    await untilKept(page, `["messages","${job.bookingId}"]`)
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  })

  await test.step('read without, also when the session’s token has run out', async () => {
    await page.evaluate(() => {
      const name = Object.keys(localStorage).find((key) => key.endsWith('-auth-token')) ?? ''
      const session = JSON.parse(localStorage.getItem(name) ?? '{}')
      localStorage.setItem(name, JSON.stringify({ ...session, expires_at: 1_000 }))
    })
    await context.setOffline(true)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(page, job)).toBeVisible()
    await expect(page.getByText('You are offline').first()).toBeVisible()
    await button(page).click()
    await drawer(page).getByRole('listitem').filter({ hasText: job.title }).click()
    await expect(drawer(page).getByText(words)).toBeVisible()
  })

  await test.step('gone once they sign out', async () => {
    await context.setOffline(false)
    await page.goto('/dashboard')
    await expect(page.getByText('You are offline')).toHaveCount(0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    await expect(page).toHaveURL('/')
    await expect.poll(() => kept(page)).toEqual([])
  })

  await test.step('and nothing of it for whoever signs in next', async () => {
    await signIn('sam@example.com')
    await page.goto('/bookings')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await untilKept(page, 'sam@example.com')
    await context.setOffline(true)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(page.getByText('You are offline').first()).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText(job.title)).toHaveCount(0)
  })
})
