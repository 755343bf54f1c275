// Where a page is scrolled to when it is opened anew or reloaded.
import { expect, NARROW, test } from './fixtures.ts'

test('an address that is opened anew begins at its top, a reload where it was', async ({ page }) => {
  await page.setViewportSize(NARROW)
  await page.goto('/terms')
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.goto('/how-it-works')
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.reload()
  await expect(page.getByRole('contentinfo')).toBeInViewport()
})

test('so does one that was scrolled in this tab before', async ({ signedInPage }) => {
  const page = await signedInPage('grace', NARROW)
  const toFoot = async () => {
    await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(200)
  }
  await page.goto('/dashboard', { waitUntil: 'networkidle' })
  await toFoot()
  await page.goto('/find-taskers', { waitUntil: 'networkidle' })
  await page.goto('/dashboard', { waitUntil: 'networkidle' })
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  await toFoot()
  await page.reload({ waitUntil: 'networkidle' })
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(200)
})
