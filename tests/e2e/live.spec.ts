// Live screens: what one side does is on the other's screen without a reload, and is read again after a lost connection.
import type { Page, WebSocketRoute } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, type Job, paidJob, say } from './jobs.ts'

/** Long before a screen with live updates would poll. */
const soon = { timeout: 4000 }

/** Resolves once the page's channel has joined, whatever it shows. */
function joined(page: Page) {
  return page.waitForEvent('websocket').then((socket) =>
    socket.waitForEvent('framereceived', {
      predicate: ({ payload }) => payload.includes('phx_reply') && payload.includes('postgres_changes'),
    }),
  )
}

async function openChat(page: Page, job: Job) {
  await page.goto('/bookings?tab=accepted')
  await bookingCard(page, job).getByRole('button', { name: 'Chat' }).click()
  return page.getByRole('dialog')
}

test('messages and read ticks arrive in two open windows', async ({ signedInPage, server }) => {
  const job = await acceptedJob(server)
  const grace = await signedInPage('grace')
  const theo = await signedInPage('theo')
  const [hers, his] = await Promise.all([openChat(grace, job), openChat(theo, job)])
  await expect(hers.getByText('No messages yet.')).toBeVisible()
  await expect(his.getByText('No messages yet.')).toBeVisible()
  for (const [from, to, text] of [
    [hers, his, 'Is nine too early?'],
    [his, hers, 'Nine is fine.'],
  ] as const) {
    await from.getByRole('textbox').fill(text)
    await from.getByRole('button', { name: 'Send' }).click()
    await expect(to.getByText(text)).toBeVisible(soon)
    const read = from.getByRole('listitem').filter({ hasText: text }).getByLabel('Read')
    await expect(read).toBeVisible(soon)
    await expect(read.locator('path')).toHaveCount(2)
  }
})

test('a message that an administrator removes says so to both, without a reload', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const words = `Pay me outside of the app, please: ${job.title}`
  await say(server, 'theo', 'grace', job, words)
  const [grace, theo] = [await signedInPage('grace'), await signedInPage('theo')]
  const [hers, his] = await Promise.all([openChat(grace, job), openChat(theo, job)])
  await expect(hers.getByText(words)).toBeVisible()
  for (const side of [hers, his]) await expect(side.getByText(/ is here$/)).toBeVisible()
  const giver = await server.signedIn('grace')
  const { data: message } = await giver.from('messages').select('id').eq('booking_id', job.bookingId).single()
  const subject = message?.id ?? ''
  const reason = 'Asks for payment past us.'
  await giver.rpc('report_content', { kind: 'message', subject, reason }).throwOnError()
  const admin = await server.signedIn('ada')
  const { data: report } = await admin.from('reports').select('id').eq('subject_id', subject).single()
  const deciding = { report_id: report?.id, hide: true, note: reason }
  await admin.rpc('decide_report', deciding).throwOnError()
  await expect(hers.getByText('An administrator removed this message.')).toBeVisible(soon)
  await expect(hers.getByText(words)).toHaveCount(0)
  await expect(his.getByText('Only you still see it.')).toBeVisible(soon)
  await expect(his.getByText(words)).toBeVisible()
})

test('an answer to an application shows on the other side, and what left a tab says where it went', async ({
  signedInPage,
  server,
}) => {
  // The only one of its tab, on either side.
  const [giver, tasker] = await Promise.all([server.newAccount('grace'), server.newAccount('theo')])
  const job = await appliedJob(server, { giver }, tasker)
  const theo = await signedInPage(tasker)
  const ready = joined(theo)
  await theo.goto('/bookings')
  await ready
  await expect(bookingCard(theo, job)).toContainText('Pending')
  await theo.getByRole('tab', { name: 'Pending' }).click()
  const pending = theo.getByRole('tabpanel', { name: 'Pending' })
  await expect(pending.getByRole('heading', { name: job.title })).toBeVisible()
  const grace = await server.signedIn(giver)
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', job.bookingId).throwOnError()
  const show = theo.getByRole('button', { name: 'Show' })
  const moved = pending.getByRole('listitem').filter({ has: show })
  await expect(moved).toContainText(job.title, soon)
  await expect(moved).toContainText('Accepted')
  await show.click()
  await expect(bookingCard(theo, job)).toContainText('Accepted')
})

