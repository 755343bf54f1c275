// What a reload of the verification wizard keeps of its answers.
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

async function fillFirstStep(page: Page) {
  await page.getByLabel('Full legal name').fill('Theodore K.')
  await page.getByLabel('Date of birth').fill('1990-01-01')
}

test('a reload keeps the answers but not who one is, and says so', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/verification')
  const main = page.getByRole('main')
  const note = main.getByText('For your privacy, your name and date of birth were not kept.')
  await expect(main.getByLabel('Full legal name')).toBeVisible()
  await expect(note).toHaveCount(0)
  await fillFirstStep(page)
  for (const name of [/Terms of Service/, /Privacy Policy/])
    await main.getByRole('checkbox', { name }).check()
  await main.getByRole('button', { name: 'Continue' }).click()
  await main.getByLabel('Government ID type').selectOption('passport')
  await page.reload()
  await expect(note).toBeVisible()
  await expect(main.getByLabel('Full legal name')).toHaveValue('')
  await expect(main.getByRole('checkbox', { name: /Terms of Service/ })).toBeChecked()
  await fillFirstStep(page)
  await main.getByRole('button', { name: 'Continue' }).click()
  await expect(main.getByLabel('Government ID type')).toHaveValue('passport')
  await expect(note).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Theodore')
})
