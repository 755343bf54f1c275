// Becoming a verified tasker (spec 000 §2, §5): the wizard, once; an admin's badge.
import { expectAccessible, expectFocusKept } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { greenPng, widthOf } from './pictures.ts'
import { birthday, saysWho } from './wizard.ts'

const pdf = Buffer.from('%PDF-1.4\n%%EOF\n')

test('four steps, back and forth, submitted once', async ({ signedInPage, server, problems }) => {
  const email = await server.newAccount('theo')
  const page = await signedInPage(email)
  await page.goto('/verification')
  const main = page.getByRole('main')
  const strip = main.getByRole('list', { name: 'Steps of the verification' }).getByRole('listitem')
  await expect(strip).toHaveText(['Legal', 'Identity', 'Skills', 'Tax Info'])
  await expect(main.getByRole('heading', { name: 'Legal Compliance' })).toBeVisible()
  const next = main.getByRole('button', { name: 'Continue' })
  await expect(main.getByRole('button', { name: 'Back', exact: true })).toHaveCount(0)

  await main.getByLabel('Full legal name').fill('Theodore K.')
  const born = main.getByLabel('Date of birth')
  await born.fill(birthday(30, 1))
  // Typed, or picked with the keyboard from the calendar, which opens on what was typed.
  await main.getByRole('button', { name: 'Pick a day' }).click()
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  await expect(calendar.getByRole('gridcell', { selected: true }).getByRole('button')).toBeFocused()
  await expectAccessible(page, { within: '[role="dialog"]' })
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await expect(calendar).toBeHidden()
  await expect(born).toHaveValue(birthday(30))
  await expectFocusKept(page)
  await expect(next).toBeDisabled()
  await main.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await expect(next).toBeDisabled()
  await main.getByRole('checkbox', { name: /Privacy Policy/ }).check()
  await main.getByRole('checkbox', { name: /Terms of Service/ }).uncheck()
  await expect(next).toBeDisabled()
  await main.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await next.click()

  await expect(main.getByLabel('Government ID type').getByRole('option')).toHaveText([
    ...['Choose one', "Driver's licence", 'Passport', 'Health card'],
  ])
  await main.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(main.getByLabel('Full legal name')).toHaveValue('Theodore K.')
  await next.click()
  await expect(main.getByLabel('Government ID type')).toBeVisible()
  await page.goBack()
  await expect(main.getByLabel('Full legal name')).toHaveValue('Theodore K.')
  await page.goForward()
  await main.getByLabel('Government ID type').selectOption('passport')
  await main.getByRole('checkbox', { name: 'I consent to a background check' }).check()
  await next.click()

  for (const label of ['Insurance provider', 'Policy number', 'Expiry date'])
    await expect(main.getByLabel(label)).toHaveCount(0)
  await main.getByLabel('I have liability insurance').check()
  for (const label of ['Policy number', 'Expiry date', 'Certifications'])
    await expect(main.getByLabel(label)).toBeVisible()
  await expect(main.getByRole('button', { name: 'Submit Verification' })).toHaveCount(0)
  await main.getByLabel('Insurance provider').fill('Prairie Mutual')
  await main.getByLabel('Skills').fill(' snow removal, , drywall ,')
  await main.getByLabel('Certifications').fill('First aid,, WHMIS ')
  await next.click()
  await expect(main).toContainText('over $500')
  await expect(main.getByRole('button', { name: 'Back', exact: true })).toBeVisible()

  // After a reload everything is there but who one is, which the browser's storage never holds.
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toMatch(/Theodore|\d{4}-\d\d-\d\d/)
  await page.reload()
  await expect(main.getByLabel('Full legal name')).toHaveValue('')
  await expect(main.getByRole('checkbox', { name: /Terms of Service/ })).toBeChecked()
  await saysWho(page)
  await expect(main.getByLabel('Government ID type')).toHaveValue('passport')
  await next.click()
  await expect(main.getByLabel('Insurance provider')).toHaveValue('Prairie Mutual')
  await expect(main.getByLabel('Skills')).toHaveValue(' snow removal, , drywall ,')
  await next.click()
  await expect(main).toContainText('your skills are shown on your profile')
  for (const [name, answer] of [
    ['Full legal name', 'Theodore K.'],
    ['Age verified', 'Yes'],
    ['Government ID type', 'Passport'],
    ['Background check consent', 'Yes'],
    ['Insurance', 'Prairie Mutual'],
  ])
    await expect(
      main.locator('dl > div').filter({ has: page.getByText(name ?? '', { exact: true }) }),
    ).toContainText(answer ?? '')
  await main.getByRole('checkbox', { name: 'I have my Social Insurance Number ready to provide' }).check()
  const submit = main.getByRole('button', { name: 'Submit Verification' })
  const path = /\/rest\/v1\/verifications/
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(path, async (route) => {
    await held
    await route.fulfill({ status: 500, json: { message: 'No room', code: '53100' } })
  })
  problems.allow(/^500 /)
  await submit.click()
  await expect(main.getByRole('button', { name: 'Submitting...' })).toBeDisabled()
  answer()
  await expect(toast(page, 'Error').and(page.locator('[data-type=error]'))).toContainText('No room')
  await page.unroute(path)
  await submit.click()
  await expect(toast(page, 'Verification Submitted!')).toContainText(
    "Your verification is under review. We'll notify you once approved.",
  )

  const theo = await server.signedIn(email)
  const { data } = await theo.from('verifications').select().single().throwOnError()
  expect(data).toMatchObject({
    legal_name: 'Theodore K.',
    age_verified: true,
    id_type: 'passport',
    background_check_consent: true,
    sin_provided: true,
    has_insurance: true,
    insurance_provider: 'Prairie Mutual',
    insurance_policy_number: null,
    insurance_expiry_date: null,
    skills: ['snow removal', 'drywall'],
    certifications: ['First aid', 'WHMIS'],
    verification_status: 'pending',
  })

  await page.goto('/verification')
  await expect(toast(page, 'Verification in Progress')).toContainText(
    'You have already submitted your verification.',
  )
  await expect(page).toHaveURL('/dashboard')
})

