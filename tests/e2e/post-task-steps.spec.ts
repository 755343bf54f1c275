// Posting a task on a phone: three short steps over one form. Nothing is lost between them, over a reload, or by signing up.
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { PASSWORD } from './server.ts'

const PHONE = { width: 360, height: 640 }
const TITLE = 'Shovel the front walk'
const DESCRIPTION = 'About twenty metres of walk and the three steps by the door.'

const main = (page: Page) => page.getByRole('main')
const field = (page: Page, label: string) => main(page).getByLabel(label, { exact: true })
const now = (page: Page) =>
  main(page).getByRole('list', { name: 'Steps of posting a task' }).locator('[aria-current]')
/** The step's buttons are in reach of the thumb, however far the page is scrolled. */
async function expectAtHand(page: Page, ...names: string[]) {
  for (const place of ['top', 'middle'] as const) {
    await page.evaluate((where) => scrollTo(0, where === 'top' ? 0 : document.body.scrollHeight / 4), place)
    for (const name of names)
      await expect(main(page).getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
  }
}
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click()

async function fillWhat(page: Page, title = TITLE) {
  await field(page, 'Title').fill(title)
  await field(page, 'Description').fill(DESCRIPTION)
  await field(page, 'Category').selectOption('Snow Removal')
}

test('three steps, each with its own errors, one at a time; Back and a reload keep everything', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('grace'), PHONE)
  await page.goto('/faq')
  await page.goto('/post-task')
  await expect(now(page)).toHaveText('Task')
  await expect(field(page, 'Location')).toBeHidden()
  await expect(main(page).getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/dashboard')
  await expectAtHand(page, 'Continue')
  const alert = main(page).getByRole('alert')
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Title must be at least 5 characters'])
  await expect(field(page, 'Title')).toBeFocused()
  await fillWhat(page)
  await expect(alert).toHaveCount(0)
  await field(page, 'Title').press('Enter')

  await expect(now(page)).toHaveText('Where and when')
  await expect(page.getByRole('heading', { name: 'Where and when' })).toBeFocused()
  await expectAtHand(page, 'Back', 'Continue')
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await main(page).getByLabel('About the tools').fill('t'.repeat(1001))
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Location must be at least 3 characters'])
  // Nothing is wrong yet with what is still being typed.
  await field(page, 'Location').pressSequentially('Sa')
  await expect(alert).toHaveCount(0)
  await field(page, 'Location').fill('Saskatoon, Nutana')
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Tools description too long'])
  await main(page).getByLabel('About the tools').fill('A shovel is by the door.')
  await press(page, 'Continue')

  await expect(now(page)).toHaveText('Price')
  await press(page, 'Post Task')
  await expect(alert).toHaveText(['Pay amount must be positive'])
  await field(page, 'Pay for the task').fill('60')
  // The preview of the task, and its price.
  await expect(main(page).getByRole('article')).toContainText(TITLE)
  await expect(main(page).getByText('$72.00').first()).toBeVisible()
  await expectAtHand(page, 'Back', 'Post Task')
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)

  await page.reload()
  await expect(now(page)).toHaveText('Price')
  await expect(field(page, 'Pay for the task')).toHaveValue('60')
  await page.goBack()
  await expect(now(page)).toHaveText('Where and when')
  await expect(field(page, 'Location')).toHaveValue('Saskatoon, Nutana')
  await press(page, 'Back')
  await expect(now(page)).toHaveText('Task')
  await expect(field(page, 'Description')).toHaveValue(DESCRIPTION)
  await page.reload()
  await expect(now(page)).toHaveText('Task')
  await page.goForward()
  await page.goForward()
  await expect(now(page)).toHaveText('Price')

  // A field of an earlier step that became invalid leads back to its step.
  await page.goBack()
  await page.goBack()
  await field(page, 'Title').fill('Walk')
  await page.goForward()
  await page.goForward()
  await expect(now(page)).toHaveText('Price')
  await press(page, 'Post Task')
  await expect(now(page)).toHaveText('Task')
  await expect(alert).toHaveText(['Title must be at least 5 characters'])
  await expect(field(page, 'Title')).toBeFocused()
  await field(page, 'Title').fill(TITLE)
  await press(page, 'Continue')
  await press(page, 'Continue')
  await press(page, 'Post Task')
  await expect(toast(page, 'Success! Your task has been posted successfully')).toBeVisible()
  await expect(page).toHaveURL('/dashboard')
  // No step of an empty form is left behind.
  await page.goBack()
  await expect(page).toHaveURL('/faq')
})

