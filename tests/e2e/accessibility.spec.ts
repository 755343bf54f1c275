// Every page, opened once and looked at narrow in the light theme and wide in the dark one: axe finds nothing, and
// nothing scrolls sideways (nor at 320, which is 1280 at 400 %). Each page has one first heading and a unique title.
import type { Page } from '@playwright/test'
import {
  expectAccessible,
  expectGoodLooks,
  expectNoSidewaysScroll,
  type Scope,
  showTheme,
} from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, bookingCard, chooseAnotherCard, complainedJob, paidJob, postedTask } from './jobs.ts'
import type { AppServer } from './server.ts'
import { checkTexts } from './translator.ts'

// Nothing here depends on another test's traces: the pages are spread over all workers.
test.describe.configure({ mode: 'parallel', timeout: 900_000 })

const ANYONE = [
  '/',
  '/auth',
  '/auth?view=sign-up',
  '/auth?view=forgot-password',
  '/browse',
  '/browse?search=nothing+is+called+this',
  '/profile/:theo',
  '/find-taskers',
  '/become-tasker',
  '/how-it-works',
  '/categories',
  '/faq',
  '/terms',
  '/privacy',
  '/unsubscribe?token=nonsense',
  '/auth/confirm?token_hash=nonsense&type=recovery',
  '/auth/confirm?type=signup',
  '/install',
  '/no-such-place',
]
const GRACE = [
  '/dashboard',
  '/post-task',
  '/task/:task',
  '/task/:task/edit',
  '/bookings',
  '/profile',
  '/profile?tab=payment',
  '/saved-taskers',
]
const THEO = [
  '/notifications',
  '/notifications/settings',
  '/profile?tab=security',
  '/profile?tab=payout',
  '/receipt/nonsense',
  '/dashboard',
  '/browse',
  '/task/:task',
  '/bookings',
  '/profile',
  '/verification',
]
// `/admin/complaints` is opened below, with complaints on it.
const ADA = [
  '/admin/verify-users',
  '/admin',
  '/admin/verifications',
  '/admin/people',
  '/admin/people/:theo',
  '/admin/money',
  '/admin/reports',
  '/admin/audit',
  '/admin/figures',
  '/admin/effects',
]

async function personId(server: AppServer, person: 'theo' | 'grace') {
  const { data } = await (await server.signedIn(person)).auth.getUser()
  return data.user?.id ?? ''
}

/** A window of 1280 by 1024 at 400 %, in which WCAG 1.4.10 wants everything read by scrolling one way. */
const MAGNIFIED = { width: 320, height: 256 }

/** Header and footer are the same on all pages of a person: they are looked at on the first one. */
const frameOnce = (index: number): Scope =>
  index === 0 ? {} : { outside: ['header.sticky', 'main ~ div > footer'] }

async function expectGoodPage(page: Page, path: string, scope: Scope = {}) {
  await page.setViewportSize(MAGNIFIED)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expect(page.getByText('Loading…')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  await expect(page).toHaveTitle(/Meadowlark/)
  await expectNoSidewaysScroll(page)
  // With reduced motion (playwright.config.ts) nothing moves endlessly.
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations === Number.POSITIVE_INFINITY)
      .map(({ effect }) => (effect as KeyframeEffect).target?.className),
  )
  expect(moving, `what moves: ${path}`).toEqual([])
  await checkTexts(page)
  // People read names, and no ids of rows.
  expect(await page.locator('body').innerText(), path).not.toMatch(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/)
  await expectGoodLooks(page, scope)
}

// In two halves, one for each worker.
for (const [half, paths] of [
  ['first', ANYONE.slice(0, 8)],
  ['second', ANYONE.slice(8)],
] as const)
  test(`public pages, ${half} half`, async ({ page, server, problems }) => {
    problems.allow(/404.*\/no-such-place/)
    const theo = await personId(server, 'theo')
    for (const [index, path] of paths.entries())
      await test.step(path, () => expectGoodPage(page, path.replace(':theo', theo), frameOnce(index)))
  })

for (const [person, paths] of [
  ['grace', GRACE],
  ['theo', THEO],
  ['ada', ADA],
] as const)
  test(`pages of ${person}`, async ({ signedInPage, server }) => {
    const page = await signedInPage(person)
    const { taskId } = await postedTask(server)
    const theo = await personId(server, 'theo')
    for (const [index, path] of paths.entries())
      await test.step(path, () =>
        expectGoodPage(page, path.replace(':task', taskId).replace(':theo', theo), frameOnce(index)),
      )
  })

