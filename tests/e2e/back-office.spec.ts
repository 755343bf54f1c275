// The back office: an admin suspends a person who is signed in elsewhere, decides a complaint from its case, looks at
// the money and hides reported content. All of it is in the audit log.
import {
  expectAccessible,
  expectAccessibleDialog,
  expectFocusKept,
  expectNoSidewaysScroll,
  inBothLooks,
} from './accessibility.ts'
import { expect, test, toast } from './fixtures.ts'
import { complainedJob, postedTask, say } from './jobs.ts'
import { PASSWORD } from './server.ts'

test('Ada suspends, decides, looks at the money and hides what was reported', async ({
  page,
  signedInPage,
  server,
}) => {
  test.slow()
  const email = await server.newAccount('grace')
  const elsewhere = await server.signedIn(email)
  const spam = await postedTask(server, { title: 'Cheap watches for sale', giver: email })
  const ada = await signedInPage('ada')
  const giver = await signedInPage(email)
  await giver.goto('/dashboard')

  await test.step('a report leads to hiding it', async () => {
    const sam = await signedInPage('sam')
    await sam.goto(`/task/${spam.taskId}`)
    await sam.getByRole('button', { name: 'Report this task' }).click()
    const dialog = sam.getByRole('alertdialog')
    await dialog.getByRole('button', { name: 'Send report' }).click()
    await expect(dialog.getByRole('alert')).toContainText('at least 10 characters')
    await expectAccessibleDialog(sam)
    await dialog.getByLabel('Your reason').fill('This is no task but an advertisement.')
    await dialog.getByRole('button', { name: 'Send report' }).click()
    await expect(toast(sam, 'Report sent')).toBeVisible()
    await ada.goto('/admin')
    await ada.getByRole('main').getByRole('link', { name: 'Reports to decide' }).click()
    const row = ada.getByRole('listitem').filter({ hasText: spam.title })
    await expect(row).toContainText('an advertisement')
    await row.getByRole('button', { name: /^Hide/ }).click()
    await expectAccessibleDialog(ada)
    await ada.getByRole('alertdialog').getByLabel('Reason').fill('Meadowlark is for tasks only.')
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Hide' }).click()
    await expect(toast(ada, 'Hidden.')).toBeVisible()
    await expect(row).toHaveCount(0)
    const seen = await (await server.signedIn('sam')).from('tasks').select('id').eq('id', spam.taskId)
    expect(seen.data).toEqual([])
    // Its giver reads why, without a reload and wherever it is shown.
    const hidden = giver.getByRole('region', { name: 'Hidden by an administrator' })
    await expect(hidden).toContainText('Meadowlark is for tasks only.')
    await hidden.getByRole('link', { name: spam.title }).click()
    await expect(giver.getByText('Others do not see your task')).toBeVisible()
    await expectAccessible(giver)
  })

  await test.step('a person who is signed in elsewhere is suspended: nothing more goes, and signing in says why', async () => {
    const nav = ada.getByRole('navigation', { name: 'Back office' })
    await nav.getByRole('link', { name: 'People' }).click()
    await ada.getByRole('searchbox').fill(email)
    const found = ada.getByRole('main').getByRole('listitem')
    await expect(found).toHaveCount(1)
    await found.filter({ hasText: email }).getByRole('link').click()
    await expect(ada.getByRole('main')).toContainText(spam.title)
    await ada.getByRole('button', { name: 'Suspend' }).click()
    await expect(ada.getByRole('alertdialog').getByLabel('Reason')).toBeFocused()
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click()
    await expect(ada.getByRole('alertdialog').getByRole('alert')).toContainText('Please give a reason')
    await expectAccessibleDialog(ada)
    await ada.getByRole('alertdialog').getByLabel('Reason').fill('Advertisements in tasks.')
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click()
    await expect(ada.getByText(/^Suspended since/)).toBeVisible()
    await expect(giver.getByRole('status').filter({ hasText: 'Your account is suspended' })).toContainText(
      'Advertisements in tasks.',
    )
    await expectAccessible(giver)
    await inBothLooks(ada, async () => {
      await expectNoSidewaysScroll(ada)
      await expectAccessible(ada)
    })
    const posting = elsewhere.from('tasks').update({ title: 'Expensive watches' }).eq('id', spam.taskId)
    expect((await posting.select('id')).error?.message).toContain('Your account is suspended')
    await page.goto('/auth')
    const form = page.getByRole('main')
    await form.getByLabel('Email').fill(email)
    await form.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await form.locator('form').getByRole('button', { name: 'Sign In' }).click()
    await expect(page).toHaveURL('/dashboard')
    await expect(page.getByRole('status').filter({ hasText: 'Your account is suspended' })).toContainText(
      'Advertisements in tasks.',
    )
    await ada.getByRole('button', { name: 'Lift the suspension' }).click()
    await expectAccessibleDialog(ada)
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Lift the suspension' }).click()
    await expect(ada.getByRole('button', { name: 'Suspend' })).toBeVisible()
    await expectFocusKept(ada)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Your account is suspended')).toHaveCount(0)

    // A second role, which counts from the person's next page on; the first is kept.
    await ada.getByRole('button', { name: 'Change role' }).click()
    const dialog = ada.getByRole('alertdialog', { name: /^Roles of / })
    const gives = dialog.getByRole('checkbox', { name: 'Task giver' })
    await expect(gives).toBeChecked()
    await gives.uncheck()
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await expect(dialog).toContainText('Choose at least one role')
    await expectAccessibleDialog(ada)
    await gives.check()
    await dialog.getByRole('checkbox', { name: 'Tasker' }).check()
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await expect(toast(ada, 'is now: Task giver + Tasker')).toBeVisible()
    await expectFocusKept(ada)
    await page.goto('/dashboard')
    await expect(page.getByText('Find your next opportunity')).toBeVisible()
  })

  const job = await complainedJob(server, { answer: 'The walk was clear at four.' })
  await say(server, 'theo', 'grace', job, 'The side door was iced over.')
  await test.step('a complaint is decided from its case', async () => {
    await ada.goto('/admin/complaints')
    await ada.getByRole('link', { name: `Open the case ${job.title}` }).click()
    const main = ada.getByRole('main')
    for (const words of ['still covered', 'clear at four', 'iced over', '$120.00'])
      await expect(main).toContainText(words)
    await inBothLooks(ada, async () => {
      await expectNoSidewaysScroll(ada)
      await expectAccessible(ada)
    })
    await main.getByRole('radio', { name: 'Refund' }).check()
    await main.getByLabel('Reason for the decision').fill('The walk was not clear.')
    // Looked up elsewhere meanwhile: what was begun is there again.
    await ada.goto('/admin/people')
    await ada.goBack()
    await expect(main.getByLabel('Reason for the decision')).toHaveValue('The walk was not clear.')
    await main.getByRole('button', { name: 'Decide' }).click()
    const question = ada.getByRole('alertdialog', { name: 'Decide this complaint?' })
    await expect(question).toContainText('The walk was not clear.')
    await expect(question.getByRole('definition')).toHaveText(['$120.00', '$0.00', '$0.00', '$120.00'])
    await question.getByRole('button', { name: 'Refund the task giver' }).click()
    await expect(toast(ada, 'Complaint decided')).toContainText('gets back $120.00')
    await expect(main).toContainText('Refunded')
    await expectFocusKept(ada)
  })

  await test.step('the refund is found among the money, and all of it in the audit log', async () => {
    await ada.goto('/admin/money')
    await ada.getByRole('tab', { name: 'Refunds' }).click()
    await ada.getByRole('searchbox').fill(job.taskId)
    await expect(ada).toHaveURL(new RegExp(`tab=refunds.*search=${job.taskId}`))
    const row = ada.getByRole('main').getByRole('listitem')
    await expect(row).toHaveCount(1)
    await expect(row).toContainText(job.title)
    await expect(row).toContainText('$120.00')
    // The search stays from list to list.
    await ada.getByRole('tab', { name: 'Payments' }).click()
    await expect(row).toContainText('Refunded')
    await expect(row).toContainText('Task $100.00, paid $120.00')
    await ada.getByRole('tab', { name: 'Payouts' }).click()
    await expect(ada.getByText('No payment matches that')).toBeVisible()
    await ada.getByRole('tab', { name: 'Chargebacks' }).click()
    await expect(ada.getByText('No chargeback matches that')).toBeVisible()
    await ada.goto('/admin/audit?table=complaints')
    const entry = ada.getByRole('main').getByRole('listitem').filter({ hasText: job.title }).first()
    await expect(entry).toContainText('Complaint · changed')
    await expect(entry).toContainText('Reason for the decision: The walk was not clear.')
    await expect(entry.getByRole('link', { name: job.title })).toHaveAttribute(
      'href',
      /^\/admin\/complaints\//,
    )
    await ada.goto('/admin/audit?table=payments')
    const money = ada.getByRole('main').getByRole('listitem').filter({ hasText: job.title }).first()
    await expect(money).toContainText('Refund: On its way')
    await ada.goto('/admin/figures')
    // Every bar says its value.
    const posted = ada.getByRole('table', { name: 'Tasks posted' })
    await expect(posted.getByRole('row')).toHaveCount(12)
    await expect(posted.getByRole('cell').last()).toHaveText(/^[1-9]\d*$/)
    await expect(posted.getByRole('rowheader').last()).toHaveText(/^[A-Z]\p{L}+ \d+$/u)
    await ada.getByLabel('Week or month').selectOption('month')
    await expect(posted.getByRole('rowheader').last()).toHaveText(/^[A-Z]\p{L}+ \d{4}$/u)
  })
})

