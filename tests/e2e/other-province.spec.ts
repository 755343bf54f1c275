// marketplace.config.ts is the one place: the app as Ontario's, with other fees and taxes and a clock that has
// daylight saving, and one paid job in it. Its pages, e-mails, receipts and files name no other province.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { stripeFor } from '../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { test as base, expect, toast } from './fixtures.ts'
import { bookingCard, enterCard } from './jobs.ts'
import { type Checkout, ontario } from './other-marketplace.ts'
import { startAppServer } from './server.ts'

const test = base.extend<object, { checkout: Checkout }>({
  checkout: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const checkout = ontario()
      await use(checkout)
      checkout.remove()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  server: [
    async ({ checkout }, use) => {
      const server = await startAppServer(undefined, checkout.folder)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
})

// Neither the machine's clock nor the marketplace's.
test.use({ timezoneId: 'Asia/Tokyo' })

/** Values of Saskatchewan, also in languages with other scripts. */
const ELSEWHERE = /.{0,40}(Saskat|Regina|\bGST\b|\bTPS\b|Саскач|सस्केचेवान|萨省|ساسكاتشوان).{0,40}/g
const elsewhere = (text: string) => text.match(ELSEWHERE) ?? []

/** The morning of a summer's day in 2099, and both ends of the day on which the clocks go forward. */
const SUMMER = { local: '2099-07-01T09:30', instant: '2099-07-01T13:30:00+00:00' }
const SHORT_DAY = {
  day: '2099-03-08',
  after: '2099-03-09',
  first: '2099-03-08T05:30Z',
  last: '2099-03-09T03:30Z',
  /** A time that no clock there shows. */
  skipped: '2099-03-08T02:30',
}
/** A time of the hour that is repeated. */
const LONG_DAY = '2099-11-01T01:30'

const task = {
  title: 'Carry a piano up one floor',
  description: 'An upright, one landing, wide stairs. Two strong people.',
  category: 'Moving',
  location: 'Leslieville, Toronto',
}

const idOf = async (client: SupabaseClient) => (await client.auth.getUser()).data.user?.id

/** Everything on the page, what is not shown included. */
async function expectOfHere(page: Page, address: string) {
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  expect.soft(elsewhere(await page.content()), address).toEqual([])
}

test('no file of the app names the province that it was made for', async ({ checkout }) => {
  const built = join(checkout.folder, '.build/web')
  const found = readdirSync(built, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(html|js|json|webmanifest|xml)$/.test(path))
    .flatMap((path) => elsewhere(readFileSync(join(built, path), 'utf8')).map((text) => `${path}: ${text}`))
  expect(found).toEqual([])
})

test('one job is posted, paid and released by its fees, taxes and clock', async ({
  server,
  signedInPage,
}) => {
  const [giver, tasker] = [await server.newAccount('grace'), await server.newAccount('theo')]
  const [grace, theo] = [await server.signedIn(giver), await server.signedIn(tasker)]
  const [gracePage, theoPage] = [await signedInPage(giver), await signedInPage(tasker)]

  await test.step('Grace posts it: the places, the least pay, the tax and the clock are those of the files', async () => {
    const main = gracePage.getByRole('main')
    await gracePage.goto('/post-task')
    await main.getByLabel('Title', { exact: true }).fill(task.title)
    await main.getByLabel('Description', { exact: true }).fill(task.description)
    await main.getByLabel('Category', { exact: true }).selectOption(task.category)
    await main.getByLabel('Location', { exact: true }).fill(task.location)
    await main.getByLabel('Pay for the task').fill('200')
    await main.getByLabel('Date and time').fill(SHORT_DAY.skipped)
    await gracePage.getByRole('button', { name: 'Post Task' }).click()
    await expect(main.getByText('this time does not exist')).toBeVisible()
    await expect(main.getByLabel('Date and time')).toHaveValue(SHORT_DAY.skipped)
    await main.getByLabel('Date and time').fill(LONG_DAY)
    await expect(main.getByText('this time comes twice')).toBeVisible()
    await main.getByLabel('Date and time').fill(SUMMER.local)
    await main.getByLabel('Pay for the task').fill('29')
    await gracePage.getByRole('button', { name: 'Post Task' }).click()
    await expect.soft(gracePage.getByText('Pay amount must be at least $30').first()).toBeVisible()
    await main.getByLabel('Pay for the task').fill('200')
    for (const city of ['Toronto', 'Ottawa', 'Thunder Bay']) {
      await main.getByLabel('Location', { exact: true }).fill(city)
      await expect(gracePage.getByRole('option').filter({ hasText: city }).first()).toBeVisible()
    }
    await main.getByLabel('Location', { exact: true }).fill(task.location)
    await expect.soft(main).toContainText('Ontario time')
    await expect.soft(main).toContainText('dollars of Canada')
    await gracePage.getByRole('button', { name: 'Post Task' }).click()
    await expect(gracePage).toHaveURL('/dashboard')
  })

  const { data: posted } = await grace.from('tasks').select('id, scheduled_date').single().throwOnError()
  expect(posted.scheduled_date).toBe(SUMMER.instant)

  await test.step('a day begins and ends by the clock, also the one on which it goes forward', async () => {
    const own = { ...task, task_giver_id: await idOf(grace), pay_amount: 30, status: 'open' }
    const titles = ['Half past midnight', 'Half past eleven at night']
    const times = [SHORT_DAY.first, SHORT_DAY.last]
    const rows = times.map((scheduled_date, nth) => ({ ...own, title: titles[nth], scheduled_date }))
    await grace.from('tasks').insert(rows).throwOnError()
    const found = async (day: string) => {
      const { data } = await theo.rpc('search_tasks', { first_day: day, last_day: day }).throwOnError()
      return data.map(({ title }: { title: string }) => title).sort()
    }
    expect(await found(SHORT_DAY.day)).toEqual([...titles].sort())
    expect(await found(SHORT_DAY.after)).toEqual([])
    const tooLittle = await grace.from('tasks').insert({ ...own, pay_amount: 29 })
    expect(tooLittle.error?.message).toBe('Pay amount must be at least $30')
  })

  await test.step('Theo sees the time on the clock, and applies', async () => {
    await theoPage.goto(`/task/${posted.id}`)
    await expect(theoPage.getByText(/Jul 1, 2099, 9:30\sa\.m\./).first()).toBeVisible()
    await theoPage
      .getByLabel('Message to the task giver')
      .fill('My brother and I moved two of these last month.')
    await theoPage.getByRole('button', { name: 'Apply Now' }).click()
    await expect(toast(theoPage, 'Your application has been submitted')).toBeVisible()
    const head = await (await fetch(`${server.url}/task/${posted.id}`)).text()
    expect(head).toContain('"addressRegion":"ON"')
    expect(elsewhere(head)).toEqual([])
  })

  await test.step('Grace accepts and pays: 12.5 % and HST of 13 %', async () => {
    await gracePage.goto('/bookings')
    await bookingCard(gracePage, task).getByRole('button', { name: 'Accept', exact: true }).click()
    // Nobody has looked at Theo's ID.
    await gracePage.getByRole('alertdialog').getByRole('button', { name: 'Accept anyway' }).click()
    await bookingCard(gracePage, task).getByRole('button', { name: /^Pay/ }).click()
    const dialog = gracePage.getByRole('dialog', { name: 'Complete Payment' })
    for (const figure of ['$200.00', '$25.00', '$26.00', '$251.00'])
      await expect(dialog).toContainText(figure)
    await expect.soft(dialog).toContainText('Platform fee (12.5%)')
    await expect.soft(dialog).toContainText('HST (13%)')
    await enterCard(gracePage, '4242 4242 4242 4242')
    await dialog.getByRole('button', { name: 'Pay $251.00' }).click()
    await expect(toast(gracePage, 'Payment Successful')).toContainText('held in escrow')
    await gracePage.keyboard.press('Enter')
  })

  await test.step('Theo gives his bank account, which is opened in Ontario, and does the work', async () => {
    const bank = {
      country: 'CA',
      currency: 'cad',
      routing_number: '11000-000',
      account_number: '000123456789',
    }
    const token = await stripeFor(server, 'publishable').tokens.create({ bank_account: bank })
    const address = { address: '12 Elm St', city: 'Toronto', postalCode: 'M4M 1A1' }
    const person = { firstName: 'Theo', lastName: 'T', dateOfBirth: '1990-02-01', ...address }
    await theo.functions.invoke('save-payout-account', {
      body: { token: token.id, person, termsAccepted: true },
    })
    const { data } = await theo.from('payout_accounts').select().single().throwOnError()
    const account = await stripeFor(server).accounts.retrieve(data.stripe_account_id)
    expect(account.individual?.address).toMatchObject({ state: 'ON', country: 'CA' })
    await theo.from('bookings').update({ status: 'completed' }).eq('task_id', posted.id).throwOnError()
  })

  await test.step('Grace releases the money: her receipt and his statement agree', async () => {
    await gracePage.reload()
    await bookingCard(gracePage, task).getByRole('button', { name: 'Confirm and Release' }).click()
    await gracePage.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }).click()
    await expect(toast(gracePage, 'Payment Released!')).toBeVisible()
    const paid = {
      platform_fee: 25,
      gst: 26,
      total: 251,
      payout_amount: 149,
      currency: 'CAD',
      payout_status: 'sent',
    }
    await expect
      .poll(async () => (await theo.from('payments').select().single()).data, { timeout: 20_000 })
      .toMatchObject(paid)
  })

  await test.step('no page of either, no notification and no e-mail names another province', async () => {
    const receipts = await Promise.all(
      [grace, theo].map(
        async (client) => (await client.from('receipts').select('id').single().throwOnError()).data,
      ),
    )
    for (const [page, receipt] of [
      [gracePage, receipts[0]],
      [theoPage, receipts[1]],
    ] as const) {
      await page.goto(`/receipt/${receipt?.id}`)
      await expect.soft(page.getByText('HST (13%)')).toBeVisible()
      await expect.soft(page.getByText('Platform fee (12.5%)')).toBeVisible()
      await expect.soft(page.getByText('All amounts are in dollars of Canada.').first()).toBeVisible()
      await expectOfHere(page, `/receipt/${receipt?.id}`)
      for (const address of [
        '/dashboard',
        '/bookings?tab=completed',
        '/notifications',
        '/browse',
        '/find-taskers',
      ])
        await expectOfHere(page, address)
    }
    for (const address of ['/post-task', '/profile?tab=payment']) await expectOfHere(gracePage, address)
    for (const address of ['/profile', '/profile?tab=payout', '/profile?tab=notifications'])
      await expectOfHere(theoPage, address)
    for (const client of [grace, theo]) {
      const { data } = await client.from('notifications').select('title, message').throwOnError()
      expect(data.length).toBeGreaterThan(2)
      expect.soft(elsewhere(JSON.stringify(data))).toEqual([])
    }
    const { data: early } = await grace
      .from('notifications')
      .select('message')
      .eq('key', 'task_marked_complete_early')
      .single()
      .throwOnError()
    expect.soft(early.message).toContain('Wednesday, July 1, 9:30 a.m., Ontario time')
    // Now, and not when two minutes have gathered what else is to be mailed.
    await server.operator().rpc('flush_emails').throwOnError()
    const mails = async () => (await fetch(`${server.url}/sandbox/inbox.json`)).text()
    for (const text of ['HST (13%)', 'across Ontario']) await expect.poll(mails).toContain(text)
    expect.soft(elsewhere(await mails())).toEqual([])
  })
})
