// From an e-mail to its page: unsubscribing signed out, undoing it, and choosing by kind.
import { createClient } from '@supabase/supabase-js'
import WebSocket from 'ws'
import { expectAccessible, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'

test('Theo turns e-mails off and on by kind; the Security tab shows it as a whole', async ({
  signedInPage,
  server,
}) => {
  const page = await signedInPage(await server.newAccount('theo'), NARROW)
  await page.goto('/profile?tab=security')
  const all = page.getByRole('switch', { name: 'Email notifications' })
  await expect(all).toBeChecked()
  await page.getByRole('link', { name: 'Choose by kind' }).click()
  await expect(page).toHaveURL(/\/notifications\/settings$/)
  const reviews = page.getByRole('switch', { name: 'Email: Reviews' })
  await reviews.click()
  await expect(reviews).not.toBeChecked()
  await expect(page.getByRole('switch', { name: 'Bell: Reviews' })).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Email: Payments' })).toHaveCount(0)
  await expect(page.getByText('Always on')).toHaveCount(3)
  await page.reload()
  await expect(reviews).not.toBeChecked()
  await page.goto('/profile?tab=security')
  await all.click()
  await expect(page.getByText('Disabled', { exact: false })).toBeVisible()
  await page.goto('/notifications/settings')
  await expect(page.getByRole('switch', { name: 'Email: Messages' })).not.toBeChecked()
  await expect(page.getByRole('switch', { name: 'Bell: Messages' })).toBeChecked()
})

test('an e-mail leads a signed-out reader to unsubscribe, after asking, and back', async ({
  page,
  server,
}) => {
  const address = await server.newAccount('theo')
  const theo = await server.signedIn(address)
  const { data } = await theo.auth.getUser()
  // Handing in a verification is mailed to the person.
  await theo
    .from('verifications')
    .insert({
      user_id: data.user?.id,
      terms_accepted: true,
      privacy_accepted: true,
      legal_name: 'Theodore Tasker',
      date_of_birth: '1990-01-01',
      id_type: 'passport',
    })
    .throwOnError()
  // Not in two minutes, in which more might come, but now.
  await createClient(server.url, server.secretKey, { realtime: { transport: WebSocket as never } })
    .rpc('flush_emails')
    .throwOnError()
  await expect
    .poll(async () => (await server.messageTo(address)).subject)
    .toBe('Your verification is under review')
  const link =
    (await server.messageTo(address)).links.find((each) => each.includes('/unsubscribe?token=')) ?? ''
  await page.goto(link)
  await expect(page.getByText('Stop emails about verification?')).toBeVisible()
  await inBothLooks(page, () => expectAccessible(page))
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByText('You get no more emails about verification.')).toBeVisible()
  const settings = async () =>
    (await theo.rpc('notification_settings').throwOnError()).data.find(
      (row: { kind: string }) => row.kind === 'verification',
    )
  expect(await settings()).toMatchObject({ email: false, bell: true })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('You get emails about verification again.')).toBeVisible()
  expect(await settings()).toMatchObject({ email: true })
  await page.goto('/unsubscribe?token=nonsense')
  await expect(page.getByText('This link is not valid any more')).toBeVisible()
})

test('Theo sees that his mail comes back, and has it sent again; Ada sees it, too', async ({
  signedInPage,
  server,
}) => {
  const address = await server.newAccount('theo')
  const page = await signedInPage(address, NARROW)
  const service = createClient(server.url, server.secretKey, { realtime: { transport: WebSocket as never } })
  const report = (event_id: string) =>
    service
      .rpc('record_mail_event', {
        event_id,
        type: 'bounced',
        address,
        cause: 'address',
        detail: 'No such user',
      })
      .throwOnError()
  await page.goto('/notifications/settings')
  await expect(page.getByRole('heading', { name: 'Payments' })).toBeVisible()
  await expect(page.getByText('We do not email you')).toHaveCount(0)
  await report('first')
  await page.reload()
  const note = page.getByRole('note').filter({ hasText: 'We do not email you at the moment' })
  await expect(note).toContainText(`Emails to ${address} came back to us`)
  await expect(note.getByRole('link', { name: 'Change the address' })).toBeVisible()
  await inBothLooks(page, () => expectAccessible(page))
  await note.getByRole('button', { name: 'Send emails again' }).click()
  await expect(note).toHaveCount(0)
  await service.rpc('flush_emails').throwOnError()
  await expect.poll(async () => (await server.messageTo(address)).subject).toBe('We are emailing you again')

  await report('second')
  const theo = await server.signedIn(address)
  const { data } = await theo.auth.getUser()
  const admin = await signedInPage('ada')
  await admin.goto(`/admin/people/${data.user?.id}`)
  await expect(admin.getByText('No emails since')).toBeVisible()
  await expect(admin.getByText('No such user')).toBeVisible()
  await inBothLooks(admin, () => expectAccessible(admin))
  await admin.getByRole('button', { name: 'Send emails again' }).click()
  await expect(admin.getByText('No emails since')).toHaveCount(0)
})
