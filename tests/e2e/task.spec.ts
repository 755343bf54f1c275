// One task (spec 001 §2): what its page tells whom, who may apply, and what happens when there is none.
import { expectAccessible, expectAccessibleDialog, expectFocusKept, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { appliedJob, postedTask } from './jobs.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ translated: true })

test('a tasker reads all of it and the giver, but no contact details', async ({ signedInPage, server }) => {
  const { title, taskId } = await postedTask(server, { hours: 72 })
  const grace = await server.signedIn('grace')
  const change = (task: object) => grace.from('tasks').update(task).eq('id', taskId).throwOnError()
  await change({ tools_provided: true, tools_description: 'The blower is in the garage.' })
  const day = { dateStyle: 'medium', timeZone: 'America/Regina' } as const
  const today = new Intl.DateTimeFormat('en-CA', day).format(Date.now())
  const theo = await server.signedIn('theo')
  const { data: task } = await theo
    .from('tasks')
    .select('scheduled_date, giver:public_profiles!task_giver_id(rating, total_reviews, bio)')
    .eq('id', taskId)
    .single<{ scheduled_date: string; giver: { rating: number; total_reviews: number; bio: string } }>()
    .throwOnError()
  const page = await signedInPage('theo')
  await page.goto(`/task/${taskId}`)
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  const main = page.getByRole('main')
  for (const text of [
    'Snow Removal',
    `Posted ${today}`,
    'Two cars wide, and the walk to the side door.',
    'Grace Morin pays',
    '$120.00',
    'You get',
    '$80.00',
    'Nutana, Saskatoon',
    'Provided',
    'The blower is in the garage.',
    task.giver.bio,
  ])
    await expect(main.getByText(text).filter({ visible: true }).first()).toBeVisible()
  await expect(main.getByText('Bring your own')).toHaveCount(0)
  const card = main
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Task giver' }) })
    .last()
  for (const part of ['Grace Morin', task.giver.rating.toFixed(1), `· ${task.giver.total_reviews} reviews`])
    await expect(card).toContainText(part)
  await expect(main.locator('time')).toHaveAttribute('datetime', task.scheduled_date)
  await expect(main.getByText('Contact information is private until booking is accepted')).toBeVisible()
  await expect(main.getByText('grace@example.com')).toHaveCount(0)
  await expect(main.getByRole('heading', { name: 'Apply Now' })).toBeVisible()
  await expect(main.getByText('No open applications')).toBeVisible()

  // On a phone the form is below all that: the action below the title leads to it.
  await page.setViewportSize(NARROW)
  await page.evaluate(() => scrollTo(0, 0))
  const action = main.getByRole('link', { name: 'Apply Now' })
  await expect(action).toBeInViewport({ ratio: 1 })
  await action.click()
  await expect(page.getByLabel('Message to the task giver')).toBeFocused()
  await expect(page.getByLabel('Message to the task giver')).toBeInViewport({ ratio: 1 })
  await main.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL('/browse')
})

test('an application of more than 1000 characters is refused before it is sent', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await postedTask(server)
  const page = await signedInPage('theo')
  await page.goto(`/task/${taskId}`)
  await page.getByLabel('Message to the task giver').fill('m'.repeat(1001))
  await page.getByRole('button', { name: 'Apply Now' }).click()
  await expect(page.getByRole('alert')).toHaveText(['Message too long (max 1000 characters)'])
})

