// Rescheduling: Grace proposes another time, Theo declines it, proposes one back, and she accepts. The agreed time and its fee hold
// until then. A time that Lloydminster's clocks skip is refused, and what was typed stays.
import type { Page } from '@playwright/test'
import { expectAccessible, expectAccessibleDialog, showTheme } from './accessibility.ts'
import { expect, NARROW, NO_NETWORK, test, toast } from './fixtures.ts'
import { bookingCard, paidJob } from './jobs.ts'

/** Lloydminster's clocks went forward then. Browsers may know that they do so no more. */
const SKIPPED = '2026-03-08T02:30'

/** In so many days at that hour, as the browser's field has it; the server's clock is the marketplace's. */
const dayAt = (days: number, time: string) =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}`

async function propose(page: Page, at: string, message = '') {
  const dialog = page.getByRole('dialog', { name: 'Propose another time' })
  await dialog.getByLabel('New time').fill(at)
  if (message) await dialog.getByLabel('Message').fill(message)
  await dialog.getByRole('button', { name: 'Send' }).click()
}

test('propose, decline, propose back, accept: the fee and the history', async ({ signedInPage, server }) => {
  test.setTimeout(120_000)
  const job = await paidJob(server, { amount: 80, hours: 20, title: 'Wash the storm windows' })
  const grace = await signedInPage('grace')
  const theo = await signedInPage('theo', NARROW)
  const [hers, his] = [bookingCard(grace, job), bookingCard(theo, job)]

  await test.step('Grace proposes another time; the agreed one holds', async () => {
    await grace.goto(`/bookings?booking=${job.bookingId}`)
    await hers.getByRole('button', { name: 'Propose another time' }).click()
    const dialog = grace.getByRole('dialog', { name: 'Propose another time' })
    await expect(dialog).toContainText('Until then the agreed time holds, and with it the cancellation fee.')
    await expectAccessibleDialog(grace)
    await propose(grace, dayAt(-1, '10:00'))
    await expect(dialog.getByRole('alert').or(dialog.getByText('in the past'))).not.toHaveCount(0)
    await propose(grace, dayAt(9, '10:00'), 'We are away this week.')
    await expect(toast(grace, 'Time proposed')).toBeVisible()
    await expect(hers).toContainText('You proposed another time')
    await expect(hers.getByRole('button', { name: 'Propose another time' })).toHaveCount(0)
    await hers.getByRole('button', { name: 'Cancel Booking' }).click()
    await expect(grace.getByRole('alertdialog')).toContainText('$20.00')
    await grace.getByRole('button', { name: 'Keep booking' }).click()
  })

  await test.step('Theo declines it on his phone', async () => {
    await theo.goto(`/bookings?booking=${job.bookingId}&part=time`)
    await expect(his).toContainText('We are away this week.')
    await expect(his).toContainText('what Grace Morin owes for cancelling counts from the new time')
    await expectAccessible(theo)
    await showTheme(theo, 'dark')
    await expectAccessible(theo)
    await his.getByRole('button', { name: 'Decline' }).click()
    await expect(toast(theo, 'Time declined')).toBeVisible()
    await expect(hers).not.toContainText('You proposed another time')
  })

  await test.step('and proposes one back, which Grace accepts', async () => {
    await his.getByRole('button', { name: 'Propose another time' }).click()
    await propose(theo, dayAt(5, '14:00'))
    await expect(toast(theo, 'Time proposed')).toBeVisible()
    await expect(hers).toContainText('proposes another time')
    await hers.getByRole('button', { name: 'Accept new time' }).click()
    await expect(toast(grace, 'New time agreed')).toBeVisible()
    await expect(hers).toContainText('2:00 p.m.')
    await hers.getByText('Earlier proposals: 2').click()
    await expect(hers).toContainText('You proposed')
    await expect(hers).toContainText(/Accepted .*/)
    await expect(hers).toContainText(/Declined .*/)
    await expect(his).toContainText('2:00 p.m.')
    await hers.getByRole('button', { name: 'Cancel Booking' }).click()
    await expect(grace.getByRole('alertdialog')).toContainText('$5.00')
  })
})

test('a proposal is withdrawn, and one of a skipped hour or of years ahead is refused', async ({
  signedInPage,
  server,
  problems,
}) => {
  const job = await paidJob(server, { hours: 50, title: 'Haul the old fence', location: 'Lloydminster' })
  const theo = await signedInPage('theo')
  const card = bookingCard(theo, job)
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await card.getByRole('button', { name: 'Propose another time' }).click()
  const dialog = theo.getByRole('dialog', { name: 'Propose another time' })
  await propose(theo, SKIPPED)
  await expect(dialog).toContainText(
    'The clocks go forward then, so this time does not exist. Choose an earlier or a later one.',
  )
  await expect(dialog.getByLabel('New time')).toHaveValue(SKIPPED)
  problems.allow(/^400 POST .*\/rest\/v1\/time_proposals/)
  await propose(theo, '2099-01-05T09:00')
  await expect(dialog.getByRole('alert')).toContainText('at most 365 days ahead')
  await expect(dialog.getByLabel('New time')).toBeFocused()
  problems.allow(NO_NETWORK)
  await theo.context().setOffline(true)
  await propose(theo, dayAt(4, '09:00'))
  await expect(dialog.getByRole('alert')).toContainText('You are offline. Nothing was lost')
  await theo.context().setOffline(false)
  await propose(theo, dayAt(4, '09:00'))
  await expect(toast(theo, 'Time proposed')).toBeVisible()
  await card.getByRole('button', { name: 'Withdraw proposal' }).click()
  await expect(toast(theo, 'Proposal withdrawn')).toBeVisible()
})
