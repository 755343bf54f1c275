// Coming back to a tasker: a heart and one's own list, asking one tasker first from a profile or for a past job, and
// what the badges say.
import { expectAccessible, expectFocusKept, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, newAddress, test, toast } from './fixtures.ts'
import { bookingCard, doneJob } from './jobs.ts'
import type { AppServer } from './server.ts'
import { uniqueWord } from './unique.ts'

async function idOf(server: AppServer, person: 'theo' | 'grace') {
  const { data } = await (await server.signedIn(person)).auth.getUser()
  return data.user?.id ?? ''
}

test('a stranger is asked to sign in; Sam saves Theo, finds him again and thinks better of it', async ({
  page,
  signedInPage,
  server,
}) => {
  const theo = await idOf(server, 'theo')
  await page.goto(`/profile/${theo}`)
  await page.getByRole('button', { name: /^Save Theo/ }).click()
  await expect(page).toHaveURL(new RegExp(`/auth\\?next=.*${theo}`))

  const sam = await signedInPage('sam', NARROW)
  await sam.goto('/saved-taskers')
  await expect(sam.getByText('No saved taskers yet')).toBeVisible()
  await inBothLooks(sam, () => expectAccessible(sam))
  await sam.setViewportSize(NARROW)
  await sam.goto(`/profile/${theo}`)
  const heart = sam.getByRole('button', { name: /^Save Theo/ })
  await heart.click()
  await expect(heart).toHaveAttribute('aria-pressed', 'true')
  await sam.goto('/saved-taskers')
  const card = sam.getByRole('listitem').filter({ has: sam.getByRole('heading', { name: /^Theo/ }) })
  await expect(card.getByRole('button', { name: /^Save Theo/ })).toHaveAttribute('aria-pressed', 'true')
  await inBothLooks(sam, async () => {
    await expectNoSidewaysScroll(sam)
    await expectAccessible(sam)
  })

  await test.step('the badges on the card say how they are earned, by the keyboard too', async () => {
    const badges = card.getByRole('button', { name: /^Badges of Theo/ })
    await badges.focus()
    await sam.keyboard.press('Enter')
    const panel = sam.getByRole('dialog', { name: /^Badges of Theo/ })
    await expect(panel).toContainText('An administrator has given this mark.')
    await inBothLooks(sam, () => expectAccessible(sam))
    await sam.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await expect(badges).toBeFocused()
  })

  await test.step('taken off the list it stays in sight until the next visit', async () => {
    await card.getByRole('button', { name: /^Save Theo/ }).click()
    await expect(card.getByRole('button', { name: /^Save Theo/ })).toHaveAttribute('aria-pressed', 'false')
    await sam.goto('/saved-taskers')
    await expect(sam.getByText('No saved taskers yet')).toBeVisible()
  })

  const tasker = await signedInPage('theo')
  await tasker.goto(`/profile/${theo}`)
  await expect(tasker.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(tasker.getByRole('button', { name: /^Save/ })).toHaveCount(0)
})

test('more saved taskers than fit on a page: how many of how many, and the focus goes on in the list', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const grace = await server.signedIn(email)
  const operator = server.operator()
  const taskers = async () =>
    (
      await grace.from('public_profiles').select('id').eq('role', 'task_doer').limit(26).throwOnError()
    ).data.map(({ id }) => id)
  for (let lacking = 26 - (await taskers()).length; lacking > 0; lacking--) {
    const person = { full_name: 'Theo Another', role: 'task_doer' }
    const made = await operator.auth.admin.createUser({
      email: newAddress('theo'),
      email_confirm: true,
      user_metadata: person,
    })
    expect(made.error).toBeNull()
    await operator
      .from('profiles')
      .update({ id_verified: true })
      .eq('id', made.data.user?.id ?? '')
      .throwOnError()
  }
  const ids = await taskers()
  // One after another: the list is in the order of saving, and some are saved at the same moment.
  for (const at of [0, 13])
    await grace
      .from('favourites')
      .insert(ids.slice(at, at + 13).map((tasker_id) => ({ tasker_id })))
      .throwOnError()

  const page = await signedInPage(email, NARROW)
  await page.goto('/saved-taskers')
  const main = page.getByRole('main')
  await expect(main.getByRole('status').filter({ hasText: '24 of 26' })).toBeVisible()
  // Only those near the window are in the page.
  const cards = main.locator('li:has(h2)')
  await expect(cards.first()).toHaveAttribute('aria-setsize', '26')
  // By the keyboard: rows that are measured while the list scrolls can move the button away between a mouse's down and up.
  await main.getByRole('button', { name: 'Show more taskers' }).press('Enter')
  await expect(main.getByRole('button', { name: 'Show more taskers' })).toHaveCount(0)
  await expect(main.getByText('24 of 26')).toHaveCount(0)
  await expect(main.locator('li[aria-posinset="25"] :focus')).toBeVisible()
  await page.setViewportSize({ ...NARROW, height: 16_000 })
  await expect(cards).toHaveCount(26)
  expect(
    new Set(
      await main
        .locator('li a[href^="/profile/"]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).size,
  ).toBe(26)
})

test('Grace books Theo again: he alone sees it, says no, and it opens to everyone', async ({
  signedInPage,
  server,
}) => {
  const job = await doneJob(server, { title: 'Sweep the chimney', released: true })
  const grace = await signedInPage('grace')
  const theo = await signedInPage('theo', NARROW)

  await test.step('the form is filled in from the past job and addressed to him', async () => {
    await grace.goto(`/bookings?booking=${job.bookingId}`)
    await bookingCard(grace, job)
      .getByRole('link', { name: /^Book Theo.* again$/ })
      .click()
    await expect(grace.getByRole('region', { name: /^Theo.* is asked first$/ })).toBeVisible()
    await expect(grace.getByRole('main').getByLabel('Title', { exact: true })).toHaveValue(job.title)
    await expect(grace.getByLabel('Category', { exact: true })).toHaveValue('Snow Removal')
    await expect(grace.getByLabel('Pay for the task')).toHaveValue('100')
    await inBothLooks(grace, async () => {
      await expectNoSidewaysScroll(grace)
      await expectAccessible(grace)
    })
    await grace.getByRole('main').getByLabel('Title', { exact: true }).fill(`${job.title} again`)
    await grace.getByRole('button', { name: /^Ask Theo/ }).click()
    await expect(toast(grace, 'Success! Your task has been posted successfully')).toContainText('asked first')
  })

  const client = await server.signedIn('grace')
  const { data: task } = await client
    .from('tasks')
    .select('id, status')
    .eq('title', `${job.title} again`)
    .single()
    .throwOnError()
  expect(task.status).toBe('asked')
  expect((await server.stranger().from('tasks').select('id').eq('id', task.id)).data).toEqual([])

  await test.step('she reads who sees it, he reads that he is asked, and how far it is', async () => {
    const areas = (await server.signedIn('theo')).from('travel_areas')
    await areas.insert({ place_id: 'moose-jaw', radius_km: 20 }).throwOnError()
    await grace.goto(`/task/${task.id}`)
    await expect(grace.getByText(/^Until .* only Theo.* sees this task/)).toBeVisible()
    await theo.goto(`/task/${task.id}`)
    await expect(theo.getByText(/^Grace.* asks you first/)).toBeVisible()
    await expect(theo.getByText(/^\d+ km away · outside of your travel area$/)).toBeVisible()
    await areas.delete().eq('radius_km', 20).throwOnError()
    await expect(theo.getByRole('button', { name: 'Apply' })).toBeVisible()
    await inBothLooks(theo, async () => {
      await expectNoSidewaysScroll(theo)
      await expectAccessible(theo)
    })
  })

  await test.step('he declines: her page says so by itself, and anybody sees the task', async () => {
    await theo.getByRole('button', { name: 'I cannot do this one' }).click()
    await expect(toast(theo, 'Declined')).toBeVisible()
    await expect(grace.getByText(/^Until .* only Theo.* sees this task/)).toHaveCount(0)
    expect((await server.stranger().from('tasks').select('id').eq('id', task.id)).data).toHaveLength(1)
  })
})

test('Sam asks Theo from his profile, and opens the task to everyone', async ({ signedInPage, server }) => {
  const theo = await idOf(server, 'theo')
  const sam = await signedInPage('sam')
  const title = `Hang a heavy mirror ${uniqueWord()}`
  await sam.goto(`/profile/${theo}`)
  await sam.getByRole('link', { name: /^Ask Theo/ }).click()
  await sam.getByRole('main').getByLabel('Title', { exact: true }).fill(title)
  await sam.getByLabel('Description', { exact: true }).fill('Forty kilos, a brick wall, hooks are there.')
  await sam.getByLabel('Category', { exact: true }).selectOption('Handyman')
  await sam.getByLabel('Location', { exact: true }).fill('Regina')
  await expect(sam.getByRole('status').filter({ hasText: 'where Theo' })).toHaveText(
    /^About 2\d\d km from Saskatoon, where Theo/,
  )
  await sam.getByLabel('Location', { exact: true }).fill('Saskatoon')
  await expect(sam.getByRole('status').filter({ hasText: 'where Theo' })).toHaveText(
    /^In or near Saskatoon, where Theo/,
  )
  await sam.getByLabel('Pay for the task').fill('60')
  await sam.getByRole('button', { name: /^Ask Theo/ }).click()
  await expect(sam).toHaveURL('/dashboard')
  const { data } = await (await server.signedIn('theo'))
    .from('tasks')
    .select('id')
    .eq('title', title)
    .single()
    .throwOnError()
  await sam.goto(`/task/${data.id}`)
  await sam.getByRole('button', { name: 'Open to everyone now' }).click()
  await expect(sam.getByText(/^Until .* only Theo/)).toHaveCount(0)
  await expectFocusKept(sam)
})
