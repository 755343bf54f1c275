// Getting in and out: sign-up with its confirmation, sign-in, every message of spec 000 §5 and §8, and the way
// back to the screen that asked for a session.
import type { Page, Route } from '@playwright/test'
import { expect, forgetSession, NARROW, newAddress, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { PASSWORD } from './server.ts'
import { holdTimer } from './timers.ts'

const NOT_SIGNED_IN = /^400 POST \/auth\/v1\/token/

async function signIn(page: Page, email: string, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
}

type SignUp = { fullName: string; email: string; phone?: string; password: string; role?: string }

async function signUp(page: Page, given: SignUp) {
  await page.goto('/auth?view=sign-up')
  await fillSignUp(page, given)
}

async function fillSignUp(page: Page, { fullName, email, phone = '', password, role }: SignUp) {
  if (role) await page.getByRole('radio', { name: role }).check()
  await page.getByLabel('Full name').fill(fullName)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Phone').fill(phone)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
}

test('signing up asks for a confirmation, turns to Sign In, and lets in only after the link', async ({
  page,
  problems,
  server,
}) => {
  problems.allow(NOT_SIGNED_IN)
  problems.allow(/^429 POST \/auth\/v1\/signup|ERR_FAILED.*\/auth\/v1\/signup|TypeError: Failed to fetch/)
  const email = newAddress('grace')
  await page.goto('/auth')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await expect(page.getByRole('radio', { name: 'Find Tasks to Do' })).toBeChecked()
  await expect(page.getByText('Must contain uppercase letter and number', { exact: true })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['Sign In', 'Sign Up'])
  await expect(page.getByRole('radio')).toHaveCount(2)

  // A reload halfway keeps the input, except the password.
  await page.getByLabel('Full name').fill('Halfway')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.reload()
  await expect(page.getByLabel('Full name')).toHaveValue('Halfway')
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')

  await page.setViewportSize(NARROW)
  // The account is made and the answer is lost on its way: whose sign-up that was is not known, so nothing is promised.
  const losesAnswer = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await page.route('**/auth/v1/signup*', losesAnswer, { times: 1 })
  await signUp(page, {
    fullName: 'Grace',
    email: newAddress('grace'),
    phone: '+1 (306) 555-0123',
    password: PASSWORD,
    role: 'Post Tasks',
  })
  await expect(page.getByRole('main').getByRole('alert')).toContainText('could not be reached')
  await page.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('your sign-up is not finished')
  await expect(toast(page, 'Account created!')).toHaveCount(0)
  await page.getByLabel('Email').fill(email)
  const runTimer = await holdTimer(page, 1500)
  await page.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
  await expect(toast(page, 'Account created!')).toContainText(
    'Please check your email to verify your account before signing in.',
  )
  await expect(page.getByRole('tab', { name: 'Sign Up' })).toHaveAttribute('aria-selected', 'true')
  await runTimer()
  await expect(page.getByRole('tab', { name: 'Sign In' })).toHaveAttribute('aria-selected', 'true')
  // The short form begins in sight, although the long one was left at its end.
  await expect(page.getByText('Check your inbox')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('tab', { name: 'Sign In' })).toBeInViewport()
  await expect(page.getByLabel('Email')).toHaveValue(email)

  await signIn(page, email, PASSWORD)
  await expect(toast(page, 'Login Failed')).toContainText(
    'Please check your email to confirm your account first.',
  )

  // Sent again, the sign-up is made again: the last one may be a stranger's.
  // In this page alone: a clock of Playwright's stays in the browser, which other tests get.
  await page.evaluate(() => {
    const now = Date.now
    Date.now = () => now() + 61_000
  })
  const repeated = page.waitForRequest('**/auth/v1/signup*')
  await page.getByRole('button', { name: 'Send it again', exact: true }).click()
  const sent = await repeated
  expect(sent.postDataJSON()).toMatchObject({
    email,
    password: PASSWORD,
    data: { full_name: 'Grace', phone: expect.stringMatching(/^(\+1)?3065550123$/), role: 'task_giver' },
  })
  expect(new URL(sent.url()).searchParams.get('redirect_to')).toBe(`${server.url}/dashboard`)
  await expect(page.getByRole('button', { name: /^Send it again in \d+ s$/ })).toBeDisabled()

  const message = await server.messageTo(email)
  await page.goto(message.links[0] ?? '')
  await confirmEmail(page)
  await expect(page).toHaveURL(/\/dashboard#?$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Grace')
  await expect(page.getByText('Manage your tasks')).toBeVisible()

  const people = await server.signedIn(email)
  const { data } = await people.from('user_roles').select('role')
  expect(data).toEqual([{ role: 'task_giver' }])
})

const confirmEmail = (page: Page) => page.getByRole('button', { name: 'Confirm my email' }).click()

test('after signing up to see a task, the link in the e-mail leads to it, once', async ({
  lend,
  page,
  server,
}) => {
  const { taskId, title } = await postedTask(server)
  const email = newAddress('theo')
  await page.goto(`/task/${taskId}`)
  await expect(page.getByText('Sign in to see the whole task.')).toBeVisible()
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  const sent = page.waitForRequest('**/auth/v1/signup*')
  await fillSignUp(page, { fullName: 'Theo', email, password: PASSWORD })
  expect((await sent).postDataJSON().data).toMatchObject({ phone: null, role: 'task_doer' })
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible()
  const [link = ''] = (await server.messageTo(email)).links
  // Links in a chat open in its own browser, those of e-mails in another one.
  const other = await (await lend()).context.newPage()
  await other.goto(link)
  await confirmEmail(other)
  await expect(other.getByRole('heading', { name: title })).toBeVisible()
  await expect(other).toHaveURL(`/task/${taskId}`)
  await other.goto('/dashboard')
  await expect(other.getByText('Find your next opportunity')).toBeVisible()
})

test('a link that failed ends the session, a refusal to connect an account does not', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'))
  const failed = (code: string) =>
    `/dashboard#error=access_denied&error_code=${code}&error_description=It+was+refused&sb=`
  for (const code of ['identity_already_exists', 'identity_not_found', 'single_identity_not_deletable']) {
    await page.goto(failed(code))
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Theo')
    await expect(page).toHaveURL('/dashboard')
    await page.goto('/')
  }
  await page.goto(failed('otp_expired'))
  await expect(page).toHaveURL('/auth?next=%2Fdashboard')
  await expect(page.getByRole('main').getByRole('alert')).toContainText('That link did not work')
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Sign In' })).toBeVisible()
})

test('signing in greets, leads to the dashboard and survives a reload; signing out leads home', async ({
  page,
}) => {
  await page.goto('/auth')
  await signIn(page, 'grace@example.com', PASSWORD)
  await expect(toast(page, 'Welcome back!')).toContainText('Redirecting to your dashboard...')
  await expect(page).toHaveURL('/dashboard')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Grace')
  // Whoever is signed in has no business at /auth.
  await page.goto('/auth')
  await expect(page).toHaveURL('/dashboard')

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/dashboard')
  await expect(page).toHaveURL(/\/auth/)
})

test('signing in on the way to another page announces no dashboard', async ({ page }) => {
  await page.goto('/auth?next=%2Ffaq')
  await signIn(page, 'grace@example.com', PASSWORD)
  await expect(toast(page, 'Welcome back!')).toHaveText('Welcome back!')
  await expect(page).toHaveURL('/faq')
})

test('a wrong password and an unknown address are refused in the same words', async ({ page, problems }) => {
  problems.allow(NOT_SIGNED_IN)
  await page.goto('/auth')
  for (const [email, password] of [
    ['grace@example.com', 'Meadowlark2'],
    [newAddress('grace'), PASSWORD],
  ] as const) {
    await signIn(page, email, password)
    await expect(toast(page, 'Login Failed').first()).toContainText(
      'Invalid email or password. Please check your credentials.',
    )
    // The same above the button, and on the field, which has the focus.
    const field = page.getByRole('textbox', { name: 'Password' })
    await expect(field).toBeFocused()
    await expect(field).toHaveAccessibleDescription(/Invalid email or password/)
    await expect(page.getByRole('alert')).toContainText('Invalid email or password')
    await expect(page).toHaveURL(/\/auth/)
    await page.reload()
  }
})

test('a sign-in or a sign-up that fails for no stated reason says so', async ({ page, problems }) => {
  problems.allow(NOT_SIGNED_IN)
  problems.allow(/^400 POST \/auth\/v1\/signup/)
  await page.route(/\/auth\/v1\/token/, (route) => route.fulfill({ status: 400, json: {} }))
  await page.goto('/auth')
  await signIn(page, 'grace@example.com', PASSWORD)
  await expect(toast(page, 'Login Failed')).toContainText('Unable to sign in. Please try again.')
  await page.route(/\/auth\/v1\/signup/, (route) => route.fulfill({ status: 400, json: {} }))
  await signUp(page, { fullName: 'Grace', email: newAddress('grace'), password: PASSWORD })
  await expect(toast(page, 'Signup Failed')).toContainText('Unable to create account. Please try again.')
  const msg = 'Signups are closed today'
  await page.route(/\/auth\/v1\/signup/, (route) => route.fulfill({ status: 400, json: { msg } }))
  await signUp(page, { fullName: 'Grace', email: newAddress('grace'), password: PASSWORD })
  await expect(toast(page, 'Signup Failed')).toContainText(msg)
})

test('sign-in says what is wrong with an address or a missing password', async ({ page }) => {
  await page.goto('/auth')
  const cases = [
    ['', '', 'Invalid email address'],
    ['grace at home', PASSWORD, 'Invalid email address'],
    [`${'g'.repeat(250)}@example.com`, PASSWORD, 'Email too long'],
    ['grace@example.com', '', 'Password is required'],
  ] as const
  for (const [email, password, message] of cases) {
    await signIn(page, email, password)
    await expect(page.getByRole('alert')).toHaveText([message])
  }
})

test('sign-up shows only the first failure, in the order of the form', async ({ page }) => {
  const valid = { fullName: 'Grace', email: newAddress('grace'), phone: '', password: PASSWORD }
  const cases: [Partial<SignUp>, string][] = [
    [{ fullName: ' G ', email: 'nowhere', password: 'x' }, 'Name must be at least 2 characters'],
    [{ fullName: 'G'.repeat(101) }, 'Name too long'],
    [{ email: 'grace.example.com', phone: 'x' }, 'Invalid email address'],
    [{ phone: '0306', password: 'short' }, 'Invalid phone number'],
    [{ phone: '+1306555012345678' }, 'Invalid phone number'],
    [{ password: 'Short1' }, 'Password must be at least 8 characters'],
    [{ password: 'meadowlark1' }, 'Password must contain an uppercase letter'],
    [{ password: 'Meadowlark' }, 'Password must contain a number'],
  ]
  await page.goto('/auth?view=sign-up')
  for (const [change, message] of cases) {
    await fillSignUp(page, { ...valid, ...change })
    await expect(page.getByRole('alert')).toHaveText([message])
  }
})

test('a name that the service refuses is named at its field', async ({ page, problems }) => {
  problems.allow(/^422 POST \/auth\/v1\/signup/)
  await signUp(page, { fullName: 'www.evil.example', email: newAddress('grace'), password: PASSWORD })
  const name = page.getByLabel('Full name')
  await expect(name).toHaveAccessibleDescription('Name cannot contain a web or e-mail address')
  await expect(name).toBeFocused()
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)

  await page.evaluate(() => localStorage.setItem('language', 'de'))
  await page.reload()
  await page.locator('input[name=fullName]').fill('www.evil.example')
  await page.locator('input[name=email]').fill(newAddress('grace'))
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('input[name=password]').press('Enter')
  await expect(page.locator('input[name=fullName]')).toHaveAccessibleDescription(
    'Der Name darf keine Web- oder E-Mail-Adresse enthalten',
  )
})

