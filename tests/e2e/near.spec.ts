// Tasks near the device, a place or a travel area (specification 000: GPS-based matching).
import type { BrowserContext, Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, NO_NETWORK, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'

const SASKATOON = { latitude: 52.1234, longitude: -106.6543 }
const CALGARY = { latitude: 51.05, longitude: -114.07 }
/** In the half of Lloydminster that is in Alberta. */
const LLOYDMINSTER_WEST = { latitude: 53.28, longitude: -110.03 }

const allow = async (context: BrowserContext, position: { latitude: number; longitude: number }) => {
  await context.grantPermissions(['geolocation'])
  await context.setGeolocation(position)
}

const openChoice = (page: Page) => page.getByRole('button', { name: 'Near me' }).click()
const useLocation = (page: Page) => page.getByRole('button', { name: 'Use my location' }).click()
const first = (page: Page) => page.getByRole('main').getByRole('article').first()

test('a position is used when asked for, kept on the device, never in the address, and can be forgotten', async ({
  page,
  context,
  server,
}) => {
  await postedTask(server)
  await allow(context, SASKATOON)
  await page.setViewportSize(NARROW)
  await page.goto('/browse')
  await openChoice(page)
  await expect(page.getByRole('dialog', { name: 'Tasks near you' })).toBeVisible()
  await expectAccessible(page, { within: '[role="dialog"]' })
  await useLocation(page)
  await expect(page).toHaveURL('/browse?near=me')
  await expect(first(page)).toContainText('km away')
  await expect(page.getByRole('combobox', { name: 'Distance' })).toHaveValue('25')
  await expectNoSidewaysScroll(page)
  expect(await page.evaluate(() => localStorage.getItem('device-position'))).toBe(
    '{"latitude":52.12,"longitude":-106.65}',
  )
  await page.getByRole('combobox', { name: 'Distance' }).selectOption('100')
  await expect(page).toHaveURL('/browse?near=me&km=100')
  await page.goBack()
  await expect(page).toHaveURL('/browse?near=me')
  await page.reload()
  await expect(first(page)).toContainText('km away')
  await openChoice(page)
  await page.getByRole('button', { name: 'Forget my location' }).click()
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => localStorage.getItem('device-position'))).toBeNull()
  await page.reload()
  await expect(page.getByText('Your location is not stored on this device')).toBeVisible()
  await expect(first(page)).toBeVisible()
})

test('without a position there is a sentence, and a place works', async ({ page, context, server }) => {
  await postedTask(server)
  await page.goto('/browse')
  await openChoice(page)
  const panel = page.getByRole('dialog', { name: 'Tasks near you' })
  await useLocation(page)
  await expect(panel.getByRole('alert')).toContainText('This page may not use your location')
  await allow(context, CALGARY)
  await useLocation(page)
  await expect(panel.getByRole('alert')).toContainText('You are outside of the province')
  await panel.getByLabel('Or near a place').fill('nutana')
  await expect(panel.getByRole('option', { name: 'Nutana Neighbourhood of Saskatoon' })).toBeVisible()
  await panel.getByLabel('Or near a place').press('Enter')
  await expect(page).toHaveURL('/browse?near=saskatoon-nutana')
  await expect(page.getByRole('button', { name: 'Clear: Nutana, Saskatoon' })).toBeVisible()
  await expect(first(page)).toContainText('under 1 km away')
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Highest pay')
  await expect(page).toHaveURL(/sort=pay/)
  await page.goto('/browse?near=atlantis')
  await expect(page.getByText('This place is not known any more')).toBeVisible()
})

/** Makes the browser answer the next question for a position with this error code; see GeolocationPositionError. */
const failToLocate = (page: Page, code: 1 | 2 | 3) =>
  page.evaluate((code) => {
    const getCurrentPosition = (_: unknown, fail: (error: { code: number }) => void) => fail({ code })
    Object.defineProperty(navigator, 'geolocation', { value: { getCurrentPosition }, configurable: true })
  }, code)

test('each reason for no position says what to do next', async ({ page }) => {
  await page.goto('/browse')
  await openChoice(page)
  const problem = page.getByRole('dialog', { name: 'Tasks near you' }).getByRole('alert')
  await failToLocate(page, 3)
  await useLocation(page)
  await expect(problem).toHaveText('Finding your location took too long. Try again, or choose a place.')
  await failToLocate(page, 2)
  await useLocation(page)
  await expect(problem).toHaveText('Your location could not be found. Try again, or choose a place.')
  await page.evaluate(() => {
    Reflect.deleteProperty(navigator, 'geolocation')
    Reflect.deleteProperty(Navigator.prototype, 'geolocation')
  })
  await useLocation(page)
  await expect(problem).toHaveText('This browser cannot find out where you are. Choose a place instead.')
  await page.evaluate(() => Object.defineProperty(window, 'isSecureContext', { value: false }))
  await useLocation(page)
  await expect(problem).toContainText('This page has none. Choose a place instead.')
  await expect(page).toHaveURL('/browse')
})

test('the half of Lloydminster in Alberta is near Lloydminster', async ({ page, context, server }) => {
  const task = await postedTask(server, { location: 'Lloydminster' })
  await allow(context, LLOYDMINSTER_WEST)
  await page.goto('/browse')
  await openChoice(page)
  await useLocation(page)
  await expect(page).toHaveURL('/browse?near=me')
  await expect(page.getByRole('article').filter({ hasText: task.title })).toContainText('km away')
})

test('without a network a position asks for nothing, and the list follows once there is one', async ({
  page,
  context,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  await postedTask(server)
  await allow(context, SASKATOON)
  await page.goto('/browse')
  await openChoice(page)
  await expect(page.getByRole('button', { name: 'Use my location' })).toBeVisible()
  await context.setOffline(true)
  await useLocation(page)
  await expect(page).toHaveURL('/browse?near=me')
  await expect(page.getByRole('main')).toContainText('offline')
  await context.setOffline(false)
  await expect(first(page)).toContainText('km away')
})

test('signing out removes the position from the device', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('grace'))
  await allow(page.context(), SASKATOON)
  await page.goto('/browse')
  await openChoice(page)
  await useLocation(page)
  await expect(page).toHaveURL('/browse?near=me')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('device-position'))).toBeNull()
})

test('a tasker with a travel area sees distances at once', async ({ signedInPage, server }) => {
  await postedTask(server)
  const person = await server.newAccount('theo')
  const page = await signedInPage(person, NARROW)
  await page.goto('/profile?tab=settings')
  await page.getByLabel('Where you start from').fill('Moose Jaw')
  await page.getByRole('option', { name: /^Moose Jaw/ }).click()
  await page.getByLabel('How far you travel').selectOption('200')
  await page.getByRole('button', { name: 'Save travel area' }).click()
  await expect(toast(page, 'Travel area saved!')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove travel area' })).toBeVisible()
  // The second time it is changed.
  await page.getByLabel('How far you travel').selectOption('100')
  await page.getByRole('button', { name: 'Save travel area' }).click()
  await expect(async () => {
    const { data } = await (await server.signedIn(person)).from('travel_areas').select('radius_km').single()
    expect(data?.radius_km).toBe(100)
  }).toPass()
  await page.goto('/browse?search=Nutana')
  await expect(first(page)).toContainText(/\d+ km away/)
  await openChoice(page)
  await page.getByRole('button', { name: 'Use my travel area' }).click()
  await expect(page).toHaveURL(/near=area/)
  await expect(page.getByRole('combobox', { name: 'Distance' })).toHaveValue('100')
})
