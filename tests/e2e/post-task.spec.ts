// Posting a task: every message of spec 001 §5 in its order, who may post, and what is kept.
import type { Page } from '@playwright/test'
import { expectGoodLooks } from './accessibility.ts'
import { expect, newAddress, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { PASSWORD } from './server.ts'
import { knowsReact } from './translator.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ translated: true })

const TASK = {
  Title: 'Shovel the front walk',
  Description: 'About twenty metres of walk and the three steps by the door.',
  Category: 'Snow Removal',
  Location: 'Saskatoon, Nutana',
  'Pay for the task': '60',
}

async function fill(page: Page, values: Partial<Record<keyof typeof TASK | 'About the tools', string>>) {
  for (const [label, value] of Object.entries(values)) {
    const field = page.getByRole('main').getByLabel(label, { exact: !['About the tools'].includes(label) })
    if (label === 'Category') await field.selectOption(value)
    else await field.fill(value)
  }
}

test('the characters of a description are counted in the notation of the language', async ({
  signedInPage,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await fill(page, { Description: 'D'.repeat(1234) })
  await expect(page.getByText('At least 20 characters. 1,234 of 5,000 used.')).toBeVisible()
})

test('the first failure is shown, one at a time, in the order of the form', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  const post = page.getByRole('button', { name: 'Post Task' })
  const steps: [Parameters<typeof fill>[1], string][] = [
    [{}, 'Title must be at least 5 characters'],
    [{ Title: '  abcd  ' }, 'Title must be at least 5 characters'],
    [{ Title: 'T'.repeat(201) }, 'Title too long'],
    [{ Title: TASK.Title }, 'Description must be at least 20 characters'],
    [{ Description: 'D'.repeat(5001) }, 'Description too long'],
    [{ Description: TASK.Description }, 'Category is required'],
    [{ Category: TASK.Category }, 'Location must be at least 3 characters'],
    [{ Location: 'L'.repeat(201) }, 'Location too long'],
    [{ Location: TASK.Location }, 'Pay amount must be positive'],
    [{ 'Pay for the task': '0' }, 'Pay amount must be positive'],
    [{ 'Pay for the task': '-5' }, 'Pay amount must be positive'],
    [{ 'Pay for the task': '24.99' }, 'Pay amount must be at least $25'],
    [{ 'Pay for the task': '100000.01' }, 'Pay amount too high'],
    [{ 'Pay for the task': '60', 'About the tools': 't'.repeat(1001) }, 'Tools description too long'],
  ]
  for (const [values, message] of steps) {
    await fill(page, values)
    await post.click()
    await expect(page.getByRole('main').getByRole('alert'), JSON.stringify(values).slice(0, 80)).toHaveText([
      message,
    ])
  }
})

test('a limit that refuses the task stays above the button, and the task is kept', async ({
  signedInPage,
  problems,
}) => {
  problems.allow(/^429 POST \/rest\/v1\/tasks/)
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await fill(page, TASK)
  const message = 'A new account can do this 15 times an hour. Please try again in 60 min.'
  await page.route('**/rest/v1/tasks?*', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 429, json: { code: 'PT429', message, details: null, hint: null } })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toHaveText([message])
  await page.reload()
  await expect(page.getByRole('main').getByLabel('Title')).toHaveValue(TASK.Title)
})

test('a valid task is posted, without a date when none was given', async ({ signedInPage, server }) => {
  const page = await signedInPage('grace')
  const title = `${TASK.Title} ${Date.now()}`
  await page.goto('/faq')
  await page.goto('/post-task')
  await fill(page, { ...TASK, Title: `  ${title}  ` })
  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(page, 'Success! Your task has been posted successfully')).toBeVisible()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByText(title)).toBeVisible()

  const grace = await server.signedIn('grace')
  const { data } = await grace.from('tasks').select().eq('title', title).single()
  expect(data).toMatchObject({
    description: TASK.Description,
    category: TASK.Category,
    location: TASK.Location,
    pay_amount: 60,
    scheduled_date: null,
    tools_provided: false,
    tools_description: null,
    status: 'open',
  })
  // Not to the form, which is empty now.
  await page.goBack()
  await expect(page).toHaveURL('/faq')
})