test('the ID of the demo’s waiting person is shown next to the facts, larger and turned', async ({
  signedInPage,
}) => {
  const page = await signedInPage('ada')
  await page.goto('/admin/verifications')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: 'Bogdan Tkachuk' })).toBeVisible()
  for (const fact of ['Apr 17, 1998', "Driver's licence"]) await expect(main).toContainText(fact)
  const frame = main.getByRole('region', { name: 'Picture of the ID' })
  const picture = frame.getByRole('img', { name: 'ID that Bogdan Tkachuk submitted' })
  await expect(picture).toHaveJSProperty('naturalWidth', 1400)
  await main.getByRole('button', { name: 'Larger' }).click()
  await expect(main.getByRole('status').filter({ hasText: '150%' })).toBeVisible()
  expect(await frame.evaluate((region) => region.scrollWidth > region.clientWidth)).toBe(true)
  await main.getByRole('button', { name: 'Rotate a quarter turn' }).click()
  await expect(picture).toHaveCSS('transform', /^matrix\((0|[\d.e-]+), 1, -1,/)
  await inBothLooks(page, () => expectAccessible(page))
})

test('people to verify are listed newest first; Cancel changes nothing', async ({ signedInPage, server }) => {
  const older = await server.newAccount('grace')
  const newest = await server.newAccount('theo')
  const ada = await signedInPage('ada')
  await ada.goto('/admin/verify-users')
  const rows = ada.getByRole('main').getByRole('listitem').filter({ hasText: '@' })
  await expect(rows.nth(0)).toContainText(newest)
  await expect(rows.nth(1)).toContainText(older)
  // The face that was made of the initials, and the name.
  await expect(rows.first()).toContainText(/^TTheo\s*Not Verified/)
  await rows
    .first()
    .getByRole('button', { name: /^Verify User/ })
    .click()
  const dialog = ada.getByRole('dialog')
  await dialog.getByLabel('Notes').fill('Saw nothing yet.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await ada.reload()
  await expect(rows.first()).toContainText(newest)
  await expect(rows.first()).toContainText('Not Verified')
  await expect(rows.first()).not.toContainText('Saw nothing yet.')
})

test('the admin page is for admins, and says what of it could not be loaded', async ({
  page,
  signedInPage,
  problems,
}) => {
  problems.allow(/^500 /)
  await page.goto('/admin/verify-users')
  await expect(toast(page, 'Access Denied')).toContainText('You must be logged in to access this page.')
  await expect(page).toHaveURL(/\/auth/)
  const theo = await signedInPage('theo')
  await theo.goto('/admin/verify-users')
  await expect(toast(theo, 'Access Denied')).toContainText('You do not have permission to access this page.')
  await expect(theo).toHaveURL('/dashboard')

  const ada = await signedInPage('ada')
  const fails = (path: RegExp) => ada.route(path, (route) => route.fulfill({ status: 500, json: {} }))
  await fails(/\/rest\/v1\/rpc\/find_people_to_verify/)
  await ada.goto('/admin/verify-users')
  await expect(ada.getByText('Failed to load user profiles.').first()).toBeVisible()
  await fails(/\/rest\/v1\/user_roles/)
  await ada.reload()
  await expect(ada.getByText('Failed to verify admin access.').first()).toBeVisible()
  await expect(ada.getByRole('searchbox')).toHaveCount(0)
})
