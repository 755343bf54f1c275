// The bell: its badge, its list, what a click does, and that it rings by itself (specification 000 §2 'Notification bell').
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { type Job, postedTask } from './jobs.ts'
import type { AppServer } from './server.ts'

const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Notifications' })
const list = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })
const markAll = (page: Page) => list(page).getByRole('button', { name: 'mark all as read' })
const dot = (entry: Locator) => entry.locator('[aria-hidden].bg-sky')
/** Long before the bell would ask by itself. */
const soon = { timeout: 10_000 }

/** Theo applies to the task. */
async function applies(server: AppServer, { taskId }: Pick<Job, 'taskId'>) {
  const theo = await server.signedIn('theo')
  const { data } = await theo.auth.getUser()
  await theo
    .from('bookings')
    .insert({ task_id: taskId, task_doer_id: data.user?.id, status: 'pending' })
    .throwOnError()
}

test('nobody is signed in: no bell, and nothing is asked for', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/notifications') && asked.push(request.url()))
  await page.goto('/faq')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible()
  await expect(bell(page)).toHaveCount(0)
  expect(asked).toEqual([])
})

test('it is empty at first, rings by itself, and a click opens what it is about', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const job = await postedTask(server, { giver: email })
  const page = await signedInPage(email)
  await page.goto('/faq')
  await bell(page).click()
  await expect(list(page).getByText('no notifications yet')).toBeVisible()
  await expect(markAll(page)).toHaveCount(0)

  // The list is open while Theo applies: it and the badge change under the eyes.
  await applies(server, job)
  const entry = list(page).getByRole('listitem').filter({ hasText: 'New application' })
  await expect(entry).toContainText(`Theo K. applied to "${job.title}".`, soon)
  await expect(entry).toContainText('Just now')
  await expect(entry.getByText('Unread')).toBeAttached()
  await expect(dot(entry)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toHaveText('1')
  // A screen reader says so, wherever the focus is.
  await expect(page.getByRole('status').filter({ hasText: 'Notifications, 1 unread' })).toBeAttached()
  await entry.getByRole('link').click()
  await expect(page).toHaveURL(/\/bookings\?booking=/)
  await expect(list(page)).toHaveCount(0)
  await expect(bell(page)).toHaveText('')
  await expect(page.locator('#main li:focus')).toContainText(job.title)

  // Another window of hers shows them as read, too; a closed one does when it opens.
  await bell(page).click()
  await expect(entry).toBeVisible()
  await expect(entry.getByText('Unread')).toHaveCount(0)
  await expect(dot(entry)).toHaveCount(0)
  await expect(markAll(page)).toHaveCount(0)

  // In another language it says the same in that one, and e-mails will be written in it.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitemradio', { name: 'Español' }).click()
  await page.getByRole('button', { name: 'Avisos' }).click()
  const translated = page.getByRole('listitem').filter({ hasText: 'Nueva postulación' })
  await expect(translated).toContainText(`Theo K. se postuló para “${job.title}”.`)
  const grace = await server.signedIn(email)
  const kept = async () => (await grace.from('profiles').select('language').eq('email', email).single()).data
  await expect.poll(kept, soon).toEqual({ language: 'es' })
})

test('the newest ten, in a list of 400 pixels; all are read at once, in every window', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const titles: string[] = []
  for (let nth = 0; nth < 11; nth++) {
    const job = await postedTask(server, { giver: email })
    await applies(server, job)
    titles.unshift(job.title)
  }
  const page = await signedInPage(email)
  const other = await signedInPage(email, NARROW)
  await page.goto('/faq')
  await other.goto('/dashboard')
  for (const window of [page, other])
    await expect(window.getByRole('button', { name: 'Notifications, 11 unread' })).toHaveText('9+')
  await bell(page).click()
  await expect(list(page).getByRole('listitem')).toHaveCount(10)
  await expect(list(page).getByRole('listitem')).toContainText(titles.slice(0, 10))
  await expect(list(page).getByRole('link', { name: 'See all notifications' })).toBeVisible()
  const panel = await list(page).boundingBox()
  expect(Math.round(panel?.width ?? 0)).toBe(320)
  expect((await list(page).getByRole('list').boundingBox())?.height).toBe(400)
  await bell(other).click()
  await inBothLooks(page, async () => {
    await expectNoSidewaysScroll(page)
    // The panel is rendered outside of the page's landmarks.
    await expectAccessible(page, { except: ['region'] })
  })

  await markAll(page).click()
  await expect(markAll(page)).toHaveCount(0)
  await expect(list(page).getByRole('heading', { name: 'Notifications' })).toBeFocused()
  for (const window of [page, other]) {
    await expect(list(window).getByText('Unread')).toHaveCount(0, soon)
    await expect(bell(window)).toHaveText('', soon)
  }
  await page.keyboard.press('Escape')
  await expect(list(page)).toHaveCount(0)
  await expect(bell(page)).toBeFocused()
})

test('a list that cannot be loaded says so, and is there when it is asked for again', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^500 GET \/rest\/v1\/notifications/)
  // Somebody whom nobody tells anything meanwhile: then the list would be read again by itself.
  const page = await signedInPage(await server.newAccount('grace'))
  // Until it is asked for again: the live connection, once it is open, asks by itself.
  const isAsked = () => page.evaluate(() => document.documentElement.dataset.asked === 'true')
  await page.route(/\/rest\/v1\/notifications\?.*limit=10/, async (route) =>
    (await isAsked())
      ? route.fallback()
      : route.fulfill({ status: 500, json: { code: 'XX000', message: 'Internal error' } }),
  )
  await page.goto('/faq')
  await bell(page).click()
  const failure = list(page).getByRole('alert')
  await expect(failure).toContainText('could not be loaded')
  await page.evaluate(() => {
    document.addEventListener(
      'click',
      () => Object.assign(document.documentElement.dataset, { asked: 'true' }),
      true,
    )
  })
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(list(page)).toContainText('no notifications yet')
})

test('a sentence that begins with a name in Arabic keeps the direction of the page', async ({
  signedInPage,
  server,
}) => {
  const [giver, tasker] = [await server.newAccount('grace'), await server.newAccount('theo')]
  const { taskId } = await postedTask(server, { giver })
  const theo = await server.signedIn(tasker)
  const { data } = await theo.auth.getUser()
  const id = data.user?.id ?? ''
  await theo.from('profiles').update({ full_name: 'ثيو ك' }).eq('id', id).throwOnError()
  await theo.from('bookings').insert({ task_id: taskId, task_doer_id: id, status: 'pending' }).throwOnError()
  const page = await signedInPage(giver, NARROW)
  await page.goto('/notifications')
  await expect(page.getByText(/ثيو .+ applied to/).first()).toHaveCSS('direction', 'ltr')
})