test('a task keeps the date and the tools that were given', async ({ signedInPage, server }) => {
  const page = await signedInPage('grace')
  const main = page.getByRole('main')
  const title = `${TASK.Title} ${Date.now()}`
  await page.goto('/post-task')
  await expect(main.getByRole('radio', { name: 'Bring your own' })).toBeChecked()
  await fill(page, { ...TASK, Title: title, 'About the tools': 'Two shovels and salt are by the door.' })
  await main.getByLabel('Date and time').fill('2099-07-01T09:30')
  await main.getByRole('radio', { name: 'Provided' }).check()
  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(page).toHaveURL('/dashboard')
  const grace = await server.signedIn('grace')
  const { data } = await grace
    .from('tasks')
    .select('scheduled_date, tools_provided, tools_description')
    .eq('title', title)
    .single()
    .throwOnError()
  expect({ ...data, scheduled_date: Date.parse(data.scheduled_date) }).toEqual({
    scheduled_date: Date.parse('2099-07-01T09:30-06:00'),
    tools_provided: true,
    tools_description: 'Two shovels and salt are by the door.',
  })
})

test('the fees are shown before posting, and follow what is typed, whatever the category', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await postedTask(server)
  const page = await signedInPage('grace')
  const main = page.getByRole('main')
  for (const path of ['/post-task', `/task/${taskId}/edit`]) {
    await page.goto(path)
    await fill(page, { 'Pay for the task': '40' })
    await expect(main.getByText('$48.00').first()).toBeVisible()
    await expect.poll(() => page.locator('font').count(), 'the translator is at work').toBeGreaterThan(20)
    expect(await knowsReact(page)).toBe(true)
    await fill(page, { 'Pay for the task': '100' })
    const categories = await main
      .getByLabel('Category', { exact: true })
      .getByRole('option')
      .allTextContents()
    for (const category of categories.slice(1)) {
      await fill(page, { Category: category })
      await expect(main.locator('[aria-hidden] p').filter({ hasText: category }).first()).toBeVisible()
    }
    for (const figure of ['$120.00', '$80.00']) await expect(main.getByText(figure).first()).toBeVisible()
    await expect(main.getByText('$48.00')).toHaveCount(0)
  }
})

test('an amount is read with the separators of the reader’s language, and what is understood is shown', async ({
  signedInPage,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  const understood = page.locator('input[name=pay_amount] + p')
  const enter = (typed: string) => page.locator('input[name=pay_amount]').fill(typed)
  await enter('1,250')
  await expect(understood).toHaveText('= $1,250.00')
  // Three decimals in English; nothing is guessed.
  await enter('1.250')
  await expect(understood).toHaveText('')
  await enter('1250')
  await expect(understood).toHaveText('')
  await page.evaluate(() => localStorage.setItem('language', 'de'))
  await page.reload()
  await enter('1.250')
  await expect(understood).toHaveText(/^= 1\.250,00/)
  await expect(page.getByRole('main').getByText('1.500,00').first()).toBeVisible()
})

test('Cancel leads to the dashboard, and the draft waits', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await fill(page, { Title: TASK.Title })
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/post-task')
  await expect(page.getByRole('main').getByLabel('Title', { exact: true })).toHaveValue(TASK.Title)
})

test('a tasker who types the address is sent to the dashboard; one who follows a link reads why; an admin may post', async ({
  signedInPage,
}) => {
  const theo = await signedInPage('theo')
  await theo.goto('/post-task')
  await expect(toast(theo, 'Access Denied: Only task givers can post tasks')).toBeVisible()
  await expect(theo).toHaveURL('/dashboard')

  await theo.goto('/how-it-works')
  await theo.getByRole('main').getByRole('link', { name: 'Post a Task' }).click()
  await expect(theo).toHaveURL('/post-task')
  await expect(theo.getByRole('main')).toContainText('Posting tasks is for task givers')
  await expect(theo.getByRole('button', { name: 'Post tasks too' })).toBeVisible()
  await expect(theo.getByText('Access Denied')).toHaveCount(0)
  await expectGoodLooks(theo)

  const ada = await signedInPage('ada')
  await ada.goto('/post-task')
  await expect(ada.getByRole('button', { name: 'Post Task' })).toBeVisible()
})

