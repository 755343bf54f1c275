// Find Taskers while its list is on its way, and when it does not come (specification 000 §2).
import { expect, test } from './fixtures.ts'

test('taskers that cannot be loaded are a message, not an empty list', async ({ page, problems }) => {
  problems.allow(/^500 /)
  let answer = () => {}
  const waited = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/rest\/v1\//, async (route) => {
    await waited
    await route.fulfill({ status: 500, contentType: 'application/json', body: '{}' })
  })
  await page.goto('/find-taskers')
  await expect(page.getByRole('status').filter({ hasText: 'Loading…' })).toBeVisible()
  answer()
  await expect(page.getByText('Failed to load taskers').first()).toBeVisible({ timeout: 20_000 })
})
