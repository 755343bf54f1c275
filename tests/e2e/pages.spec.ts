// The pages that explain (spec 000 §2): open to anyone, with the numbers, lists and links that they promise.
import { expect, reachFor, test } from './fixtures.ts'

test('becoming a tasker: figures, 5 benefits, 3 steps, 12 services', async ({ page }) => {
  await page.goto('/become-tasker')
  const main = page.getByRole('main')
  const claims = main.locator('dl').first().locator('> div')
  await expect(claims).toHaveText([
    ...['average monthly earnings$2,500+', 'active taskers10,000+', 'average rating4.8/5'],
  ])
  const steps = main.getByRole('region', { name: 'Three steps to your first job' })
  await expect(steps.locator('ol').getByRole('heading')).toHaveText([
    ...['Sign Up', 'Get Verified', 'Start Earning'],
  ])
  const benefits = main.getByRole('region', { name: 'Why people work here' })
  await expect(benefits.getByRole('term')).toHaveText([
    ...['Keep 85% after our fee', 'Your own hours', 'Work nearby', 'Pay you can count on'],
    'A name that travels',
  ])
  // Each figure says which it is.
  await expect(main).toContainText('Taskers keep 85% of the task amount after our fee.')
  await expect(main).toContainText('With GST set aside, 80% reaches your account.')
  await expect(steps.locator('ul').getByRole('listitem')).toHaveText([
    ...['Snow Removal', 'Cleaning', 'Moving', 'Delivery', 'Handyman', 'Gardening'],
    ...['Pet Care', 'Painting', 'Electrical', 'Plumbing', 'Landscaping', 'Other'],
  ])
  const hero = main.locator('section').first()
  await expect(hero.getByRole('link', { name: 'Become a Tasker' })).toHaveAttribute('href', '/auth')
  await expect(hero.getByRole('link', { name: 'How it works' })).toHaveAttribute('href', '/how-it-works')
  await expect(main.getByRole('link', { name: 'Sign Up Now' })).toHaveAttribute('href', '/auth')
})

test('how it works: six steps for each side, and safety', async ({ page }) => {
  await page.goto('/how-it-works')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: /^Safety/ })).toBeVisible()
  for (const [side, steps] of [
    [
      'For task givers',
      ['Post your task', 'Review proposals', 'Accept and schedule', 'Communicate', 'Pay securely', 'Review'],
    ],
    [
      'For task doers',
      [
        ...['Browse tasks', 'Submit a proposal', 'Get accepted', 'Complete the task', 'Get paid'],
        'Build your reputation',
      ],
    ],
  ] as const)
    await expect(
      main.getByRole('region', { name: side }).getByRole('listitem').getByRole('heading'),
    ).toHaveText([...steps])
})

test('sixteen categories, each to its tasks', async ({ page, server }) => {
  const { data } = await server.stranger().rpc('task_kind_counts').throwOnError()
  const counts = new Map(data.map(({ name, count }: { name: string; count: number }) => [name, count]))
  const open = (category: string) => {
    const count = counts.get(category) ?? 0
    return count === 0 ? 'None open now' : count === 1 ? '1 open task' : `${count} open tasks`
  }
  await page.goto('/categories')
  await reachFor(page)
  const main = page.getByRole('main')
  // Its name, what it is about, and the true count.
  for (const category of [
    ...[
      'Snow Removal',
      'Cleaning',
      'Moving & Delivery',
      'Assembly',
      'Mounting & Installation',
      'Outdoor Help',
    ],
    ...[
      'Home Repairs',
      'Painting',
      'Pet Care',
      'Auto Services',
      'Tech Support',
      'Shopping & Errands',
      'Meal Prep',
    ],
    ...['Tutoring', 'Photography', 'General Labor'],
  ])
    await expect(main.locator(`a[href="/browse?${new URLSearchParams({ category })}"]`)).toHaveText(
      new RegExp(`^${open(category)}${category}.{10,}`),
    )
  await expect(main.locator('a[href^="/browse?category="]')).toHaveCount(16)
  await expect(main.getByRole('link', { name: 'Post a Task' })).toHaveAttribute('href', '/post-task')
})

test('a page that is scrolled before its app has started stays where it is', async ({ page }) => {
  await page.goto('/terms')
  await page.mouse.move(300, 300)
  await page.mouse.wheel(0, 900)
  await expect(page.locator('html')).toHaveAttribute('data-quiet', '')
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(900)
})

test('twelve questions, one answer open at a time', async ({ page }) => {
  await page.goto('/faq')
  const questions = page.getByRole('main').locator('details')
  await expect(questions).toHaveCount(12)
  const open = page.getByRole('main').locator('details[open]')
  const ask = (question: string) => page.locator('summary').filter({ hasText: question })
  await ask('Is there a minimum task amount?').click()
  await expect(page.getByText('$25').first()).toBeVisible()
  // The app takes the page over, with what is open.
  await reachFor(page)
  await expect(open).toContainText('Is there a minimum task amount?')
  await ask('Are tasks insured?').click()
  await expect(page.getByText('Meadowlark does not insure tasks')).toBeVisible()
  await expect(open).toHaveCount(1)
  await ask('What does it cost?').focus()
  await page.keyboard.press('Enter')
  await expect(open).toContainText('What does it cost?')
  await expect(page.getByText('For taskers the fee is typically 15-20%')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(open).toHaveCount(0)
  await expect(page.getByRole('main').locator('a[href^="mailto:"]')).toBeVisible()
  // The same, as search engines read them without running anything.
  const html = await (await page.request.get('/fr/faq')).text()
  const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '{}')
  expect(data).toMatchObject({ '@type': 'FAQPage', inLanguage: 'fr' })
  expect(data.mainEntity).toHaveLength(12)
  expect(data.breadcrumb.itemListElement).toHaveLength(2)
})

