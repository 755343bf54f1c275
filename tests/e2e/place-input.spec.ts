// The field for a place: suggestions by keyboard, free text, and a lost network (issue 33, places as data).
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'

const TASK = {
  Title: 'Carry a piano up one floor',
  Description: 'An upright piano, from the garage to the first floor.',
  'Pay for the task': '90',
}

const location = (page: Page) => page.getByRole('combobox', { name: 'Location', exact: true })
const list = (page: Page) => page.getByRole('listbox', { name: 'Suggested places' })
const options = (page: Page) => list(page).getByRole('option')

test('a neighbourhood is chosen by keyboard, and the task has its name', async ({ signedInPage, server }) => {
  const grace = await server.newAccount('grace')
  const page = await signedInPage(grace)
  await page.goto('/post-task')
  for (const [label, value] of Object.entries(TASK)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByLabel('Category', { exact: true }).selectOption('Moving')
  const field = location(page)
  await expect(field).toHaveAttribute('placeholder', 'Saskatoon, Nutana')
  await field.focus()
  await page.keyboard.type('nuta')
  await expect(options(page).first()).toHaveText('NutanaNeighbourhood of Saskatoon')
  await page.keyboard.press('ArrowDown')
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')
  await expect(field).toHaveAttribute(
    'aria-activedescendant',
    await options(page)
      .first()
      .evaluate(({ id }) => id),
  )
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('Nutana, Saskatoon')
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-expanded', 'false')
  // The draft has it, too.
  await page.reload()
  await expect(field).toHaveValue('Nutana, Saskatoon')
  await page.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(page, 'Success! Your task has been posted successfully')).toBeVisible()
  const client = await server.signedIn(grace)
  const { data } = await client.from('tasks').select('location').eq('title', TASK.Title).throwOnError()
  expect(data).toEqual([{ location: 'Nutana, Saskatoon' }])
})

test('the text stays free: Escape, leaving and no network leave the typed text', async ({
  signedInPage,
  problems,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  const field = location(page)
  await field.pressSequentially('sask')
  await expect(options(page).first()).toHaveText('SaskatoonCity')
  await page.keyboard.press('Escape')
  await expect(options(page)).toHaveCount(0)
  await expect(field).toHaveValue('sask')
  // Arrow keys open it again, and nothing is chosen by leaving.
  await page.keyboard.press('ArrowDown')
  await expect(options(page).first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await expect(options(page)).toHaveCount(0)
  await expect(field).toHaveValue('sask')
  // A postal code, in small letters.
  await field.fill('s4p 1a1')
  await expect(options(page).first()).toHaveText('ReginaCity')
  problems.allow(/offline|ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  await page.context().setOffline(true)
  await expect(options(page)).toHaveCount(0)
  await field.fill('North of Moose Jaw')
  await expect(field).toHaveValue('North of Moose Jaw')
  await expect(options(page)).toHaveCount(0)
  await page.context().setOffline(false)
})

test('suggestions that arrive after the field was left do not open, and typing goes on in the next field', async ({
  signedInPage,
}) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  const field = location(page)
  const pay = page.getByLabel('Pay for the task', { exact: true })
  const searching = '**/rest/v1/rpc/search_places*'
  let answer = () => {}
  const wanted = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(searching, (route) => wanted.then(() => route.fallback()))
  const asked = page.waitForRequest(searching)
  await field.fill('Nutana, Saskatoon')
  await asked
  await pay.focus()
  await page.keyboard.type('2')
  const answered = page.waitForResponse(searching)
  answer()
  await (await answered).finished()
  // The page has done with the answer.
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())))
  await page.keyboard.type('00')
  await expect(pay).toHaveValue('200')
  await expect(field).toHaveValue('Nutana, Saskatoon')
  await expect(list(page)).toBeHidden()
  // They are shown again to a person who comes back and types.
  await field.press('End')
  await field.press('Backspace')
  await expect(options(page).first()).toBeVisible()
})

test('on a phone the rows are high enough, in both looks', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.setViewportSize(NARROW)
  await page.goto('/profile')
  const city = page.getByRole('combobox', { name: 'City' })
  await city.fill('s7h')
  await expect(options(page)).toHaveText([/^Saskatoon/])
  await city.fill('wa')
  await expect(options(page).first()).toHaveText('WarmanCity')
  for (const row of await options(page).all())
    expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await inBothLooks(page, async () => {
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
  await options(page).first().click()
  await expect(city).toHaveValue('Warman')
})

test('inside of the panel of filters, Escape closes the list and not the panel', async ({ page }) => {
  await page.goto('/browse')
  await page.getByRole('button', { name: 'Filters' }).click()
  const panel = page.getByRole('dialog', { name: 'Filters' })
  const place = panel.getByRole('combobox', { name: 'Place' })
  await place.fill('nut')
  await expect(panel.getByRole('option').first()).toBeVisible()
  await expectAccessible(page, { within: '[role="dialog"]' })
  await place.press('Escape')
  await expect(panel.getByRole('option')).toHaveCount(0)
  await expect(panel).toBeVisible()
  await place.pressSequentially('ana')
  await panel.getByRole('option', { name: 'Nutana Neighbourhood' }).click()
  await expect(place).toHaveValue('Nutana, Saskatoon')
  await panel.getByRole('button', { name: 'Show tasks' }).click()
  await expect(page).toHaveURL(/place=Nutana%2C\+Saskatoon/)
})

test('a field for places only takes the first place by Enter, and reports that there is none', async ({
  page,
  problems,
}) => {
  problems.allow(/^500 /)
  await page.goto('/browse')
  await page.getByRole('button', { name: 'Near me' }).click()
  const panel = page.getByRole('dialog', { name: 'Tasks near you' })
  const place = panel.getByRole('combobox', { name: 'Or near a place' })
  const report = panel.getByText('No such place found')
  await place.fill('xyzzy')
  await expect(report).toBeVisible()
  await place.press('Enter')
  await expect(panel).toBeVisible()
  await expect(place).toHaveValue('xyzzy')
  const failing = /\/rest\/v1\/rpc\/search_places/
  await page.route(failing, (route) => route.fulfill({ status: 500, json: {} }))
  await place.fill('reg')
  await expect(panel.getByRole('alert')).toBeVisible()
  await expect(report).toBeHidden()
  await page.unroute(failing)
  await place.fill('regi')
  await expect(panel.getByRole('alert')).toBeHidden()
  await expect(panel.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await expectAccessible(page, { within: '[role="dialog"]' })
  await place.press('Enter')
  await expect(page).toHaveURL('/browse?near=regina')
})