test('a person under 18 cannot go on', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/verification')
  const main = page.getByRole('main')
  await saysWho(page, birthday(18, 2))
  await expect(main.getByLabel('Date of birth')).toBeVisible()
  await expect(main.getByLabel('Government ID type')).toHaveCount(0)
})

test('Ada gives and takes the badge; the notes stay', async ({ signedInPage, server, problems }) => {
  problems.allow(/^500 /)
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  await theo.from('profiles').update({ phone: '+13065550102' }).eq('email', email).throwOnError()
  const page = await signedInPage('ada')
  await page.goto('/admin/verify-users')
  await page.getByRole('searchbox').fill(email)
  const row = page.getByRole('listitem').filter({ hasText: email })
  await expect(row).toContainText('Not Verified')
  await expect(row).toContainText('(306) 555-0102')
  await expect(row).toContainText(/Joined [A-Z][a-z]{2}\.? \d{1,2}, \d{4}/)
  await row.getByRole('button', { name: /Verify User/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Notes').fill('Saw the passport.')
  const verify = dialog.getByRole('button', { name: 'Verify User' })
  await page.route(/\/rest\/v1\/profiles/, (route) => route.fulfill({ status: 500, json: {} }))
  await verify.click()
  await expect(toast(page, 'Error')).toContainText('Failed to update verification status.')
  await page.unroute(/\/rest\/v1\/profiles/)
  await verify.click()
  await expect(toast(page, 'User Verified')).toBeVisible()
  await expect(row).not.toContainText('Not Verified')
  await expect(row).toContainText('Saw the passport.')

  const ada = await server.signedIn('ada')
  const read = async () => {
    const { data } = await ada
      .from('profiles')
      .select('verified_by_admin, verified_at, verified_by, verification_notes')
      .eq('email', email)
      .single()
      .throwOnError()
    return data
  }
  const { data: user } = await ada.auth.getUser()
  expect(await read()).toMatchObject({
    verified_by_admin: true,
    verified_at: expect.any(String),
    verified_by: user.user?.id,
    verification_notes: 'Saw the passport.',
  })

  await row.getByRole('button', { name: /Manage/ }).click()
  await expect(dialog.getByLabel('Notes')).toHaveValue('Saw the passport.')
  await dialog.getByRole('button', { name: 'Remove Verification' }).click()
  await expect(toast(page, 'Verification Removed')).toBeVisible()
  expect(await read()).toEqual({
    verified_by_admin: false,
    verified_at: null,
    verified_by: null,
    verification_notes: 'Saw the passport.',
  })
})

test('a picture of the ID is handed in; only its person and Ada open it', async ({
  page: stranger,
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^400 GET \/storage\/v1\/object\/public\/identity-documents/)
  const email = await server.newAccount('theo')
  const page = await signedInPage(email)
  await page.goto('/verification')
  await saysWho(page)
  const add = async (name: string, mimeType: string) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add a file' }).click()
    await (await chooser).setFiles({ name, mimeType, buffer: pdf })
  }
  await add('id.txt', 'text/plain')
  await expect(page.getByRole('alert')).toContainText('Choose a JPEG, PNG, WebP, HEIC or PDF.')
  await add('front.pdf', 'application/pdf')
  await expect(page.getByText('Document 1 (PDF)')).toBeVisible()
  await add('back.pdf', 'application/pdf')
  await page.getByRole('button', { name: 'Remove Document 2 (PDF)' }).click()
  await expect(page.getByText('Document 2 (PDF)')).toHaveCount(0)

  const theo = await server.signedIn(email)
  const id = (await theo.auth.getUser()).data.user?.id ?? ''
  const [file] = (await theo.storage.from('identity-documents').list(id)).data ?? []
  await stranger.goto(`/storage/v1/object/public/identity-documents/${id}/${file?.name}`)
  await expect(stranger.locator('body')).not.toContainText('PDF-1.4')
  const ada = await signedInPage('ada')
  await ada.goto('/admin/verify-users')
  await ada.getByRole('searchbox').fill(email)
  await ada
    .getByRole('listitem')
    .filter({ hasText: email })
    .getByRole('button', { name: /Verify User/ })
    .click()
  const address = await ada.getByRole('link', { name: /Document 1 \(PDF\)/ }).getAttribute('href')
  const opened = await fetch(address ?? '')
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'application/pdf'])
})

