// The pages that explain (spec 000 §2): open to anyone, with the numbers, lists and links that they promise.
import { expect, reachFor, test } from './fixtures.ts'

test('becoming a tasker: figures, 5 benefits, 3 steps, 12 services', async ({ page }) => {
  await page.goto('/become-tasker')
  const main = page.getByRole('main')
  const claims = ['average monthly earnings', '$2,500+', 'active taskers', '10,000+', '4.8/5']
  for (const text of [...claims, 'Sign Up', 'Get Verified', 'Start Earning'])
    await expect(main).toContainText(text)
  for (const benefit of [
    ...[
      'Keep 85% after our fee',
      'Your own hours',
      'Work nearby',
      'Pay you can count on',
      'A name that travels',
    ],
  ])
    await expect(main.getByText(benefit, { exact: true })).toBeVisible()
  // Each figure says which it is.
  await expect(main).toContainText('Taskers keep 85% of the task amount after our fee.')
  await expect(main).toContainText('With GST set aside, 80% reaches your account.')
  for (const service of [
    ...['Snow Removal', 'Cleaning', 'Moving', 'Delivery', 'Handyman', 'Gardening'],
    ...['Pet Care', 'Painting', 'Electrical', 'Plumbing', 'Landscaping', 'Other'],
  ])
    await expect(main.getByText(service, { exact: true })).toBeVisible()
  await expect(main.locator('a[href^="/auth"]').first()).toBeVisible()
  await expect(main.locator('a[href="/how-it-works"]')).toBeVisible()
})

test('how it works: six steps for each side, and safety', async ({ page }) => {
  await page.goto('/how-it-works')
  const main = page.getByRole('main')
  for (const name of ['For task givers', 'For task doers', /^Safety/])
    await expect(main.getByRole('heading', { name })).toBeVisible()
  for (const side of ['For task givers', 'For task doers'])
    await expect(main.getByRole('region', { name: side }).getByRole('listitem')).toHaveCount(6)
})

test('sixteen categories, each to its tasks', async ({ page }) => {
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
      new RegExp(`^(None open now|[\\d,]+ open tasks?)${category}.{10,}`),
    )
  await expect(main.locator('a[href^="/browse?category="]')).toHaveCount(16)
  await expect(main.getByRole('link', { name: 'Post a Task' })).toHaveAttribute('href', '/post-task')
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

for (const [path, title] of [
  ['/terms', 'Terms of Service'],
  ['/privacy', 'Privacy Policy'],
] as const)
  test(`${title}: dated, with a way to ask`, async ({ page }) => {
    await page.goto(path)
    const main = page.getByRole('main')
    await expect(main.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(main.getByText('Last updated: January 2025')).toBeVisible()
    await expect(main.locator('a[href^="mailto:"]').first()).toBeVisible()
  })

test('installing: the taps on Android, the taps on an iPhone, and why', async ({ page, browser, server }) => {
  await page.goto('/install')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: 'Why Install?' })).toBeVisible()
  await expect(main).toContainText(/offline/i)
  await expect(main).toContainText(/notifications/i)

  const phone = await browser.newContext({
    baseURL: server.url,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  })
  const iphone = await phone.newPage()
  await iphone.goto('/install')
  for (const step of ['Share', 'Add to Home Screen', 'Add'])
    await expect(iphone.getByRole('main').getByText(step).first()).toBeVisible()
  await phone.close()
})

test('installing where the browser offers it: its prompt, once; nothing once it runs by itself', async ({
  page,
}) => {
  await page.goto('/install')
  const button = page.getByRole('main').getByRole('button', { name: 'Install App' })
  await expect(page.getByRole('main')).toContainText(/menu/i)
  await expect(button).toHaveCount(0)
  await page.evaluate(() => {
    const offer = Object.assign(new Event('beforeinstallprompt'), {
      prompt: async () => {},
      userChoice: Promise.resolve({ outcome: 'accepted' }),
    })
    dispatchEvent(offer)
  })
  await button.click()
  await expect(button).toHaveCount(0)
  await page.evaluate(() => dispatchEvent(new Event('appinstalled')))
  await expect(page.getByRole('heading', { name: 'App Installed!' })).toBeVisible()
  await page.getByRole('link', { name: 'Meadowlark, home' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Install App' })).toHaveCount(0)
})

test('the footer has four columns and leads to help and to an e-mail', async ({ page }) => {
  await page.goto('/')
  const footer = page.getByRole('contentinfo')
  for (const column of ['Company', 'Browse', 'Support', 'Legal'])
    await expect(footer.getByText(column, { exact: true })).toBeVisible()
  await expect(footer.getByRole('link', { name: 'Help centre' })).toHaveAttribute('href', '/faq')
  await expect(footer.getByRole('link', { name: 'Contact us' })).toHaveAttribute('href', /^mailto:/)
  await expect(footer.getByRole('link', { name: /opens in a new tab/ }).first()).toBeVisible()
})