test('overlays of a page', async ({ signedInPage, server }) => {
  // One with no other bookings, which would all be looked at behind each overlay.
  const giver = await server.newAccount('grace')
  const job = await acceptedJob(server, { giver })
  const page = await signedInPage(giver)
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: /^Pay/ }).click()
  await chooseAnotherCard(page)
  await expect(page.getByRole('dialog').getByLabel('Card number')).toBeVisible()
  await expectGoodLooks(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // Focus returns to what opened it.
  await expect(bookingCard(page, job).getByRole('button', { name: /^Pay/ })).toBeFocused()

  await bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await expectGoodLooks(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toHaveCount(0)

  // A menu is rendered outside of the page's landmarks; each width has its own. One that is loaded as its button is
  // pressed marks its first entry, too, and gives the focus back.
  const button = page.getByRole('button', { name: 'Theme' })
  await button.press('Enter')
  await expect(page.getByRole('menuitemradio', { name: 'Light' })).toBeFocused()
  await expectAccessible(page, { except: ['region'] })
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
  await page.getByRole('button', { name: 'Your account' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page, { except: ['region'] })
  await page.keyboard.press('Escape')
  await page.setViewportSize(NARROW)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  for (const theme of ['light', 'dark'] as const) {
    await showTheme(page, theme)
    await expectAccessible(page, { except: ['region'] })
  }
})

test('complaints and verifications', async ({ signedInPage, server }) => {
  const toAnswer = await complainedJob(server)
  const toDecide = await complainedJob(server, { answer: 'The walk was clear at four.' })
  const done = await paidJob(server)
  await (await server.signedIn('theo'))
    .from('bookings')
    .update({ status: 'completed' })
    .eq('id', done.bookingId)
    .throwOnError()
  const opened = async (page: Page, role: 'dialog' | 'alertdialog') => {
    await expect(page.getByRole(role)).toBeVisible()
    await expect(page.getByText('Loading…')).toHaveCount(0)
    // The page behind it is looked at as a page, and with a dialog above it in the test before this one.
    await expectGoodLooks(page, { within: `[role="${role}"]` })
  }

  await test.step('the giver complains', async () => {
    const page = await signedInPage('grace')
    await page.goto(`/bookings?booking=${done.bookingId}`)
    await bookingCard(page, done).getByRole('button', { name: 'Something is wrong' }).click()
    await page.getByRole('button', { name: 'Send complaint' }).click()
    await opened(page, 'alertdialog')
  })
  await test.step('the tasker answers', async () => {
    const page = await signedInPage('theo')
    await page.goto(`/bookings?booking=${toAnswer.bookingId}`)
    await bookingCard(page, toAnswer).getByRole('button', { name: 'Send answer' }).click()
    await expect(bookingCard(page, toAnswer).getByRole('alert')).toBeVisible()
    await expectGoodLooks(page)
  })
  await test.step('the admin decides', async () => {
    const page = await signedInPage('ada')
    await expectGoodPage(page, '/admin/complaints')
    for (const job of [toAnswer, toDecide]) {
      const row = page.getByRole('listitem').filter({ hasText: job.title })
      await row.getByRole('button', { name: 'Decide' }).click()
      await page.getByRole('radio', { name: job === toAnswer ? 'Release' : 'Split' }).check()
      await opened(page, 'alertdialog')
      await page.keyboard.press('Escape')
    }
    await page.goto('/admin/verify-users')
    await page.getByRole('searchbox').fill('theo@example.com')
    const row = page.getByRole('listitem').filter({ hasText: 'theo@example.com' })
    await row.getByRole('button', { name: 'Manage' }).click()
    await opened(page, 'dialog')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Verification' }).click()
    await opened(page, 'dialog')
  })
})

test('a small target counts wherever scrolling cannot bring it out', async ({ page }) => {
  await page.goto('/faq')
  const add = (style: string) =>
    page.evaluate((css) => {
      const bar = document.createElement('div')
      bar.className = 'foot-bar'
      bar.style.cssText = css
      bar.innerHTML = '<button type="button" style="width:100%;height:100%">Continue</button>'
      const field = document.createElement('div')
      field.className = 'under-it'
      field.style.cssText = 'position:fixed;inset:auto 0 4rem;height:3rem'
      field.innerHTML = '<button type="button" style="width:100%;height:100%">Below it</button>'
      document.querySelector('main')?.append(field, bar)
    }, style)
  await add('position:fixed;inset:auto 0 4rem;height:2.5rem')
  await expect(expectAccessible(page, { within: '.under-it' })).rejects.toThrow(/target-size/)
})

test('the first Tab leads past the navigation', async ({ page }) => {
  await page.goto('/faq')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#main')).toBeFocused()
})
