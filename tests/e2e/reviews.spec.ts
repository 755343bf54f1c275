// Reviews by two people: asked for when the money is released and on the card, blind until both are in, then on the
// profiles (specification 001 §2, §3).
import type { Page } from '@playwright/test'
import {
  expectAccessible,
  expectAccessibleDialog,
  expectNoSidewaysScroll,
  inBothLooks,
} from './accessibility.ts'
import { expect, loseAnswer, NARROW, test } from './fixtures.ts'
import { bookingCard, doneJob, type Job } from './jobs.ts'
import { uniqueWord } from './unique.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ translated: true })

const card = (page: Page, job: Job) => bookingCard(page, job)
const openCard = (page: Page, job: Job) => page.goto(`/bookings?booking=${job.bookingId}`)

test('Grace is asked as she releases the money; her words are blind until Theo has written his', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^503 PATCH \/rest\/v1\/payments/)
  const job = await doneJob(server, { title: 'Stack two cords of wood' })
  const line = `Stacked like a wall. ${uniqueWord()}`
  const grace = await signedInPage('grace', NARROW)
  const theo = await signedInPage('theo', NARROW)

  await test.step('the success step asks for stars, by the keyboard alone', async () => {
    await openCard(grace, job)
    await expect(card(grace, job).getByRole('radio')).toHaveCount(0) // first she confirms
    await card(grace, job).getByRole('button', { name: 'Confirm and Release' }).click()
    // The money is released, but the reply was lost: the screen shows her the true state.
    await loseAnswer(grace, 'PATCH', /\/rest\/v1\/payments\b/, { unknown: true })
    await expectAccessibleDialog(grace)
    await grace.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }).click()
    const dialog = grace.getByRole('dialog', { name: 'How did Theo' })
    await expect(dialog).toContainText('gets $80.00')
    await expect(dialog.getByRole('radio', { name: '1 star: poor' })).toBeFocused()
    await inBothLooks(grace, () => expectAccessible(grace))
    await grace.setViewportSize(NARROW)
    await dialog.getByRole('button', { name: 'Send review' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('Choose from one to five stars')
    await dialog.getByRole('radio', { name: '1 star: poor' }).focus()
    for (let step = 0; step < 4; step++) await grace.keyboard.press('ArrowRight')
    await expect(dialog.getByRole('radio', { name: '5 stars: excellent' })).toBeChecked()
    await grace.keyboard.press('ArrowLeft')
    await expect(dialog.getByRole('radio', { name: '4 stars: very good' })).toBeChecked()
    await dialog.getByLabel('A line about it').fill(line)
    await expect(dialog).toContainText(`${line.length} of 2,000 characters`)
  })

  await test.step('her text is on the card when she leaves the step, and after a reload', async () => {
    await grace.keyboard.press('Escape')
    await expect(card(grace, job)).toBeFocused()
    await expect(card(grace, job).getByLabel('A line about it')).toHaveValue(line)
    await grace.reload()
    await expect(card(grace, job).getByLabel('A line about it')).toHaveValue(line)
    await expect(card(grace, job).getByRole('radio', { name: '4 stars: very good' })).toBeChecked()
    await expectNoSidewaysScroll(grace)
  })

  await test.step('it is sent; the card says who sees it when', async () => {
    await openCard(theo, job)
    await expect(card(theo, job).getByRole('heading', { name: 'How was it to work for Grace' })).toBeVisible()
    await card(grace, job).getByRole('button', { name: 'Send review' }).click()
    await expect(card(grace, job)).toContainText('Your review')
    await expect(card(grace, job)).toContainText(/Theo.* sees your review once both are in, or on \w+/)
    await expect(card(grace, job).getByRole('radio')).toHaveCount(0)
    await expect(card(grace, job)).toBeFocused()
  })

  await test.step('Theo reads nothing of it, and writes his own', async () => {
    // My Bookings asks for what the dashboard asks for, and leads to the stars, a screen further down in a row that opens.
    await theo.goto('/bookings')
    const needsYou = theo.getByRole('region', { name: 'Needs you' })
    await expect(needsYou).not.toContainText('Nothing is waiting for you')
    const asked = needsYou.getByRole('listitem').filter({ hasText: job.title })
    await expect(asked).toContainText('How did it go with Grace')
    await asked.getByRole('link', { name: 'Write a review' }).click()
    await expect(card(theo, job).getByRole('radio', { name: '1 star: poor' })).toBeFocused()
    await expect(card(theo, job).getByRole('radio', { name: '1 star: poor' })).toBeInViewport()
    await expect(card(theo, job).getByRole('radio')).toHaveCount(5)
    await expect(card(theo, job)).not.toContainText(line)
    const { data: user } = await (await server.signedIn('theo')).auth.getUser()
    await theo.goto(`/profile/${user.user?.id}`)
    await expect(theo.getByRole('heading', { name: 'Reviews' })).toBeVisible()
    await expect(theo.getByText(line)).toHaveCount(0)
    await theo.goto('/bookings')
    const row = theo.getByRole('button', { name: job.title })
    // It is asked for once, above.
    await expect(needsYou.getByRole('listitem').filter({ hasText: job.title })).toHaveCount(1)
    await expect(row).not.toContainText('review')
    await openCard(theo, job)
    await card(theo, job).getByRole('radio', { name: '5 stars: excellent' }).check()
    await card(theo, job).getByRole('button', { name: 'Send review' }).click()
    await expect(card(theo, job)).toContainText(line)
    await expect(card(theo, job).getByRole('img', { name: '4 out of 5', exact: true })).toBeVisible()
  })

  await test.step('Grace, whose card stood open, now reads both; anybody does on the profile', async () => {
    await expect(card(grace, job)).toContainText("'s review")
    await expect(card(grace, job)).not.toContainText('once both are in')
    await inBothLooks(grace, () => expectAccessible(grace))
    const { data: user } = await (await server.signedIn('theo')).auth.getUser()
    await grace.goto(`/profile/${user.user?.id}`)
    await expect(grace.getByText(line)).toBeVisible()
  })
})
