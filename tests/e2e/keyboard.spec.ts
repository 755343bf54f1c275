// Whole journeys by the keyboard alone: from Tab to Tab each stop can be seen, nothing traps the focus or drops it, Escape
// closes, and what happened is announced.
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expectFocusKept } from './accessibility.ts'
import { drawer } from './drawer.ts'
import { expect, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard, complainedJob, doneJob, paidJob } from './jobs.ts'
import { pressOn, tabTo, typeInto } from './keyboard.ts'
import { uniqueWord } from './unique.ts'

// A room of three seconds for each stop would be too much of one journey's.
test.describe.configure({ timeout: 300_000 })

const picture = async (name: string) => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await sharp({ create: { width: 400, height: 300, channels: 3, background: '#7a8f6a' } })
    .jpeg()
    .toBuffer(),
})

/** Opens the system's window by the key, and picks from it what a person would. */
async function chooseFile(page: Page, open: () => Promise<void>, name: string) {
  const chooser = page.waitForEvent('filechooser')
  await open()
  await (await chooser).setFiles(await picture(name))
}

/** It is in a live region of screen readers, also while a dialog is open. */
async function expectAnnounced(page: Page, text: string) {
  await expect(page.locator('section[aria-live="polite"]').filter({ has: toast(page, text) })).toHaveCount(1)
  await expect(page.locator('[aria-hidden="true"]').filter({ has: toast(page, text) })).toHaveCount(0)
}