test('Ada refuses with a reason, the tasker hands in again, Ada approves', async ({
  signedInPage,
  server,
  page: visitor,
}) => {
  test.setTimeout(180_000)
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const id = (await theo.auth.getUser()).data.user?.id ?? ''
  const name = `Theo-${id.slice(0, 8)}` // one word, which strangers see whole
  await theo.from('profiles').update({ full_name: name }).eq('id', id).throwOnError()
  const page = await signedInPage(email, NARROW)
  const handIn = async (picture: boolean) => {
    await page.goto('/verification')
    const next = page.getByRole('button', { name: 'Continue' })
    await saysWho(page)
    await page.getByLabel('Government ID type').selectOption('passport')
    if (picture) {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Add a file' }).click()
      await (await chooser).setFiles({ name: 'id.png', mimeType: 'image/png', buffer: await greenPng() })
      await expect.poll(() => widthOf(page.getByRole('listitem').locator('img'))).toBe(40)
    }
    await next.click()
    await page.getByLabel('Skills').fill('drywall')
    await next.click()
    const warning = page.getByText('without one your verification cannot be approved')
    await expect(warning).toHaveCount(picture ? 0 : 1)
    await page.getByRole('button', { name: 'Submit Verification' }).click()
    await expect(toast(page, 'Verification Submitted!')).toBeVisible()
  }
  await handIn(false)

  const ada = await signedInPage('ada')
  const dialog = ada.getByRole('dialog')
  const open = async () => {
    await ada.goto('/admin/verify-users')
    await ada.getByRole('searchbox').fill(email)
    await ada
      .getByRole('listitem')
      .filter({ hasText: email })
      .getByRole('button', { name: /Verify User/ })
      .click()
  }
  await open()
  for (const line of ['Theodore K.', 'Passport', 'drywall']) await expect(dialog).toContainText(line)
  await expect(dialog).toContainText('No picture of an ID was submitted, so this can only be refused.')
  await expect(dialog.getByRole('button', { name: 'Approve' })).toBeDisabled()
  await expect(dialog.getByRole('button', { name: 'Verify User' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Refuse', exact: true }).click()
  await dialog.getByRole('button', { name: 'Refuse with this reason' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('A refusal needs a reason')
  await dialog.getByLabel('Reason for the refusal').fill('The picture of the passport is blurred.')
  await dialog.getByRole('button', { name: 'Refuse with this reason' }).click()
  await expect(toast(ada, 'Verification refused')).toContainText(name)
  await expect(ada.getByRole('listitem').filter({ hasText: email })).toContainText('Not Verified')

  await page.goto('/dashboard')
  const state = page.getByRole('main').locator('a[href="/verification"]', { hasText: 'Not approved' })
  await expect(state).toBeVisible()
  await expect(page.getByRole('main')).toContainText('The picture of the passport is blurred.')
  await page.goto('/verification')
  await expect(page.getByText('The picture of the passport is blurred.')).toBeVisible()
  await expect(page.getByLabel('Full legal name')).toHaveValue('Theodore K.')
  await handIn(true)
  await open()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(
    'An approval needs your word that the ID shows this person',
  )
  await expect(dialog.getByText('Social Insurance Number ready', { exact: true })).toBeVisible()
  await dialog.getByLabel('The ID shows this person').check()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await expect(toast(ada, 'Verification approved')).toContainText(name)
  await visitor.goto('/find-taskers')
  await visitor.getByRole('searchbox').fill(name)
  await expect(visitor.getByRole('article').filter({ hasText: name })).toHaveCount(1)

  // Whoever is verified hears that, not that it is in progress.
  await page.goto('/verification')
  await expect(toast(page, 'You are verified')).toContainText('There is nothing more to do.')

  // Taken back, with a reason that the tasker reads.
  await ada.goto('/admin/verify-users')
  await ada.getByRole('searchbox').fill(email)
  await ada.getByRole('listitem').filter({ hasText: email }).getByRole('button', { name: 'Manage' }).click()
  await expect(dialog).toContainText('Verification approved')
  const remove = dialog.getByRole('button', { name: 'Remove Verification' })
  await remove.click()
  await remove.click()
  await expect(dialog.getByRole('alert')).toHaveText('A refusal needs a reason')
  await dialog.getByLabel('Why the verification is being removed').fill('The passport has expired.')
  await remove.click()
  await expect(toast(ada, 'Verification Removed')).toContainText(name)
  await expect(ada.getByRole('listitem').filter({ hasText: email })).toContainText('Not Verified')
  await visitor.reload()
  await expect(visitor.getByText('No verified taskers found')).toBeVisible()
  await page.goto('/verification')
  await expect(page.getByText('The passport has expired.')).toBeVisible()
})
