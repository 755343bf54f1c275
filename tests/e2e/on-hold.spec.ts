// The tasks of a suspended giver: on hold for those who know of them, unknown to everybody else, listed again at the end.
import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test } from './fixtures.ts'
import { appliedJob, bookingCard } from './jobs.ts'

const HELD = 'This task is on hold'
const main = (page: Page) => page.getByRole('main')

test('a suspended giver’s task is on hold, says why, and is open again when the suspension ends', async ({
  signedInPage,
  server,
}) => {
  const email = await server.newAccount('grace')
  const job = await appliedJob(server, { giver: email })
  const person = (await (await server.signedIn(email)).auth.getUser()).data.user?.id
  const admin = await server.signedIn('ada')
  const grace = await signedInPage(email, NARROW)
  await grace.goto('/dashboard')
  const row = main(grace)
    .getByRole('listitem')
    .filter({ hasText: job.title })
    .filter({ has: grace.getByRole('article') })
  const chooses = main(grace).getByRole('link', { name: /^Choose a tasker/ })
  await expect(chooses).toBeVisible()
  await expect(row.getByText('Open', { exact: true })).toBeVisible()
  await admin.rpc('suspend_person', { person, reason: 'Asked for money before the work.' }).throwOnError()

  await test.step('its giver reads so wherever it is listed, and is offered nothing that is refused', async () => {
    await grace.reload()
    await expect(row).toContainText('On hold')
    await expect(row).toContainText('Your account is suspended')
    await expect(chooses).toHaveCount(0)
    await expect(row.getByText('Open', { exact: true })).toHaveCount(0)
    await row.getByRole('link', { name: /^View Details/ }).click()
    await expect(main(grace).getByRole('note').filter({ hasText: HELD })).toContainText(
      'Nobody else sees the task',
    )
    await expect(main(grace).getByRole('link', { name: 'Edit task' })).toHaveCount(0)
    await expect(main(grace).getByRole('button', { name: 'Withdraw task' })).toBeVisible()
    await inBothLooks(grace, async () => {
      await expectNoSidewaysScroll(grace)
      await expectAccessible(grace)
    })
    await grace.goto(`/task/${job.taskId}/edit`)
    await expect(main(grace)).toContainText(HELD)
    await expect(main(grace).getByRole('textbox')).toHaveCount(0)
    await grace.goto('/bookings?tab=pending')
    await expect(main(grace)).toContainText('Nobody else sees the task')
    await expect(main(grace).getByRole('button', { name: 'Decline' })).toBeVisible()
    await expect(main(grace).getByRole('button', { name: 'Accept' })).toHaveCount(0)
  })

  const theo = await signedInPage('theo')
  await test.step('its applicant reads that the application waits', async () => {
    await theo.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(theo, job)).toContainText('On hold')
    await expect(bookingCard(theo, job)).toContainText('applications already sent stay')
    await theo.goto(`/task/${job.taskId}`)
    await expect(main(theo).getByRole('note').filter({ hasText: HELD })).toContainText('account is suspended')
    await expectAccessible(theo)
    // And finds it in no list, as everybody else.
    await theo.goto(`/browse?sort=newest`)
    await expect(main(theo).getByRole('heading', { level: 2 }).first()).toBeVisible()
    await expect(main(theo).getByText(job.title)).toHaveCount(0)
  })

  const sam = await signedInPage('sam')
  await test.step('others do not find it; an admin sees its state', async () => {
    await sam.goto(`/task/${job.taskId}`)
    await expect(main(sam)).toContainText('Task not found')
    const ada = await signedInPage('ada')
    await ada.goto(`/browse?search=${encodeURIComponent(job.title)}`)
    await expect(main(ada)).toContainText('No tasks')
    await ada.goto(`/admin/people/${person}`)
    const held = main(ada).getByRole('listitem').filter({ hasText: job.title })
    await expect(held).toContainText('On hold')
    await held.getByRole('link', { name: job.title }).click()
    await expect(main(ada).getByRole('note').filter({ hasText: HELD })).toBeVisible()
  })

  await test.step('the end of the suspension brings it back, also to an open page', async () => {
    await theo.goto(`/task/${job.taskId}`)
    await expect(main(theo).getByRole('note').filter({ hasText: HELD })).toBeVisible()
    await admin.rpc('lift_suspension', { person }).throwOnError()
    await expect(main(theo).getByRole('note').filter({ hasText: HELD })).toHaveCount(0, { timeout: 15_000 })
    await sam.reload()
    await expect(main(sam).getByRole('heading', { level: 1 })).toHaveText(job.title)
    await grace.goto('/dashboard')
    await expect(row.getByText('Open', { exact: true })).toBeVisible()
  })
})
