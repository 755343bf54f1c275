// Two-step verification, by an app or Chromium's virtual security key: set up in the Security tab, asked for at sign-in and after a reload, lost and recovered; and an
// admin who has none.
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { expectAccessibleDialog, expectGoodLooks } from './accessibility.ts'
import { expect, forgetSession, test, toast } from './fixtures.ts'

const codeOf = (secret: string, timestamp = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
const main = (page: Page) => page.getByRole('main')

test('an authenticator app, its codes at sign-in, and a recovery code for people who lost it', async ({
  page,
  server,
  problems,
}) => {
  const email = await server.newAccount('grace')
  const signIn = async () => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
    await main(page).getByRole('button', { name: 'Sign In', exact: true }).click()
  }
  await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
  await signIn()
  const section = page.getByRole('region', { name: 'Two-step verification' })
  await section.getByRole('button', { name: 'Set up: Authenticator app' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('img', { name: 'QR code' })).toBeVisible()
  const secret = (await dialog.locator('code').innerText()).replace(/\s/g, '')
  const wrong = String((Number(codeOf(secret)) + 1) % 1_000_000).padStart(6, '0')
  problems.allow(/^422 POST \/auth\/v1\/factors\/.*\/verify/)
  await dialog.getByLabel('Six-digit code').fill(wrong)
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByRole('alert')).toContainText('This code is wrong')
  await expectAccessibleDialog(page)
  const used = codeOf(secret)
  await dialog.getByLabel('Six-digit code').fill(used)
  await dialog.getByRole('button', { name: 'Turn on' }).click()

  // Ten codes, shown this once.
  await expect(dialog.getByRole('listitem')).toHaveCount(10)
  await expectAccessibleDialog(page)
  await expect(dialog).not.toContainText('no longer work')
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await expect(section).toContainText('10 codes left')
  await section.getByRole('button', { name: 'Make new codes' }).click()
  await expect(dialog).toContainText('The codes you had before no longer work.')
  const [recoveryCode = ''] = await dialog.getByRole('listitem').allInnerTexts()
  await dialog.getByRole('button', { name: 'I have saved them' }).click()

  // The second step, which a reload and another address do not get past.
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/auth')
  await signIn()
  await expect(main(page)).toContainText(`Signing in as ${email}`)
  await expectGoodLooks(page)
  await page.goto('/bookings')
  await expect(page).toHaveURL(/\/auth/)
  // A code counts once; the next one is accepted half a minute early.
  await main(page).getByLabel('Six-digit code').fill(used)
  await main(page).getByRole('button', { name: 'Verify' }).click()
  await expect(main(page).getByRole('alert')).toContainText(/This code was already used|This code is wrong/)
  await main(page)
    .getByLabel('Six-digit code')
    .fill(codeOf(secret, Date.now() + 30_000))
  await main(page).getByRole('button', { name: 'Verify' }).click()
  await expect(page).toHaveURL(/\/bookings/)
  await page.reload()
  await expect(page).toHaveURL(/\/bookings/)

  // Lost: the code takes the factor away.
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/auth')
  await signIn()
  await main(page).getByRole('button', { name: 'Lost your device?' }).click()
  await main(page).getByLabel('Recovery code').fill('0000-0000-0000-0000')
  await main(page).getByRole('button', { name: 'Use the code' }).click()
  await expect(main(page).getByRole('alert')).toHaveText('That is not one of your unused recovery codes')
  await main(page).getByLabel('Recovery code').fill(recoveryCode)
  await main(page).getByRole('button', { name: 'Use the code' }).click()
  await expect(toast(page, 'Two-step verification is off')).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard/)

  // An admin without a factor is led to set one up.
  const { data } = await (await server.signedIn(email)).auth.getUser()
  await (await server.signedIn('ada'))
    .rpc('set_role', { person: data.user?.id, role: 'admin' })
    .throwOnError()
  await page.goto('/admin')
  await expect(main(page)).toContainText('Two-step verification is needed here')
  await main(page).getByRole('link', { name: 'Set it up' }).click()
  await expect(section.getByRole('button', { name: 'Set up: Authenticator app' })).toBeVisible()
})

test('a security key is added, asked for at sign-in, and removed; one that a thief added goes by a reset', async ({
  page,
  server,
  problems,
}) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
  })
  const email = await server.newAccount('grace')
  const signIn = async () => {
    await page.goto('/auth?next=/profile%3Ftab%3Dsecurity')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
    await main(page).getByRole('button', { name: 'Sign In', exact: true }).click()
  }
  await signIn()
  const section = page.getByRole('region', { name: 'Two-step verification' })
  const dialog = page.getByRole('dialog')
  await section.getByRole('button', { name: 'Set up: Security key' }).click()
  await dialog.getByLabel('Name').fill('Blue key')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(10)
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await expect(section).toContainText(/Blue key\s*Security key · Added/)

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/')
  await signIn()
  await expect(main(page)).toContainText(`Signing in as ${email}. Have your security key at hand.`)
  await expectGoodLooks(page)
  await main(page).getByRole('button', { name: 'Use “Blue key”' }).click()
  await section.getByRole('button', { name: 'Remove Blue key' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(section.getByRole('button', { name: 'Set up: Security key' })).toBeVisible()

  // Somebody with a stolen token adds a second step, which a reset by e-mail removes.
  const thief = await server.signedIn(email)
  const { data } = await thief.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
  const proof = { factorId: data?.id ?? '', code: codeOf(data?.totp.secret ?? '') }
  expect((await thief.auth.mfa.challengeAndVerify(proof)).error).toBeNull()
  await forgetSession(page)
  await signIn()
  const removeUnknown = async () => {
    await main(page).getByRole('button', { name: 'I did not set this up' }).click()
    await main(page).getByRole('button', { name: 'Remove it' }).click()
  }
  problems.allow(/^422 DELETE \/auth\/v1\/factors/)
  await removeUnknown()
  await expect(main(page).getByRole('status')).toContainText('Only a password reset by email can remove it')
  await expectGoodLooks(page)
  await main(page).getByRole('button', { name: 'Send the link' }).click()
  await expect.poll(async () => (await server.messageTo(email)).subject).toContain('Reset')
  const [link = ''] = (await server.messageTo(email)).links
  await page.goto(link)
  await page.getByRole('button', { name: 'Choose a new password' }).click()
  await expect(main(page)).toContainText(`Signing in as ${email}`)
  await removeUnknown()
  await page.getByLabel('New password').fill('Western1lark')
  await page.getByRole('button', { name: 'Save the new password' }).click()
  await expect(page).toHaveURL('/dashboard')
})
