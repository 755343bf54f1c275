// Passkeys with Chromium's virtual authenticator: added and named in the Security tab, signed in with, removed.
import type { Page } from '@playwright/test'
import { expectAccessibleDialog } from './accessibility.ts'
import { expect, newAddress, test, toast } from './fixtures.ts'

/** A key that keeps passkeys, and says yes by itself: one of the device, or one that is plugged in. */
async function addAuthenticator(page: Page, transport: 'internal' | 'usb') {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('a passkey is added, signs in without a password, and is removed', async ({
  page,
  server,
  problems,
}) => {
  await addAuthenticator(page, 'internal')
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

  // The browser refuses the same one again, in the client library's words; the app shows its own.
  await section.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Once more')
  await expectAccessibleDialog(page)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(toast(page, 'This device or key is set up for your account already.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

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

test('after an old sign-in a change asks for the password or a code and goes on; a reset asks about other ways in', async ({
  page,
  server,
  problems,
}) => {
  await addAuthenticator(page, 'internal')
  const email = await server.newAccount('grace')
  await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  const section = page.getByRole('region', { name: 'Passkeys' })
  const naming = page.getByRole('dialog', { name: 'Add a passkey' })
  const asking = page.getByRole('dialog', { name: 'Confirm that it is you' })
  /** As the service answers where the sign-in is too old. */
  const refuseOnce = (address: string) =>
    page.route(
      address,
      (route) =>
        route.fulfill({ status: 400, json: { code: 400, error_code: 'reauthentication_needed', msg: '' } }),
      { times: 1 },
    )
  problems.allow(/^400 (POST|DELETE) \/auth\/v1\/(passkeys\/|reauthenticate)/)
  problems.allow(/^422 POST \/auth\/v1\/reauthenticate/)

  await refuseOnce('**/auth/v1/passkeys/registration/options')
  await section.getByRole('button', { name: 'Add a passkey' }).click()
  await naming.getByLabel('Name').fill('Kitchen tablet')
  await naming.getByRole('button', { name: 'Continue' }).click()
  await expect(asking.getByLabel('Current password')).toBeFocused()
  await expectAccessibleDialog(page)
  // After giving up, the typed text is still there.
  await page.keyboard.press('Escape')
  await expect(toast(page, 'nothing was changed')).toBeVisible()
  await expect(naming.getByLabel('Name')).toHaveValue('Kitchen tablet')
  await refuseOnce('**/auth/v1/passkeys/registration/options')
  await naming.getByRole('button', { name: 'Continue' }).click()
  await asking.getByLabel('Current password').fill('Meadowlark2')
  await asking.getByRole('button', { name: 'Continue' }).click()
  await expect(asking).toContainText('This is not your current password')
  await asking.getByLabel('Current password').fill('Meadowlark1')
  await asking.getByRole('button', { name: 'Continue' }).click()
  await expect(section.getByRole('heading', { name: 'Kitchen tablet' })).toBeVisible()
  await expect(asking).toBeHidden()

  // Another device is signed out; the passkey, which that does not end, is looked at.
  await server.signedIn(email)
  await page.reload()
  await page.getByRole('button', { name: 'Sign out all other devices' }).click()
  const review = page.getByRole('dialog', { name: 'Are all of these yours?' })
  await expectAccessibleDialog(page)
  await review.getByRole('button', { name: 'They are all mine' }).click()
  await expect(review).toBeHidden()
  // So it is after a reset by e-mail.
  const options = { redirectTo: `${server.url}/auth?view=new-password` }
  const { data: link } = await server.operator().auth.admin.generateLink({ type: 'recovery', email, options })
  await page.goto(link.properties?.action_link ?? '')
  await page.getByLabel('New password').fill('Prairie2026')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/\/profile\?tab=security/)
  await review.getByRole('checkbox', { name: 'Passkey · Kitchen tablet' }).check()
  await refuseOnce('**/auth/v1/passkeys/*')
  await review.getByRole('button', { name: 'Remove selected' }).click()
  await asking.getByRole('button', { name: 'Send me a code instead' }).click()
  await expect(asking).toContainText(`We sent it to ${email}.`)
  await expect.poll(async () => (await server.messageTo(email)).subject).toMatch(/is your Meadowlark code$/)
  const [code = ''] = /\b\d{6}\b/.exec((await server.messageTo(email)).text) ?? []
  await asking.getByLabel('Code').fill(code)
  await asking.getByRole('button', { name: 'Continue' }).click()
  await expect(toast(page, 'The selected ways to sign in are removed')).toBeVisible()
  await expect(section.getByRole('heading', { name: 'Kitchen tablet' })).toBeHidden()
})

test('a person with a passkey, a security key and no password deletes the account by a code and the key', async ({
  page,
  server,
  problems,
}) => {
  await addAuthenticator(page, 'usb')
  const email = newAddress('grace')
  const { admin } = server.operator().auth
  const person = { full_name: 'Grace', role: 'task_giver' }
  expect((await admin.createUser({ email, email_confirm: true, user_metadata: person })).error).toBeNull()
  const { data: link } = await admin.generateLink({ type: 'magiclink', email })
  await page.goto(link.properties?.action_link ?? '')
  await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible()

  const main = page.getByRole('main')
  const dialog = page.getByRole('dialog')
  await page.goto('/profile?tab=security')
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(passkeys.getByRole('heading', { name: 'Laptop' })).toBeVisible()
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  await main.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(passkeys).toContainText('Last used')

  await page.getByRole('button', { name: 'Set up: Security key' }).click()
  await dialog.getByLabel('Name').fill('Blue key')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('button', { name: 'I have saved them' }).click()

  await page.getByRole('button', { name: 'Delete Account' }).click()
  await expect(dialog.getByLabel('Current password')).toHaveCount(0)
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await dialog.getByRole('button', { name: 'Send me a code' }).click()
  await expect(dialog.getByText(`We sent it to ${email}.`)).toBeVisible()
  await expect.poll(async () => (await server.messageTo(email)).subject).toBe('Your Meadowlark sign-in link')
  const [code = ''] = /\b\d{6}\b/.exec((await server.messageTo(email)).text) ?? []
  await dialog.getByLabel('Code', { exact: true }).fill(code)
  problems.allow(/^403 (GET \/auth\/v1\/user|POST \/auth\/v1\/logout)/)
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
  await expect(toast(page, 'Your account is deleted')).toBeVisible()
  await expect(page).toHaveURL('/')
  expect((await admin.listUsers({ perPage: 1000 })).data.users.some((user) => user.email === email)).toBe(
    false,
  )
})
