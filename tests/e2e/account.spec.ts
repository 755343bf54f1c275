// The account itself (specification 001 §2, Security tab): password, address and devices, seen from two browsers.
import type { Locator } from '@playwright/test'
import { expectAccessibleDialog } from './accessibility.ts'
import { expect, newAddress, test, toast } from './fixtures.ts'
import { paidJob } from './jobs.ts'

test('a new password, a new address, and a device signed out from elsewhere, which notices', async ({
  signedInPage,
  page: there,
  server,
  problems,
}) => {
  const email = await server.newAccount('grace')
  const here = await signedInPage(email)
  const signInThere = async (password: string) => {
    await there.getByLabel('Email').fill(email)
    await there.getByLabel('Password', { exact: true }).fill(password)
    await there.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
    await expect(there).toHaveURL(/\/dashboard/)
  }
  await here.goto('/profile?tab=security')
  const devices = here.getByRole('region', { name: 'Your devices' })
  await expect(devices.getByRole('listitem').filter({ hasText: 'This device' })).toHaveCount(1)
  await expect(devices.getByRole('listitem').filter({ hasText: 'This device' })).not.toContainText(
    'Last used',
  )

  // Wrong, too weak, then right.
  problems.allow(/^400 PUT \/auth\/v1\/user/)
  await here.getByRole('button', { name: 'Change password' }).click()
  const dialog = here.getByRole('dialog', { name: 'Change password' })
  await expect(dialog.getByLabel('Current password')).toBeFocused()
  const change = async (current: string, next: string) => {
    await dialog.getByLabel('Current password').fill(current)
    await dialog.getByLabel('New password').fill(next)
    await dialog.getByRole('button', { name: 'Change password' }).click()
  }
  await change('Meadowlark1', 'meadowlark2')
  await expect(dialog.getByRole('alert')).toHaveText('Password must contain an uppercase letter')
  await change('Meadowlark9', 'MEADOWLARK2')
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password')
  await expectAccessibleDialog(here)

  // The other browser is notified as soon as it happens.
  problems.allow(/^403 GET \/auth\/v1\/user/)
  const joined = there.waitForEvent('websocket').then((socket) =>
    socket.waitForEvent('framereceived', {
      predicate: ({ payload }) =>
        String(payload).includes('"status":"ok"') && String(payload).includes('realtime:account:'),
    }),
  )
  await there.goto('/auth')
  await signInThere('Meadowlark1')
  await joined
  await change('Meadowlark1', 'MEADOWLARK2')
  await expect(toast(here, 'Password changed')).toBeVisible()
  await expect(toast(there, 'You were signed out')).toBeVisible()
  await expect(there).toHaveURL(/\/auth/)
  await signInThere('MEADOWLARK2')

  // One device from the list.
  await here.reload()
  await expect(devices.getByRole('listitem')).toHaveCount(2)
  await devices.getByRole('button', { name: /^Sign out .+ on / }).click()
  await expect(devices.getByRole('listitem')).toHaveCount(1)
  await expect(there).toHaveURL(/\/auth/)

  // The address changes once both have confirmed it.
  const next = newAddress('grace')
  await here.getByRole('button', { name: 'Change email' }).click()
  await here.getByLabel('New email').fill(next)
  await expectAccessibleDialog(here)
  await here.getByRole('button', { name: 'Send the links' }).click()
  await expect(here.getByText(`Your email becomes ${next} once`)).toBeVisible()
  const toOld = (await server.messageTo(email)).links[0] ?? ''
  const toNew = (await server.messageTo(next)).links[0] ?? ''
  await here.goto(toOld)
  await here.getByRole('button', { name: 'Confirm the change' }).click()
  await expect(here.getByText('One link is confirmed.')).toBeVisible()
  await here.getByRole('link', { name: 'Go on' }).click()
  await expect(here.getByText(`Your email becomes ${next} once`)).toBeVisible()
  await here.goto(toNew)
  await here.getByRole('button', { name: 'Confirm the change' }).click()
  const security = here.getByRole('tabpanel', { name: 'Security' })
  await expect(security.getByText(next, { exact: true })).toBeVisible()
  await expect(here.getByText('Your email becomes')).toHaveCount(0)
})

