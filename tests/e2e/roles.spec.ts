// Both sides in one account: the other side in one tap, the switch, and links that lead to the other side.
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { bookingCard, postedTask } from './jobs.ts'

test.use({ translated: true })

test('a giver works as a tasker too: one tap, own dashboard, own tasks without Apply, and back', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const own = await postedTask(server, { giver: email, title: 'Stack the firewood' })
  const other = await postedTask(server, { title: 'Carry the desk' })
  const page = await signedInPage(email, NARROW)
  const main = page.getByRole('main')
  const openMenu = () => page.getByRole('button', { name: 'Open the menu' }).click()
  const menu = page.getByRole('dialog', { name: 'Menu' })

  await test.step('one tap in the menu, and verification is next', async () => {
    await page.goto('/faq')
    await openMenu()
    await inBothLooks(page, () => expectAccessible(page))
    await page.setViewportSize(NARROW)
    await menu.getByRole('button', { name: /^Work as a tasker too/ }).click()
    await expect(page).toHaveURL('/dashboard')
    await expect(toast(page, 'You are on your tasker side')).toBeVisible()
    await expect(main).toContainText('Find your next opportunity')
    await expect(main.getByRole('heading', { level: 3, name: 'Get verified' })).toBeVisible()
    await openMenu()
    await expect(menu.getByRole('link', { name: 'Get Verified' })).toBeVisible()
    await expect(menu.getByRole('button', { name: 'Tasker', exact: true })).toHaveAttribute(
      'aria-pressed',
      'true',
    )
    await inBothLooks(page, async () => {
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    })
    await page.setViewportSize(NARROW)
    await page.keyboard.press('Escape')
  })

  await test.step('as a tasker they take the tasks of others, never their own', async () => {
    await page.goto(`/task/${own.taskId}`)
    await expect(main.getByRole('heading', { name: 'This is your task' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Apply Now' })).toHaveCount(0)
    await page.goto(`/browse?search=${encodeURIComponent(own.title)}`)
    await expect(main.getByText('This is your task')).toBeVisible()
    await expect(main.getByRole('link', { name: /^Accept Task/ })).toHaveCount(0)

    await page.goto(`/task/${other.taskId}`)
    await main.locator('form').getByRole('button', { name: 'Apply Now' }).click()
    await expect(page).toHaveURL('/bookings')
    await expect(bookingCard(page, other)).toBeVisible()
  })

  await test.step('back on the giver side, which lasts on every device', async () => {
    await openMenu()
    await menu.getByRole('button', { name: 'Giver', exact: true }).click()
    await expect(page).toHaveURL('/dashboard')
    await expect(main).toContainText('Manage your tasks')
    await expect(main.getByRole('heading', { level: 3, name: 'On your tasker side' })).toBeVisible()
    await inBothLooks(page, () => expectAccessible(page))
    await page.setViewportSize(NARROW)
    await page.goto(`/task/${own.taskId}`)
    await expect(main.getByRole('heading', { name: 'This is your task' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Apply Now' })).toHaveCount(0)
    const elsewhere = await signedInPage(email)
    await elsewhere.goto('/dashboard')
    await expect(elsewhere.getByRole('main')).toContainText('Manage your tasks')
    await elsewhere.getByRole('button', { name: 'Your account' }).click()
    await expect(elsewhere.getByRole('menuitemradio', { name: 'Giver' })).toBeChecked()
    await expectAccessible(elsewhere, { within: '[role="menu"]' })
  })

  await test.step('a link to a booking of the tasker side opens it there and says so', async () => {
    const client = await server.signedIn(email)
    const { data: user } = await client.auth.getUser()
    const { data } = await client
      .from('bookings')
      .select('id')
      .eq('task_doer_id', user.user?.id ?? '')
      .single()
      .throwOnError()
    await page.goto('/bookings')
    const side = main.getByRole('group', { name: 'Your side' })
    await expect(side.getByRole('button', { name: /^Giver/ })).toHaveAttribute('aria-pressed', 'true')
    await expect(bookingCard(page, other)).toHaveCount(0)
    await page.goto(`/bookings?booking=${data.id}`)
    await expect(bookingCard(page, other)).toBeVisible()
    await expect(toast(page, 'You are on your tasker side')).toBeVisible()
    await expect(side.getByRole('button', { name: /^Tasker/ })).toHaveAttribute('aria-pressed', 'true')
    await inBothLooks(page, async () => {
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    })
    await page.setViewportSize(NARROW)
    await side.getByRole('button', { name: /^Giver/ }).click()
    await expect(page).toHaveURL('/bookings')
    await expect(main).toContainText(own.title)
    await page.goto(`/task/${other.taskId}`)
    await expect(toast(page, 'You are on your tasker side')).toBeVisible()
    await expect(main).toContainText('You applied.')
  })
})

test('a tasker who follows a link to post a task adds the giver side and writes', async ({
  signedInPage,
  server,
}) => {
  const theo = await signedInPage(await server.newAccount('theo'), NARROW)
  await theo.goto('/how-it-works')
  await theo.getByRole('main').getByRole('link', { name: 'Post a Task' }).click()
  await theo.getByRole('button', { name: 'Post tasks too' }).click()
  await expect(toast(theo, 'You are on your giver side')).toBeVisible()
  await expect(theo.getByRole('button', { name: 'Post Task' })).toBeVisible()
  await theo.goto('/profile?tab=payout')
  await expect(toast(theo, 'You are on your tasker side')).toBeVisible()
  await expect(theo.getByRole('tab', { name: 'Payout' })).toHaveAttribute('aria-selected', 'true')
  await theo.goto('/post-task')
  await expect(theo.getByRole('button', { name: 'Post Task' })).toBeVisible()
  await expect(toast(theo, 'You are on your giver side')).toBeVisible()
})

test('Become a Tasker is one tap for a giver', async ({ signedInPage, server }) => {
  const grace = await signedInPage(await server.newAccount('grace'), NARROW)
  await grace.goto('/become-tasker')
  await inBothLooks(grace, () => expectAccessible(grace))
  await grace.setViewportSize(NARROW)
  await grace.getByRole('button', { name: 'Work as a tasker too' }).first().click()
  await expect(grace).toHaveURL('/dashboard')
  await expect(grace.getByRole('main')).toContainText('Find your next opportunity')
})
