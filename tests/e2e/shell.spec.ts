// The frame around every screen: navigation, unknown addresses, themes, languages (spec 000 §1 and §2).
import { expectNoSidewaysScroll } from './accessibility.ts'
import { expect, NARROW, reachFor, test, toast, WIDE } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { answersOneByOne, expectUnmoved, watchLayoutShift } from './layoutShift.ts'

/** The dark theme's `--paper` (web/ui/tokens.css). */
const DARK_PAPER = 'rgb(15, 20, 30)'

const FOR_STRANGERS = [
  ['Browse Tasks', '/browse'],
  ['Find Taskers', '/find-taskers'],
  ['Become a Tasker', '/become-tasker'],
  ['Sign In', '/auth'],
  ['Get Started', '/auth'],
] as const

const AS_BROWSER = { headers: { accept: 'text/html' } }

test('an unknown address answers 404, with the 404 page and a way home', async ({ page, problems }) => {
  problems.allow(/404.*\/no-such-place/)
  for (const path of ['/dashboard', '/fr/dashboard', '/notifications/settings', '/admin/people'])
    expect([path, (await page.request.get(path, AS_BROWSER)).status()]).toEqual([path, 200])
  for (const path of ['/fr/no-such-place', '/xx/dashboard', '/dashboard/more'])
    expect([path, (await page.request.get(path, AS_BROWSER)).status()]).toEqual([path, 404])
  const response = await page.goto('/no-such-place')
  expect(response?.status()).toBe(404)
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex')
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: /home/i }).click()
  await expect(page).toHaveURL('/')
})

for (const [size, viewport] of Object.entries({ narrow: NARROW, wide: WIDE }))
  test(`in a ${size} window nothing moves on the screens of signed-in people while they fill`, async ({
    signedInPage,
  }) => {
    for (const [person, paths] of [
      ['grace', ['/dashboard', '/bookings', '/profile?tab=payment', '/notifications/settings']],
      ['theo', ['/dashboard', '/profile', '/profile?tab=payout']],
    ] as const) {
      const page = await signedInPage(person, viewport)
      await page.addInitScript(watchLayoutShift)
      await answersOneByOne(page)
      for (const path of paths) {
        await page.goto(path, { waitUntil: 'networkidle' })
        await expect(page.getByRole('contentinfo')).toBeAttached()
        await expect(page.locator('main [data-waiting]')).toHaveCount(0)
        await expectUnmoved(page, `${path} of ${person}`)
      }
    }
  })

test('nothing moves either as a task’s owner reads why it is hidden', async ({ signedInPage, server }) => {
  const giver = await server.newAccount('grace')
  const { taskId } = await postedTask(server, { giver })
  const [sam, ada] = [await server.signedIn('sam'), await server.signedIn('ada')]
  const reported = { kind: 'task', subject: taskId, reason: 'This is no task but an advertisement.' }
  await sam.rpc('report_content', reported).throwOnError()
  const { data } = await ada.from('reports').select('id').eq('subject_id', taskId).single().throwOnError()
  const note = 'Meadowlark is for tasks only.'
  await ada.rpc('decide_report', { report_id: data.id, hide: true, note }).throwOnError()
  const page = await signedInPage(giver, NARROW)
  await page.addInitScript(watchLayoutShift)
  // The last that the page learns.
  await page.route('**/rpc/my_restrictions', async (route) => {
    await page.locator('main article h1').waitFor({ state: 'attached' })
    await route.continue()
  })
  await page.goto(`/task/${taskId}`)
  await expect(page.getByRole('note')).toContainText(note)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectUnmoved(page)
})

test('nor as a suspended person opens the app again: the bar has its place at the first paint', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  const page = await signedInPage(giver, NARROW)
  const ada = await server.signedIn('ada')
  const { data } = await (await server.signedIn(giver)).auth.getUser()
  const person = data.user?.id as string
  await ada.rpc('suspend_person', { person, reason: 'Asked for money before the work.' }).throwOnError()
  const bar = page.getByRole('status').filter({ hasText: 'Your account is suspended' })
  await page.goto('/faq')
  await expect(bar).toContainText('Asked for money')
  await page.addInitScript(watchLayoutShift)
  // A page that was built, and one that the app makes.
  for (const path of ['/faq', '/dashboard']) {
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(bar).toBeVisible()
    await expectUnmoved(page)
  }
  await ada.rpc('lift_suspension', { person }).throwOnError()
  await page.goto('/faq', { waitUntil: 'networkidle' })
  await expect(bar).toHaveCount(0)
  expect(await page.evaluate(() => localStorage.getItem('suspension-room'))).toBeNull()
})

