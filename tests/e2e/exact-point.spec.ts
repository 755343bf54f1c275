// The exact point of a task: from the device, typed, and from the map by keyboard; only the people of the job see it (issue 33).
import type { Page } from '@playwright/test'
import { browserOnThisMachine, WEBGL_FLAGS } from '../../scripts/find-browser.mjs'
import {
  expectAccessible,
  expectAccessibleDialog,
  expectNoSidewaysScroll,
  inBothLooks,
} from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { acceptedJob, appliedJob, bookingCard, postedTask } from './jobs.ts'

// The map needs WebGL, here in software.
test.use({
  launchOptions: {
    executablePath: await browserOnThisMachine(),
    args: WEBGL_FLAGS,
  },
})

const BROADWAY = { latitude: 52.1157, longitude: -106.6571 }

const group = (page: Page) => page.getByRole('group', { name: 'Exact spot' })
const mark = (page: Page) => page.getByRole('button', { name: 'Mark the exact spot' })
const latitude = (page: Page) => group(page).getByLabel('Latitude')
const longitude = (page: Page) => group(page).getByLabel('Longitude')

test('a giver marks the spot by location, by keyboard on the map, and removes it', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await postedTask(server)
  const grace = await server.signedIn('grace')
  const stored = async () =>
    (await grace.from('task_points').select('latitude,longitude').eq('task_id', taskId).maybeSingle()).data
  const page = await signedInPage('grace')
  const programs: string[] = []
  page.on('request', (request) => {
    if (/maplibre|PointMap/.test(request.url())) programs.push(request.url())
  })
  const save = async () => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(toast(page, 'Your changes are saved')).toBeVisible()
  }
  await page.context().grantPermissions(['geolocation'])
  await page.context().setGeolocation(BROADWAY)
  await page.goto(`/task/${taskId}/edit`)
  await mark(page).click()
  await expect(group(page)).toBeFocused()
  await group(page).getByRole('button', { name: 'Use my location' }).click()
  await expect(latitude(page)).toHaveValue('52.11570')
  await expect(longitude(page)).toHaveValue('-106.65710')
  await expect(group(page)).toContainText('from Nutana, Saskatoon, direction:')
  expect(await page.evaluate(() => localStorage.getItem('device-position'))).toBeNull()
  await page.setViewportSize(NARROW)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  expect(programs).toEqual([])

  await group(page).getByRole('button', { name: 'Choose on the map' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark the exact spot' })
  const pin = dialog.getByRole('button', { name: 'Pin. Arrow keys move it by 10 m' })
  await pin.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(dialog.getByRole('status')).toContainText(/\d+ k?m from Nutana, Saskatoon, direction: /)
  await inBothLooks(page, () => expectAccessibleDialog(page))
  await dialog.getByRole('button', { name: 'Use this spot' }).click()
  await expect(latitude(page)).toHaveValue('52.11579')
  await expect(longitude(page)).toHaveValue('-106.65564')
  await save()
  expect(await stored()).toEqual({ latitude: 52.11579, longitude: -106.65564 })
  await expect(page.getByRole('main').getByRole('link', { name: /^Open in maps/ })).toHaveAttribute(
    'href',
    'https://www.google.com/maps/dir/?api=1&destination=52.11579%2C+-106.65564',
  )

  await page.goto(`/task/${taskId}/edit`)
  await expect(latitude(page)).toHaveValue('52.11579')
  await group(page).getByRole('button', { name: 'Remove the spot' }).click()
  await expect(mark(page).or(latitude(page))).toBeVisible()
  await save()
  expect(await stored()).toBeNull()
})

