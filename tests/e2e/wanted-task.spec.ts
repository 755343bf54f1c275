// A guest who follows a link to a task: sent to /auth, they see the task next to the form.
import type { Page } from '@playwright/test'
import { expectGoodLooks } from './accessibility.ts'
import { expect, NARROW, test, WIDE } from './fixtures.ts'
import { acceptedJob, postedTask } from './jobs.ts'
import { expectUnmoved, watchLayoutShift } from './layoutShift.ts'
import { type AppServer, PASSWORD } from './server.ts'

const TASK_HEAD = /\/rpc\/task_head/
const GONE = 'This task is no longer open'

/** Changes a task that Grace has posted. */
async function rewrite(server: AppServer, taskId: string, values: Record<string, unknown>) {
  const grace = await server.signedIn('grace')
  await grace.from('tasks').update(values).eq('id', taskId).throwOnError()
}

const preview = (page: Page) => page.getByRole('main').getByRole('region')
const email = (page: Page) => page.locator('main input[type=email]')
const boxOf = async (page: Page, which: 'form' | 'preview') => {
  const part = which === 'form' ? page.getByRole('main').locator('form') : preview(page)
  const box = await part.boundingBox()
  if (!box) throw new Error(`The ${which} is not shown`)
  return box
}

/** Opens the task's address; its preview is answered once `answer` is called. */
async function openHeld(page: Page, address: string) {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(TASK_HEAD, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(address)
  await expect(email(page)).toBeVisible()
  return answer
}

test('a link to a task shows the task next to the form, without its people and its address', async ({
  page,
  server,
}) => {
  const { taskId, title } = await postedTask(server, { amount: 80 })
  const grace = await server.signedIn('grace')
  await grace.from('task_addresses').insert({ task_id: taskId, address: '12 Elm Street' }).throwOnError()
  await page.addInitScript(watchLayoutShift)
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport)
    const answer = await openHeld(page, `/task/${taskId}`)
    const before = await boxOf(page, 'preview')
    const formBefore = await boxOf(page, 'form')
    answer()
    await expect(preview(page).getByRole('heading', { name: title })).toBeVisible()
    await expect(preview(page)).toContainText('Snow Removal')
    await expect(preview(page)).toContainText('Nutana, Saskatoon')
    await expect(preview(page)).toContainText('Two cars wide, and the walk to the side door.')
    await expect(preview(page)).toContainText('The tasker gets')
    await expect(preview(page)).toContainText('$64')
    await expect(preview(page)).not.toContainText(/Grace|Elm Street/)
    await expect(page.getByText('Sign in to see the whole task.')).toBeVisible()
    expect(await boxOf(page, 'preview')).toEqual(before)
    expect(await boxOf(page, 'form')).toEqual(formBefore)
    await expectUnmoved(page)
    await expect(email(page)).toBeInViewport({ ratio: 1 })
    if (viewport === WIDE) expect(formBefore.x).toBeGreaterThan(before.x + before.width)
    else expect(formBefore.y).toBeGreaterThan(before.y + before.height)
    await expectGoodLooks(page)
    await page.unrouteAll()
  }
})

test('a long text of a task leaves the form in sight, in both directions of writing', async ({
  page,
  server,
}) => {
  const { taskId } = await postedTask(server, { amount: 25_000 })
  const long = {
    title: `قص الحشائش 🌾 ${'والحديقة الخلفية '.repeat(12)}`.slice(0, 200).trim(),
    description: `${'Shovel the long driveway and the walk. '.repeat(200)}`.slice(0, 5000).trim(),
    location: 'A place with a long name, on the far side of the river, Saskatoon',
  }
  await rewrite(server, taskId, long)
  for (const [address, viewport] of [
    [`/task/${taskId}`, WIDE],
    [`/task/${taskId}`, NARROW],
    [`/ar/task/${taskId}`, NARROW],
  ] as const) {
    await page.setViewportSize(viewport)
    const answer = await openHeld(page, address)
    const before = await boxOf(page, 'form')
    answer()
    await expect(page.getByRole('heading', { name: long.title })).toBeVisible()
    expect(await boxOf(page, 'form')).toEqual(before)
    await expect(email(page)).toBeInViewport({ ratio: 1 })
    await expectGoodLooks(page)
    await page.unrouteAll()
  }
})

test('a task that is taken, or never was, is one sentence, and the form works', async ({ page, server }) => {
  const { taskId } = await acceptedJob(server)
  for (const id of ['00000000-0000-4000-8000-000000000000', 'no-task', taskId]) {
    await page.goto(`/auth?next=/task/${id}`)
    await expect(preview(page)).toContainText(GONE)
    await expect(preview(page).getByRole('heading')).toHaveCount(0)
    await expect(email(page)).toBeInViewport({ ratio: 1 })
  }
  await page.setViewportSize(NARROW)
  await expect(email(page)).toBeInViewport({ ratio: 1 })
  await expectGoodLooks(page)
  // Its tasker, on another device, sees it once they are signed in.
  await email(page).fill('theo@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/task/${taskId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('where the task cannot be loaded, the form says why it is there', async ({ page, server, problems }) => {
  problems.allow(/^500 POST .*task_head/)
  const { taskId, title } = await postedTask(server)
  await page.route(TASK_HEAD, (route) => route.fulfill({ status: 500, json: { message: 'away' } }))
  await page.goto(`/task/${taskId}`)
  await expect(page.getByText('Sign in to see the whole task.')).toBeVisible()
  await expect(page.getByText(GONE)).toHaveCount(0)
  await email(page).fill('theo@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
})

test('no task is shown to people who want to see something else', async ({ page }) => {
  await page.goto('/bookings')
  await expect(email(page)).toBeVisible()
  await expect(preview(page)).toHaveCount(0)
})
