// Find Taskers: narrowed by each filter, while its list is on its way, and when it does not come (specification 000 §2).
import { expect, NARROW, test } from './fixtures.ts'
import { expectUnmoved, watchLayoutShift } from './layoutShift.ts'
import { uniqueWord } from './unique.ts'

test('taskers that cannot be loaded are a message with a reference, not an empty list', async ({
  page,
  problems,
}) => {
  problems.allow(/^500 /)
  let answer = () => {}
  const waited = new Promise<void>((resolve) => {
    answer = resolve
  })
  const asked: string[] = []
  await page.route(/\/rest\/v1\//, async (route) => {
    await waited
    // As the server does: the answer has the request's own id.
    const id = route.request().headers()['x-request-id'] ?? ''
    asked.push(id)
    await route.fulfill({ status: 500, json: {}, headers: { 'sb-request-id': id } })
  })
  await page.goto('/find-taskers')
  await expect(page.getByRole('status').filter({ hasText: 'Loading…' })).toBeVisible()
  answer()
  await expect(page.getByText('Failed to load taskers')).toHaveCount(1, { timeout: 20_000 })
  const reference = await page.getByText(/^Reference: /).textContent()
  expect(asked).toContain(reference?.replace('Reference: ', ''))
})

test('a card shows the person, the rating above 0 alone, three skills and how many more', async ({
  page,
}) => {
  const person = { city: 'Regina', earned_badges: [], avatar_url: null }
  const bio = 'I clear driveways, walks and roofs. '.repeat(12)
  const skills = ['Snow Removal', 'Drywall', 'Painting', 'Moving', 'Cleaning']
  const rated = { ...person, full_name: 'Theo Tasker', rating: 4.84, total_reviews: 12, is_verified: true }
  const unrated = { ...person, full_name: 'Sam', rating: 0, total_reviews: 0, is_verified: false }
  const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
  await page.route(/\/rest\/v1\/rpc\/search_taskers/, (route) =>
    route.fulfill({
      json: [
        { ...rated, id: ids[0], bio, skills, completed_tasks: 7, hourly_rate: 35 },
        {
          ...unrated,
          avatar_url: '/portraits/theo.svg',
          id: ids[1],
          bio: null,
          skills: [],
          completed_tasks: 0,
          hourly_rate: null,
        },
      ],
    }),
  )
  await page.goto('/find-taskers')
  const [first, second] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
  await expect(first.getByRole('heading')).toHaveText('Theo Tasker')
  await expect(first.getByText('TT', { exact: true })).toBeVisible()
  await expect(first.getByRole('img', { name: 'Verified' })).toBeVisible()
  await expect(first.getByText('4.8', { exact: true })).toBeVisible()
  await expect(first.getByText('· 12 reviews', { exact: true })).toBeVisible()
  await expect(first.getByText('7 tasks completed')).toBeVisible()
  await expect(first.getByText(bio.trim())).toHaveCSS('-webkit-line-clamp', '2')
  await expect(first.getByRole('listitem')).toHaveText([...skills.slice(0, 3), '+2 more'])
  await expect(first.getByText('$35')).toBeVisible()
  await expect(first.getByRole('link', { name: 'View Profile: Theo Tasker' })).toHaveAttribute(
    'href',
    `/profile/${ids[0]}`,
  )
  // Its name has the words that are seen, for those who speak to their device.
  await expect(first.getByRole('link', { name: 'Ask first: Theo Tasker' })).toHaveText('Ask first')
  await expect(second.getByRole('heading')).toHaveText('Sam')
  await expect(second.locator('img[src="/portraits/theo.svg"]')).toBeVisible()
  await expect(second.getByRole('img')).toHaveCount(0)
  await expect(second.getByText(/out of 5/)).toHaveCount(0)
})

test('city, category, rate and availability each leave out whom they do not fit; the chips bring all back', async ({
  page,
  server,
}) => {
  const theo = await server.signedIn('theo')
  const { data: user } = await theo.auth.getUser()
  const id = user.user?.id ?? ''
  // One word that nobody else has, so that he alone is searched among.
  const word = uniqueWord()
  const { data: before } = await theo
    .from('profiles')
    .select('bio, city, preferred_categories, hourly_rate, availability_status')
    .eq('id', id)
    .single()
    .throwOnError()
  await theo
    .from('profiles')
    .update({
      bio: `I clear driveways and haul what is heavy: ${word}.`,
      city: 'Saskatoon',
      preferred_categories: ['Snow Removal'],
      hourly_rate: 30,
      availability_status: 'available',
    })
    .eq('id', id)
    .throwOnError()
  await page.goto(`/find-taskers?search=${word}`)
  const his = page.getByRole('heading', { level: 2, name: /Theo/ })
  await expect(his).toHaveCount(1)
  const choose = async (label: string, value: string) => {
    if (label !== 'City') return page.getByLabel(label).selectOption(value)
    await page.getByRole('combobox', { name: label }).fill(value)
    await page.getByLabel(label).press('Enter')
  }
  for (const [label, fits, misses, chip] of [
    ['City', 'Saskatoon', 'Regina', 'Regina'],
    ['Category', 'Snow Removal', 'Pet Care', 'Pet Care'],
    ['Hourly rate', 'Up to $35/hr', 'Up to $25/hr', 'Up to $25/hr'],
  ] as const) {
    await choose(label, misses)
    await expect(page.getByText('No verified taskers found')).toBeVisible()
    await page.getByRole('button', { name: `Clear: ${chip}` }).click()
    await expect(his).toHaveCount(1)
    await choose(label, fits)
    await expect(page.getByRole('button', { name: `Clear: ${fits}` })).toBeVisible()
    await expect(his).toHaveCount(1)
  }
  await page.getByLabel('Available now').check()
  await expect(page).toHaveURL(/city=Saskatoon&category=Snow\+Removal&rate=35&available=1/)
  await expect(his).toHaveCount(1)
  await theo.from('profiles').update({ availability_status: 'busy' }).eq('id', id).throwOnError()
  await page.reload()
  await expect(page.getByText('No verified taskers found')).toBeVisible()
  await expect(page.getByLabel('City')).toHaveValue('Saskatoon')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(page.getByLabel('Available now')).not.toBeChecked()
  await expect(his).toHaveCount(1)
  await theo.from('profiles').update(before).eq('id', id).throwOnError()
})

