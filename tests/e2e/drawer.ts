// The floating messages button and its drawer, for the journeys that talk.
import type { Page } from '@playwright/test'

export const button = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Messages/ })
export const drawer = (page: Page) => page.getByRole('dialog')
export const write = async (page: Page, text: string) => {
  await drawer(page).getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}
/** Long before a screen with live updates would poll. */
export const soon = { timeout: 10_000 }
