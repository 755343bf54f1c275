// The back office names what a list is about; an id that is looked up elsewhere is shortened and copied whole.
import { expect, test, toast } from './fixtures.ts'
import { paidJob } from './jobs.ts'

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