test('the theme is light at first and the choice outlives a reload', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await page.getByRole('banner').getByRole('button', { name: 'Theme' }).click()
  await expect(page.getByRole('menuitemradio')).toHaveText(['Light', 'Dark', 'System'])
  await page.getByRole('menuitemradio', { name: 'System' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await page.getByRole('banner').getByRole('button', { name: 'Theme' }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark')
})

test('with the dark theme no frame is light, on a page that was built nor on one of a signed-in person', async ({
  page,
  signedInPage,
}) => {
  const grace = await signedInPage('grace')
  for (const [reader, path] of [
    [page, '/'],
    [page, '/fr/faq'],
    [grace, '/dashboard'],
  ] as const) {
    // Each frame that the browser paints, from the page's first on.
    await reader.addInitScript(() => {
      localStorage.setItem('theme', 'dark')
      const painted = new Set<string>()
      Object.assign(window, { painted })
      const look = () => {
        if (document.body) painted.add(getComputedStyle(document.body).backgroundColor)
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await reader.goto(path)
    await expect(reader.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(reader.locator('html')).toHaveAttribute('data-theme', 'dark')
    const painted = await reader.evaluate(() => [
      ...((window as Window & { painted?: Set<string> }).painted ?? []),
    ])
    expect(painted, path).toEqual([DARK_PAPER])
  }
})

test('ten languages are offered, the current one is marked, and the choice outlives a reload', async ({
  page,
}) => {
  // A browser that asks for none of them reads English.
  await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { value: ['sv', 'fi'] }))
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
  const offered = page.getByRole('menuitemradio')
  await expect(offered).toHaveText([
    ...['English', 'Español', 'Français', 'Deutsch', 'हिन्दी', '中文', 'Русский', 'العربية', 'Português'],
    'Bahasa Indonesia',
  ])
  await expect(page.getByRole('menuitemradio', { checked: true })).toHaveText('English')
  // The checkmark, which no other has.
  await expect(offered.locator('svg')).toHaveCount(1)
  await expect(page.getByRole('menuitemradio', { name: 'English' }).locator('svg')).toBeVisible()
  await page.getByRole('menuitemradio', { name: 'Français' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  expect(await page.evaluate(() => localStorage.getItem('language'))).toBe('fr')
})

test('a browser that asks for French reads it from the first visit on, each screen with its own texts', async ({
  page,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'languages', { value: ['sv', 'fr-CA', 'en'] }),
  )
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await expect(page.getByRole('main').getByRole('link', { name: 'Afficher une tâche' }).first()).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('language'))).toBe('fr')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Comment ça marche' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Pour les clients' })).toBeVisible()
  await page.getByRole('banner').getByRole('button', { name: 'Langue' }).click()
  await page.getByRole('menuitemradio', { name: 'Español' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Para clientes' })).toBeVisible()
})

test('from right to left a page begins at its beginning, and an amount keeps its order', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('language', 'ar'))
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await page.evaluate(() => [scrollX, scrollY])).toEqual([0, 0])
  await expectNoSidewaysScroll(page)
  await page.goto('/browse')
  await expect(page.getByRole('article').first()).toContainText(/\u2066\$\d+\u2069/)

  // Texts in separate elements follow each other in the page's order.
  await page.goto('/auth?view=sign-up')
  const optional = page.getByText('(اختياري)')
  const edges = await optional.evaluate((element) => {
    const [label, after] = [element.previousElementSibling ?? element, element]
    return [label.getBoundingClientRect().left, after.getBoundingClientRect().right]
  })
  expect(edges[0]).toBeGreaterThan(edges[1] ?? 0)
})

test('on a small screen the side menu carries the navigation', async ({ page }) => {
  await page.setViewportSize(NARROW)
  await page.goto('/')
  // The first screen holds the act, the way in, and some of the horizon below both.
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeInViewport()
  const post = await page.getByRole('main').getByRole('link', { name: 'Post a Task' }).boundingBox()
  expect((post?.y ?? NARROW.height) + (post?.height ?? 0)).toBeLessThan(NARROW.height - 60)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  const menu = page.getByRole('dialog')
  await expect(menu.getByRole('radio')).toHaveCount(10)
  await expect(menu.getByRole('radio', { name: 'English' })).toBeChecked()
  for (const [name, path] of FOR_STRANGERS)
    await expect(menu.getByRole('link', { name })).toHaveAttribute('href', path)
  await expect(menu.getByRole('button', { name: 'Sign Out' })).toHaveCount(0)
  await menu.getByRole('link', { name: 'Find Taskers' }).click()
  await expect(page).toHaveURL('/find-taskers')
  await expect(menu).toBeHidden()
})

