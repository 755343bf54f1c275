// The first step of the verification wizard.
import type { Page } from '@playwright/test'

/** A birthday `years` years ago, `days` days from today, as a date field takes it. */
export function birthday(years: number, days = 0) {
  const date = new Date(Date.now() + days * 86_400_000)
  return `${date.getUTCFullYear() - years}-${String(date.getUTCMonth() + 1).padStart(2, '0')}-${String(date.getUTCDate()).padStart(2, '0')}`
}

/** Goes through the first step. */
export async function saysWho(page: Page, born = birthday(30)) {
  await page.getByLabel('Full legal name').fill('Theodore K.')
  await page.getByLabel('Date of birth').fill(born)
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('checkbox', { name: /Privacy Policy/ }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
}
