// /notifications: all of them by day, page by page, where the bell ends; read and unread, one and all.
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import type { AppServer } from './server.ts'

const HOUR_MS = 3_600_000
const main = (page: Page) => page.getByRole('main')
const rows = (page: Page) => main(page).getByRole('listitem')
const day = (page: Page, name: string) => main(page).getByRole('heading', { level: 2, name, exact: true })

/** So many notifications, the newest first: number 1 now, each next one three hours older, read from `unread` on. */
async function notified(server: AppServer, email: string, count: number, unread: number) {
  const { data } = await (await server.signedIn(email)).auth.getUser()
  const noon = new Date(new Date().setUTCHours(18, 0, 0, 0)).getTime()
  const row = (nth: number) => ({
    user_id: data.user?.id,
    key: 'payment_released',
    title: `Payment released ${nth}`,
    message: `Grace released $80.00 for job number ${nth}.`,
    link: '/bookings',
    read: nth > unread,
    created_at: new Date(Math.min(Date.now(), noon) - (nth - 1) * 3 * HOUR_MS).toISOString(),
  })
  await server
    .operator()
    .from('notifications')
    .insert(Array.from({ length: count }, (_, at) => row(at + 1)))
    .throwOnError()
}

test('the bell leads to all of them: by day, page by page, and back to the same place', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  await notified(server, email, 44, 2)
  const page = await signedInPage(email)
  await page.goto('/faq')
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  const bell = page.getByRole('dialog', { name: 'Notifications' })
  await expect(bell.getByRole('listitem')).toHaveCount(10)
  await bell.getByRole('link', { name: 'See all notifications' }).click()
  await expect(page).toHaveURL('/notifications')
  await expect(bell).toHaveCount(0)
  await expect(page).toHaveTitle(/^Notifications/)
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Notifications')
  await expect(main(page).getByRole('link', { name: 'Notification settings' })).toBeVisible()
  await expect(day(page, 'today')).toBeVisible()
  await expect(day(page, 'yesterday')).toBeVisible()
  await expect(rows(page)).toHaveCount(30)
  await expect(main(page).getByText('30 of 44')).toBeVisible()
  await inBothLooks(page, async () => {
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
  await main(page).getByRole('button', { name: 'Show older ones' }).click()
  await expect(rows(page)).toHaveCount(44)
  await expect(rows(page).last()).toContainText('job number 44.')
  await expect(rows(page).nth(30).getByRole('link')).toBeFocused()

  // A row leads where the bell's does; Back shows the same rows at the same place.
  const old = rows(page).filter({ hasText: 'job number 40.' }).getByRole('link')
  await old.scrollIntoViewIfNeeded()
  const place = await page.evaluate(() => scrollY)
  expect(place).toBeGreaterThan(500)
  await old.click()
  await expect(page).toHaveURL('/bookings')
  await page.goBack()
  await expect(rows(page)).toHaveCount(44)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeCloseTo(place, -2)
})

test('one is read by opening it, all by the button; only the unread ones are shown where asked', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  await notified(server, email, 6, 3)
  const page = await signedInPage(email, NARROW)
  await page.goto('/notifications')
  await expect(rows(page)).toHaveCount(6)
  await expect(rows(page).getByText('Unread')).toHaveCount(3)
  await main(page).getByRole('tab', { name: 'Unread' }).click()
  await expect(page).toHaveURL('/notifications?show=unread')
  await expect(rows(page)).toHaveCount(3)
  await rows(page).first().getByRole('link').click()
  await expect(page).toHaveURL('/bookings')
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible()
  await main(page).getByRole('button', { name: 'mark all as read' }).click()
  await expect(main(page)).toContainText('You have read everything')
  await expect(main(page).getByRole('button', { name: 'mark all as read' })).toHaveCount(0)
  await expect(
    page.getByRole('banner').getByRole('button', { name: 'Notifications', exact: true }),
  ).toBeVisible()
  await expectAccessible(page)
  await main(page).getByRole('tab', { name: 'All' }).click()
  await expect(rows(page)).toHaveCount(6)
  await expect(rows(page).getByText('Unread')).toHaveCount(0)

  // One that comes while the page is open is there by itself.
  await notified(server, email, 1, 1)
  await expect(rows(page)).toHaveCount(7, { timeout: 10_000 })
})

test('without any it says so; what cannot be loaded is tried again; strangers sign in first', async ({
  page,
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^500 GET \/rest\/v1\/notifications/)
  await page.goto('/notifications')
  await expect(page).toHaveURL('/auth?next=%2Fnotifications')

  const sam = await signedInPage(await server.newAccount('grace'))
  // Until it is asked for again: the live connection, once it is open, asks by itself.
  const isAsked = () => sam.evaluate(() => document.documentElement.dataset.asked === 'true')
  await sam.route(/\/rest\/v1\/notifications\?.*limit=30/, async (route) =>
    (await isAsked())
      ? route.fallback()
      : route.fulfill({ status: 500, json: { code: 'XX000', message: 'Internal error' } }),
  )
  await sam.goto('/notifications')
  await expect(main(sam).getByRole('alert')).toContainText('could not be loaded', { timeout: 20_000 })
  await sam.evaluate(() => {
    document.addEventListener(
      'click',
      () => Object.assign(document.documentElement.dataset, { asked: 'true' }),
      true,
    )
  })
  await main(sam).getByRole('button', { name: 'Try again' }).click()
  await expect(main(sam)).toContainText('No notifications yet')
  await expectAccessible(sam)
})