test('a task is posted, with a day from the calendar and a photo', async ({ signedInPage }) => {
  const page = await signedInPage('grace')
  await page.goto('/post-task')
  const main = page.getByRole('main')
  const title = `Rake the leaves ${uniqueWord()}`
  await typeInto(page, main.getByLabel('Title', { exact: true }), title)
  await typeInto(page, main.getByLabel('Description', { exact: true }), 'A front yard under two old elms.')
  await typeInto(page, main.getByLabel('Category', { exact: true }), 'Gard')
  await chooseFile(page, () => pressOn(page, main.getByRole('button', { name: 'Add photos' })), 'yard.jpg')
  await expect(main.getByRole('img', { name: 'Photo 1' })).toBeVisible()
  await expectFocusKept(page)
  await pressOn(page, main.getByRole('button', { name: 'Remove photo 1' }))
  await chooseFile(page, () => pressOn(page, main.getByRole('button', { name: 'Add photos' })), 'gate.jpg')
  await expect(main.getByRole('img', { name: 'Photo 1' })).toBeVisible()
  await typeInto(page, main.getByLabel('Location', { exact: true }), 'Nutana, Saskatoon')
  await pressOn(page, main.getByRole('button', { name: 'Pick a day' }))
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  await expect(calendar.getByRole('gridcell').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(calendar).toBeHidden()
  await expect(main.getByRole('button', { name: 'Pick a day' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(calendar.getByRole('gridcell').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(calendar).toBeHidden()
  await expectFocusKept(page)
  await typeInto(page, main.getByLabel('Pay for the task', { exact: true }), '60')
  await pressOn(page, main.getByRole('button', { name: 'Post Task' }))
  await expectAnnounced(page, 'Your task has been posted')
  await expect(page).toHaveURL('/dashboard')
  await expect(main).toBeFocused()
  await expect(page.getByText(title)).toBeVisible()
})

test('a booking is paid by a card that is typed in, and cancelled', async ({ signedInPage, server }) => {
  const giver = await server.newAccount('grace')
  const job = await acceptedJob(server, { giver })
  const page = await signedInPage(giver)
  await page.goto('/bookings?tab=accepted')
  const card = bookingCard(page, job)
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  await pressOn(page, card.getByRole('button', { name: /^Pay/ }))
  await expect(dialog.locator(':focus')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(card.getByRole('button', { name: /^Pay/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await typeInto(page, dialog.getByLabel('Card number'), '4242424242424242')
  await typeInto(page, dialog.getByLabel('Expiry date'), '1234')
  await typeInto(page, dialog.getByLabel('Security code (CVC)'), '123')
  await pressOn(page, dialog.getByRole('button', { name: 'Pay $120.00' }))
  await expectAnnounced(page, 'Payment Successful')
  await expectFocusKept(page)
  await expect(dialog.getByText('Payment secured')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expectFocusKept(page)

  await pressOn(page, bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' }))
  const question = page.getByRole('alertdialog', { name: 'Cancel Booking' })
  await page.keyboard.press('Escape')
  await expect(bookingCard(page, job).getByRole('button', { name: 'Cancel Booking' })).toBeFocused()
  await page.keyboard.press('Enter')
  await pressOn(page, question.getByRole('radio', { name: /^List it again/ }), 'ArrowDown')
  await expect(question.getByRole('radio', { name: /^Close it/ })).toBeChecked()
  await typeInto(page, question.getByLabel('Reason'), 'The snow melted.')
  await pressOn(page, question.getByRole('button', { name: 'Cancel Booking' }))
  await expectAnnounced(page, 'Booking Cancelled')
  await expect(question).toHaveCount(0)
  await expectFocusKept(page)
})

test('cards are saved and removed; a bank account is given', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('grace'))
  await page.goto('/profile?tab=payment')
  const dialog = page.getByRole('dialog', { name: 'Add Card' })
  await pressOn(page, page.getByRole('button', { name: 'Add Card' }))
  await typeInto(page, dialog.getByLabel('Card number'), '4242424242424242')
  await typeInto(page, dialog.getByLabel('Expiry date'), '1234')
  await typeInto(page, dialog.getByLabel('Security code'), '123')
  await pressOn(page, dialog.getByRole('button', { name: 'Save card' }))
  await expectAnnounced(page, 'Card Added!')
  await expect(dialog).toHaveCount(0)
  await expectFocusKept(page)
  await pressOn(page, page.getByRole('button', { name: 'Remove Visa ending in 4242' }))
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }))
  await expectAnnounced(page, 'Card Removed')
  await expect(page.getByText('No saved cards yet')).toBeVisible()
  await expectFocusKept(page)

  const bank = await signedInPage(await server.newAccount('theo'))
  await bank.goto('/profile?tab=payout')
  for (const [label, text] of [
    ['Institution number', '000'],
    ['Transit number', '11000'],
    ['Account number', '000123456789'],
    ['First name', 'Theo'],
    ['Last name', 'Tasker'],
    ['Date of birth', '1990-02-01'],
    ['Home address', '12 Elm St'],
    ['City', 'Saskatoon'],
    ['Postal code', 'S7K 1N1'],
  ] as const) {
    const field = bank.getByLabel(label)
    // A date is typed in the parts and the order of the reader's language.
    await typeInto(bank, field, label === 'Date of birth' ? '' : text)
    if (label === 'Date of birth') await field.fill(text)
  }
  await pressOn(bank, bank.getByRole('checkbox', { name: /Connected Account Agreement/ }), ' ')
  await pressOn(bank, bank.getByRole('button', { name: 'Save Bank Details' }))
  await expectAnnounced(bank, 'Bank Details Saved!')
  await expect(bank.getByRole('heading', { name: 'Payout account' })).toBeFocused()
})

test('a photo and a line go into the chat, whose messages are read out as they come', async ({
  signedInPage,
  server,
}) => {
  const giver = await server.newAccount('grace')
  const job = await paidJob(server, { giver })
  const page = await signedInPage(giver)
  await page.goto('/bookings?tab=in_progress')
  const chat = bookingCard(page, job).getByRole('button', { name: 'Chat' })
  await pressOn(page, chat)
  const box = drawer(page).getByRole('textbox')
  await expect(box).toBeFocused()
  const addPhoto = async () => {
    await tabTo(page, drawer(page).getByRole('button', { name: 'Add a photo' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
  }
  await chooseFile(page, addPhoto, 'gate.jpg')
  await expect(drawer(page).getByRole('img', { name: 'The photo that you have chosen' })).toBeVisible()
  await expect(box).toBeFocused()
  await tabTo(page, drawer(page).getByRole('button', { name: 'Remove the photo' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(box).toBeFocused()
  await chooseFile(page, addPhoto, 'gate.jpg')
  await expect(box).toBeFocused()
  await page.keyboard.type('This gate')
  await page.keyboard.press('Enter')
  await expect(drawer(page).getByRole('log')).toContainText('This gate')
  await expect(box).toBeFocused()
  const photo = drawer(page).getByRole('log').getByRole('button', { name: /photo/i }).first()
  await tabTo(page, photo, 'Shift+Tab')
  await page.keyboard.press('Enter')
  // Escape pressed before it is open would close the chat.
  await expect(page.getByRole('dialog', { name: /photo/i })).toBeVisible()
  await expectFocusKept(page)
  await page.keyboard.press('Escape')
  await expect(photo).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)
  await expect(chat).toBeFocused()
})

test('the money is released and reviewed; a complaint is made and decided', async ({
  signedInPage,
  server,
}) => {
  // Without other bookings there are fewer stops on the way.
  const giver = await server.newAccount('grace')
  const job = await doneJob(server, { giver })
  const page = await signedInPage(giver)
  await page.goto(`/bookings?booking=${job.bookingId}`)
  await pressOn(page, bookingCard(page, job).getByRole('button', { name: 'Something is wrong' }))
  const complaint = page.getByRole('alertdialog')
  await pressOn(page, complaint.getByRole('button', { name: 'Send complaint' }))
  await expect(complaint.getByRole('alert')).toBeVisible()
  await expect(complaint.getByLabel('Your complaint')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(bookingCard(page, job).getByRole('button', { name: 'Something is wrong' })).toBeFocused()
  await tabTo(page, bookingCard(page, job).getByRole('button', { name: 'Confirm and Release' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }))
  const review = page.getByRole('dialog', { name: 'How did Theo' })
  await expect(review).toBeVisible()
  await expectFocusKept(page)
  await tabTo(page, review.getByRole('radio', { name: '1 star: poor' }))
  await page.keyboard.press(' ')
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
  await typeInto(page, review.getByLabel('A line about it'), 'Swept to the last leaf.')
  await pressOn(page, review.getByRole('button', { name: 'Send review' }))
  const thanks = page.getByRole('dialog', { name: 'Thank you. Your review is in.' })
  await expect(thanks.getByRole('button', { name: 'Done' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(bookingCard(page, job)).toContainText('Your review')
  await expectFocusKept(page)

  const other = await doneJob(server, { giver })
  await page.goto(`/bookings?booking=${other.bookingId}`)
  await pressOn(page, bookingCard(page, other).getByRole('button', { name: 'Something is wrong' }))
  await typeInto(page, complaint.getByLabel('Your complaint'), 'The walk to the side door is still covered.')
  await pressOn(page, complaint.getByRole('button', { name: 'Send complaint' }))
  await expect(bookingCard(page, other)).toContainText('until an administrator has decided')
  await expectFocusKept(page)

  const toDecide = await complainedJob(server, { answer: 'The walk was clear at four.' })
  const ada = await signedInPage('ada')
  await ada.goto('/admin/complaints')
  const row = ada.getByRole('listitem').filter({ hasText: toDecide.title })
  await pressOn(ada, row.getByRole('button', { name: 'Decide' }))
  const decision = ada.getByRole('alertdialog')
  await ada.keyboard.press('Escape')
  await expect(row.getByRole('button', { name: 'Decide' })).toBeFocused()
  await ada.keyboard.press('Enter')
  await tabTo(ada, decision.getByRole('radio').first())
  await ada.keyboard.press(' ')
  await pressOn(ada, decision.getByRole('button', { name: 'Decide' }))
  const question = ada.getByRole('alertdialog', { name: 'Decide this complaint?' })
  const release = question.getByRole('button', { name: 'Release to the tasker' })
  await expect(release).toBeEnabled()
  await pressOn(ada, release)
  await expectAnnounced(ada, 'Complaint decided')
  await expect(decision).toHaveCount(0)
  await expectFocusKept(ada)
})

test('a tasker asks to be verified', async ({ signedInPage, server }) => {
  const page = await signedInPage(await server.newAccount('theo'))
  await page.goto('/verification')
  const main = page.getByRole('main')
  const next = main.getByRole('button', { name: 'Continue' })
  await typeInto(page, main.getByLabel('Full legal name'), 'Theodore K.')
  await pressOn(page, main.getByRole('button', { name: 'Pick a day' }))
  await page.keyboard.press('Escape')
  await main.getByLabel('Date of birth').fill('1990-02-01')
  await pressOn(page, main.getByRole('checkbox', { name: /Terms of Service/ }), ' ')
  await pressOn(page, main.getByRole('checkbox', { name: /Privacy Policy/ }), ' ')
  await pressOn(page, next)
  await typeInto(page, main.getByLabel('Government ID type'), 'Pass')
  await pressOn(page, main.getByRole('checkbox', { name: 'I consent to a background check' }), ' ')
  await pressOn(page, next)
  await pressOn(page, main.getByLabel('I have liability insurance'), ' ')
  await typeInto(page, main.getByLabel('Insurance provider'), 'Prairie Mutual')
  await typeInto(page, main.getByLabel('Skills'), 'drywall')
  await pressOn(page, next)
  await pressOn(page, main.getByRole('checkbox', { name: /Social Insurance Number ready/ }), ' ')
  await pressOn(page, main.getByRole('button', { name: 'Submit Verification' }))
  await expectAnnounced(page, 'Verification Submitted!')
  await expectFocusKept(page)
})
