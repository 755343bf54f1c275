// Calendars: Theo subscribes to his bookings, Grace adds one by hand, and an address that is replaced shows nothing any more. The
// files are read by a library that did not write them. Then he imports a calendar of his, and its days are not offered any more.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import ical, { type VEvent } from 'node-ical'
import { busyTimes } from '../../supabase/functions/read-calendars/busy.ts'
import { download } from '../../supabase/functions/read-calendars/download.ts'
import { selfSigned } from '../support/certificates.ts'
import { expectGoodLooks, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard } from './jobs.ts'
import type { AppServer } from './server.ts'

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

test('Theo imports a calendar: a wrong address is explained, its busy days are not offered, until he removes it', async ({
  page: visitor,
  signedInPage,
  server,
}) => {
  test.setTimeout(120_000)
  const theo = await server.signedIn('theo')
  const theoId = (await theo.auth.getUser()).data.user?.id ?? ''
  const week = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, starts: '09:00', ends: '17:00' }))
  const save = (hours: typeof week) =>
    theo
      .rpc('save_hours', {
        hours,
        time_zone: 'America/Regina',
        buffer_minutes: 0,
        closed_on_holidays: false,
        shows_slots: true,
      })
      .throwOnError()
  await save(week)
  const freeDays = async () => {
    const { data } = await server.stranger().rpc('free_slots', { tasker: theoId, days: 10 }).throwOnError()
    return new Set(data.map(({ starts_at }: { starts_at: string }) => dayOf(starts_at)))
  }
  const days = [3, 4].map((n) => dayOf(new Date(Date.now() + n * 86_400_000)))
  for (const day of days) expect(await freeDays()).toContain(day)

  const page = await signedInPage('theo', NARROW)
  await page.goto('/profile?tab=settings')
  const calendars = calendarsOf(page)
  await calendars.getByRole('button', { name: 'Add calendar' }).click()
  await expect(calendars.getByText('Paste the address of the calendar')).toBeVisible()
  const address = calendars.getByLabel('Address of the calendar')
  await address.fill('http://calendar.example/theo.ics')
  await calendars.getByRole('button', { name: 'Add calendar' }).click()
  await expect(calendars.getByText('The address must begin with https:// or webcal://')).toBeVisible()
  await expect(address).toHaveValue('http://calendar.example/theo.ics')
  const file = await calendarServer([
    `BEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:${days[0]?.replaceAll('-', '')}\r\nDURATION:P2D\r\nEND:VEVENT`,
  ])
  await address.fill(file.address)
  await calendars.getByLabel('Name').fill('Family')
  await calendars.getByRole('button', { name: 'Add calendar' }).click()
  await expect(toast(page, 'Calendar added')).toBeVisible()
  // The server looks for the name in the internet, where it is not.
  await expect(calendars.getByText('The calendar’s server did not answer as expected.')).toBeVisible({
    timeout: 30_000,
  })
  await expectGoodLooks(page)
  await expectNoSidewaysScroll(page)
  for (const day of days) expect(await freeDays()).toContain(day)

  await file.read(server)
  await page.reload()
  await expect(calendars.getByText(/^Read: .* Busy times: 1$/)).toBeVisible()
  for (const day of days) expect(await freeDays()).not.toContain(day)
  await visitor.goto(`/profile/${theoId}`)
  await expect(visitor.getByRole('region', { name: 'Next free' })).toBeVisible()

  await calendars.getByRole('button', { name: 'Remove: Family' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(calendars.getByText('Family')).toHaveCount(0)
  for (const day of days) expect(await freeDays()).toContain(day)
  await file.stop()
  await save([])
})

/** The calendar day of a moment in Regina. */
const dayOf = (at: string | Date) =>
  new Date(new Date(at).getTime() - 6 * 3_600_000).toISOString().slice(0, 10)

/** Serves a calendar of these components; `read` reads it as the function does, with a way into the internet that leads here. */
async function calendarServer(components: string[]) {
  const { pem, key } = await selfSigned('calendar.example')
  const body = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...components, 'END:VCALENDAR'].join('\r\n')
  const https = createServer({ key, cert: pem }, (_request, response) => response.end(body))
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve))
  const address = `https://calendar.example:${(https.address() as AddressInfo).port}/theo.ics`
  const network = { resolve: async () => ['127.0.0.1'], isPublic: () => true, options: { ca: pem } }
  return {
    address,
    read: async ({ operator }: AppServer) => {
      const { data } = await operator()
        .from('imported_calendars')
        .select('id')
        .eq('address', address)
        .single()
      const downloaded = await download(address, null, network)
      const busy = downloaded === 'unchanged' ? [] : await busyTimes(downloaded.text, 'America/Regina')
      await operator()
        .rpc('finish_calendar_read', {
          calendar_id: data?.id,
          etag: null,
          busy: busy.map((span) => [span.from, span.until].map((at) => new Date(at).toISOString())),
        })
        .throwOnError()
    },
    stop: () => new Promise((resolve) => https.close(resolve)),
  }
}