test('a price that changed while somebody wrote is shown, and what they wrote is kept', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^400 POST \/rest\/v1\/bookings/)
  const { taskId } = await postedTask(server)
  const grace = await server.signedIn('grace')
  const change = (pay_amount: number) =>
    grace.from('tasks').update({ pay_amount }).eq('id', taskId).throwOnError()
  const page = await signedInPage('theo')
  // The database reports events that the page missed.
  await page.routeWebSocket(/realtime/, () => undefined)
  await page.goto(`/task/${taskId}`)
  const message = page.getByLabel('Message to the task giver')
  await message.fill('I have a blower and an hour.')
  await change(60)
  await page.getByRole('button', { name: 'Apply Now' }).click()
  await expect(toast(page, 'The price of this task is now $60.00.')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('changed from $100.00 to $60.00')
  await expect(message).toHaveValue('I have a blower and an hour.')
  await page.getByRole('button', { name: 'Apply for $60.00' }).click()
  await expect(page).toHaveURL(/\/bookings/)
  const { data } = await grace.from('bookings').select('agreed_amount, message').eq('task_id', taskId)
  expect(data).toEqual([{ agreed_amount: 60, message: 'I have a blower and an hour.' }])
})

test('a person who has applied sees the state of the application instead of the form', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await appliedJob(server)
  const page = await signedInPage('theo')
  await page.goto(`/task/${taskId}`)
  await expect(page.getByText('You applied. The task giver decides next.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Apply Now' })).toHaveCount(0)
})

