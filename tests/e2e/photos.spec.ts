// Photos of a task, of the work, of a complaint and of its answer.
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import {
  expectAccessible,
  expectAccessibleDialog,
  expectNoSidewaysScroll,
  inBothLooks,
} from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { bookingCard, paidJob } from './jobs.ts'
import { uniqueWord } from './unique.ts'

/** Chooses a picture of one colour where photos are chosen, in which a camera wrote where it was taken. */
async function addPhoto(where: Page | Locator, background: string) {
  const picture = sharp({ create: { width: 900, height: 600, channels: 3, background } })
  const taken = picture.withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 6/1 5657/100' } })
  const photo = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await taken.jpeg().toBuffer() }
  expect((await sharp(photo.buffer).metadata()).exif).toBeDefined()
  await where.locator('input[type=file][multiple]').setInputFiles([photo])
}

test('photos: of a task while it is posted, of the work, of the complaint and of the answer', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/POST .*\/storage\/v1\/object\/task-photos/)
  const grace = await signedInPage('grace', NARROW)
  await grace.goto('/post-task')
  const form = grace.getByRole('main')
  const title = `Clear the deck ${uniqueWord()}`
  await form.getByLabel('Title', { exact: true }).fill(title)
  await form.getByLabel('Description', { exact: true }).fill('Forty square metres, knee deep by the gate.')
  await form.getByLabel('Category', { exact: true }).selectOption('Snow Removal')
  await form
    .locator('input[type=file][multiple]')
    .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') })
  await expect(form.getByRole('alert')).toContainText('This file cannot be shown as a photo')
  await grace.route(/\/storage\/v1\/object\/task-photos/, (route) => route.abort())
  await addPhoto(grace, '#7fb0d8')
  await expect(form.getByRole('alert')).toContainText('A photo could not be uploaded.')
  await form.getByRole('button', { name: 'Continue' }).click()
  await expect(form.getByRole('alert')).toContainText('Wait until every photo is uploaded')
  await grace.unroute(/\/storage\/v1\/object\/task-photos/)
  await form.getByRole('button', { name: 'Upload photo 1 again' }).click()
  await expect(form.getByRole('button', { name: 'Upload photo 1 again' })).toHaveCount(0)
  await addPhoto(grace, '#aa8866')
  await expect(form.getByRole('status').filter({ hasText: '2 photos uploaded' })).toBeAttached()
  await form.getByRole('button', { name: 'Remove photo 2' }).click()
  await expect(form.getByRole('group', { name: /Photos/ })).toBeFocused()
  await inBothLooks(grace, async () => {
    await expectNoSidewaysScroll(grace)
    await expectAccessible(grace)
  })
  await grace.setViewportSize(NARROW)
  await form.getByRole('button', { name: 'Continue' }).click()
  await form.getByLabel('Location', { exact: true }).fill('Nutana, Saskatoon')
  await form.getByRole('button', { name: 'Continue' }).click()
  await form.getByLabel('Pay for the task').fill('100')
  await form.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(grace, 'Success! Your task has been posted successfully')).toBeVisible()
  const graces = await server.signedIn('grace')
  const { data: task } = await graces
    .from('tasks')
    .select('id, photos')
    .eq('title', title)
    .single()
    .throwOnError()
  const stored = await graces.storage.from('task-photos').download(task.photos[0])
  const { format, exif, iptc, xmp } = await sharp(await stored.data?.arrayBuffer()).metadata()
  expect({ format, exif, iptc, xmp }).toEqual({ format: 'jpeg' })

  const theo = await signedInPage('theo')
  await theo.goto(`/task/${task.id}`)
  await theo.getByRole('button', { name: `Photo 1 of 1: ${title}` }).click()
  await expect(theo.getByRole('dialog').getByRole('img')).toBeVisible()
  await expectAccessible(theo)

  const job = await paidJob(server, { hours: 72 })
  await theo.goto(`/bookings?booking=${job.bookingId}`)
  const card = bookingCard(theo, job)
  await addPhoto(card, '#ffffff')
  await expect(card.getByRole('status').filter({ hasText: '1 photo uploaded' })).toBeAttached()
  await card.getByRole('button', { name: 'Mark Task Complete' }).click()
  // Days ahead of the agreed one, a tap in passing says nothing to the giver.
  const early = theo.getByRole('alertdialog', { name: 'Is the work already done?' })
  await expectAccessibleDialog(theo)
  await early.getByRole('button', { name: 'Not yet' }).click()
  await expect(card).toContainText('In Progress')
  await card.getByRole('button', { name: 'Mark Task Complete' }).click()
  await early.getByRole('button', { name: 'Mark Task Complete' }).click()
  await expect(card).toContainText('Waiting for confirmation')
  await expect(card.getByRole('button', { name: /^Photo 1 of 1/ })).toBeVisible()

  await grace.goto(`/bookings?booking=${job.bookingId}`)
  const hers = bookingCard(grace, job)
  await expect(hers.getByRole('button', { name: /^Photo 1 of 1/ })).toBeVisible()
  await hers.getByRole('button', { name: 'Something is wrong' }).click()
  const dialog = grace.getByRole('alertdialog')
  await dialog.getByLabel('Your complaint').fill('The walk to the side door is still covered.')
  await addPhoto(dialog, '#223344')
  await expect(dialog.getByRole('status').filter({ hasText: '1 photo uploaded' })).toBeAttached()
  await expectAccessible(grace)
  await dialog.getByRole('button', { name: 'Send complaint' }).click()
  await expect(hers.getByRole('button', { name: 'Photo 1 of 1: Complaint' })).toBeVisible()

  await theo.goto(`/bookings?booking=${job.bookingId}`)
  await expect(card.getByRole('button', { name: 'Photo 1 of 1: Complaint' })).toBeVisible()
  await card.getByLabel('Your side').fill('The walk was clear at four.')
  await addPhoto(card, '#eeeeee')
  await expect(card.getByRole('status').filter({ hasText: '1 photo uploaded' })).toBeAttached()
  await card.getByRole('button', { name: 'Send answer' }).click()
  await expect(card.getByRole('button', { name: 'Photo 1 of 1: Answer' })).toBeVisible()
  await expect(hers.getByRole('button', { name: 'Photo 1 of 1: Answer' })).toBeVisible()

  const { data: complaint } = await (await server.signedIn('ada'))
    .from('complaints')
    .select('photos, answer_photos')
    .eq('booking_id', job.bookingId)
    .single()
    .throwOnError()
  for (const [name] of [complaint.photos, complaint.answer_photos]) {
    const read = async (person: 'ada' | 'sam') =>
      (await (await server.signedIn(person)).storage.from('booking-photos').download(name)).error
    expect(await read('ada')).toBeNull()
    expect(await read('sam')).not.toBeNull()
  }
})
