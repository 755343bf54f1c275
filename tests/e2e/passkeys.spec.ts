// Passkeys with Chromium's virtual authenticator: added and named in the Security tab, signed in with, removed.
import { expect, test, toast } from './fixtures.ts'

test('a passkey is added, signs in without a password, and is removed', async ({
  page,
  server,
  problems,
}) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const email = await server.newAccount('grace')
  const main = page.getByRole('main')
  await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  await main.getByRole('button', { name: 'Sign In', exact: true }).click()
  const section = page.getByRole('region', { name: 'Passkeys' })
  const dialog = page.getByRole('dialog')
  await section.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(section.getByRole('heading', { name: 'Laptop' })).toBeVisible()
  await section.getByRole('button', { name: 'Rename Laptop' }).click()
  await dialog.getByLabel('Name').fill('Work laptop')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await expect(section.getByRole('heading', { name: 'Work laptop' })).toBeVisible()

  const signOut = async () => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    await expect(page).toHaveURL('/')
    await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  }
  await signOut()
  await main.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(section).toContainText('Last used')

  // The authenticator still has it, but the account does not.
  await section.getByRole('button', { name: 'Remove Work laptop' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(section.getByRole('heading', { name: 'Work laptop' })).toBeHidden()
  await signOut()
  problems.allow(/^400 POST \/auth\/v1\/passkeys\/authentication\/verify/)
  await main.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(toast(page, 'This passkey was not accepted')).toBeVisible()
})
