// Posting a task: every message of spec 001 §5 in its order, who may post, and what is kept.
import type { Page } from '@playwright/test'
import { expect, test, toast } from './fixtures.ts'

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

test('a valid task is posted, without a date when none was given', async ({ signedInPage, server }) => {
  const page = await signedInPage('grace')
  const title = `${TASK.Title} ${Date.now()}`
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
})

test('the fees are shown before posting', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  await fill(page, { 'Pay for the task': '100' })
  const main = page.getByRole('main')
  await expect(main.getByText('$120.00').first()).toBeVisible()
  await expect(main.getByText('$80.00').first()).toBeVisible()
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

test('taskers are sent to the dashboard; an admin may post', async ({ signedInPage }) => {
  const theo = await signedInPage('theo')
  await theo.goto('/post-task')
  await expect(toast(theo, 'Access Denied: Only task givers can post tasks')).toBeVisible()
  await expect(theo).toHaveURL('/dashboard')

  const ada = await signedInPage('ada')
  await ada.goto('/post-task')
  await expect(ada.getByRole('button', { name: 'Post Task' })).toBeVisible()
})
