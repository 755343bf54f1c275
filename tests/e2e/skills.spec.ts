// Skills of the verification wizard: within the profile's limits, on the profile once submitted, and removed there.
import { expect, test, toast } from './fixtures.ts'

test('skills typed into the wizard are on the profile, where they can be removed', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('theo')
  const theo = await server.signedIn(email)
  const { data } = await theo.auth.getUser()
  const id = data.user?.id ?? ''
  await theo
    .from('profiles')
    .update({ skills: ['Snow removal'] })
    .eq('id', id)
    .throwOnError()
  const page = await signedInPage(email)
  await page.goto('/verification')
  const main = page.getByRole('main')
  const next = main.getByRole('button', { name: 'Continue' })
  await main.getByLabel('Full legal name').fill('Theodore K.')
  await main.getByLabel('Date of birth').fill('1990-01-01')
  await main.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await main.getByRole('checkbox', { name: /Privacy Policy/ }).check()
  await next.click()
  await main.getByLabel('Government ID type').selectOption('passport')
  await next.click()

  const skills = main.getByLabel('Skills')
  await expect(skills).toHaveValue('Snow removal')
  await skills.fill('x'.repeat(61))
  await next.click()
  await expect(main.getByRole('alert')).toHaveText('At most 50 skills, each of at most 60 characters')
  await skills.fill('snow removal, Drywall')
  await next.click()
  await expect(main.getByText('your skills are shown on your profile')).toBeVisible()
  await main.getByRole('button', { name: 'Submit Verification' }).click()
  await expect(toast(page, 'Verification Submitted!')).toBeVisible()

  await page.goto('/profile?tab=settings')
  await expect(page.getByRole('button', { name: /Snow removal/ })).toHaveCount(1)
  await page.getByRole('button', { name: /Drywall/ }).click()
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect
    .poll(async () => (await theo.from('profiles').select('skills').eq('id', id).single()).data?.skills)
    .toEqual(['Snow removal'])
})
