// The chat itself: long conversations, the network that goes and comes back, photos (specification 001 §4).
import sharp from 'sharp'
import { expectAccessible, expectFocusKept, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { button, drawer, soon, write } from './drawer.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard, type Job, paidJob, say } from './jobs.ts'
import { keptNames } from './kept.ts'
import { confirmCandidate } from './keyboard.ts'
import type { AppServer } from './server.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ translated: true })

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

test('a chat stays open, with what was typed, when its booking moves to another tab', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server)
  const grace = await signedInPage('grace')
  await grace.goto('/bookings?tab=in_progress')
  await bookingCard(grace, job).getByRole('button', { name: 'Chat' }).click()
  await drawer(grace).getByRole('textbox').fill('Is the')
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  // By its text: what is below an open dialog has no role.
  await expect(grace.locator('main li').filter({ hasText: job.title })).toContainText('Completed', soon)
  await expect(grace.locator('main li').filter({ hasText: job.title })).not.toContainText('Chat')
  await expect(drawer(grace).getByText('The task is completed.', { exact: false })).toBeVisible()
  await expect(drawer(grace).getByRole('textbox')).toHaveValue('Is the')
  await expect(drawer(grace).getByRole('textbox')).toBeFocused()
  await write(grace, 'Is the gate closed?')
  await expect.poll(() => saidIn(server, job)).toEqual(['Is the gate closed?'])
  await grace.keyboard.press('Escape')
  await expect(drawer(grace)).toHaveCount(0)
  await expectFocusKept(grace)
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
  // Back leaves the chat, not the page; closed by its own button, it leaves no step for Back behind.
  await page.goBack()
  await expect(drawer(page)).toHaveCount(0)
  await expect(page).toHaveURL(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  await drawer(page).getByRole('button', { name: 'Close' }).click()
  await expect(drawer(page)).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => history.state?.step)).toBeUndefined()
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()

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

  // Only what the other has said can be reported, by the flag that touching it shows.
  const said = (text: string) => log.getByRole('listitem').filter({ hasText: text })
  const report = { name: 'Report this message' }
  await expect(said(number(60)).getByRole('button', report)).toHaveCount(0)
  const flag = said('The very newest.').getByRole('button', report)
  await expect(flag).toHaveCSS('opacity', '0')
  await said('The very newest.').click()
  await expect(flag).toHaveCSS('opacity', '1')
  await flag.click()
  const dialog = page.getByRole('alertdialog', report)
  await dialog.getByLabel('Your reason').fill('Theo asks to be paid in cash.')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(toast(page, 'Report sent')).toBeVisible()
  await expect(drawer(page).getByRole('textbox')).toBeVisible()
})

