// Receipts and payout statements: numbered, read, printed and saved by whose they are; history, earnings and the year's file.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { button } from './drawer.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { bookingCard, doneJob } from './jobs.ts'

/** The file that the browser saves after a click on that button. */
async function saved(page: Page, button: string | RegExp) {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const download = await saving
  return { name: download.suggestedFilename(), file: readFileSync(await download.path()) }
}

/** Fails when an amount lies under the messages' button anywhere on the way down the page. */
async function expectAmountsUncovered(page: Page) {
  const covered = () =>
    button(page).evaluate((messages) => {
      const under = messages.getBoundingClientRect()
      return [...document.querySelectorAll('main dl.tabular dd')].flatMap((amount) => {
        const { left, right, top, bottom } = amount.getBoundingClientRect()
        const apart = right <= under.left || left >= under.right || bottom <= under.top || top >= under.bottom
        return apart ? [] : [amount.textContent]
      })
    })
  const height = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  for (let y = 0; y <= height; y += 30) {
    await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y)
    await expect.poll(covered, `scrolled by ${y} pixels`).toEqual([])
  }
}

test('a finished job has a receipt for its giver and a statement for its tasker, each to read, print and save', async ({
  server,
  signedInPage,
}) => {
  // Formulas for a spreadsheet, characters that the PDF's font lacks, and text wider than a line.
  const job = await doneJob(server, { title: '=Clear the driveway 🧹 مدخل', amount: 100, released: true })

  const giver = await signedInPage('grace', NARROW)
  await giver.goto('/profile?tab=payment')
  await giver.getByRole('link', { name: job.title }).click()
  const heading = giver.getByRole('heading', { level: 1, name: /^Receipt R-\d+$/ })
  await expect(heading).toBeVisible()
  const number = (await heading.textContent())?.replace('Receipt ', '')
  await expect(giver.getByText('$120.00')).toBeVisible()
  await expect(giver.getByText('Platform fee (15%)')).toBeVisible()
  await expect(giver.getByText('GST (5%)')).toBeVisible()
  await expect(giver.getByText('All amounts are in Canadian dollars.').first()).toBeVisible()
  await expect(giver.getByText('Payment method')).toBeVisible()
  await expect(giver.getByText('Visa ending in 4242')).toBeVisible()
  // Nobody has set a number, so none is shown.
  await expect(giver.getByText('GST registration number')).toBeHidden()
  await expectAccessible(giver)
  await expectNoSidewaysScroll(giver)
  await expectAmountsUncovered(giver)
  const pdf = await saved(giver, 'Download PDF')
  expect(pdf.name).toBe(`Meadowlark Receipt ${number}.pdf`)
  expect(pdf.file.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.file.toString('latin1')).toContain(`/Title (Receipt ${number})`)
  expect(pdf.file.length).toBeGreaterThan(10_000)
  await giver.emulateMedia({ media: 'print' })
  await expect(giver.getByRole('button', { name: 'Print' })).toBeHidden()
  await expect(giver.getByRole('banner')).toBeHidden()
  await expect(giver.getByRole('contentinfo')).toBeHidden()
  await expect(giver.getByText('$120.00')).toBeVisible()
  const address = giver.url()
  // In a language that is read from the right, the signs that order its words stay out of the file's name.
  await giver.emulateMedia({ media: 'screen' })
  await giver.evaluate(() => localStorage.setItem('language', 'ar'))
  await giver.reload()
  expect((await saved(giver, 'تنزيل PDF')).name).toBe(`Meadowlark إيصال ${number}.pdf`)
  // A sentence that begins with a Latin name is read from the right all the same.
  expect(await leftOf(giver, 'Visa')).toBeGreaterThan(await leftOf(giver, '4242'))

  const tasker = await signedInPage('theo')
  await tasker.goto(`/bookings?booking=${job.bookingId}`)
  await bookingCard(tasker, job)
    .getByRole('link', { name: /^Payout statement S-\d+$/ })
    .click()
  await expect(tasker.getByRole('heading', { level: 1, name: /^Payout statement S-\d+$/ })).toBeVisible()
  await expect(tasker.getByText('$80.00')).toBeVisible()
  expect((await saved(tasker, 'Download PDF')).file.subarray(0, 5).toString()).toBe('%PDF-')
  // Somebody else's is not there.
  await tasker.goto(address)
  await expect(tasker.getByRole('heading', { name: 'Receipt not found' })).toBeVisible()
  await tasker.goto('/receipt/nonsense')
  await expect(tasker.getByRole('heading', { name: 'Receipt not found' })).toBeVisible()
})

/** The left edge of these characters within the way of payment. */
function leftOf(page: Page, characters: string): Promise<number> {
  return page
    .locator('dd', { hasText: '4242' })
    .locator('bdi')
    .evaluate((value, part) => {
      const text = value.firstChild as Text
      const range = document.createRange()
      range.setStart(text, text.data.indexOf(part))
      range.setEnd(text, text.data.indexOf(part) + part.length)
      return range.getBoundingClientRect().left
    }, characters)
}

test("a tasker's payouts have their history, their sums by month and a file for the year", async ({
  server,
  signedInPage,
}) => {
  const job = await doneJob(server, { title: '=Clear the steps', amount: 100, released: true })
  const page = await signedInPage('theo', NARROW)
  await page.goto('/profile?tab=payout')
  const row = page.getByRole('listitem').filter({ hasText: job.title })
  await expect(row).toContainText('$80.00')
  await expect(row).toContainText(/S-\d+/)
  await page.getByText('Show as a table').click()
  await expect(page.getByRole('columnheader', { name: 'Month' })).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  const { name, file } = await saved(page, /^Download \d{4} as CSV$/)
  expect(name).toMatch(/^meadowlark-earnings-\d{4}\.csv$/)
  expect(file.toString('utf8')).toMatch(
    new RegExp(`^\\d{4}-\\d\\d-\\d\\d,S-\\d+,'${job.title},100,15,5,80,(Being sent|Sent)\\r$`, 'm'),
  )
})