test('a repeat goes on once its end, first time and length are there; for snowfall without a time', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('grace'), PHONE)
  await page.goto('/post-task')
  await fillWhat(page)
  await press(page, 'Continue')
  await field(page, 'Location').fill('Saskatoon, Nutana')
  const alert = main(page).getByRole('alert')
  const repeats = main(page).getByLabel('Repeats')
  await repeats.selectOption('Every week')
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Say when the repeat ends: a last day, or 2 to 52 visits'])
  await expect(field(page, 'Number of visits')).toBeFocused()
  await field(page, 'Number of visits').fill('5')
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Choose the date and time of the first visit'])
  await expect(main(page).getByLabel('Date and time')).toBeFocused()
  await main(page).getByLabel('Date and time').fill('2099-07-01T09:30')
  await press(page, 'Continue')
  await expect(alert).toHaveText(['Say how long each visit takes'])
  await main(page).getByLabel('How long it takes').selectOption('60')
  await repeats.selectOption('When it snows')
  await expect(main(page).getByText('You pay a visit once the tasker has reported snow.')).toBeVisible()
  await field(page, 'Last day of the season').fill(
    new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10),
  )
  await press(page, 'Continue')
  await expect(alert).toHaveText(['A snowfall task has no date: it is done when it snows'])
  await expect(now(page)).toHaveText('Where and when')
  await main(page).getByLabel('Date and time').fill('')
  await repeats.selectOption('Once')
  await press(page, 'Continue')
  await expect(now(page)).toHaveText('Price')
})

test('a refusal of the database leads to the step of its field; turning the phone shows the whole form', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^400 POST \/rest\/v1\/tasks/)
  const page = await signedInPage(await server.newAccount('grace'), PHONE)
  await page.goto('/post-task')
  await fillWhat(page)
  await press(page, 'Continue')
  await field(page, 'Location').fill('Saskatoon, Nutana')
  await press(page, 'Continue')
  await field(page, 'Pay for the task').fill('60')
  await page.setViewportSize({ width: 740, height: 360 })
  await expect(field(page, 'Title')).toHaveValue(TITLE)
  await expect(field(page, 'Location')).toHaveValue('Saskatoon, Nutana')
  await page.setViewportSize(PHONE)
  await expect(now(page)).toHaveText('Price')
  const message = 'Title cannot contain a web or e-mail address'
  await page.route('**/rest/v1/tasks?*', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, json: { code: 'P0001', message, details: null, hint: 'title' } })
      : route.fallback(),
  )
  await press(page, 'Post Task')
  await expect(now(page)).toHaveText('Task')
  await expect(field(page, 'Title')).toBeFocused()
  await expect(main(page).getByRole('alert')).toHaveText([message])
})

test('a stranger writes first, signs up, and is back at the last step', async ({ page, server }) => {
  await page.setViewportSize(PHONE)
  await page.goto('/post-task')
  const title = `${TITLE} ${Date.now()}`
  await expect(main(page)).toContainText('You can add photos once you have an account.')
  await fillWhat(page, title)
  await press(page, 'Continue')
  await field(page, 'Location').fill('Saskatoon, Nutana')
  await press(page, 'Continue')
  await field(page, 'Pay for the task').fill('60')
  await press(page, 'Post Task')
  await expect(page).toHaveURL(/\/auth\?view=sign-up/)
  await page.goBack()
  await expect(now(page)).toHaveText('Price')
  await page.goForward()
  const email = await server.newAccount('grace')
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await main(page).getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL('/post-task')
  await expect(now(page)).toHaveText('Price')
  await expect(main(page).getByRole('article')).toContainText(title)
  await press(page, 'Back')
  await expect(field(page, 'Location')).toHaveValue('Saskatoon, Nutana')
  await press(page, 'Continue')
  await press(page, 'Post Task')
  await expect(toast(page, 'Success! Your task has been posted successfully')).toBeVisible()
})

test('a task that is changed is shown at once, on a phone too', async ({ signedInPage, server }) => {
  const giver = await server.newAccount('grace')
  const page = await signedInPage(giver, PHONE)
  const { taskId } = await postedTask(server, { giver })
  await page.goto(`/task/${taskId}/edit`)
  await expect(field(page, 'Title')).toBeVisible()
  await expect(field(page, 'Location')).toBeVisible()
  await expect(field(page, 'Pay for the task')).toBeVisible()
  await expect(now(page)).toHaveCount(0)
})
