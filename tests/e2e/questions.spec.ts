// Questions about a task: Theo asks before he applies, Grace answers on the page, a stranger reads both. And the texts that
// Theo saves for his applications.
import { expectAccessible, expectFocusKept, expectNoSidewaysScroll, inBothLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import { postedTask } from './jobs.ts'

const HIDDEN = /Contact details and links are hidden until an application is accepted/

test('Theo asks, Grace answers, and a stranger reads both without contact details', async ({
  signedInPage,
  server,
}) => {
  const { taskId } = await postedTask(server)
  const theo = await signedInPage('theo', NARROW)
  await theo.goto(`/task/${taskId}`)
  const section = theo.getByRole('region', { name: 'Questions' })
  await expect(section).toContainText('No questions yet. Ask before you apply.')
  const field = section.getByLabel('Your question')

  await test.step('an empty question is refused, contact details are announced, and what is typed is kept', async () => {
    await section.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(section.getByRole('alert')).toHaveText('Write your question')
    await field.fill('Is salt there? Call me: 306-555-0123')
    await expect(section.getByRole('status')).toContainText('Is salt there? Call me: •••')
    await inBothLooks(theo, async () => {
      await expectAccessible(theo)
      await expectNoSidewaysScroll(theo)
    })
    await theo.setViewportSize(NARROW)
    await theo.reload()
    await expect(field).toHaveValue('Is salt there? Call me: 306-555-0123')
    await section.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(toast(theo, 'Your question was sent')).toBeVisible()
    await expect(section.getByRole('listitem')).toContainText('Is salt there? Call me: •••')
    await expect(section.getByRole('listitem')).toContainText('Not answered yet')
    await expect(section.getByText(HIDDEN)).toBeVisible()
    await expect(field).toHaveValue('')
  })

  const grace = await signedInPage('grace')
  await test.step('Grace comes from her bell and answers; Theo sees it at once', async () => {
    await grace.goto('/notifications')
    await grace.getByRole('link', { name: /Theo .* asked a question about/ }).click()
    await expect(grace).toHaveURL(/question=/)
    const item = grace.getByRole('region', { name: 'Questions' }).getByRole('listitem')
    await expect(item).toBeInViewport()
    await item.getByLabel('Your answer').fill('Yes, in the garage.')
    await inBothLooks(grace, () => expectAccessible(grace))
    await item.getByRole('button', { name: 'Answer', exact: true }).click()
    await expect(item).toContainText('Yes, in the garage.')
    await expect(section.getByRole('listitem')).toContainText('Yes, in the garage.')
    await expect(section.getByRole('button', { name: 'Remove the question' })).toHaveCount(0)
  })

  await test.step('she corrects the answer within ten minutes', async () => {
    const item = grace.getByRole('region', { name: 'Questions' }).getByRole('listitem')
    await item.getByRole('button', { name: 'Change the answer' }).click()
    await item.getByLabel('Your answer').fill('Yes, on the porch.')
    await item.getByRole('button', { name: 'Save' }).click()
    await expect(section.getByRole('listitem')).toContainText('Yes, on the porch.')
  })

  await test.step('Sam reads both, may report them, and has nothing to remove', async () => {
    const sam = await signedInPage('sam')
    await sam.goto(`/task/${taskId}`)
    const item = sam.getByRole('region', { name: 'Questions' }).getByRole('listitem')
    await expect(item).toContainText('Is salt there? Call me: •••')
    await expect(item).toContainText('Yes, on the porch.')
    await expect(item.getByRole('button', { name: 'Remove the question' })).toHaveCount(0)
    await item.getByRole('button', { name: 'Report this answer' }).click()
    const dialog = sam.getByRole('alertdialog', { name: 'Report this answer' })
    await dialog.getByLabel('Your reason').fill('It is an advertisement.')
    await dialog.getByRole('button', { name: 'Send report' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('Theo removes another question that nobody has answered', async () => {
    await field.fill('How deep is it?')
    await section.getByRole('button', { name: 'Ask', exact: true }).click()
    const item = section.getByRole('listitem').filter({ hasText: 'How deep is it?' })
    await item.getByRole('button', { name: 'Remove the question' }).click()
    await expect(item).toHaveCount(0)
  })
})

test('Theo saves a text, uses it for another task, gets back what he had written, and removes it', async ({
  signedInPage,
  server,
}) => {
  const first = await postedTask(server)
  const second = await postedTask(server)
  const theo = await signedInPage('theo', NARROW)
  const message = theo.getByLabel('Message to the task giver')
  await theo.goto(`/task/${first.taskId}`)
  await message.fill('I have a blower and salt.\nI can start today: 306-555-0123')
  await expect(theo.getByText(HIDDEN)).toBeVisible()
  await message.fill('I have a blower and salt.\nI can start today.')
  await expect(theo.getByText(HIDDEN)).toHaveCount(0)
  await theo.getByRole('button', { name: 'Save this text' }).click()
  const dialog = theo.getByRole('alertdialog', { name: 'Save this text' })
  await expect(dialog.getByLabel('Name of the text')).toHaveValue('I have a blower and salt.')
  await dialog.getByLabel('Name of the text').fill('Snow')
  await inBothLooks(theo, () => expectAccessible(theo))
  await theo.setViewportSize(NARROW)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(toast(theo, 'Text saved')).toBeVisible()
  await expect(theo.getByRole('button', { name: 'Save this text' })).toHaveCount(0)

  await theo.goto(`/task/${second.taskId}`)
  await message.fill('Written before')
  await theo.getByRole('button', { name: 'Use a saved text' }).click()
  await theo.getByRole('menuitem', { name: 'Snow' }).click()
  await expect(message).toHaveValue('I have a blower and salt.\nI can start today.')
  await theo.getByRole('button', { name: 'Put back what you had written' }).click()
  await expect(message).toHaveValue('Written before')

  await theo.getByRole('button', { name: 'Use a saved text' }).click()
  await theo.getByRole('menuitem', { name: 'Manage saved texts' }).click()
  const texts = theo.getByRole('dialog', { name: 'Saved texts' })
  await texts.getByRole('button', { name: 'Rename Snow' }).click()
  await texts.getByLabel('Name of the text').fill('')
  await texts.getByRole('button', { name: 'Save' }).click()
  await expect(texts.getByRole('alert')).toHaveText('Give the text a name')
  await texts.getByLabel('Name of the text').fill('Winter')
  await texts.getByRole('button', { name: 'Save' }).click()
  await expect(texts).toContainText('Winter')
  await inBothLooks(theo, () => expectAccessible(theo))
  await theo.setViewportSize(NARROW)
  await texts.getByRole('button', { name: 'Remove Winter' }).click()
  await expect(texts).toContainText('No saved texts yet')
  await texts.getByRole('button', { name: 'Done' }).click()
  await expectFocusKept(theo)
  await expect(message).toHaveValue('Written before')
  // None of this has sent the application.
  const { data } = await (await server.signedIn('theo'))
    .from('bookings')
    .select('id')
    .in('task_id', [first.taskId, second.taskId])
    .throwOnError()
  expect(data).toEqual([])
})
