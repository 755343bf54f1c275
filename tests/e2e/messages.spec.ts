// The floating messages button and its drawer (specification 000 §2 'Messages drawer'), and the chat in it, with two
// people at once.
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, type Job, say } from './jobs.ts'
import type { AppServer } from './server.ts'

const button = (page: Page) => page.getByRole('complementary', { name: 'Messages' }).getByRole('button')
const drawer = (page: Page) => page.getByRole('dialog')
const write = async (page: Page, text: string) => {
  await drawer(page).getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}
/** The messages of a booking as the database has them, oldest first. */
async function saidIn(server: AppServer, { bookingId }: Job) {
  const grace = await server.signedIn('grace')
  const { data } = await grace
    .from('messages')
    .select('message')
    .eq('booking_id', bookingId)
    .order('created_at')
    .throwOnError()
  return data.map(({ message }) => message)
}
/** Long before a screen that hears of changes would ask by itself. */
const soon = { timeout: 10_000 }

test('nobody is signed in: no messages button', async ({ page }) => {
  await page.goto('/faq')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
  await expect(button(page)).toHaveCount(0)
})

test('without a conversation the drawer says how one begins; Escape gives the focus back', async ({
  signedInPage,
}) => {
  const page = await signedInPage('sam', NARROW)
  await page.goto('/faq')
  await button(page).click()
  await expect(drawer(page).getByText('No conversations yet')).toBeVisible()
  await expect(drawer(page).getByText('Start by accepting a task booking')).toBeVisible()
  await inBothLooks(page, async () => {
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)
  await expect(button(page)).toBeFocused()
})

test('a conversation begins, is announced, read and answered, each under the other’s eyes', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const job = await appliedJob(server, { giver: email })
  const grace = await signedInPage(email)
  await grace.goto('/dashboard')
  await button(grace).click()
  await expect(drawer(grace).getByText('No conversations yet')).toBeVisible()

  // The drawer is open while the booking is accepted elsewhere.
  const elsewhere = await server.signedIn(email)
  await elsewhere.from('bookings').update({ status: 'accepted' }).eq('id', job.bookingId).throwOnError()
  const entry = drawer(grace).getByRole('listitem').filter({ hasText: job.title })
  await expect(entry).toContainText('Theo K.', soon)
  await grace.keyboard.press('Escape')
  await expect(button(grace)).toHaveText('')

  // Ten messages, and the count stops at 9+.
  for (let nth = 1; nth <= 10; nth++) await say(server, 'theo', email, job, `Message ${nth}`)
  await expect(button(grace)).toHaveText('9+', soon)
  await expect(button(grace)).toHaveAccessibleName('Messages, 10 unread')
  await grace.goto(`/bookings?booking=${job.bookingId}`)
  await expect(
    bookingCard(grace, job).getByRole('button', { name: /Chat.*10 unread messages/ }),
  ).toContainText('9+')
  await button(grace).click()
  await expect(entry).toContainText('Message 10')
  await expect(entry).toContainText('9+')
  await expect(entry).toContainText('Just now')
  await inBothLooks(grace, () => expectAccessible(grace))

  const theo = await signedInPage('theo', NARROW)
  await theo.goto('/faq')
  await button(theo).click()
  await drawer(theo).getByRole('button', { name: job.title }).click()
  await expect(drawer(theo).getByRole('textbox')).toBeFocused()
  await entry.getByRole('button').click()
  await expect(drawer(grace).getByText('Message 10')).toBeInViewport()
  await expect(
    drawer(theo).getByRole('listitem').filter({ hasText: 'Message 10' }).getByLabel('Read'),
  ).toBeVisible(soon)
  await write(grace, 'Ten messages!')
  await expect(drawer(theo).getByText('Ten messages!')).toBeVisible(soon)
  await inBothLooks(grace, async () => {
    await expectNoSidewaysScroll(grace)
    await expectAccessible(grace)
  })

  await drawer(grace).getByRole('button', { name: 'Back to all conversations' }).click()
  await expect(entry.getByRole('button')).toBeFocused()
  await expect(entry).toContainText('You: Ten messages!')
  await expect(entry.getByText('unread')).toHaveCount(0)
  await grace.keyboard.press('Escape')
  await expect(button(grace)).toHaveText('')
})