test('a stranger posts a task: written first, posted from the tab of the e-mail', async ({
  page,
  context,
  problems,
  server,
}) => {
  problems.allow(/^400 POST \/auth\/v1\/token/)
  problems.allow(/^429 POST \/auth\/v1\/resend/)
  const title = `Sweep the chimney ${Date.now()}`
  const field = page.getByRole('main').getByLabel('Title', { exact: true })
  await page.goto('/')
  await page.getByRole('main').getByRole('link', { name: 'Post a Task' }).first().click()
  await expect(page).toHaveURL('/post-task')
  await fill(page, { ...TASK, Title: title })
  await page.reload()
  await expect(field).toHaveValue(title)

  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(page).toHaveURL(/\/auth\?view=sign-up&role=task_giver&next=%2Fpost-task/)
  const main = page.getByRole('main')
  await expect(main.getByText(`“${title}” is ready`)).toBeVisible()
  await expect(main.getByText('You must be logged in to post a task')).toBeVisible()
  await expect(main.getByRole('radio', { name: 'Post Tasks' })).toBeChecked()
  await expectGoodLooks(page)
  await page.goBack()
  await expect(field).toHaveValue(title)
  await page.goForward()

  // The first address is wrong, and is corrected.
  const [wrong, right] = [newAddress('grace'), newAddress('grace')]
  const signUp = async (email: string) => {
    await page.getByLabel('Full name').fill('Grace')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await main.getByRole('button', { name: 'Sign Up', exact: true }).click()
  }
  const panel = main.getByRole('region', { name: 'Check your inbox' })
  await signUp(wrong)
  await expect(panel).toContainText(wrong)
  await panel.getByRole('button', { name: 'Correct the address' }).click()
  await expect(page.getByLabel('Email')).toHaveValue(wrong)
  await signUp(right)
  await expect(panel).toContainText(right)
  await expect(panel).toContainText(title)
  await expect(panel.getByRole('button', { name: /^Send it again in \d+ s$/ })).toBeDisabled()

  // The panel stays through a reload; the service's own clock is what it counts.
  await expect(page.getByRole('tab', { name: 'Sign In' })).toHaveAttribute('aria-selected', 'true')
  await page.reload()
  await expect(panel).toContainText(right)
  await expectGoodLooks(page)
  await page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem('draft:confirmation') ?? '{}')
    sessionStorage.setItem('draft:confirmation', JSON.stringify({ ...kept, againAt: 0 }))
  })
  await page.reload()
  await panel.getByRole('button', { name: 'Send it again', exact: true }).click()
  await expect(panel.getByRole('button', { name: /^Send it again in [1-5]?\d s$/ })).toBeDisabled()

  // Somebody else on this device does not find it.
  const other = await context.newPage()
  await other.goto('/auth')
  await other.getByLabel('Email').fill('sam@example.com')
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(other).toHaveURL('/dashboard')
  // The first tab is signed in as well, and goes on to its form: an empty one.
  await expect(page).toHaveURL('/post-task')
  await expect(field).toHaveValue('')
  await other.getByRole('button', { name: 'Your account' }).click()
  await other.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(other).toHaveURL('/')
  await page.close()

  // The link in the e-mail opens in a new tab.
  await other.goto((await server.messageTo(right)).links[0] ?? '')
  await other.getByRole('button', { name: 'Confirm my email' }).click()
  await expect(other).toHaveURL('/post-task')
  await expect(other.getByText('Your task is ready. Look it over, and post it.')).toBeVisible()
  await expect(other.getByRole('main').getByLabel('Title', { exact: true })).toHaveValue(title)
  await other.getByRole('link', { name: 'Cancel' }).click()
  await expect(other).toHaveURL('/dashboard')
  await other.getByRole('link', { name: 'Finish and post' }).click()
  const ready = other.getByRole('paragraph').filter({ hasText: 'Your task is ready.' })
  await ready.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(other, 'Success! Your task has been posted successfully')).toBeVisible()
  await expect(other).toHaveURL('/dashboard')
  await expect(other.getByRole('heading', { name: title })).toBeVisible()
  await other.goto('/post-task')
  await expect(other.getByRole('main').getByLabel('Title', { exact: true })).toHaveValue('')

  const grace = await server.signedIn(right)
  const { data } = await grace.from('tasks').select('title, pay_amount, status').eq('title', title).single()
  expect(data).toEqual({ title, pay_amount: 60, status: 'open' })
})
