// The floating messages button and its drawer (specification 000 §2 'Messages drawer'), with two people at once.
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { button, drawer, soon, write } from './drawer.ts'
import { expect, NARROW, test, WIDE } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, doneJob, paidJob, say } from './jobs.ts'

test('nobody is signed in: no messages button', async ({ page }) => {
  await page.goto('/faq')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
  await expect(button(page)).toHaveCount(0)
})

test('without a conversation the drawer says how one begins; Escape gives the focus back', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('grace'), NARROW)
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

test('unread messages of a past booking are counted, and an otherwise empty drawer leads to each chat', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const another = await doneJob(server, { giver: email })
  await say(server, 'theo', email, another, 'I found your other glove.')
  const job = await doneJob(server, { giver: email })
  await say(server, 'theo', email, job, 'The gate closes by itself now.')
  const page = await signedInPage(email, NARROW)
  await page.goto('/faq')
  await expect(button(page)).toHaveText('2')
  await button(page).click()
  await expect(drawer(page).getByRole('heading', { name: 'Unread in past bookings: 2' })).toBeVisible()
  // Each has its own way.
  for (const { title } of [another, job])
    await expect(drawer(page).getByRole('link', { name: `${title} 1 unread message` })).toBeVisible()
  const past = drawer(page).getByRole('link', { name: job.title })
  await inBothLooks(page, async () => {
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
  await past.click()
  await expect(page).toHaveURL(`/bookings?booking=${job.bookingId}`)
  await expect(drawer(page)).toHaveCount(0)
  await bookingCard(page, job)
    .getByRole('button', { name: /Chat.*1 unread message/ })
    .click()
  await expect(drawer(page).getByText('The gate closes by itself now.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(button(page)).toHaveText('1', soon)
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
  await expect(entry).toContainText('Theo Kowalchuk', soon)
  await grace.keyboard.press('Escape')
  await expect(button(grace)).toHaveText('')

  // Ten messages, and the count stops at 9+.
  for (let nth = 1; nth <= 9; nth++) await say(server, 'theo', email, job, `Message ${nth}`)
  await expect(button(grace)).toHaveText('9', soon)
  await say(server, 'theo', email, job, 'Message 10')
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
  await expect(entry.locator('img[src$="/portraits/theo.svg"]')).toBeVisible()
  await inBothLooks(grace, () => expectAccessible(grace))

  const theo = await signedInPage('theo', NARROW)
  await theo.goto('/faq')
  await button(theo).click()
  await drawer(theo).getByRole('button', { name: job.title }).click()
  await expect(drawer(theo).getByRole('textbox')).toBeFocused()
  // Back on a phone: to the list, then to the page that one was on.
  await theo.goBack()
  await expect(drawer(theo).getByRole('textbox')).toHaveCount(0)
  await theo.goBack()
  await expect(drawer(theo)).toHaveCount(0)
  await expect(theo).toHaveURL('/faq')
  await button(theo).click()
  await drawer(theo).getByRole('button', { name: job.title }).click()
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
  // The list is also read again by itself: the first answer is an error, the others come once they were asked for by hand.
  let askAgain = () => {}
  const askedAgain = new Promise<void>((resolve) => {
    askAgain = resolve
  })
  let broken = true
  await page.route(/\/rest\/v1\/conversations/, async (route) => {
    if (!broken) {
      await askedAgain
      return route.fallback()
    }
    await asked
    broken = false
    return route.fulfill({ status: 500, json: { code: 'XX000', message: 'Internal error' } })
  })
  await page.goto('/faq')
  await button(page).click()
  await expect(drawer(page).getByText('Loading conversations...')).toBeVisible()
  answer()
  const again = drawer(page).getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible()
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
  // A key, not a click: a click waits for a button that is loading.
  await again.press('Enter')
  askAgain()
  await expect(drawer(page).getByRole('button', { name: job.title })).toBeVisible()
  await expect(drawer(page).getByRole('listitem').first().getByRole('button')).toBeFocused()
})

test('the button has one place: in the header, and in the margin of a wide window', async ({
  signedInPage,
}) => {
  const page = await signedInPage('grace', NARROW)
  for (const viewport of [NARROW, { width: 1279, height: 768 }, WIDE]) {
    await page.setViewportSize(viewport)
    const places = new Set<string>()
    for (const path of ['/post-task', '/dashboard', '/bookings', '/']) {
      await page.goto(path)
      await expect(button(page)).toBeInViewport({ ratio: 1 })
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
      await expect(button(page)).toBeInViewport({ ratio: 1 })
      const { x, y, width } = (await button(page).boundingBox()) ?? { x: 0, y: 0, width: 0 }
      places.add(`${x} ${y} ${width}`)
      const header = await page.getByRole('banner').boundingBox()
      expect(y < (header?.height ?? 0), `${viewport.width}: in the header`).toBe(viewport.width < 1280)
    }
    expect(places.size, `places at ${viewport.width}: ${[...places]}`).toBe(1)
  }
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
  const signs = drawer(grace)
    .getByRole('status')
    .filter({ hasText: /here|typing/ })
  await expect(signs).toHaveText('Theo Kowalchuk is here', soon)
  await drawer(theo).getByRole('textbox').pressSequentially('On my w')
  await expect(signs).toHaveText('Theo Kowalchuk is typing…', soon)
  await write(theo, 'On my way')
  await expect(drawer(grace).getByText('On my way')).toBeVisible(soon)
  await expect(signs).toHaveText('Theo Kowalchuk is here', soon)
  await theo.keyboard.press('Escape')
  await expect(signs).toHaveCount(0, soon)
})

test('on a phone a chat stays open while its booking moves on below it', async ({ signedInPage, server }) => {
  const job = await paidJob(server)
  const grace = await signedInPage('grace', NARROW)
  await grace.goto('/bookings')
  await expect(bookingCard(grace, job)).toContainText('In Progress')
  await button(grace).click()
  await drawer(grace).getByRole('button', { name: job.title }).click()
  await drawer(grace).getByRole('textbox').fill('Is the')
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  // By its text: elements below an open drawer have no role.
  const card = grace.locator('main li').filter({ hasText: job.title }).first()
  await expect(card).toContainText('Confirm and Release', soon)
  await expect(drawer(grace).getByRole('textbox')).toHaveValue('Is the')
  await expect(drawer(grace).getByRole('textbox')).toBeFocused()
  await grace.goBack()
  await expect(drawer(grace).getByRole('heading', { name: 'Messages' })).toBeVisible()
  await grace.goBack()
  await expect(drawer(grace)).toHaveCount(0)
  await expect(grace).toHaveURL('/bookings')
})
