// Both sides in one account, through the Data API: a role is added by its function alone, and nobody works for themselves.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it('a person with both roles cannot apply to their own task, nor write a role themselves', async () => {
  const sam = await signedIn(server, 'sam')
  const id = (await sam.auth.getUser()).data.user?.id ?? ''
  const admin = await sam.from('user_roles').insert({ user_id: id, role: 'admin' })
  expect(admin.error).toMatchObject({ code: '42501' })
  const asAdmin = await sam.rpc('add_role', { role: 'admin' })
  expect(asAdmin.error?.message).toBe('role must be task_giver or task_doer')

  await sam.rpc('add_role', { role: 'task_doer' }).throwOnError()
  const { data: roles } = await sam.from('user_roles').select('role,active').order('role').throwOnError()
  expect(roles).toEqual([
    { role: 'task_giver', active: false },
    { role: 'task_doer', active: true },
  ])
  const task = {
    task_giver_id: id,
    title: 'Clear the driveway',
    category: 'Snow Removal',
    location: 'Saskatoon',
    description: 'Two cars wide, and the walk to the door.',
    pay_amount: 100,
    status: 'open',
  }
  const { data: posted } = await sam.from('tasks').insert(task).select('id').single().throwOnError()
  const applied = await sam
    .from('bookings')
    .insert({ task_id: posted?.id, task_doer_id: id, status: 'pending' })
  expect(applied.status).toBe(403)
  expect(applied.error?.message).toBe('You cannot apply to your own task')
})
