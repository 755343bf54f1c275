// Calendars: Theo subscribes to his bookings, Grace adds one by hand, and an address that is replaced shows nothing any more. The
// files are read by a library that did not write them.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import ical, { type VEvent } from 'node-ical'
import { expectGoodLooks, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard } from './jobs.ts'

const eventsIn = (file: string) =>
  Object.values(ical.sync.parseICS(file)).filter((part): part is VEvent => part?.type === 'VEVENT')
const eventsAt = async (address: string) => eventsIn(await (await fetch(address)).text())
const calendarsOf = (page: Page) => page.getByRole('region', { name: 'Calendars', exact: true })
const addressOf = (page: Page) => calendarsOf(page).getByLabel('Your secret address').inputValue()

test('Theo subscribes to his bookings, a cancelled one says so, and a replaced address ends', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server, { hours: 75, title: 'Wash the windows 🪟, both floors' })
  const page = await signedInPage('theo', NARROW)
  await page.goto('/profile?tab=settings')
  await calendarsOf(page).getByRole('button', { name: 'Make an address' }).click()
  await expect(calendarsOf(page).getByLabel('Your secret address')).toBeVisible()
  await expectGoodLooks(page)
  await expectNoSidewaysScroll(page)
  const address = await addressOf(page)
  const ours = async (from: string) => (await eventsAt(from)).find(({ uid }) => uid.startsWith(job.bookingId))
  const event = await ours(address)
  expect(event).toMatchObject({
    summary: `${job.title} – you work for Grace Morin`,
    location: 'Nutana, Saskatoon',
    status: 'CONFIRMED',
  })

  const grace = await server.signedIn('grace')
  await grace.functions.invoke('handle-cancellation', { body: { bookingId: job.bookingId, reason: 'Rain' } })
  await expect.poll(async () => (await ours(address))?.status).toBe('CANCELLED')

  await calendarsOf(page).getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace' }).click()
  await expect.poll(() => addressOf(page)).not.toBe(address)
  expect((await fetch(address)).status).toBe(404)
  const next = await addressOf(page)
  expect((await ours(next))?.status).toBe('CANCELLED')
  await calendarsOf(page).getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(calendarsOf(page).getByRole('button', { name: 'Make an address' })).toBeVisible()
  expect((await fetch(next)).status).toBe(404)
})

test('Grace adds a booking to her calendar by a file or a page of Google, and finds her address in her profile', async ({
  signedInPage,
  server,
}) => {
  const job = await acceptedJob(server, { hours: 99, title: 'Rake the leaves' })
  const page = await signedInPage('grace')
  await page.goto('/bookings?tab=accepted')
  const card = bookingCard(page, job)
  await card.getByRole('button', { name: 'Add to calendar' }).click()
  const google = page.getByRole('menuitem', { name: 'Google Calendar' })
  const { data: task } = await (await server.signedIn('grace'))
    .from('tasks')
    .select('scheduled_date')
    .eq('id', job.taskId)
    .single()
  const starts = new Date(Math.floor(Date.parse(task?.scheduled_date) / 1000) * 1000)
  const link = new URL((await google.getAttribute('href')) ?? '')
  expect(link.searchParams.get('dates')).toContain(starts.toISOString().replace(/[-:]|\.\d+/g, ''))
  expect(link.searchParams.get('text')).toBe(`${job.title} – Theo Kowalchuk works for you`)
  await expect(page.getByRole('menuitem', { name: 'Outlook' })).toHaveAttribute('href', /outlook\.live\.com/)
  const saving = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download (.ics)' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('meadowlark.ics')
  const [event] = eventsIn(readFileSync(await saved.path(), 'utf8'))
  expect(event).toMatchObject({
    uid: `${job.bookingId}@meadowlark`,
    summary: `${job.title} – Theo Kowalchuk works for you`,
    location: 'Nutana, Saskatoon',
  })
  expect(event?.start.toISOString()).toBe(starts.toISOString())
  expect(JSON.stringify(event?.url)).toContain(`/bookings?booking=${job.bookingId}`)

  await page.goto('/profile')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await calendarsOf(page).getByRole('button', { name: 'Make an address' }).click()
  await calendarsOf(page).getByRole('button', { name: 'Copy' }).click()
  await expect(toast(page, 'Address copied')).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect((await eventsAt(copied)).map(({ uid }) => uid)).toContain(`${job.bookingId}@meadowlark`)
})