for (const [path, title, month] of [
  ['/terms', 'Terms of Service', 'November 2026'],
  ['/privacy', 'Privacy Policy', 'November 2026'],
] as const)
  test(`${title}: dated, with a way to ask`, async ({ page }) => {
    await page.goto(path)
    const main = page.getByRole('main')
    await expect(main.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(main.getByText(`Last updated: ${month}`)).toBeVisible()
    await expect(main.locator('a[href^="mailto:"]').first()).toBeVisible()
  })

const AGENTS = {
  'Android 14; Mobile': ['In three taps', 'Open the browser menu', 'Install app'],
  'iPhone; CPU iPhone OS 17_0 like Mac OS X': ['In three taps', 'Share', 'Add to Home Screen', 'Add'],
  'Macintosh; Intel Mac OS X 10_15_7) Version/17.0 Safari/605.1.15 (': [
    'In two clicks',
    'Open the File menu',
    'Add to Dock',
  ],
  'X11; Linux x86_64; rv:130.0) Firefox/130.0 (': [
    'Firefox on a computer does not install websites as apps.',
  ],
  'Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 (': [
    'In two clicks',
    'Find the install icon',
    'Install',
  ],
}

test('installing says what this device does, those of others behind a disclosure, and why', async ({
  page,
  browser,
  server,
}) => {
  await page.goto('/install')
  const main = page.getByRole('main')
  const reasons = main.getByRole('region', { name: 'Why Install?' }).getByRole('listitem')
  await expect(reasons).toHaveText([/^Offline browsing/, /^Notifications/, /^One tap away/])
  await expect(main).toContainText('in a window of its own')
  const phone = main.getByRole('heading', { name: 'iPhone and iPad' })
  await expect(phone).toBeHidden()
  await main.getByText('Other devices and browsers').click()
  await expect(phone).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Chrome or Edge on a computer' })).toHaveCount(0)

  for (const [agent, steps] of Object.entries(AGENTS)) {
    const context = await browser.newContext({ baseURL: server.url, userAgent: `Mozilla/5.0 (${agent})` })
    const other = await context.newPage()
    await other.goto('/install')
    for (const step of steps)
      await expect(
        other.getByRole('main').getByText(step, { exact: true }).or(other.getByText(step)).first(),
      ).toBeVisible()
    await context.close()
  }
})

test('installing where the browser offers it: its prompt, once; nothing once it runs by itself', async ({
  page,
}) => {
  await page.goto('/install')
  const button = page.getByRole('main').getByRole('button', { name: 'Install App' })
  const steps = page.locator('main ol').filter({ visible: true })
  await expect(steps).toHaveCount(1)
  await expect(button).toHaveCount(0)
  const offer = () =>
    page.evaluate(() => {
      const prompt = async () => void Object.assign(document.documentElement.dataset, { prompted: 'yes' })
      const userChoice = Promise.resolve({ outcome: 'accepted' })
      dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt, userChoice }))
    })
  await offer()
  await expect(steps).toHaveCount(0)
  await button.click()
  await expect(button).toHaveCount(0)
  await expect(page.locator('html')).toHaveAttribute('data-prompted', 'yes')
  await page.evaluate(() => dispatchEvent(new Event('appinstalled')))
  await expect(page.getByRole('heading', { name: 'App Installed!' })).toBeVisible()
  await page.getByRole('link', { name: 'Meadowlark, home' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Install App' })).toHaveCount(0)
})

test('the footer has four columns and leads to help and to an e-mail', async ({ page }) => {
  await page.goto('/')
  const footer = page.getByRole('contentinfo')
  await expect(footer.getByRole('navigation').getByRole('heading')).toHaveText([
    ...['Company', 'Browse', 'Support', 'Legal'],
  ])
  const support = footer.getByRole('navigation', { name: 'Support' })
  await expect(support.getByRole('link', { name: 'Help centre' })).toHaveAttribute('href', '/faq')
  await expect(support.getByRole('link', { name: 'Contact us' })).toHaveAttribute('href', /^mailto:.+@/)
  for (const network of ['Facebook', 'Instagram', 'X', 'LinkedIn'])
    await expect(footer.getByRole('link', { name: `${network} (opens in a new tab)` })).toHaveAttribute(
      'href',
      new RegExp(`^https://(www\\.)?${network.toLowerCase()}\\.com/`),
    )
  for (const [name, address] of [
    ['Places: GeoNames', 'https://www.geonames.org'],
    ['CC BY 4.0', 'https://creativecommons.org/licenses/by/4.0/'],
  ] as const)
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', address)
})
