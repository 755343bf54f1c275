// The side menu of small screens while its code is still on its way.
import { expect, NARROW, test } from './fixtures.ts'

test('a side menu whose code comes after the page was left stays closed', async ({ page }) => {
  await page.setViewportSize(NARROW)
  await page.goto('/terms')
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/MobileMenu*.js', async (route) => {
    await released
    await route.fallback()
  })
  const requested = page.waitForRequest('**/assets/MobileMenu*.js')
  await page.getByRole('button', { name: 'Open the menu' }).click()
  const url = (await requested).url()
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy Policy' }).click()
  await expect(page).toHaveURL('/privacy')
  release()
  await page.evaluate(async (module) => {
    await import(module)
    // React has drawn what waited for it two frames later.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  }, url)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
})