test('anyone finds verified taskers by name, skill or bio, the best rated first', async ({
  page,
  server,
}) => {
  const theo = await server.signedIn('theo')
  const { data: user } = await theo.auth.getUser()
  await page.addInitScript(watchLayoutShift)
  await page.goto('/find-taskers')
  const cards = page.getByRole('article')
  await expect(cards.first()).toBeVisible()
  await expectUnmoved(page)
  const places = page.getByRole('listitem').filter({ has: cards })
  expect(Number(await places.first().getAttribute('aria-setsize'))).toBeGreaterThanOrEqual(12)
  const rated = cards.locator('text=/^\\d\\.\\d out of 5$/')
  // Cards below the first screenful are drawn a moment later.
  await expect.poll(() => rated.count()).toBeGreaterThan(5)
  const ratings = await rated.allTextContents()
  expect(ratings).toEqual([...ratings].sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a)))

  await expect(cards.getByText(/^\+\d more$/).first()).toBeVisible()
  for (const card of await cards.all()) {
    const skills = card.getByRole('list').filter({ hasText: /more$/ })
    if ((await skills.count()) > 0) await expect(skills.first().getByRole('listitem')).toHaveCount(3 + 1)
  }

  // Reaching for the field starts the app of a built page.
  await page.getByLabel('City').focus()
  await page.getByRole('combobox', { name: 'City' }).fill('saska')
  await page.getByRole('option', { name: /^Saskatoon/ }).click()
  await expect(page).toHaveURL('/find-taskers?city=Saskatoon')
  await page.getByLabel('Available now').check()
  await page.getByRole('button', { name: 'Clear: Saskatoon' }).click()
  await expect(page).toHaveURL('/find-taskers?available=1')
  await page.goto('/find-taskers')

  const box = page.getByRole('searchbox')
  await box.fill('THEO')
  const card = cards.filter({ hasText: 'Theo' })
  await expect(card).toHaveCount(1)
  await card.click()
  await expect(page).toHaveURL(`/profile/${user.user?.id}`)
  await page.goBack()
  await expect(box).toHaveValue('THEO')
  await expect(card).toHaveCount(1)
  await box.fill('nobody is called this')
  await expect(page.getByText('No verified taskers found')).toBeVisible()
  await expect(page.getByText('Try adjusting your search')).toBeVisible()
  await page.route(/\/rest\/v1\/rpc\/search_taskers/, (route) => route.fulfill({ json: [] }))
  await page.goto('/find-taskers')
  await expect(page.getByText('No verified taskers found')).toBeVisible()
  await expect(page.getByText('Check back later for verified professionals')).toBeVisible()
})

test('each filter says what it narrows, whole, in every language', async ({ page }) => {
  for (const language of ['en', 'de', 'es', 'fr', 'pt', 'ru', 'id']) {
    await page.goto(language === 'en' ? '/find-taskers' : `/${language}/find-taskers`)
    for (const width of [NARROW.width, 640, 1024]) {
      await page.setViewportSize({ width, height: NARROW.height })
      const filters = await page
        .getByRole('group')
        .locator('select, input:not([type=checkbox], [type=datetime-local])')
        .evaluateAll((all) =>
          (all as (HTMLSelectElement | HTMLInputElement)[]).map((select) => {
            const style = getComputedStyle(select)
            const text =
              select instanceof HTMLInputElement
                ? select.placeholder
                : (select.selectedOptions[0]?.text ?? '')
            const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
            pen.font = style.font
            const room =
              select.clientWidth -
              Number.parseFloat(style.paddingLeft) -
              Number.parseFloat(style.paddingRight)
            return { text, whole: pen.measureText(text).width <= room + 1 }
          }),
        )
      const where = `${language} at ${width}`
      expect.soft(new Set(filters.map(({ text }) => text)).size, where).toBe(3)
      for (const { text, whole } of filters) expect.soft(whole, `${text}, ${where}`).toBe(true)
    }
  }
})
