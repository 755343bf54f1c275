// Profiles (spec 001 §2): one's own with its forms, and another's as strangers see it.

import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expectFocusKept } from './accessibility.ts'
import { expect, NARROW, newAddress, test, toast } from './fixtures.ts'
import { confirmCandidate } from './keyboard.ts'
import { PASSWORD } from './server.ts'

/** Each figure of a person is another number, so that none can stand for another. */
async function showFigures(page: Page, path: RegExp) {
  const counts = { total_reviews: 17, completed_tasks: 41 }
  const figures = { ...counts, rating: 4.3, response_rate: 92, on_time_rate: 88, trust_score: 63 }
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const read = await response.json()
    const json = Array.isArray(read) ? read.map((row) => ({ ...row, ...figures })) : { ...read, ...figures }
    await route.fulfill({ response, json })
  })
}

async function expectFigures(main: Locator, figures: Record<string, string>) {
  for (const [label, value] of Object.entries(figures))
    await expect(main.locator('dl > div', { hasText: new RegExp(`^${label}`) })).toHaveText(
      `${label}${value}`,
    )
}

/** The columns of the profile that the next save sends, by name. */
async function savedFields(page: Page): Promise<string[]> {
  const saving = await page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().includes('/rest/v1/profiles'),
  )
  return Object.keys(saving.postDataJSON()).sort()
}

test('Theo edits his basic information; the address stays as it is', async ({
  signedInPage,
  server,
  problems,
}) => {
  const page = await signedInPage('theo')
  await showFigures(page, /\/rest\/v1\/profiles\?/)
  await page.goto('/profile')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('My Profile')
  await expect(main.getByText('Tasker', { exact: true })).toBeVisible()
  await expect(main.locator('img[src$="/portraits/theo.svg"]')).toBeVisible()
  await expect(main.getByRole('heading', { level: 2, name: 'Theo Kowalchuk' })).toBeVisible()
  await expect(main.getByText('theo@example.com', { exact: true })).toBeVisible()
  const trust = main.getByRole('progressbar', { name: 'Trust Score' })
  await expect(trust).toHaveAttribute('aria-valuenow', '63')
  const figures = { Rating: '4.3', Reviews: '17', Completed: '41', Response: '92%', 'On time': '88%' }
  await expectFigures(main, figures)
  await expect(main.getByRole('tab')).toHaveText(['Basic Info', 'Settings', 'Payout', 'Security'])
  await expect(main.getByLabel('Email')).toHaveJSProperty('readOnly', true)
  await expect(main.getByLabel('Photo address')).toHaveAttribute('type', 'url')
  const bio = `Carpenter, blower of snow. ${crypto.randomUUID()}`
  await main.getByLabel('Bio').fill(bio)
  const sent = savedFields(page)
  await main.getByRole('button', { name: 'Save Changes' }).click()
  await expect(toast(page, 'Profile Saved!')).toBeVisible()
  expect(await sent).toEqual(['avatar_url', 'bio', 'city', 'full_name', 'last_active', 'phone'])

  const theo = await server.signedIn('theo')
  const { data } = await theo.auth.getUser()
  const { data: seen } = await server
    .stranger()
    .from('public_profiles')
    .select('bio')
    .eq('id', data.user?.id ?? '')
    .single()
  expect(seen).toEqual({ bio })

  // The database's rejection is shown at its field.
  problems.allow(/^400 /)
  const name = main.getByLabel('Full name')
  await name.fill('www.evil.example/prize Now')
  await main.getByRole('button', { name: 'Save Changes' }).click()
  await expect(name).toHaveAccessibleDescription(/Name cannot contain a web or e-mail address$/)
  await expect(name).toBeFocused()
})

test('input outlives another tab, another screen and a reload, until it is discarded', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'), NARROW)
  await page.goto('/profile')
  const bio = page.getByLabel('Bio')
  await bio.fill('Half a sentence')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('Hourly rate').fill('31')
  await page.getByRole('tab', { name: 'Basic Info' }).click()
  await expect(bio).toHaveValue('Half a sentence')
  await page.goto('/dashboard')
  await page.goBack()
  await expect(bio).toHaveValue('Half a sentence')
  await page.reload()
  await expect(bio).toHaveValue('Half a sentence')
  await expect(page.getByText('You have changes that are not saved.')).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(bio).toHaveValue('')
  await page.reload()
  await expect(bio).toHaveValue('')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(page.getByLabel('Hourly rate')).toHaveValue('31')
})