test('a hidden profile is not found by strangers, and the wizard asks before it is left', async ({
  signedInPage,
  problems,
  page: stranger,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/profile')
  await page.getByLabel('Bio').fill('Carpenter, mostly.')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(toast(page, 'Profile Saved!')).toBeVisible()
  await page.getByRole('tab', { name: 'Security' }).click()
  await page.getByLabel('Profile visibility').click()
  await expect(page.getByText('Hidden. You are not listed in Find Taskers.')).toBeVisible()
  const address = await page.getByRole('link', { name: 'See my public profile' }).getAttribute('href')
  problems.allow(/^40\d GET \/rest\/v1\/public_profiles/)
  await stranger.goto(address ?? '')
  await expect(toast(stranger, 'Profile not found')).toBeVisible()
  await expect(stranger.getByText('Carpenter, mostly.')).toHaveCount(0)

  await page.goto('/verification')
  await page.getByLabel('Full legal name').fill('Theodore')
  await page.getByRole('link', { name: 'Browse Tasks' }).first().click()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await expectAccessibleDialog(page)
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(page.getByLabel('Full legal name')).toHaveValue('Theodore')
  await page.getByRole('link', { name: 'Browse Tasks' }).first().click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL(/\/browse/)
})

test('a copy of one’s data is downloaded, and the account deleted after the address and the password', async ({
  signedInPage,
  server,
  problems,
}) => {
  const email = await server.newAccount('theo')
  const page = await signedInPage(email)
  const theo = await server.signedIn(email)
  const { data: session } = await theo.auth.getUser()
  const path = `${session.user?.id}/photo.jpg`
  const { error } = await theo.storage
    .from('profile-photos')
    .upload(path, Buffer.from([0xff, 0xd8, 0xff, 0xe0]), {
      contentType: 'image/jpeg',
    })
  expect(error).toBeNull()
  const photo = theo.storage.from('profile-photos').getPublicUrl(path).data.publicUrl
  expect((await fetch(photo)).status).toBe(200)

  await page.goto('/profile?tab=security')
  const data = page.getByRole('region', { name: 'Your data' })
  const request = data.getByRole('button', { name: 'Request your data' })
  // Nothing to say yet: the button is as high as its heading.
  const top = async (of: Locator) => (await of.boundingBox())?.y ?? Number.NaN
  expect(await top(request)).toBeLessThanOrEqual(await top(data.getByRole('heading')))
  await request.click()
  await expect(data.getByRole('status')).toContainText('Ready until')
  const saved = page.waitForEvent('download')
  await data.getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('meadowlark-data.zip')
  await expect(data.getByRole('button', { name: 'Request your data' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Delete Account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Account' })
  await expect(dialog.getByLabel(`Type ${email} to confirm`)).toBeFocused()
  const confirm = async (address: string, password: string) => {
    await dialog.getByLabel(`Type ${email} to confirm`).fill(address)
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
  }
  await confirm('theo', 'Meadowlark1')
  await expect(dialog.getByRole('alert')).toHaveText('Type it exactly as it is shown')
  problems.allow(/^400 POST \/auth\/v1\/token/)
  await confirm(email, 'Meadowlark9')
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password')
  // Told by the service at the moment of the deletion; nobody asks it to end the session of a deleted account.
  problems.allow(/^403 GET \/auth\/v1\/user/)
  // Somebody without a password is sent a code.
  await dialog.getByRole('button', { name: 'Send me a code instead' }).click()
  await expect(dialog.getByText(`We sent it to ${email}.`)).toBeVisible()
  await expect.poll(async () => (await server.messageTo(email)).subject).toBe('Your Meadowlark sign-in link')
  const [code = ''] = /\b\d{6}\b/.exec((await server.messageTo(email)).text) ?? []
  await dialog.getByLabel('Code', { exact: true }).fill(code)
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
  await expect(toast(page, 'Your account is deleted')).toBeVisible()
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByRole('link', { name: 'Sign in' }).first()).toBeVisible()
  // The files go by a job.
  await expect.poll(async () => (await fetch(photo)).status).toBe(400)
  const again = await server.stranger().auth.signInWithPassword({ email, password: 'Meadowlark1' })
  expect(again.error?.code).toBe('invalid_credentials')
})

test('while money is held the account is not deleted, and the dialog says why and where to go', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  await paidJob(server, { giver })
  const page = await signedInPage(giver)
  await page.goto('/profile?tab=security')
  await page.getByRole('button', { name: 'Delete Account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your account cannot be deleted now' })
  await expect(dialog).toContainText('Money of this account is still on its way.')
  await expect(dialog.getByRole('button', { name: 'Delete my account' })).toHaveCount(0)
  await expect(dialog.getByRole('link', { name: 'See your bookings' })).toBeFocused()
  await dialog.getByRole('link', { name: 'See your bookings' }).click()
  await expect(page).toHaveURL('/bookings')

  await page.evaluate(() => localStorage.setItem('language', 'fr'))
  await page.goto('/profile?tab=security')
  await page.getByRole('button', { name: 'Supprimer le compte' }).click()
  await expect(page.getByRole('dialog')).toContainText('De l’argent de ce compte est encore en route.')
})