test('typed coordinates: a pasted pair, nonsense, outside the province, and far from the place', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await postedTask(server)
  const grace = await server.signedIn('grace')
  const stored = async () =>
    (await grace.from('task_points').select('latitude').eq('task_id', taskId).maybeSingle()).data
  const page = await signedInPage('grace')
  const save = () => page.getByRole('button', { name: 'Save changes' }).click()
  const alert = group(page).getByRole('alert')
  await page.goto(`/task/${taskId}/edit`)
  await mark(page).click()
  for (const typed of ['north', 'NaN', 'Infinity']) {
    await latitude(page).fill(typed)
    await save()
    await expect(alert).toHaveText('Enter a latitude and a longitude in degrees, such as 52.13, -106.67')
    await expect(latitude(page)).toBeFocused()
  }
  // Calgary, pasted into one field.
  await latitude(page).fill('51.05, -114.07')
  await expect(longitude(page)).toHaveValue('-114.07000')
  await save()
  await expect(alert).toHaveText('This position is outside the province')
  expect(await stored()).toBeNull()

  // Regina is in the province, and far from Nutana.
  await latitude(page).fill('50.45, -104.61')
  await save()
  const question = page.getByRole('alertdialog', { name: 'Is the spot right?' })
  await expect(question).toContainText(/It is 2\d\d km from Nutana, Saskatoon/)
  await question.getByRole('button', { name: 'Change it' }).click()
  expect(await stored()).toBeNull()
  await save()
  await question.getByRole('button', { name: 'The spot is right' }).click()
  await expect(toast(page, 'Your changes are saved')).toBeVisible()
  expect(await stored()).toEqual({ latitude: 50.45 })
})

test('a new task keeps the spot in its draft, and is posted with it', async ({ signedInPage, server }) => {
  const grace = await server.newAccount('grace')
  const page = await signedInPage(grace)
  await page.goto('/post-task')
  await page.getByLabel('Title', { exact: true }).fill('Rake the leaves')
  await page
    .getByLabel('Description', { exact: true })
    .fill('Two maples and the hedge, bags are in the shed.')
  await page.getByLabel('Category', { exact: true }).selectOption('Gardening')
  await page.getByLabel('Location', { exact: true }).fill('Nutana, Saskatoon')
  await page.getByLabel('Pay for the task', { exact: true }).fill('60')
  await mark(page).click()
  await latitude(page).fill('52.1157, -106.6571')
  await page.reload()
  await expect(latitude(page)).toHaveValue('52.11570')
  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(page, 'Success! Your task has been posted successfully')).toBeVisible()
  const { data } = await (await server.signedIn(grace)).from('task_points').select('latitude,longitude')
  expect(data).toEqual([BROADWAY])
})

test('the tasker can open it in maps from acceptance on, and a stranger never', async ({
  signedInPage,
  server,
}) => {
  const job = await appliedJob(server)
  const grace = await server.signedIn('grace')
  const point = { task_id: job.taskId, ...BROADWAY }
  await grace.from('task_points').insert(point).throwOnError()
  const theo = await signedInPage('theo')
  const links = theo.getByRole('main').getByRole('link', { name: /^Open in maps/ })
  await theo.goto(`/task/${job.taskId}`)
  await expect(theo.getByRole('heading', { level: 1, name: job.title })).toBeVisible()
  await expect(theo.getByText('52.11570')).toHaveCount(0)
  await expect(links).toHaveCount(0)

  await grace.from('bookings').update({ status: 'accepted' }).eq('id', job.bookingId).throwOnError()
  await theo.reload()
  await expect(theo.getByText('52.11570, -106.65710')).toBeVisible()
  await expect(links).toHaveAttribute('target', '_blank')
  await expect(links).toHaveAttribute('rel', 'noopener noreferrer')
  await theo.goto('/bookings?tab=accepted')
  await expect(
    bookingCard(theo, job).getByRole('link', { name: `Open in maps: ${job.title}` }),
  ).toHaveAttribute('href', 'https://www.google.com/maps/dir/?api=1&destination=52.11570%2C+-106.65710')

  const sam = await signedInPage('sam')
  await sam.goto(`/task/${job.taskId}`)
  await expect(sam.getByRole('main')).toBeVisible()
  await expect(sam.getByText('52.11570')).toHaveCount(0)
})

test('without a spot, the address is handed over', async ({ signedInPage, server }) => {
  const job = await acceptedJob(server)
  const grace = await server.signedIn('grace')
  await grace
    .from('task_addresses')
    .insert({ task_id: job.taskId, address: '812 Main Street' })
    .throwOnError()
  const page = await signedInPage('theo', NARROW)
  await page.goto(`/task/${job.taskId}`)
  const link = page.getByRole('main').getByRole('link', { name: `Open in maps: ${job.title}` })
  await expect(link).toHaveAttribute('href', /destination=812\+Main\+Street%2C\+Nutana%2C\+Saskatoon$/)
  await expectNoSidewaysScroll(page)
})