test('while conversations load it says so; an error is only logged, and they can be asked for again', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^500 GET \/rest\/v1\/conversations/)
  problems.allow(/^console: The conversations could not be loaded/)
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  let broken = true
  await page.route(/\/rest\/v1\/conversations/, async (route) => {
    if (!broken) return route.fallback()
    await asked
    return route.fulfill({ status: 500, json: { code: 'XX000', message: 'Internal error' } })
  })
  await page.goto('/faq')
  await button(page).click()
  await expect(drawer(page).getByText('Loading conversations...')).toBeVisible()
  answer()
  const again = drawer(page).getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible()
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
  broken = false
  await again.click()
  await expect(drawer(page).getByRole('button', { name: job.title })).toBeVisible()
})

test('the button gives way to what a page is for', async ({ signedInPage }) => {
  const page = await signedInPage('grace', NARROW)
  for (const path of ['/post-task', '/dashboard', '/bookings', '/profile', '/']) {
    await page.goto(path)
    await expect(button(page)).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    for (const action of await page.locator('main :is(a, button).bg-wheat').all()) {
      if (!(await action.isVisible())) continue
      // Where the thumb would have both: the action at the very foot of the window.
      await action.evaluate((element) => element.scrollIntoView({ block: 'end' }))
      await expect
        .poll(async () => {
          const [theirs, ours] = await Promise.all([action.boundingBox(), button(page).boundingBox()])
          if (!theirs || !ours) return 'gone'
          const beside = ours.x >= theirs.x + theirs.width || theirs.x >= ours.x + ours.width
          return beside || ours.y + ours.height <= theirs.y || theirs.y + theirs.height <= ours.y
            ? 'free'
            : 'covered'
        })
        .toBe('free')
    }
  }
})

test('sixty messages: the newest are there, older ones come in as one scrolls, and nothing jumps', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const number = (nth: number) => `Number ${String(nth).padStart(2, '0')}.`
  for (let nth = 1; nth <= 60; nth++)
    await say(server, nth % 2 ? 'theo' : 'grace', nth % 2 ? 'grace' : 'theo', job, number(nth))
  const page = await signedInPage('grace', NARROW)
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  const log = drawer(page).getByRole('log')
  await expect(drawer(page).getByRole('textbox')).toBeFocused()
  await expect(log.getByText(number(60))).toBeInViewport()
  await expect(log.getByText(number(1))).toHaveCount(0)
  // On a phone the chat has the whole window.
  expect(await drawer(page).boundingBox()).toMatchObject({ x: 0, y: 0, ...NARROW })

  const oldest = log.getByText(number(31))
  await oldest.scrollIntoViewIfNeeded()
  await expect(log.getByText(number(20))).toBeAttached()
  await expect(oldest).toBeInViewport()
  await log.getByText(number(1)).scrollIntoViewIfNeeded()
  const shown = await log.getByText(/^Number \d\d\.$/).allTextContents()
  expect(shown).toEqual(Array.from({ length: 60 }, (_, nth) => number(nth + 1)))

  // A message that comes in meanwhile does not pull the reader away; the way back to it is one tap.
  await say(server, 'theo', 'grace', job, 'The very newest.')
  await expect(log.getByText('The very newest.')).toBeAttached(soon)
  await expect(log.getByText(number(1))).toBeInViewport()
  await drawer(page).getByRole('button', { name: 'Newest messages' }).click()
  await expect(log.getByText('The very newest.')).toBeInViewport()
  await expect(drawer(page).getByRole('button', { name: 'Newest messages' })).toHaveCount(0)
})

