// Signing in by the word of another service, here a local issuer of OpenID Connect in the place of Google.
import { type Issuer, startIssuer } from '../../packages/server/tests/support/issuer.ts'
import { expectGoodLooks } from './accessibility.ts'
import { test as base, expect, newAddress, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'
import { type AppServer, startAppServer } from './server.ts'

type Issued = { server: AppServer; issuer: Issuer }

/** A provider of the administrators' own: the same issuer under another name. */
async function addGuild(server: AppServer, { url, clientId, clientSecret }: Issuer) {
  const response = await fetch(`${server.url}/auth/v1/admin/custom-providers`, {
    method: 'POST',
    headers: { apikey: server.secretKey, authorization: `Bearer ${server.secretKey}` },
    body: JSON.stringify({
      provider_type: 'oidc',
      identifier: 'custom:guild',
      name: 'The Guild',
      issuer: url,
      client_id: clientId,
      client_secret: clientSecret,
      scopes: ['email', 'profile'],
    }),
  })
  if (!response.ok) throw new Error(await response.text())
}

const test = base.extend<{ issuer: Issuer }, { issued: Issued; server: AppServer }>({
  issued: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      let issuer: Issuer | undefined
      const server = await startAppServer(async (url) => {
        issuer = await startIssuer(`${url}/auth/v1/callback`)
        return {
          SUPABASE_AUTH_EXTERNAL_GOOGLE_ENABLED: 'true',
          SUPABASE_AUTH_EXTERNAL_GOOGLE_CLIENT_ID: issuer.clientId,
          SUPABASE_AUTH_EXTERNAL_GOOGLE_SECRET: issuer.clientSecret,
          SUPABASE_AUTH_EXTERNAL_GOOGLE_URL: issuer.url,
          CUSTOM_PROVIDERS: 'custom:guild=The Guild',
        }
      })
      await addGuild(server, issuer as unknown as Issuer)
      await use({ server, issuer: issuer as Issuer })
      await server.stop()
      await issuer?.stop()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  server: [async ({ issued }, use) => use(issued.server), { scope: 'worker' }],
  issuer: async ({ issued, problems }, use) => {
    // The browser passes by there.
    problems.allow(new RegExp(`^another origin: ${issued.issuer.url}/`))
    await use(issued.issuer)
  },
})

test('somebody new goes on with Google, finishes the account, and comes back', async ({
  page,
  server,
  issuer,
  problems,
}) => {
  issuer.person = null
  await page.goto('/auth?next=/bookings')
  const withGoogle = page.getByRole('button', { name: 'Continue with Google' })
  await page.getByRole('button', { name: 'Continue with The Guild' }).click()
  await expect(page.getByRole('alert')).toContainText('was not allowed to tell us who you are')
  expect(new URL(page.url()).search).toBe('?next=%2Fbookings')

  const email = newAddress('grace')
  issuer.person = { sub: 'grace', email, email_verified: true, name: 'Grace Field' }
  await withGoogle.click()
  await expect(page.getByRole('heading', { name: 'Finish your account' })).toBeVisible()
  await expect(page.getByLabel('Full name')).toHaveValue('Grace Field')
  await expectGoodLooks(page)
  await page.goto('/dashboard')
  await expect(page).toHaveURL(/finish-account/)
  await page.getByText('Post Tasks', { exact: true }).click()
  await page.getByLabel('Phone').fill('+13065550123')
  await page.getByRole('main').getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  await page.reload()
  await expect(page).toHaveURL(/\/dashboard$/)

  // The only way in cannot be given up.
  await page.goto('/profile?tab=security')
  const connected = page.getByRole('region', { name: 'Connected accounts' })
  await expect(connected).toContainText('cannot be disconnected')
  await expect(connected.getByRole('button', { name: 'Disconnect Google' })).toBeDisabled()

  // Accounts without a password enter a code instead.
  await page.getByRole('button', { name: 'Delete Account' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Send me a code' })).toBeVisible()
  await expect(dialog.getByLabel('Current password')).toBeHidden()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Set a password' }).click()
  await dialog.getByLabel('New password').fill('Prairie2026')
  problems.allow(/^400 PUT \/auth\/v1\/user/)
  await dialog.getByRole('button', { name: 'Set a password' }).click()
  await expect(dialog.getByLabel('Code from your email')).toBeVisible()
  const { text } = await server.messageTo(email)
  await dialog.getByLabel('Code from your email').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '')
  await dialog.getByRole('button', { name: 'Set a password' }).click()
  await expect(page.getByRole('button', { name: 'Change password' })).toBeVisible()

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/auth?next=/bookings')
  await withGoogle.click()
  await expect(page).toHaveURL(/\/bookings/)
})

test('a new person who came for a task is led to it by way of Google', async ({ page, server, issuer }) => {
  const { taskId, title } = await postedTask(server)
  issuer.person = { sub: 'theo-new', email: newAddress('theo'), email_verified: true, name: 'Theo Field' }
  await page.goto(`/task/${taskId}`)
  await expect(page.getByRole('region').getByRole('heading', { name: title })).toBeVisible()
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await expect(page.getByRole('heading', { name: 'Finish your account' })).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(`/task/${taskId}`)
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
})

test('a person with an account connects Google, and disconnects it again', async ({
  server,
  issuer,
  signedInPage,
}) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/profile?tab=security')
  const connected = page.getByRole('region', { name: 'Connected accounts' })
  // Somebody else's already.
  issuer.person = { sub: 'grace', email: newAddress('grace'), email_verified: true }
  await connected.getByRole('button', { name: 'Connect Google' }).click()
  await expect(toast(page, 'already connected to an account here')).toBeVisible()

  // The issuer forgets who was there.
  await page.context().clearCookies()
  const email = newAddress('theo')
  issuer.person = { sub: 'theo', email, email_verified: true, name: 'Theo' }
  await connected.getByRole('button', { name: 'Connect Google' }).click()
  await expect(connected).toContainText(email)
  await connected.getByRole('button', { name: 'Disconnect Google' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(toast(page, 'Google is disconnected')).toBeVisible()
  await expect(connected.getByRole('button', { name: 'Connect Google' })).toBeVisible()
})
