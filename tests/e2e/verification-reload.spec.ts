// The verification wizard after a reload: answers stay, except name and date of birth.
import { expect, test } from './fixtures.ts'
import { birthday, saysWho } from './wizard.ts'

test('a reload keeps the answers but not who one is, and says so', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/verification')
  const main = page.getByRole('main')
  const note = main.getByText('For your privacy, your name and date of birth were not kept.')
  await expect(main.getByLabel('Full legal name')).toBeVisible()
  await expect(note).toHaveCount(0)
  await saysWho(page)
  await main.getByLabel('Government ID type').selectOption('passport')
  await page.reload()
  await expect(note).toBeVisible()
  await expect(main.getByLabel('Full legal name')).toHaveValue('')
  await expect(main.getByRole('checkbox', { name: /Terms of Service/ })).toBeChecked()
  await main.getByLabel('Full legal name').fill('Theodore K.')
  await main.getByLabel('Date of birth').fill(birthday(30))
  await main.getByRole('button', { name: 'Continue' }).click()
  await expect(main.getByLabel('Government ID type')).toHaveValue('passport')
  await expect(note).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Theodore')
})