test('what is written offline is sent once and in order when the network is back; drafts stay', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^net::ERR_INTERNET_DISCONNECTED/)
  problems.allow(/^console: WebSocket/)
  const [job, other] = [await acceptedJob(server), await acceptedJob(server)]
  const page = await signedInPage('grace')
  const open = async (title: string) => drawer(page).getByRole('button', { name: title }).click()
  await page.goto('/faq')
  await button(page).click()
  await open(job.title)
  const log = drawer(page).getByRole('log')
  await expect(log).toBeVisible()
  await write(page, 'On the line.')
  await expect(log.getByRole('listitem').filter({ hasText: 'On the line.' }).getByLabel('Sent')).toBeVisible()

  await page.context().setOffline(true)
  for (const text of ['One.', 'Two.', 'Three.']) await write(page, text)
  await expect(log.getByRole('button', { name: 'Try again' })).toHaveCount(3)
  await expect(log.getByText('Not sent.')).toHaveCount(3)
  await drawer(page).getByRole('textbox').fill('Half a thou')
  await drawer(page).getByRole('button', { name: 'Back to all conversations' }).click()
  await open(other.title)
  await expect(drawer(page).getByRole('textbox')).toHaveValue('')
  await drawer(page).getByRole('button', { name: 'Back to all conversations' }).click()
  await open(job.title)
  await expect(drawer(page).getByRole('textbox')).toHaveValue('Half a thou')
  await expect(log.getByText('Not sent.')).toHaveCount(3)

  await page.context().setOffline(false)
  await expect(log.getByText('Not sent.')).toHaveCount(0)
  for (const text of ['One.', 'Two.', 'Three.'])
    await expect(log.getByRole('listitem').filter({ hasText: text }).getByLabel('Sent')).toBeVisible()
  expect(await saidIn(server, job)).toEqual(['On the line.', 'One.', 'Two.', 'Three.'])
})

test('a message whose answer is lost is there once, also after a reload; a refused one says why', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^net::ERR_(FAILED|CONNECTION)/)
  problems.allow(/^403 POST \/rest\/v1\/messages/)
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  let losing = true
  await page.route(/\/rest\/v1\/messages/, async (route) => {
    if (!losing || route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  await expect(drawer(page).getByText('No messages yet.')).toBeVisible()
  await write(page, 'Did this arrive?')
  await expect.poll(() => saidIn(server, job)).toEqual(['Did this arrive?'])
  await expect
    .poll(() => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.startsWith('outbox:'))))
    .toBe(true)
  losing = false
  await page.reload()
  await expect
    .poll(() => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.startsWith('outbox:'))))
    .toBe(false)
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  await expect(drawer(page).getByText('Did this arrive?')).toHaveCount(1)
  expect(await saidIn(server, job)).toEqual(['Did this arrive?'])

  await page.goto('/faq')
  await button(page).click()
  await drawer(page).getByRole('button', { name: job.title }).click()
  await expect(drawer(page).getByText('Did this arrive?')).toBeVisible()
  const theo = await server.signedIn('theo')
  await theo
    .rpc('cancel_booking', { booking_id: job.bookingId, reason: 'My truck broke down.' })
    .throwOnError()
  await write(page, 'Too late?')
  await expect(
    drawer(page).getByText('Messages can be sent between the two parties once a booking is accepted'),
  ).toBeVisible()
  await drawer(page).getByRole('button', { name: 'Delete' }).click()
  await expect(drawer(page).getByText('Too late?')).toHaveCount(0)
  expect(await saidIn(server, job)).toEqual(['Did this arrive?'])
})

test('one sees that the other is here and types, and no longer when they leave', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const [grace, theo] = await Promise.all([signedInPage('grace'), signedInPage('theo', NARROW)])
  for (const page of [grace, theo]) {
    await page.goto('/faq')
    await button(page).click()
    await drawer(page).getByRole('button', { name: job.title }).click()
  }
  const signs = drawer(grace).getByRole('status')
  await expect(signs).toHaveText('Theo K. is here', soon)
  await drawer(theo).getByRole('textbox').pressSequentially('On my w')
  await expect(signs).toHaveText('Theo K. is typing…', soon)
  await write(theo, 'On my way')
  await expect(drawer(grace).getByText('On my way')).toBeVisible(soon)
  await expect(signs).toHaveText('Theo K. is here', soon)
  await theo.keyboard.press('Escape')
  await expect(signs).toHaveText('', soon)
})