test('from 1024 pixels on the navigation is whole', async ({ page: stranger, signedInPage }) => {
  await stranger.setViewportSize({ width: 1024, height: 768 })
  await stranger.goto('/faq')
  for (const [name, path] of FOR_STRANGERS) {
    const link = stranger.getByRole('banner').getByRole('link', { name })
    await expect(link).toBeInViewport({ ratio: 1 })
    await expect(link).toHaveAttribute('href', path)
  }
  await expect(stranger.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toHaveCount(0)
  const page = await signedInPage('theo', { width: 1024, height: 768 })
  await page.goto('/faq')
  const header = page.getByRole('banner')
  for (const name of ['Browse Tasks', 'Find Taskers', 'Dashboard', 'Bookings'])
    await expect(header.getByRole('link', { name })).toBeInViewport({ ratio: 1 })
  await expect(header.getByRole('button', { name: 'Your account' })).toBeVisible()
  // He is one.
  await expect(header.getByRole('link', { name: 'Become a Tasker' })).toHaveCount(0)
  const giver = await signedInPage('grace', { width: 1024, height: 768 })
  await giver.goto('/faq')
  for (const name of ['Bookings', 'Become a Tasker'])
    await expect(giver.getByRole('banner').getByRole('link', { name })).toBeInViewport({ ratio: 1 })
  await expectNoSidewaysScroll(giver)
  await expect(header.getByRole('button', { name: 'Your account' })).toBeInViewport({ ratio: 1 })
  await expect(header.getByRole('button', { name: 'Open the menu' })).toBeHidden()
  await expectNoSidewaysScroll(page)
})

test('signed in, the navigation knows who one is', async ({ signedInPage }) => {
  const entries = { Dashboard: '/dashboard', Bookings: '/bookings', Profile: '/profile' }
  for (const [person, own] of [
    ['grace', { 'Post a Task': '/post-task' }],
    ['theo', { Verification: '/verification' }],
    ['ada', { 'Back office': '/admin', 'Verify Users': '/admin/verify-users' }],
  ] as const) {
    const wide = await signedInPage(person)
    await wide.goto('/faq')
    const header = wide.getByRole('banner')
    await expect(header.getByRole('link', { name: 'Meadowlark, home' })).toHaveAttribute('href', '/')
    await expect(header.getByRole('link', { name: 'Get Started' })).toHaveCount(0)
    await header.getByRole('button', { name: 'Your account' }).click()
    const narrow = await signedInPage(person, NARROW)
    await narrow.goto('/faq')
    await narrow.getByRole('button', { name: 'Open the menu' }).click()
    for (const [name, path] of Object.entries({ ...entries, ...own })) {
      await expect(wide.locator(`[role="menuitem"][href="${path}"], header a[href="${path}"]`)).toHaveText(
        name === 'Verification' ? /^Verification\s*Verified$/ : name,
      )
      await expect(narrow.getByRole('dialog').getByRole('link', { name })).toHaveAttribute('href', path)
    }
    for (const path of ['/verification', '/admin', '/admin/verify-users'].filter(
      (path) => !Object.values<string>(own).includes(path),
    ))
      for (const view of [wide, narrow]) await expect(view.locator(`a[href="${path}"]`)).toHaveCount(0)
    await expect(wide.getByRole('menuitem', { name: 'Sign Out' })).toBeVisible()
    await expect(narrow.getByRole('dialog').getByRole('button', { name: 'Sign Out' })).toBeVisible()
  }
})

test('the account button shows no initials before the name is there', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/rest\/v1\/profiles\?select=\*/, (route) => asked.then(() => route.fallback()))
  await page.goto('/faq')
  const account = page.getByRole('button', { name: 'Your account' })
  await expect(account).toHaveText('')
  answer()
  await expect(account).toHaveText('GM')
})

test('a screen whose code cannot be fetched says so, and comes with the connection', async ({
  browser,
  server,
}) => {
  // One that has loaded nothing before.
  const context = await browser.newContext({ baseURL: server.url })
  const page = await context.newPage()
  await page.goto('/terms')
  await reachFor(page)
  await context.setOffline(true)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy Policy' }).click()
  await expect(page.getByText('This page could not be shown')).toBeVisible()
  await expect(page.getByRole('banner').getByText('You are offline')).toBeVisible()
  // Loading anew would leave the app for the browser's own page.
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: /Privacy/ })).toBeVisible()
  await context.close()
})

test('a page that a release has left without its next piece offers the new version, and keeps the input', async ({
  page,
  problems,
}) => {
  problems.allow(/^404 .*\/assets\//)
  await page.goto('/post-task')
  await page.getByLabel('Title', { exact: true }).fill('Mend the back gate')
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
  const offer = toast(page, 'A new version is ready')
  await expect(offer).toBeVisible()
  await page.unroute('**/assets/**')
  const loaded = page.waitForEvent('load')
  await offer.getByRole('button', { name: 'Update now' }).click()
  await loaded
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Mend the back gate')
  await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
  await expect(page.getByRole('menuitemradio')).toHaveCount(10)
})