test('givers have no application form, and the giver withdraws the task here', async ({
  signedInPage,
  server,
}) => {
  const { title, taskId } = await appliedJob(server)
  const sam = await signedInPage('sam')
  await sam.goto(`/task/${taskId}`)
  await expect(sam.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(sam.getByRole('button', { name: 'Apply Now' })).toHaveCount(0)
  await expect(sam.getByRole('main')).toContainText('Applying is for taskers.')
  await expect(sam.getByRole('main').getByRole('button', { name: 'Work as a tasker too' })).toBeVisible()

  const grace = await signedInPage('grace', NARROW)
  await grace.goto(`/task/${taskId}`)
  await expect(grace.getByRole('link', { name: 'See applications' }).first()).toBeInViewport({ ratio: 1 })
  await grace.getByRole('button', { name: 'Withdraw task' }).click()
  await expectAccessibleDialog(grace)
  await grace.getByRole('alertdialog').getByRole('button', { name: 'Withdraw task' }).click()
  await expect(grace.getByRole('button', { name: 'Withdraw task' })).toHaveCount(0)
  await expectFocusKept(grace)
  await sam.goto(`/browse?search=${encodeURIComponent(title)}`)
  await expect(sam.getByText('No tasks found')).toBeVisible()
  await expect(sam.getByRole('heading', { level: 1, name: 'Browse Available Tasks' })).toBeVisible()
})

test('a task that does not exist says so and leads back', async ({ signedInPage, problems }) => {
  problems.allow(/^40\d GET \/rest\/v1\/tasks/)
  const page = await signedInPage('theo')
  const answer = await page.goto('/task/00000000-0000-4000-8000-00000000dead')
  expect(answer?.status()).toBe(404)
  await expect(page.getByText('Task not found').last()).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Back to browse' }).click()
  await expect(page).toHaveURL('/browse')
})

test('a failure to load leads to the list with a message', async ({ signedInPage, server, problems }) => {
  problems.allow(/^500 GET \/rest\/v1\/tasks/)
  const { taskId } = await postedTask(server)
  const page = await signedInPage('theo')
  await page.route(/\/rest\/v1\/tasks\?.*id=eq/, (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"The roof leaks"}' }),
  )
  await page.goto(`/task/${taskId}`)
  await expect(toast(page, 'Error')).toContainText('The roof leaks', { timeout: 20_000 })
  await expect(page).toHaveURL('/browse')
})

test('the database refuses applications that the page does not offer', async ({ server }) => {
  const { taskId } = await postedTask(server)
  for (const person of ['sam', 'grace'] as const) {
    const client = await server.signedIn(person)
    const { data } = await client.auth.getUser()
    const { error } = await client
      .from('bookings')
      .insert({ task_id: taskId, task_doer_id: data.user?.id, status: 'pending' })
    expect(error?.message).toBe('Access Denied: Only task doers can apply to tasks')
  }
})

test('a tasker who has just lost the role reads why the application is refused', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(/^40\d POST \/rest\/v1\/bookings/)
  const { taskId } = await postedTask(server)
  const email = await server.newAccount('theo')
  const person = (await (await server.signedIn(email)).auth.getUser()).data.user?.id
  const theo = await signedInPage(email)
  // The app learns of its roles by live changes, which this page does not get.
  await theo.routeWebSocket(/\/realtime\//, () => undefined)
  await theo.goto(`/task/${taskId}`)
  await expect(theo.getByRole('button', { name: 'Apply Now' })).toBeVisible()
  const ada = await server.signedIn('ada')
  await ada.rpc('set_roles', { person, roles: ['task_giver'] }).throwOnError()
  await theo.getByRole('button', { name: 'Apply Now' }).click()
  await expect(toast(theo, 'Access Denied: Only task doers can apply to tasks')).toBeVisible()
})

test('the giver edits, the applicant is notified; closed, it is posted again with everything but its date', async ({
  signedInPage,
  server,
}) => {
  const { title, taskId } = await appliedJob(server, { hours: 72 })
  const [grace, theo] = [await signedInPage('grace'), await signedInPage('theo', NARROW)]
  await theo.goto(`/task/${taskId}`)
  await grace.goto('/bookings')
  await grace.getByRole('link', { name: `Edit task: ${title}` }).click()
  await expect(grace).toHaveURL(`/task/${taskId}/edit`)
  const form = grace.getByRole('main')
  await expect(form).toContainText('1 person has applied and will be told what you change.')
  await form.getByLabel('Title', { exact: true }).fill('Bad')
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(form.getByRole('alert')).toHaveText('Title must be at least 5 characters')
  await form.getByLabel('Title', { exact: true }).fill(title)
  await form.getByLabel('Pay for the task').fill('120')
  await form.getByLabel('Location', { exact: true }).fill('Lakeview, Regina')
  await grace.reload()
  await expect(form.getByLabel('Pay for the task')).toHaveValue('120')
  await inBothLooks(grace, () => expectAccessible(grace))
  await form.getByRole('button', { name: 'Save changes' }).click()
  await expect(toast(grace, 'Your changes are saved')).toBeVisible()
  await expect(grace).toHaveURL(`/task/${taskId}`)
  await expect(form).toContainText('Lakeview, Regina')
  await expect(theo.getByRole('main')).toContainText('You applied for $100.00. The task now says $120.00')
  const theos = await server.signedIn('theo')
  const { data: news } = await theos.from('notifications').select('message').eq('link', `/task/${taskId}`)
  expect(news?.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      'the price is now $120.00; your application stays at $100.00; the place is now Lakeview, Regina.',
    ),
  ])

  await form.getByRole('button', { name: 'Withdraw task' }).click()
  await grace.getByRole('alertdialog').getByRole('button', { name: 'Withdraw task' }).click()
  await expect(form).toContainText('It is closed. You can post it again.')
  await grace.goto(`/task/${taskId}/edit`)
  await expect(form).toContainText('This task can no longer be changed')
  await grace.goto('/bookings')
  await grace
    .getByRole('region', { name: 'Closed tasks' })
    .getByRole('link', { name: `Post again: ${title}` })
    .click()
  await expect(form.getByLabel('Title', { exact: true })).toHaveValue(title)
  await expect(form.getByLabel('Pay for the task')).toHaveValue('120')
  await expect(form.getByLabel('Date and time')).toHaveValue('')
  await form.getByRole('button', { name: 'Post Task' }).click()
  await expect(toast(grace, 'Success! Your task has been posted successfully')).toBeVisible()
  await grace.goto('/bookings')
  await expect(
    grace
      .getByRole('region', { name: 'Posted, waiting for taskers' })
      .getByRole('link', { name: title })
      .first(),
  ).toBeVisible()
})
