// One paid job from beginning to end, by the two people whose job it is (spec 001 §2, §4). Grace joins and posts,
// Theo applies, and she accepts and pays into escrow. He does the work, she releases the money and he is paid.
import { expect, newAddress, test, toast } from './fixtures.ts'
import { bookingCard, enterCard, ledgerOf } from './jobs.ts'
import { PASSWORD } from './server.ts'
import { uniqueWord } from './unique.ts'

// A translator is at work on these pages, as on those of many readers.
test.use({ serviceWorkers: 'allow', translated: true })

test('Grace joins, posts a task and pays Theo for it', async ({ page: grace, signedInPage, server }) => {
  test.setTimeout(180_000)
  const email = newAddress('grace')
  const job = { title: `Carry a piano up one floor ${uniqueWord()}` }
  const theo = await signedInPage('theo')
  const earned = (await (await server.signedIn('theo')).rpc('my_earnings')).data as number

  await test.step('Grace signs up and confirms her address', async () => {
    await grace.goto('/')
    await grace.getByRole('banner').getByRole('link', { name: 'Get Started' }).click()
    await expect(grace.getByRole('tab', { name: 'Sign Up' })).toHaveAttribute('aria-selected', 'true')
    await grace.getByRole('radio', { name: 'Post Tasks' }).check()
    await grace.getByLabel('Full name').fill('Grace')
    await grace.getByLabel('Email').fill(email)
    await grace.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await grace.getByRole('main').getByRole('button', { name: 'Sign Up', exact: true }).click()
    await expect(toast(grace, 'Account created!')).toBeVisible()
    const message = await server.messageTo(email)
    await grace.goto(message.links[0] ?? '')
    await grace.getByRole('button', { name: 'Confirm my email' }).click()
    await expect(grace).toHaveURL(/\/dashboard/)
  })

  await test.step('she posts a task', async () => {
    await grace.getByRole('main').getByRole('link', { name: 'Post a New Task' }).first().click()
    await grace.getByRole('main').getByLabel('Title', { exact: true }).fill(job.title)
    await grace
      .getByLabel('Description', { exact: true })
      .fill('An upright, one landing, wide stairs. Two strong people.')
    await grace.getByLabel('Category', { exact: true }).selectOption('Moving')
    await grace.getByLabel('Location', { exact: true }).fill('Nutana, Saskatoon')
    await grace.getByLabel('Exact address').fill('1120 Main Street')
    await grace.getByLabel('Pay for the task').fill('200')
    await grace.getByRole('button', { name: 'Post Task' }).click()
    await expect(toast(grace, 'Success! Your task has been posted successfully')).toBeVisible()
    await expect(grace).toHaveURL('/dashboard')
  })

  await test.step('Theo finds it and applies; the address is not shown to him', async () => {
    await theo.goto('/browse')
    await expect(theo.getByRole('heading', { name: 'Recommended Tasks For You' })).toBeVisible()
    await theo.getByPlaceholder('Search tasks, location...').fill(job.title)
    await theo.getByRole('link', { name: `Accept Task: ${job.title}` }).click()
    await expect(theo.getByRole('heading', { level: 1, name: job.title })).toBeVisible()
    await expect(theo.getByText('Contact information is private until booking is accepted')).toBeVisible()
    await expect(theo.getByText('1120 Main Street')).toHaveCount(0)
    await theo.getByLabel('Message to the task giver').fill('My brother and I moved two of these last month.')
    await theo.getByRole('button', { name: 'Apply Now' }).click()
    await expect(toast(theo, 'Your application has been submitted')).toBeVisible()
    await expect(theo).toHaveURL('/bookings')
    await expect(bookingCard(theo, job)).toContainText('Pending')
  })

  await test.step('she accepts him, and he waits for the payment', async () => {
    await grace.goto('/bookings')
    await expect(bookingCard(grace, job)).toContainText('My brother and I moved two of these last month.')
    await bookingCard(grace, job).getByRole('button', { name: 'Accept', exact: true }).click()
    await expect(toast(grace, 'Booking accepted')).toBeVisible()
    await expect(bookingCard(grace, job)).toContainText('Pay to get started')
    // The button is gone; the keyboard's place is the booking.
    await expect(bookingCard(grace, job)).toBeFocused()
    await theo.reload()
    await expect(bookingCard(theo, job)).toContainText('Waiting for task giver to make payment')
    const mark = bookingCard(theo, job).getByRole('button', { name: 'Mark Task Complete' })
    await expect(mark).toHaveCount(0)
    await expect(bookingCard(theo, job)).toContainText('1120 Main Street')
  })

  await test.step('she pays: the amount, 15 % and 5 %, held in escrow', async () => {
    await bookingCard(grace, job).getByRole('button', { name: /^Pay/ }).click()
    const dialog = grace.getByRole('dialog', { name: 'Complete Payment' })
    for (const figure of ['$200.00', '$30.00', '$10.00', '$240.00'])
      await expect(dialog).toContainText(figure)
    await enterCard(grace, '4242 4242 4242 4242')
    await dialog.getByRole('button', { name: 'Pay $240.00' }).click()
    await expect(toast(grace, 'Payment Successful')).toContainText('held in escrow')
    await expect(dialog.getByRole('button', { name: 'Done' })).toBeFocused()
    await grace.keyboard.press('Enter')
    await expect(bookingCard(grace, job)).toContainText('Payment secured')
    await expect(bookingCard(grace, job)).toContainText(/Waiting for Theo.* to complete the task/)
    const release = bookingCard(grace, job).getByRole('button', { name: 'Confirm and Release' })
    await expect(release).toHaveCount(0)
    await expect(bookingCard(grace, job)).toBeFocused()
  })

  await test.step('he does the work and says so', async () => {
    await theo.reload()
    await bookingCard(theo, job)
      .getByLabel('Completion notes')
      .fill('It stands by the window and is still in tune.')
    await bookingCard(theo, job).getByRole('button', { name: 'Mark Task Complete' }).click()
    await expect(toast(theo, 'Task Marked Complete!')).toBeVisible()
    await expect(bookingCard(theo, job)).toContainText('Waiting for confirmation')
    const mark = bookingCard(theo, job).getByRole('button', { name: 'Mark Task Complete' })
    await expect(mark).toHaveCount(0)
    await expect(bookingCard(theo, job)).toBeFocused()
  })

  await test.step('she reads his notes and releases the money', async () => {
    await grace.reload()
    await expect(bookingCard(grace, job)).toContainText('It stands by the window and is still in tune.')
    await bookingCard(grace, job).getByRole('button', { name: 'Confirm and Release' }).click()
    await grace.getByRole('alertdialog').getByRole('button', { name: 'Confirm and Release' }).click()
    await expect(toast(grace, 'Payment Released!')).toBeVisible()
    const success = grace.getByRole('dialog', { name: 'Paid. How did Theo' })
    await expect(success).toContainText('$160.00')
    await success.getByRole('button', { name: 'Not now' }).click()
    await expect(bookingCard(grace, job)).toBeFocused()
    await expect(bookingCard(grace, job)).toContainText('$240.00')
    await expect(bookingCard(grace, job)).toContainText('$160.00')
  })

  await test.step('the transfer is made, the task is closed, and the books balance', async () => {
    const client = await server.signedIn(email)
    const read = async () => {
      const { data } = await client
        .from('tasks')
        .select('status, bookings(status, payments(*))')
        .eq('title', job.title)
        .single()
        .throwOnError()
      return data as unknown as {
        status: string
        bookings: { status: string; payments: { id: string; payout_status: string } }[]
      }
    }
    await expect
      .poll(async () => (await read()).bookings[0]?.payments?.payout_status, { timeout: 20_000 })
      .toBe('sent')
    const task = await read()
    expect(task).toMatchObject({ status: 'completed', bookings: [{ status: 'completed' }] })
    expect(task.bookings[0]?.payments).toMatchObject({
      amount: 200,
      platform_fee: 30,
      gst: 10,
      total: 240,
      payout_amount: 160,
      escrow_status: 'released',
      stripe_transfer_id: expect.stringMatching(/^tr_/),
    })

    const ledger = await ledgerOf(server, task.bookings[0]?.payments?.id ?? '')
    expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0)
    // All went out of escrow and to Theo; the platform keeps its fee from both sides.
    expect(ledger).toMatchObject({ escrow: 0, tasker: 0, provider: 80 })

    const { data } = await (await server.signedIn('theo')).rpc('my_earnings')
    expect(data).toBe(earned + 160)
    await theo.goto('/bookings?tab=completed')
    await expect(bookingCard(theo, job)).toContainText('Sent to your bank account.')
  })
})
