// The tasks of /browse on a map: by keyboard, accessible, loaded only when it is opened.
import { browserOnThisMachine, CHROMIUM_FLAGS } from '../../scripts/find-browser.mjs'
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { postedTask } from './jobs.ts'

// The map needs WebGL, here in software.
test.use({
  launchOptions: {
    executablePath: await browserOnThisMachine(),
    args: [
      ...CHROMIUM_FLAGS.filter((flag) => flag !== '--disable-gpu'),
      '--enable-unsafe-swiftshader',
      '--use-angle=swiftshader',
    ],
  },
})

test('markers open the cards of their tasks by keyboard, and the shown area can be searched', async ({
  page,
  server,
}) => {
  const { title } = await postedTask(server, { title: 'Salt the steps' })
  const programs: string[] = []
  page.on('request', (request) => {
    if (/maplibre|TaskMap/.test(request.url())) programs.push(request.url())
  })
  await page.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
  expect(programs).toEqual([])
  await page.getByRole('button', { name: 'Map', exact: true }).click()
  await expect(page).toHaveURL(/view=map/)
  const map = page.getByRole('region', { name: 'Tasks on the map' })
  const marker = map.getByRole('button', { name: `${title}, $100, Nutana, Saskatoon` })
  await marker.focus()
  await page.keyboard.press('Enter')
  const panel = map.getByRole('region', { name: '1 item here' })
  await expect(panel.getByRole('heading', { name: title })).toBeVisible()
  await expect(panel).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(marker).toBeFocused()

  // The list is next to it, and is the same.
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(1)
  await map.getByRole('button', { name: 'Zoom out' }).press('Enter')
  await map.getByRole('button', { name: 'Search this area' }).click()
  await expect(page).toHaveURL(/near=5\d\.\d\d%2C-10\d\.\d\d/)
  await expect(page.getByRole('button', { name: 'Clear: Area of the map' })).toBeVisible()

  await page.setViewportSize(NARROW)
  await expect(page.getByRole('main').getByRole('article')).toBeHidden()
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
})