test('an address that has an account gets the advice to sign in instead', async ({ page, problems }) => {
  problems.allow(/^4\d\d POST \/auth\/v1\/signup/)
  await signUp(page, { fullName: 'Grace', email: 'grace@example.com', password: PASSWORD })
  await expect(toast(page, 'Signup Failed')).toContainText(
    'This email is already registered. Please sign in instead.',
  )
})

test('screens that need a session ask for one and come back', async ({ page }) => {
  for (const path of ['/dashboard', '/profile', '/bookings', '/verification']) {
    await page.goto(path)
    await expect(page).toHaveURL(/\/auth/)
    await expect(page.getByRole('tab', { name: 'Sign In' })).toBeVisible()
  }
  await page.goto('/profile')
  await expect(page).toHaveURL(/\/auth/)
  await signIn(page, 'theo@example.com', PASSWORD)
  await expect(page).toHaveURL('/profile')
})

test('a sign-in never leads to another site', async ({ page }) => {
  for (const next of ['https://example.com/', '//example.com', '/\\example.com']) {
    await page.goto(`/auth?next=${encodeURIComponent(next)}`)
    await signIn(page, 'sam@example.com', PASSWORD)
    await expect(page).toHaveURL('/dashboard')
    await forgetSession(page)
  }
})

test('a device whose clock is five hours ahead does not renew its token on every page', async ({
  signedInPage,
}) => {
  const page = await signedInPage('theo')
  let renewals = 0
  page.on('request', (request) => {
    if (request.url().includes('grant_type=refresh_token')) renewals++
  })
  await page.addInitScript(() => {
    const now = Date.now
    const ahead = 5 * 3600_000
    Date.now = () => now() + ahead
  })
  for (const path of ['/dashboard', '/profile', '/bookings', '/browse']) {
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible()
    await expect(page).toHaveURL(path)
  }
  expect(renewals).toBe(0)
})

test('the code of the email takes the sign-up toast away', async ({ page, server }) => {
  const email = newAddress('grace')
  await signUp(page, { fullName: 'Grace', email, password: PASSWORD })
  // A toast stays for as long as it is pointed at.
  await toast(page, 'Account created!').hover()
  await page.locator('summary', { hasText: 'Enter the code from the email instead' }).press('Enter')
  const [code = ''] = /\b\d{6}\b/.exec((await server.messageTo(email)).text) ?? []
  await page.getByLabel('Six-digit code').fill(code)
  await page.getByLabel('Six-digit code').press('Enter')
  await expect(page).toHaveURL('/dashboard')
  await expect(toast(page, 'Account created!')).toHaveCount(0)
})
