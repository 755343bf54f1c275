// A tasker's jobs of one day as a route: in order of time, with distances, on a map, and for the navigator.
import type { Page } from '@playwright/test'
import { browserOnThisMachine, WEBGL_FLAGS } from '../../scripts/find-browser.mjs'
import { expectAccessibleDialog, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { acceptedJob, type Job } from './jobs.ts'
import { pressOn } from './keyboard.ts'
import type { AppServer } from './server.ts'

// The map needs WebGL, here in software.
test.use({
  launchOptions: {
    executablePath: await browserOnThisMachine(),
    args: WEBGL_FLAGS,
  },
})

const BROADWAY = { latitude: 52.1157, longitude: -106.6571 }
const CITY_PARK = { latitude: 52.1417, longitude: -106.6571 }
const MAPS = 'https://www.google.com/maps/dir/?api=1'

/** Hours until `hour` o'clock in Saskatchewan (UTC-6), `days` from now. */
const hoursUntil = (days: number, hour: number) => {
  const day = new Date(Date.now() + days * 86_400_000 - 6 * 3_600_000).toISOString().slice(0, 10)
  return (Date.parse(`${day}T00:00:00Z`) + (hour + 6) * 3_600_000 - Date.now()) / 3_600_000
}

async function mark(server: AppServer, job: Job, point: typeof BROADWAY) {
  const grace = await server.signedIn('grace')
  await grace
    .from('task_points')
    .insert({ task_id: job.taskId, ...point })
    .throwOnError()
}

const dayButton = (page: Page) => page.getByRole('button', { name: /^\d jobs on .+: view route$/ })

test('two jobs of a day with their points: list, total, map and links, by keyboard', async ({
  signedInPage,
  server,
}) => {
  const tasker = await server.newAccount('theo')
  const later = await acceptedJob(server, { title: 'Rake the leaves', hours: hoursUntil(9, 14) }, tasker)
  const sooner = await acceptedJob(server, { title: 'Wash the windows', hours: hoursUntil(9, 9) }, tasker)
  // Another day has one job: no route.
  await acceptedJob(server, { hours: hoursUntil(11, 9) }, tasker)
  await mark(server, sooner, BROADWAY)
  await mark(server, later, CITY_PARK)
  const page = await signedInPage(tasker, NARROW)
  const programs: string[] = []
  page.on('request', (request) => {
    if (/maplibre|RouteDialog/.test(request.url())) programs.push(request.url())
  })
  await page.goto('/bookings')
  await expect(dayButton(page)).toHaveCount(1)
  await expect(dayButton(page)).toHaveText(/^2 jobs on \w+day, \w+\.? \d+: view route$/)
  await expectNoSidewaysScroll(page)
  expect(programs).toEqual([])

  await pressOn(page, dayButton(page))
  const dialog = page.getByRole('dialog', { name: /^Route on \w+day/ })
  const stops = dialog.getByRole('listitem')
  await expect(stops).toHaveCount(2)
  await expect(stops.nth(0)).toContainText(/9:00.+Wash the windows.+Nutana, Saskatoon/)
  await expect(stops.nth(0)).not.toContainText('from the one before')
  await expect(stops.nth(1)).toContainText(/2:00.+ · 2\.9 km from the one before.*Rake the leaves/)
  await expect(dialog.getByText('2.9 km in all, in straight lines', { exact: true })).toBeVisible()
  await expect(dialog.getByRole('link', { name: `Open in maps: ${later.title}` })).toHaveAttribute(
    'href',
    `${MAPS}&destination=52.14170%2C+-106.65710`,
  )
  await expect(dialog.getByRole('link', { name: 'Open the whole day in maps' })).toHaveAttribute(
    'href',
    `${MAPS}&destination=52.14170%2C+-106.65710&waypoints=52.11570%2C+-106.65710`,
  )
  const map = dialog.getByRole('region', { name: 'Map of the route' })
  const marker = map.getByRole('button', { name: `2. ${later.title}` })
  await expect(map.getByRole('button', { name: `1. ${sooner.title}` })).toHaveText('1')
  await marker.press('Enter')
  await expect(stops.nth(1)).toHaveAttribute('aria-current', 'true')
  await inBothLooks(page, async () => {
    await expectAccessibleDialog(page)
    await expectNoSidewaysScroll(page)
  })
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(dayButton(page)).toBeFocused()
})

test('without points distances are approximate, or unknown', async ({ signedInPage, server }) => {
  const tasker = await server.newAccount('theo')
  await acceptedJob(server, { hours: hoursUntil(9, 9) }, tasker)
  await acceptedJob(server, { location: 'City Park, Saskatoon', hours: hoursUntil(9, 11) }, tasker)
  await acceptedJob(server, { location: 'At the old mill', hours: hoursUntil(9, 13) }, tasker)
  const page = await signedInPage(tasker, NARROW)
  await page.goto('/bookings')
  await dayButton(page).click()
  const dialog = page.getByRole('dialog')
  const stops = dialog.getByRole('listitem')
  await expect(stops.nth(1)).toContainText(/about \d(\.\d)? km from the one before/)
  await expect(stops.nth(2)).toContainText('distance unknown')
  await expect(dialog).toContainText(/About \d(\.\d)? km in straight lines, without the unknown distances/)
  await expect(dialog.getByRole('link', { name: 'Open the whole day in maps' })).toHaveAttribute(
    'href',
    /destination=At\+the\+old\+mill&waypoints=Nutana%2C\+Saskatoon%7CCity\+Park%2C\+Saskatoon$/,
  )
})

test('a giver with two tasks on a day sees no route', async ({ signedInPage, server }) => {
  const giver = await server.newAccount('grace')
  const first = await acceptedJob(server, { giver, hours: hoursUntil(9, 9) })
  await acceptedJob(server, { giver, hours: hoursUntil(9, 13) })
  const page = await signedInPage(giver)
  await page.goto('/bookings')
  await expect(page.getByRole('main').getByText(first.title).first()).toBeVisible()
  await expect(dayButton(page)).toHaveCount(0)
})