test('changes made while the connection is lost are read when it is back', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server)
  const page = await signedInPage('grace')
  const sockets: WebSocketRoute[] = []
  /** Number of the join, of the message, topic, event, payload. */
  const joins: [string, string, string, string, object][] = []
  let away = false
  await page.routeWebSocket(/\/realtime\/v1\//, (socket) => {
    if (away) return void socket.close()
    const connected = socket.connectToServer()
    sockets.push(socket)
    socket.onMessage((message) => {
      if (String(message).includes('"phx_join"')) joins.push(JSON.parse(String(message)))
      connected.send(message)
    })
  })
  const dialog = await openChat(page, job)
  await expect(dialog.getByText('No messages yet.')).toBeVisible()
  await say(server, 'theo', 'grace', job, 'On my way.')
  await expect(dialog.getByText('On my way.')).toBeVisible(soon)

  away = true
  for (const socket of sockets) await socket.close()
  // Unheard, the conversation asks by itself.
  await say(server, 'theo', 'grace', job, 'The bridge is closed.')
  await expect(dialog.getByText('The bridge is closed.')).toBeVisible()
  away = false
  const before = sockets.length
  await expect.poll(() => sockets.length, { timeout: 15_000 }).toBeGreaterThan(before)
  await say(server, 'theo', 'grace', job, 'Here now.')
  await expect(dialog.getByText('Here now.')).toBeVisible(soon)

  // As the server does to a channel whose token has expired.
  const known = joins.length
  const latest = new Map(joins.map((join) => [join[2], join]))
  for (const [number, , topic] of latest.values())
    sockets.at(-1)?.send(JSON.stringify([number, number, topic, 'phx_close', {}]))
  for (const kind of ['person', 'chat', 'account'])
    await expect
      .poll(() =>
        joins
          .slice(known)
          .map(([, , topic]) => topic)
          .join(),
      )
      .toContain(`:${kind}:`)
  await say(server, 'theo', 'grace', job, 'And again.')
  await expect(dialog.getByText('And again.')).toBeVisible(soon)
})

test('proposals of a price and of a time arrive in two open windows, and leave them', async ({
  signedInPage,
  server,
}) => {
  const [giver, tasker] = await Promise.all([server.newAccount('grace'), server.newAccount('theo')])
  const job = await paidJob(server, { giver, hours: 80, title: 'Sort the shed' }, { tasker })
  const grace = await signedInPage(giver)
  const theo = await signedInPage(tasker)
  for (const page of [grace, theo]) {
    const ready = joined(page)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await ready
  }
  const [hers, his] = [bookingCard(grace, job), bookingCard(theo, job)]

  await his.getByRole('button', { name: 'Ask for more' }).click()
  const price = theo.getByRole('dialog', { name: 'Ask for more' })
  await price.getByLabel('How much more').fill('20')
  await price.getByLabel('Reason').fill('There is a second shed behind it.')
  await price.getByRole('button', { name: 'Send' }).click()
  await expect(hers).toContainText('asks for $20.00 more', soon)
  // No notification is sent for a withdrawal: the row itself is watched.
  await his.getByRole('button', { name: 'Withdraw' }).click()
  await expect(hers).not.toContainText('asks for $20.00 more', soon)

  await hers.getByRole('button', { name: 'Propose another time' }).click()
  const time = grace.getByRole('dialog', { name: 'Propose another time' })
  const later = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)
  await time.getByLabel('New time').fill(`${later}T10:00`)
  await time.getByRole('button', { name: 'Send' }).click()
  await expect(his).toContainText('proposes another time', soon)
  await hers.getByRole('button', { name: 'Withdraw proposal' }).click()
  await expect(his).not.toContainText('proposes another time', soon)
})
