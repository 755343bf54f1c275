// The verified badge belongs to a name: what its bearer, visitors and Ada see when the name changes.
import { expect, NARROW, test, toast } from './fixtures.ts'

const pdf = Buffer.from('%PDF-1.4\n%%EOF\n')

test('another name takes the badge back until Ada has compared it with the ID', async ({
  signedInPage,
  server,
  page: visitor,
}) => {
  test.setTimeout(180_000)
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const id = (await theo.auth.getUser()).data.user?.id ?? ''
  const name = `Theo ${id.slice(0, 8)}`
  await theo.from('profiles').update({ full_name: name }).eq('id', id).throwOnError()
  const record = { user_id: id, terms_accepted: true, privacy_accepted: true, date_of_birth: '1990-01-01' }
  await theo
    .from('verifications')
    .insert({ ...record, legal_name: 'Theodore K.', id_type: 'passport' })
    .throwOnError()
  const path = `${id}/${crypto.randomUUID()}.pdf`
  await theo.storage.from('identity-documents').upload(path, pdf, { contentType: 'application/pdf' })
  const admin = await server.signedIn('ada')
  const approval = { verification_status: 'verified', id_verified: true } as const
  await admin.from('verifications').update(approval).eq('user_id', id).throwOnError()

  const page = await signedInPage(email, NARROW)
  await page.goto('/profile')
  const warning = page.getByText('You are verified under your current name.')
  const field = page.getByLabel('Full name')
  await field.fill(name.toUpperCase())
  await expect(page.getByText('You have changes that are not saved.')).toBeVisible()
  await expect(warning).toHaveCount(0)
  await field.fill('Royal Bank Support \u2714')
  await expect(warning).toBeVisible()
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByRole('alert')).toHaveText('Name cannot contain a check mark')
  await field.fill(`Royal Bank Support ${id.slice(0, 8)}`)
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(toast(page, 'Profile Saved!')).toContainText('The verified badge is off until')
  await expect(page.getByText('Not verified yet')).toBeVisible()

  await visitor.goto(`/profile/${id}`)
  await expect(toast(visitor, 'Profile not found')).toBeVisible()
  await expect(visitor).toHaveURL('/find-taskers')
  await visitor.getByRole('searchbox').fill(id.slice(0, 8))
  await expect(visitor.getByText('No verified taskers found')).toBeVisible()

  const ada = await signedInPage('ada')
  await ada.goto(`/profile/${id}`)
  await expect(ada.getByRole('heading', { level: 1 })).toContainText('Royal Bank Support')
  await expect(ada.getByText('Not verified yet')).toBeVisible()
  await expect(ada.getByText('ID Verified')).toHaveCount(0)
  await ada.goto('/admin/verify-users')
  await ada.getByRole('searchbox').fill(email)
  const row = ada.getByRole('listitem').filter({ hasText: email })
  await row.getByRole('button', { name: /Verify User/ }).click()
  const dialog = ada.getByRole('dialog')
  for (const line of ['The name changed after it was verified', name, 'Royal Bank Support', 'Theodore K.'])
    await expect(dialog).toContainText(line)
})
