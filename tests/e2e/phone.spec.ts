// Phone fields: checked and formatted when they are left, and nothing that was typed is lost.
import { expect, newAddress, test, toast } from './fixtures.ts'

test('a phone number that is none is named on leaving its field, and every letter of it stays', async ({
  page,
}) => {
  await page.goto('/auth?view=sign-up')
  await page.getByLabel('Full name').fill('Grace')
  await page.getByLabel('Email').fill(newAddress('grace'))
  const phone = page.getByLabel('Phone')
  await phone.pressSequentially('call me')
  await phone.blur()
  await expect(phone).toHaveAccessibleDescription(/Invalid phone number/)
  await expect(phone).toHaveValue('call me')
  await phone.fill('3065550102')
  await phone.blur()
  await expect(phone).toHaveValue('(306) 555-0102')
  await expect(phone).not.toHaveAccessibleDescription(/Invalid phone number/)
})

test('a phone number is formatted on leaving the field, and other text is kept as it was typed', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/profile')
  const phone = page.getByLabel('Phone')
  for (const [typed, left] of [
    ['306-555-0102 ext 7', '(306) 555-0102 ext. 7'],
    ['3065550102', '(306) 555-0102'],
    // How far the number was formatted depends on how quickly somebody types; nothing of the text is lost.
    ['306 555 0102 or ring at the door', /^\(?306\)? 555[- ]0102 or ring at the door$/],
  ] as const) {
    await phone.fill('')
    await phone.pressSequentially(typed)
    await phone.blur()
    await expect(phone).toHaveValue(left)
  }
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(toast(page, 'Profile Saved!')).toBeVisible()
  await page.reload()
  await expect(phone).toHaveValue(/ 555[- ]0102 or ring at the door$/)
})
