// Pending items of a database that is newer than the app.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { startI18n } from '../../i18n/index.ts'
import type { ActionItem } from '../../lib/queries/actionItems.ts'
import { ActionItemList } from './ActionItemList.tsx'

const unknown = {
  kind: 'sign_lease',
  count: 1,
  title: 'Clear the driveway',
  person: 'Theo Tasker',
  booking_id: null,
  task_id: null,
  amount: null,
  due_at: null,
  side: null,
} as unknown as ActionItem

const rendered = (item: ActionItem) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <ActionItemList items={[item]} />
      </MemoryRouter>
    </QueryClientProvider>,
  )

test.each([
  [{}, '/notifications'],
  [{ task_id: 't-1' }, '/task/t-1'],
  [{ booking_id: 'b-1', task_id: 't-1' }, '/bookings?booking=b-1'],
])('an unknown kind with %o has a neutral icon and text, and leads to %s', async (place, address) => {
  await startI18n('en')
  const line = rendered({ ...unknown, ...place } as ActionItem)
  expect(line).toContain('Something needs you')
  expect(line).toContain('<svg')
  expect(line).toContain(`href="${address}"`)
  expect(line).not.toContain('actionItems.')
  expect(line).not.toContain('sign_lease')
})
