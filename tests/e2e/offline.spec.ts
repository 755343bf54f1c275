// Without a network: what was last seen can be read, by its account alone, and is gone once that signs out.
import type { Page } from '@playwright/test'
import { expectAccessibleDialog, expectGoodLooks } from './accessibility.ts'
import { button, drawer } from './drawer.ts'
import { expect, loseAnswer, NARROW, NO_NETWORK, test, toast } from './fixtures.ts'
import { acceptedJob, bookingCard, postedTask, say } from './jobs.ts'
import { keptNames } from './kept.ts'
import { uniqueWord } from './unique.ts'
import { workerReady } from './workers.ts'

test.use({ serviceWorkers: 'allow' })

/** Waits until what this page shows is kept: the next save has been made. */
async function untilKept(page: Page, text: string) {
  const isThere = () =>
    page.evaluate(
      (wanted) =>
        new Promise<boolean>((resolve) => {
          const opening = indexedDB.open('kept')
          opening.onsuccess = () => {
            const all = opening.result.transaction('entries').objectStore('entries').getAll()
            all.onsuccess = () => resolve(JSON.stringify(all.result).includes(wanted))
            opening.result.close()
          }
        }),
      text,
    )
  await expect.poll(isThere).toBe(true)
}

test('tasks, bookings and conversations that were seen are read offline, by their account alone', async ({
  lend,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  const email = await server.newAccount('grace')
  const job = await acceptedJob(server, { giver: email })
  const words = `The side door is open ${job.bookingId.slice(0, 8)}`
  await say(server, 'theo', email, job, words)
  const { context } = await lend()
  const page = await context.newPage()
  const signIn = async (address: string) => {
    await page.goto('/auth')
    const form = page.getByRole('main')
    await form.getByLabel('Email').fill(address)
    await form.getByLabel('Password', { exact: true }).fill('Meadowlark1')
    await form.locator('form').getByRole('button', { name: 'Sign In' }).click()
    await expect(page).toHaveURL('/dashboard')
  }

  await test.step('seen while there is a network', async () => {
    await signIn(email)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(page, job)).toBeVisible()
    await button(page).click()
    await drawer(page).getByRole('listitem').filter({ hasText: job.title }).click()
    await expect(drawer(page).getByText(words)).toBeVisible()
    await untilKept(page, `["messages","${job.bookingId}"]`)
    await workerReady(page)
  })

  await test.step('read without, also when the session’s token has run out', async () => {
    await page.evaluate(() => {
      const name = Object.keys(localStorage).find((key) => key.endsWith('-auth-token')) ?? ''
      const session = JSON.parse(localStorage.getItem(name) ?? '{}')
      localStorage.setItem(name, JSON.stringify({ ...session, expires_at: 1_000 }))
    })
    await context.setOffline(true)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(bookingCard(page, job)).toBeVisible()
    await expect(page.getByText('You are offline').first()).toBeVisible()
    await button(page).click()
    await drawer(page).getByRole('listitem').filter({ hasText: job.title }).click()
    await expect(drawer(page).getByText(words)).toBeVisible()
  })

  await test.step('gone once they sign out', async () => {
    await context.setOffline(false)
    await page.goto('/dashboard')
    await expect(page.getByText('You are offline')).toHaveCount(0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    await expect(page).toHaveURL('/')
    await expect.poll(() => keptNames(page)).toEqual([])
  })

  /** The message of a screen without content. */
  const nothing = page.getByRole('main').getByRole('alert')

  await test.step('and nothing of it for whoever signs in next', async () => {
    await signIn('sam@example.com')
    await untilKept(page, 'sam@example.com')
    await context.setOffline(true)
    await page.goto(`/bookings?booking=${job.bookingId}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(nothing).toContainText('Nothing is kept here yet')
    await expect(nothing.getByRole('button', { name: 'Try again' })).toBeVisible()
    await expect(page.getByText(job.title)).toHaveCount(0)
  })

  await test.step('an unseen screen says that it is not kept, and comes with the network', async () => {
    await page.getByRole('button', { name: 'Messages' }).click()
    await expect(drawer(page).getByRole('alert')).toContainText('You are offline')
    await page.goto('/profile?tab=security')
    await expect(nothing).toHaveCount(1)
    await context.setOffline(false)
    await expect(page.getByRole('tabpanel').getByText('This device')).toBeVisible()
    await expect(nothing).toHaveCount(0)
  })
})

test('a screen that was not kept fills itself where it is once the connection is back', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  problems.allow(/^net::ERR_FAILED/)
  const email = await server.newAccount('theo')
  const { data } = await (await server.signedIn('theo')).auth.getUser()
  const { taskId, title } = await postedTask(server)
  const page = await signedInPage(email)
  await page.goto('/dashboard')
  await workerReady(page)
  await untilKept(page, '["role",')
  const nothing = page.getByRole('main').getByRole('alert')
  for (const [path, table, heading] of [
    [`/task/${taskId}`, 'tasks', title],
    [`/profile/${data.user?.id}`, 'public_profiles', /^Theo/],
  ] as const)
    await test.step(path, async () => {
      await page.context().setOffline(true)
      await page.goto(path)
      await expect(nothing).toBeVisible()
      // The first tries of a network that has just come back often fail, too.
      let failures = 0
      await page.route(new RegExp(`/rest/v1/(rpc/)?${table}\\b`), (route) =>
        failures++ < 1 ? route.abort() : route.fallback(),
      )
      await page.context().setOffline(false)
      await expect.poll(() => failures).toBeGreaterThan(0)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(nothing).toHaveCount(0)
      await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
      await expect(page).toHaveURL(path)
    })
})

test('a task and an application written offline wait in sight, outlast a reload, and are sent once', async ({
  signedInPage,
  server,
  problems,
}) => {
  problems.allow(NO_NETWORK)
  problems.allow(/^net::ERR_FAILED/)
  problems.allow(/^409 POST \/rest\/v1\/tasks|^(400|503) POST \/rest\/v1\/bookings/)
  const title = `Stack the firewood ${uniqueWord()}`
  const email = await server.newAccount('grace')
  const [grace, theo] = await Promise.all([signedInPage(email, NARROW), signedInPage('theo')])
  const job = await postedTask(server, { giver: email })
  const gone = await postedTask(server, { giver: email, title: 'Carry the sofa' })
  const client = await server.signedIn(email)
  const answers = await loseAnswer(grace, 'POST', /\/rest\/v1\/tasks\b/)
  const theosAnswers = await loseAnswer(theo, 'POST', /\/rest\/v1\/bookings\b/, { unknown: true })

  await test.step('Grace posts without a network', async () => {
    await grace.goto('/dashboard')
    await workerReady(grace)
    await untilKept(grace, '["role",')
    await grace.context().setOffline(true)
    await grace.goto('/post-task')
    await grace.getByLabel('Title', { exact: true }).fill(title)
    await grace.getByLabel('Description', { exact: true }).fill('Two cords, from the driveway to the shed.')
    await grace.getByLabel('Category', { exact: true }).selectOption('Snow Removal')
    await expect(grace.getByText('Post the task without photos')).toBeVisible()
    await grace.getByRole('button', { name: 'Continue' }).click()
    await grace.getByLabel('Location', { exact: true }).fill('Nutana, Saskatoon')
    await grace.getByRole('button', { name: 'Continue' }).click()
    await grace.getByLabel('Pay for the task', { exact: true }).fill('80')
    await grace.getByRole('button', { name: 'Post Task' }).click()
    await expect(grace).toHaveURL('/dashboard')
    const row = grace.getByRole('main').getByRole('listitem').filter({ hasText: title })
    await expect(row).toContainText('Waiting for a connection.')
    await expect.poll(() => keptNames(grace)).toContainEqual(expect.stringMatching(/^outbox:/))
    await grace.reload()
    await grace.getByRole('button', { name: 'Show', exact: true }).click()
    const list = grace.getByRole('dialog', { name: 'Waiting to be sent' })
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await expect(list).toContainText(`New task: ${title}`)
    await expect(list.getByRole('button', { name: 'Send now' })).toBeDisabled()
    await expectGoodLooks(grace)
    await list.getByRole('button', { name: 'Edit' }).click()
    await expect(grace.getByLabel('Title', { exact: true })).toHaveValue(title)
    await grace.getByLabel('Pay for the task', { exact: true }).fill('90')
    await grace.getByRole('button', { name: 'Post Task' }).click()
    await expect(grace).toHaveURL('/dashboard')
  })

  await test.step('Theo applies to two tasks, one of which is withdrawn meanwhile', async () => {
    for (const { taskId, title } of [job, gone]) {
      await theo.goto(`/task/${taskId}`)
      await expect(theo.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await expect(theo.getByRole('button', { name: 'Apply Now' })).toBeVisible()
      await untilKept(theo, taskId)
    }
    await workerReady(theo)
    await theo.context().setOffline(true)
    for (const { taskId, title } of [job, gone]) {
      await theo.goto(`/task/${taskId}`)
      await theo.getByLabel('Message to the task giver').fill(`I can do this: ${title}`)
      await theo.getByRole('button', { name: 'Apply Now' }).click()
      await expect(theo.getByText('Your application is waiting to be sent')).toBeVisible()
      await untilKept(theo, `I can do this: ${title}`)
    }
    await client.from('tasks').update({ status: 'cancelled' }).eq('id', gone.taskId).throwOnError()
    await theo.reload()
    await expect(theo.getByText('Waiting to be sent: 2')).toBeVisible()
  })

  await test.step('both are there once, though the first answers were lost; what is refused says why', async () => {
    // She signs out meanwhile, and waits at the question: it answers itself.
    await grace.getByRole('button', { name: 'Your account' }).click()
    await grace.getByRole('menuitem', { name: 'Sign Out' }).click()
    const question = grace.getByRole('alertdialog', { name: 'Sign out and lose what is waiting?' })
    await expect(question).toContainText('Not sent yet: 1.')
    await grace.context().setOffline(false)
    await expect.poll(answers.lost).toBe(1)
    await expect(toast(grace, 'Nothing is waiting to be sent any more. Signing out.')).toBeVisible()
    await expect(question).toHaveCount(0)
    await expect(grace).toHaveURL('/')
    await theo.context().setOffline(false)
    await expect.poll(theosAnswers.lost).toBe(1)
    await expect.poll(() => keptNames(grace)).not.toContainEqual(expect.stringMatching(/^outbox:/))
    const { data: tasks } = await client.from('tasks').select('pay_amount').eq('title', title).throwOnError()
    expect(tasks).toEqual([{ pay_amount: 90 }])
    const { data: bookings } = await client
      .from('bookings')
      .select('message')
      .in('task_id', [job.taskId, gone.taskId])
      .throwOnError()
    expect(bookings).toEqual([{ message: `I can do this: ${job.title}` }])
    await expect(theo.getByText('Not accepted: 1')).toBeVisible()
    await theo.getByRole('button', { name: 'Show', exact: true }).click()
    const list = theo.getByRole('dialog', { name: 'Waiting to be sent' })
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await expect(list).toContainText('This task is no longer open')
    await expect(list).toContainText(`I can do this: ${gone.title}`)
    await list.getByRole('button', { name: 'Close' }).first().click()
  })

  await test.step('a person who signs out is asked, and leaves nothing', async () => {
    await theo.getByRole('button', { name: 'Your account' }).click()
    await theo.getByRole('menuitem', { name: 'Sign Out' }).click()
    const question = theo.getByRole('alertdialog', { name: 'Sign out and lose what is waiting?' })
    await expectAccessibleDialog(theo)
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(theo.getByText('Not accepted: 1')).toBeVisible()
    await theo.getByRole('button', { name: 'Your account' }).click()
    await theo.getByRole('menuitem', { name: 'Sign Out' }).click()
    await question.getByRole('button', { name: 'Sign out and delete' }).click()
    await expect(theo).toHaveURL('/')
    await expect.poll(() => keptNames(theo)).toEqual([])
  })
})
