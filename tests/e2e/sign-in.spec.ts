// Signing in by the keyboard alone, and before the app has come.
import { expect, test } from './fixtures.ts'
import { PASSWORD } from './server.ts'

test('the keyboard alone signs in', async ({ page }) => {
  await page.goto('/auth')
  await page.getByLabel('Email').focus()
  await page.keyboard.type('grace@example.com')
  await page.keyboard.press('Tab')
  // The link for a forgotten password may be between the two fields.
  if (
    !(await page
      .getByLabel('Password', { exact: true })
      .evaluate((field) => field === document.activeElement))
  )
    await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/dashboard')
})

test('a person who signs in before the app has loaded is signed in when it has, and no password is in an address', async ({
  page,
}) => {
  let come = () => {}
  const held = new Promise<void>((resolve) => {
    come = resolve
  })
  await page.route(/\/assets\/.+\.js$/, async (route) => {
    await held
    await route.continue()
  })
  const addresses: string[] = []
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByLabel('Email').fill('grace@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(PASSWORD)
  come()
  await expect(page).toHaveURL('/dashboard')
  expect(addresses.join()).not.toContain(PASSWORD)
})
