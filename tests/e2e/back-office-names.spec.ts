// The back office names what a list is about; an id that is looked up elsewhere is shortened and copied whole.
import { readFileSync } from 'node:fs'
import { expect, test, toast } from './fixtures.ts'
import { complainedJob, paidJob } from './jobs.ts'

test('a payment is named where a link leads to it, a chargeback and a person have a reference to copy', async ({
  signedInPage,
  server,
}) => {
  const job = await paidJob(server, {}, { card: 'pm_card_createDispute', escrow: 'frozen' })
  const ada = await signedInPage('ada')
  await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const main = ada.getByRole('main')
  const copied = () => ada.evaluate(() => navigator.clipboard.readText())

  await ada.goto('/admin/audit?table=payments&everyone=true')
  const entry = main.getByRole('listitem').filter({ hasText: job.title }).first()
  await entry.getByRole('link', { name: job.title }).click()
  const only = main.getByRole('list', { name: 'Filters in use' })
  await expect(only.getByRole('button')).toHaveText(job.title)
  await expect(main.getByRole('searchbox')).toHaveValue('')
  await expect(main.getByRole('list').last().getByRole('listitem')).toHaveCount(1)
  await only.getByRole('button').click()
  await expect(only).toHaveCount(0)
  await expect(ada).toHaveURL('/admin/money')

  // A notification leads to it while the page is shown, too.
  const admin = await server.signedIn('ada')
  const payment = await admin
    .from('payments')
    .select('id')
    .eq('booking_id', job.bookingId)
    .single()
    .throwOnError()
  await server
    .operator()
    .from('notifications')
    .insert({
      user_id: (await admin.auth.getUser()).data.user?.id,
      key: 'refund_failed',
      title: 'Refund failed',
      message: 'A refund did not go through.',
      link: `/admin/money?search=${payment.data.id}`,
    })
    .throwOnError()
  await ada
    .getByRole('banner')
    .getByRole('button', { name: /^Notifications/ })
    .click()
  await ada
    .getByRole('dialog')
    .getByRole('link', { name: /Refund failed/ })
    .first()
    .click()
  await expect(only.getByRole('button')).toHaveText(job.title)
  await expect(main.getByRole('searchbox')).toHaveValue('')
  await only.getByRole('button').click()
  await expect(only).toHaveCount(0)

  await main.getByRole('tab', { name: 'Chargebacks' }).click()
  const dispute = main.getByRole('listitem').filter({ hasText: job.title })
  await expect(dispute.getByRole('link', { name: /^Grace/ })).toHaveAttribute('href', /^\/admin\/people\//)
  await dispute.getByRole('button', { name: 'Copy Provider’s reference' }).click()
  await expect(toast(ada, 'Copied')).toBeVisible()
  expect(await copied()).toMatch(/^(du|dp)_\w{12,}$/)
  await expect(dispute).not.toContainText(await copied())

  await dispute.getByRole('link', { name: /^Theo/ }).click()
  await expect(main.getByRole('heading', { level: 1 })).toContainText('Theo')
  await main.getByRole('button', { name: 'Copy Id' }).click()
  await expect.poll(copied).toMatch(/^[\da-f]{8}-/)
  await expect(main).not.toContainText(await copied())
})

const COLUMNS_AND_VALUES = new Set(
  readFileSync(new URL('../../web/lib/database.types.ts', import.meta.url), 'utf8').match(
    /\b[a-z]+(?:_[a-z0-9]+)+\b/g,
  ),
)

/** Ids, times and names as the database has them, in what is shown. */
function rawIn(text: string): string[] {
  const words = text.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []
  const values = text.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:/g) ?? []
  return [...words.filter((word) => COLUMNS_AND_VALUES.has(word)), ...values]
}

test('no page of the back office shows an id of ours, the name of a column or a time of the database', async ({
  signedInPage,
  server,
}) => {
  test.slow()
  const job = await complainedJob(server, { answer: 'I went back and cleared it.' })
  await paidJob(server, {}, { card: 'pm_card_createDispute', escrow: 'frozen' })
  const admin = await server.signedIn('ada')
  const complaint = await admin
    .from('complaints')
    .select('id, tasker_id')
    .eq('booking_id', job.bookingId)
    .single()
    .throwOnError()
  const page = await signedInPage('ada')
  const main = page.getByRole('main')
  const expectWords = async (where: string) => {
    await expect(main.locator('[data-waiting]')).toHaveCount(0)
    await main.locator('details').evaluateAll((all) => {
      for (const one of all as HTMLDetailsElement[]) one.open = true
    })
    const text = await main.innerText()
    expect(rawIn(text), where).toEqual([])
    // Without reviews there is no rating.
    expect(text, where).not.toMatch(/Rating\s+0\.0/)
  }
  for (const path of [
    '/admin',
    '/admin/verify-users',
    '/admin/verifications',
    '/admin/complaints',
    `/admin/complaints/${complaint.data.id}`,
    '/admin/people',
    `/admin/people/${complaint.data.tasker_id}`,
    '/admin/money',
    '/admin/reports',
    '/admin/audit?everyone=true',
    ...['verifications', 'complaints', 'payments', 'user_roles'].map(
      (table) => `/admin/audit?everyone=true&table=${table}`,
    ),
    '/admin/figures',
    '/admin/effects',
  ]) {
    await page.goto(path)
    await expect(main.getByRole('heading', { level: 1 })).toBeVisible()
    await expectWords(path)
    for (const tab of await main.getByRole('tab').all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await expectWords(`${path} ${await tab.innerText()}`)
    }
  }

  // A payment has them all, in the reader's language.
  await page.goto('/admin/audit?table=payments&everyone=true')
  const entry = main.getByRole('listitem').filter({ hasText: job.title }).last()
  await entry.getByText(/^More values/).click()
  await expect(entry).toContainText(/Platform fee \(15%\)\$15\.00/)
  await expect(entry).toContainText(/Task giverGrace/)
  // A time keeps its commas: "Fri, Nov 27, 8:25 a.m."
  await expect(entry.getByText(/^More values/).locator('..')).toContainText(
    /\w{3}, \w{3} \d{1,2}, \d{1,2}:\d\d/,
  )
})