test('a profile that is only looked at has nothing unsaved', async ({ signedInPage, server }) => {
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const { data } = await theo.auth.getUser()
  await theo
    .from('profiles')
    .update({ phone: '+13065550102' })
    .eq('id', data.user?.id ?? '')
    .throwOnError()
  const page = await signedInPage(email)
  for (const _ of ['the first time', 'and again']) {
    await page.goto('/profile')
    // Written as numbers are, which is no change of it.
    await expect(page.getByLabel('Phone')).toHaveValue('+1 306 555 0102')
    await expect(page.getByText('You have changes that are not saved.')).toBeHidden()
    await expect(page.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
  }
})

test('settings: skills without doubles, whole years, a rate of at least 0', async ({ signedInPage }) => {
  const page = await signedInPage('theo')
  await page.goto('/profile')
  await page.getByRole('tab', { name: 'Settings' }).click()
  const panel = page.getByRole('tabpanel')
  const skill = `eavestroughs ${crypto.randomUUID().slice(0, 4)}`
  const skills = panel.getByRole('button', { name: `Remove ${skill}` })
  await panel.getByLabel('Skills').fill('かい')
  await confirmCandidate(panel.getByLabel('Skills'))
  await expect(panel.getByLabel('Skills')).toHaveValue('かい')
  for (const typed of [skill, '   ', skill.toUpperCase(), skill]) {
    await panel.getByLabel('Skills').fill(typed)
    await page.keyboard.press('Enter')
  }
  await expect(skills).toHaveCount(1)

  const save = panel.getByRole('button', { name: 'Save Changes' })
  await panel.getByLabel('Years of experience').fill('1.5')
  await save.click()
  await expect(page.getByRole('alert')).toHaveText(['Experience must be a whole number of years, at least 0'])
  await panel.getByLabel('Years of experience').fill('12')
  await panel.getByLabel('Hourly rate').fill('-1')
  await save.click()
  await expect(page.getByRole('alert')).toHaveText(['Hourly rate must be at least 0'])
  await panel.getByLabel('Hourly rate').fill('100000.01')
  await save.click()
  await expect(page.getByRole('alert')).toHaveText(['Hourly rate too high'])
  await panel.getByLabel('Hourly rate').fill('45.50')
  await panel.getByLabel('Availability').selectOption('Busy')
  const sent = savedFields(page)
  await save.click()
  await expect(toast(page, 'Settings Saved!')).toBeVisible()
  expect(await sent).toEqual([
    ...['availability_status', 'experience_years', 'hourly_rate'],
    ...['preferred_categories', 'skills', 'updated_at'],
  ])
  await expect(save).toBeDisabled()
  await expectFocusKept(page)
  await page.reload()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(panel.getByLabel('Hourly rate')).toHaveValue(/^45\.50?$/)
  await expect(panel.getByLabel('Availability')).toHaveValue('busy')
})

test('a giver has no settings of taskers; a profile that cannot be loaded says so', async ({
  signedInPage,
  problems,
}) => {
  const page = await signedInPage('grace')
  problems.allow(/^500 GET \/rest\/v1\/profiles/)
  const path = /\/rest\/v1\/profiles/
  await page.route(path, (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto('/profile')
  await expect(toast(page, 'Error')).toContainText('Failed to load profile')
  await expect(page.getByRole('main').getByRole('alert')).not.toContainText('Failed to load profile')
  await page.unroute(path)
  await page.goto('/profile')
  await expect(page.getByRole('tab')).toHaveText(['Basic Info', 'Payment', 'Security'])
  await expect(page.getByRole('term')).toHaveText(['Rating', 'Reviews', 'Response'])
  const ada = await signedInPage('ada')
  await ada.goto('/profile')
  await expect(ada.getByRole('tab')).toHaveText(['Basic Info', 'Payout', 'Security'])
  await ada.getByRole('tab', { name: 'Payout' }).click()
  await expect(ada.getByRole('tabpanel')).toContainText('Only taskers are paid out')
  await expect(ada.getByRole('button', { name: 'Save Bank Details' })).toHaveCount(0)
})

test('a stranger reads a public profile and its reviews', async ({ page, server }) => {
  const { data } = await (await server.signedIn('theo')).auth.getUser()
  const profiles = /\/rest\/v1\/public_profiles\?/
  await showFigures(page, profiles)
  await page.goto(`/profile/${data.user?.id}`)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Theo')
  await expect(main.getByText('Verified', { exact: true }).first()).toBeVisible()
  await expect(main.getByRole('heading', { name: 'Verification' })).toBeVisible()
  for (const text of ['ID Verified', 'Background Check Passed', 'Insured'])
    await expect(main.getByText(text, { exact: true }).first()).toBeVisible()
  const { data: theo } = await server
    .stranger()
    .from('public_profiles')
    .select('bio, skills')
    .eq('id', data.user?.id ?? '')
    .single()
    .throwOnError()
  await expect(main.locator('img[src$="/portraits/theo.svg"]')).toBeVisible()
  const counts = { Reviews: '17', 'Tasks Completed': '41', 'On time': '88%' }
  await expectFigures(main, { Rating: '4.3', ...counts, 'Trust Score': '63' })
  for (const text of [theo.bio, ...theo.skills])
    await expect(main.getByText(text, { exact: true })).toBeVisible()
  const { data: reviews } = await server
    .stranger()
    .from('reviews')
    .select('comment, task:tasks(title), reviewer:public_profiles!reviewer_id(full_name)')
    .eq('reviewee_id', data.user?.id ?? '')
    .order('created_at', { ascending: false })
    .limit(2)
    .overrideTypes<{ comment: string; task: { title: string }; reviewer: { full_name: string } }[]>()
    .throwOnError()
  expect(reviews).toHaveLength(2)
  const listed = main.getByRole('listitem').filter({ has: page.getByRole('paragraph') })
  for (const [nth, { comment, task, reviewer }] of reviews.entries())
    for (const part of [comment, task.title, reviewer.full_name])
      await expect(listed.nth(nth)).toContainText(part)
  await expect(main).toContainText('Build a ramp over the back steps')
  await main.getByRole('button', { name: /^On time/ }).click()
  await expect(page.getByText('if the tasker states the arrival at most 15 minutes after it')).toBeVisible()
  await page.keyboard.press('Escape')
  // Each badge says how it is earned.
  await expect(main).toContainText('An administrator has given this mark.')
  await expect(page.locator('body')).not.toContainText('theo@example.com')
  await page.unroute(profiles)
  // The author of a review is one press away.
  await main.getByRole('link', { name: 'Grace M.' }).first().click()
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Grace M.')
  await expect(main.getByText('Tasks Completed')).toHaveCount(0)
})

test('someone new starts at 50, unverified', async ({ signedInPage, server }) => {
  const email = await server.newAccount('theo')
  const { data } = await (await server.signedIn(email)).auth.getUser()
  const page = await signedInPage(email)
  await page.goto(`/profile/${data.user?.id}`)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Theo')
  await expect(main.getByText('50', { exact: true })).toBeVisible()
  await expect(main.getByText('Verified', { exact: true })).toHaveCount(0)
  await expect(main.getByText('On time', { exact: true })).toHaveCount(0)
  for (const proof of ['ID Verified', 'Background Check Passed', 'Insured'])
    await expect(main.getByText(proof, { exact: true })).toHaveCount(0)
  await expect(main.getByRole('heading', { name: 'Verification' })).toHaveCount(0)
})

test('a profile that does not exist, or is not for strangers, leads to the taskers', async ({
  page,
  problems,
  server,
}) => {
  problems.allow(/^40\d GET \/rest\/v1\/public_profiles/)
  const options = { data: { full_name: 'Theo', phone: null, role: 'task_doer' } }
  const newcomer = await server
    .stranger()
    .auth.signUp({ email: newAddress('theo'), password: PASSWORD, options })
  const admin = await (await server.signedIn('ada')).auth.getUser()
  for (const id of [
    '00000000-0000-4000-8000-00000000dead',
    'nobody',
    newcomer.data.user?.id,
    admin.data.user?.id,
  ]) {
    await page.goto(`/profile/${id}`)
    await expect(toast(page, 'Profile not found')).toBeVisible()
    await expect(page).toHaveURL('/find-taskers')
  }
})

test('a photo is uploaded, shown to a stranger, replaced and removed', async ({
  page: stranger,
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const id = (await theo.auth.getUser()).data.user?.id ?? ''
  // Strangers see whom Find Taskers lists.
  await server.operator().from('profiles').update({ id_verified: true }).eq('id', id).throwOnError()
  const page = await signedInPage(email)
  const files = async () => (await theo.storage.from('profile-photos').list(id)).data?.map(({ name }) => name)
  const upload = async (name: string, buffer: Buffer, mimeType = 'image/png') => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: /^(Add|Change) photo$/ }).click()
    await (await chooser).setFiles({ name, mimeType, buffer })
  }
  const save = async () => {
    await page.getByRole('button', { name: 'Save Changes' }).click()
    await expect(page.getByText('You have changes that are not saved.')).toHaveCount(0)
  }
  const portrait = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#27507a' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer()

  await page.goto('/profile')
  await upload('words.txt', Buffer.from('no picture'), 'text/plain')
  await expect(toast(page, 'Upload failed')).toContainText('Choose a JPEG, PNG, WebP, GIF or AVIF.')
  await upload('broken.png', Buffer.from('no picture either'))
  await expect(toast(page, 'Upload failed')).toHaveCount(2)
  expect(await files()).toEqual([])

  await upload('me.jpg', portrait, 'image/jpeg')
  await expect(toast(page, 'Photo uploaded!')).toContainText("Don't forget to save your changes")
  await save()
  const [first] = (await files()) ?? []
  expect(first).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jpg$/)
  await stranger.goto(`/profile/${id}`)
  const face = stranger.getByRole('main').locator(`img[src*="${first}"]`)
  await expect(face).toBeVisible()
  // Square, small, and without what the camera wrote.
  const bytes = await (await fetch(new URL((await face.getAttribute('src')) ?? '', server.url))).arrayBuffer()
  expect(await sharp(Buffer.from(bytes)).metadata()).toMatchObject({
    format: 'jpeg',
    width: 512,
    height: 512,
  })

  await upload('again.png', await sharp(portrait).png().toBuffer())
  await expect(page.getByText('Not saved yet')).toBeVisible()
  await save()
  await expect.poll(async () => (await files())?.length).toBe(1)
  expect(await files()).not.toContain(first)

  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await save()
  await expect.poll(files).toEqual([])
  await stranger.reload()
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Theo')
  await expect(stranger.getByRole('main').locator('img')).toHaveCount(0)
})
