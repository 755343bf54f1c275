// The links of the auth e-mails: opening one changes nothing, pressing the button of its page uses it up.
import type { Page } from '@playwright/test'
import { expectGoodLooks } from './accessibility.ts'
import { expect, forgetSession, NARROW, newAddress, test } from './fixtures.ts'
import { PASSWORD } from './server.ts'

const confirmEmail = (page: Page) => page.getByRole('button', { name: 'Confirm my email' }).click()

test('a confirmation link survives a scanner of mail, and is used up by one press of its button', async ({
  page,
  problems,
  server,
}) => {
  problems.allow(/^403 POST \/auth\/v1\/verify/)
  const email = newAddress('theo')
  const client = server.stranger()
  const options = { data: { full_name: 'Theo', phone: null, role: 'task_doer' } }
  expect((await client.auth.signUp({ email, password: PASSWORD, options })).error).toBeNull()
  const [link = ''] = (await server.messageTo(email)).links
  for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
  // A scanner that runs scripts draws the page, and presses nothing.
  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm your email')
  await page.reload()
  await confirmEmail(page)
  await expect(page).toHaveURL(/\/(dashboard)?$/)

  // Somebody who presses once more, in another browser, reads what happened and what to do.
  await forgetSession(page)
  await page.goto(link)
  await confirmEmail(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('That link did not work')
  await expect(page.getByRole('alert')).toContainText('was used before')
  await expectGoodLooks(page)
  await expect(page.getByRole('main').getByRole('link', { name: 'Choose a new password' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('a forgotten password is replaced through the e-mail', async ({ page, server }) => {
  const email = newAddress('theo')
  const options = { data: { full_name: 'Theo', phone: null, role: 'task_doer' } }
  await server.stranger().auth.signUp({ email, password: PASSWORD, options })
  await page.goto((await server.messageTo(email)).links[0] ?? '')
  await confirmEmail(page)
  await expect(page).not.toHaveURL(/auth/)
  await forgetSession(page)

  await page.goto('/auth')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible()
  await page.getByLabel('Email').fill(email)
  const before = (await server.messageTo(email)).subject
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('Check your email')).toBeVisible()
  await expect.poll(async () => (await server.messageTo(email)).subject).not.toBe(before)
  const [link = ''] = (await server.messageTo(email)).links
  for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200)
  await page.goto(link)
  await page.getByRole('button', { name: 'Choose a new password' }).click()
  await page.getByLabel('New password').fill('Western1lark')
  await page.getByRole('button', { name: 'Save the new password' }).click()
  await expect(page).toHaveURL('/dashboard')

  const { error: old } = await server.stranger().auth.signInWithPassword({ email, password: PASSWORD })
  expect(old?.message).toBe('Invalid login credentials')
  const { error } = await server.stranger().auth.signInWithPassword({ email, password: 'Western1lark' })
  expect(error).toBeNull()
})

test('a forgotten password is replaced by the code of the e-mail, too', async ({
  page,
  problems,
  server,
}) => {
  problems.allow(/^403 POST \/auth\/v1\/verify/)
  const email = await server.newAccount('theo')
  await page.goto('/auth?view=forgot-password')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('Check your email')).toBeVisible()
  await expect.poll(async () => (await server.messageTo(email)).subject).toContain('Reset')
  const code = (await server.messageTo(email)).code ?? ''
  await page.getByLabel('Six-digit code').fill(code === '000000' ? '111111' : '000000')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('alert')).toContainText('This code is wrong or too old')
  await page.getByLabel('Six-digit code').fill(code)
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByLabel('New password').fill('Western1lark')
  await page.getByRole('button', { name: 'Save the new password' }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('the code of the e-mail confirms the address where it was typed, a wrong one says so', async ({
  page,
  problems,
  server,
}) => {
  problems.allow(/^403 POST \/auth\/v1\/verify/)
  const email = newAddress('grace')
  await page.setViewportSize(NARROW)
  await page.goto('/auth?view=sign-up')
  await page.getByRole('radio', { name: 'Post Tasks' }).check()
  await page.getByLabel('Full name').fill('Grace')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
  const code = (await server.messageTo(email)).code ?? ''
  const waits = page.getByRole('region', { name: 'Check your inbox' })
  const field = waits.getByLabel('Six-digit code')
  await waits.getByText('Enter the code from the email instead').click()
  await waits.getByRole('button', { name: 'Verify' }).click()
  await expect(waits.getByRole('alert')).toContainText('The code has six digits')
  await field.fill(code === '000000' ? '111111' : '000000')
  await waits.getByRole('button', { name: 'Verify' }).click()
  await expect(waits.getByRole('alert').last()).toContainText('This code is wrong or too old')
  await expect(page.getByRole('tab', { name: 'Sign In' })).toHaveAttribute('aria-selected', 'true')
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Grace')
})
