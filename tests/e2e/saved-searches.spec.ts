// Saved searches: Theo saves what he looked for, is alerted of a new task at once, and changes his mind.
import { limits } from '../../shared/limits.ts'
import { expectAccessible, expectFocusKept, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'

test('Theo saves a search, is alerted of a new task, and then wants one e-mail a day, and none', async ({
  signedInPage,
  server,
}) => {
  const theo = await signedInPage('theo', NARROW)
  await theo.goto('/saved-searches')
  await expect(theo.getByText('No saved searches yet')).toBeVisible()
  await inBothLooks(theo, () => expectAccessible(theo))
  await theo.setViewportSize(NARROW)

  await test.step('the list of everything has nothing to save; a search has', async () => {
    await theo.goto('/browse')
    await expect(theo.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(theo.getByRole('button', { name: 'Save this search' })).toHaveCount(0)
    await theo.goto('/browse?search=driveway&min=60&place=Nutana')
    await theo.getByRole('button', { name: 'Save this search' }).click()
    const dialog = theo.getByRole('dialog', { name: 'Save this search' })
    await expect(dialog).toContainText('“driveway” · Nutana · $60 or more')
    await inBothLooks(theo, () => expectAccessible(theo))
    await theo.setViewportSize(NARROW)
    await dialog.getByRole('button', { name: 'Save search' }).click()
    await expect(toast(theo, 'Search saved')).toBeVisible()
    await expectFocusKept(theo)
    await expect(theo.getByRole('link', { name: 'Search saved' })).toHaveAttribute('href', '/saved-searches')
    await expect(theo.getByRole('button', { name: 'Save this search' })).toHaveCount(0)
    await theo.getByRole('button', { name: 'Saved searches' }).click()
    await expect(theo).toHaveURL(/\/saved-searches$/)
  })

  const { title, taskId } = await postedTask(server, { amount: 60 })
  await test.step('a new task is at the bell, and leads to itself', async () => {
    await theo.goto('/notifications')
    const alert = theo.getByRole('link', { name: new RegExp(title) })
    await expect(alert).toContainText('pays $60.00 and matches a search that you saved')
    await alert.click()
    await expect(theo).toHaveURL(new RegExp(taskId))
  })

  await test.step('the saved search is shown with what it finds, changed and removed', async () => {
    await theo.goto('/saved-searches')
    const card = theo.getByRole('listitem').filter({ hasText: '“driveway”' })
    await inBothLooks(theo, async () => {
      await expectAccessible(theo)
      await expectNoSidewaysScroll(theo)
    })
    await card.getByRole('combobox').selectOption('Once a day by email')
    await theo.reload()
    await expect(card.getByRole('combobox')).toHaveValue('daily')
    await card.getByRole('link', { name: 'Show tasks' }).click()
    await expect(theo).toHaveURL(/search=driveway/)
    await expect(theo.getByRole('heading', { name: title })).toBeVisible()
    await theo.goBack()
    await card.getByRole('button', { name: /^Remove the search/ }).click()
    await expect(theo.getByText('No saved searches yet')).toBeVisible()
  })
})

test('a search near the device with pay and days is saved once, and found again', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'), NARROW)
  await page.context().grantPermissions(['geolocation'])
  await page.context().setGeolocation({ latitude: 52.1157, longitude: -106.6571 })
  const near = '/browse?search=snow&max=500&from=2031-03-01&to=2031-03-09&near=me&km=50'
  await page.goto(near)
  await page.getByRole('button', { name: 'Use my location' }).click()
  await expect(page.getByRole('combobox', { name: 'Distance' })).toHaveValue('50')
  await page.getByRole('button', { name: 'Save this search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this search' })
  await expect(dialog).toContainText('“snow” · My location (50 km) · Up to $500 · Mar 1, 2031 to Mar 9, 2031')
  await dialog.getByRole('button', { name: 'Save search' }).click()
  await expect(toast(page, 'Search saved')).toBeVisible()
  // The list is now the saved one: around the centre of the cell, with all other conditions.
  await expect(page).toHaveURL(
    /search=snow&max=500&from=2031-03-01&to=2031-03-09&near=52\.\d+%2C-106\.\d+&km=50$/,
  )
  await page.goto(near)
  await expect(page.getByRole('link', { name: 'Search saved' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save this search' })).toHaveCount(0)
  await page.goto('/saved-searches')
  const card = page.getByRole('listitem').filter({ hasText: '“snow”' })
  await expect(card).toContainText('Saskatoon (50 km) · Up to $500 · Mar 1, 2031 to Mar 9, 2031')
  await card.getByRole('link', { name: 'Show tasks' }).click()
  await expect(page.getByRole('combobox', { name: 'Distance' })).toHaveValue('50')
  await expect(page.getByRole('button', { name: 'Clear: Up to $500' })).toBeVisible()
})

test('a search over the limit is refused with its reason', async ({ signedInPage, server, problems }) => {
  problems.allow(/^400 POST \/rest\/v1\/saved_searches/)
  const person = await server.newAccount('theo')
  const theo = await server.signedIn(person)
  for (let nth = 1; nth <= limits.savedSearches; nth++)
    await theo
      .from('saved_searches')
      .insert({ words: `fence ${nth}` })
      .throwOnError()
  const page = await signedInPage(person)
  await page.goto('/browse?search=gutter')
  await page.getByRole('button', { name: 'Save this search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this search' })
  await dialog.getByRole('button', { name: 'Save search' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(
    `You can save at most ${limits.savedSearches} searches. Remove one first.`,
  )
  await page.goto('/saved-searches')
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(limits.savedSearches)
})

test('a giver who is a tasker too opens an alert on the tasker side', async ({ signedInPage, server }) => {
  const person = await server.newAccount('grace')
  const grace = await server.signedIn(person)
  await grace.rpc('add_role', { role: 'task_doer' }).throwOnError()
  await grace.rpc('switch_role', { role: 'task_giver' }).throwOnError()
  await grace.from('saved_searches').insert({ words: 'eavestrough' }).throwOnError()
  const { title, taskId } = await postedTask(server, { title: 'Clear the eavestrough' })
  const page = await signedInPage(person)
  await page.goto('/notifications')
  await page.getByRole('link', { name: new RegExp(title) }).click()
  await expect(page).toHaveURL(new RegExp(taskId))
  await expect(toast(page, 'You are on your tasker side')).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'Apply Now' }).first()).toBeVisible()
})