test('messages written offline are sent once and in order when the network is back; drafts stay', async ({
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
  const box = drawer(page).getByRole('textbox')
  await box.fill('On the')
  await confirmCandidate(box)
  await expect(box).toHaveValue('On the')
  // Nor does the Escape that closes its list of candidates close the chat.
  await box.dispatchEvent('keydown', { key: 'Escape', keyCode: 229, isComposing: true })
  await expect(box).toBeVisible()
  await write(page, 'On the line.')
  const sent = log.getByRole('listitem').filter({ hasText: 'On the line.' }).getByLabel('Sent')
  await expect(sent).toBeVisible()
  await expect(sent.locator('path')).toHaveCount(1)
  // Nothing but blanks is no message, and a long one ends at 1000 characters.
  await box.fill('   ')
  await expect(drawer(page).getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await box.fill('')
  await page.keyboard.insertText('x'.repeat(1005))
  await expect(box).toHaveValue('x'.repeat(1000))

  await page.context().setOffline(true)
  for (const text of ['One.', '  Two. ', 'Three.']) await write(page, text)
  await expect(log.getByRole('button', { name: 'Try again' })).toHaveCount(3)
  await expect(log.getByText('Waiting for a connection.')).toHaveCount(3)
  await drawer(page).getByRole('textbox').fill('Half a thou')
  await drawer(page).getByRole('button', { name: 'Back to all conversations' }).click()
  await open(other.title)
  await expect(drawer(page).getByRole('textbox')).toHaveValue('')
  await drawer(page).getByRole('button', { name: 'Back to all conversations' }).click()
  await open(job.title)
  await expect(drawer(page).getByRole('textbox')).toHaveValue('Half a thou')
  await expect(log.getByText('Waiting for a connection.')).toHaveCount(3)

  await page.context().setOffline(false)
  await expect(log.getByText('Waiting for a connection.')).toHaveCount(0)
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
  await expect.poll(() => keptNames(page)).toContainEqual(expect.stringMatching(/^outbox:/))
  losing = false
  await page.reload()
  await expect.poll(() => keptNames(page)).not.toContainEqual(expect.stringMatching(/^outbox:/))
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

test('a list of unsent messages that cannot be loaded says so, and opens at the next try', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^net::ERR_FAILED/)
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  await page.route(/\/rest\/v1\/messages/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  )
  const code = /\/assets\/OutboxDialog-/
  await page.route(code, (route) => route.abort())
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  await write(page, 'The key is under the mat.')
  await expect(page.getByText('Waiting to be sent: 1')).toBeVisible()
  await page.keyboard.press('Escape')
  const show = page.getByRole('button', { name: 'Show', exact: true })
  await show.click()
  await expect(toast(page, 'Something went wrong')).toContainText('could not be loaded')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.unroute(code)
  await show.click()
  await expect(page.getByRole('dialog', { name: 'Waiting to be sent' })).toContainText(
    'The key is under the mat.',
  )
})

test('a photo: chosen, seen before it is sent, on its way, and there for the two and nobody else', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const [grace, theo] = await Promise.all([signedInPage('grace', NARROW), signedInPage('theo')])
  for (const page of [grace, theo]) {
    await page.goto('/faq')
    await button(page).click()
    await drawer(page).getByRole('button', { name: job.title }).click()
  }
  const choose = async (file: { name: string; mimeType: string; buffer: Buffer }) =>
    grace.locator('input[type=file]').setInputFiles(file)
  await choose({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') })
  await expect(drawer(grace).getByRole('alert')).toContainText('cannot be shown as a photo')
  const picture = sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#0c6092' } })
  const file = { name: 'gate.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() }
  await choose(file)
  await expect(drawer(grace).getByRole('alert')).toHaveCount(0)
  await expect(drawer(grace).getByRole('img', { name: 'The photo that you have chosen' })).toBeVisible()
  await drawer(grace).getByRole('button', { name: 'Remove the photo' }).click()
  await expect(drawer(grace).getByRole('textbox')).toBeFocused()
  await expect(drawer(grace).getByRole('button', { name: 'Send' })).toBeDisabled()
  await choose(file)
  await inBothLooks(grace, async () => {
    await expectNoSidewaysScroll(grace)
    await expectAccessible(grace)
  })

  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  await grace.route(/\/storage\/v1\/object\/chat-photos\//, async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  await drawer(grace).getByRole('button', { name: 'Send' }).click()
  await expect(drawer(grace).getByRole('progressbar', { name: 'Upload of the photo' })).toBeVisible()
  await expect(drawer(grace).getByText('Sending…')).toBeVisible()
  go()
  await expect(drawer(grace).getByText('Sending…')).toHaveCount(0)
  const received = drawer(theo).getByRole('img', { name: /^Photo from Grace/ })
  await expect(received).toBeVisible(soon)
  // Made small enough to be looked at and to travel.
  await expect.poll(() => received.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2048)
  await drawer(theo)
    .getByRole('button', { name: /^Photo from Grace/ })
    .click()
  const large = theo.getByRole('dialog', { name: /^Photo from Grace/ })
  await expect(large.getByRole('img')).toBeVisible()
  await expectAccessible(theo)
  await theo.keyboard.press('Escape')
  await expect(large).toHaveCount(0)
  await drawer(theo).getByRole('button', { name: 'Back to all conversations' }).click()
  await expect(drawer(theo).getByRole('listitem').filter({ hasText: job.title })).toContainText('Photo')

  const theos = await server.signedIn('theo')
  const { data } = await theos
    .from('messages')
    .select('photo')
    .eq('booking_id', job.bookingId)
    .single()
    .throwOnError()
  for (const [client, may] of [
    [theos, true],
    [await server.signedIn('sam'), false],
    [await server.signedIn('ada'), false],
    [server.stranger(), false],
  ] as const) {
    const { data: photo, error } = await client.storage.from('chat-photos').download(String(data.photo))
    expect(photo !== null && error === null).toBe(may)
    expect((await client.storage.from('chat-photos').list(job.bookingId)).data ?? []).toHaveLength(
      may ? 1 : 0,
    )
  }
})
