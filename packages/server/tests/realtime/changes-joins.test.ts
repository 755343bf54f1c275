// Joining for row changes in other ways than today's client does: clients from before there were bindings, and newer
// ones that want to be refused when a binding cannot be.
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { rawSocket, serverFor } from './fixture.ts'

const { server } = serverFor(`
  create table public.pears (id int primary key, name text);
  grant select on public.pears to anon;
  alter publication supabase_realtime add table public.pears`)
const sql = (text: string) => server.database.pool.query(text)

test('a join without config listens to the table that its topic names', async () => {
  const raw = await rawSocket(server)
  const [all, one, schema] = ['public:pears', 'public:pears:id=eq.2', 'public']
  for (const [index, topic] of [all, one, schema].entries()) {
    const [, table, filter] = (topic as string).split(':')
    expect(await raw.join(topic as string, {}, `${index}`)).toEqual({
      status: 'ok',
      response: { postgres_changes: [{ schema: 'public', table, filter, id: expect.any(Number) }] },
    })
  }
  await sql(`insert into pears values (1, 'Conference'), (2, 'Comice'); delete from pears where id = 1`)
  await raw.received.next(([, , topic, event]) => topic === 'realtime:public' && event === 'DELETE')
  const received = (topic?: string) =>
    raw.received.all.filter((one) => one[2] === `realtime:${topic}` && one[4].commit_timestamp)
  expect(received(all).map(([, , , event, { record, old_record: old }]) => [event, record ?? old])).toEqual([
    ['INSERT', { id: 1, name: 'Conference' }],
    ['INSERT', { id: 2, name: 'Comice' }],
    ['DELETE', { id: 1 }],
  ])
  expect(received(all)[0]?.[4]).toMatchObject({
    type: 'INSERT',
    schema: 'public',
    table: 'pears',
    errors: null,
  })
  expect(received(one).map(([, , , event]) => event)).toEqual(['INSERT'])
  expect(received(schema)).toHaveLength(3)
  await sql('delete from pears')
  raw.socket.close()
})

test('only events of the requested kind are sent, whatever clients would make of the rest', async () => {
  const raw = await rawSocket(server)
  const binding = { event: 'UPDATE', schema: 'public', table: 'pears' }
  await raw.join('kinds', { config: { postgres_changes: [binding] } })
  await sql(`insert into pears values (5); delete from pears where id = 5; insert into pears values (6)`)
  await sql(`update pears set name = 'Anjou' where id = 6`)
  await raw.received.next(([, , , event, { data }]) => event === 'postgres_changes' && data.type === 'UPDATE')
  expect(raw.received.all.filter(([, , , event]) => event === 'postgres_changes')).toHaveLength(1)
  raw.socket.close()
})

test('a client that leaves before its join is answered leaves nothing behind', async () => {
  const join = async (n: number) => {
    const raw = await rawSocket(server)
    // Of these only so many may be in use at once.
    const bindings = [{ event: '*', schema: 'public', table: 'pears', filter: `name=match.^x{${n}}` }]
    raw.send('1', '1', 'realtime:gone', 'phx_join', { config: { postgres_changes: bindings } })
    return raw
  }
  for (let n = 1; n <= 40; n++) {
    const raw = await join(n)
    if (n % 2) raw.send('1', '2', 'realtime:gone', 'phx_leave')
    raw.socket.close()
    await raw.closed
  }
  await eventually(async () => {
    const raw = await join(41)
    const [system] = await raw.received.next(([, , , event]) => event === 'system')
    raw.socket.close()
    return system?.[4].status === 'ok'
  })
})

test('a client that waits for the bindings is refused an impossible one', async () => {
  const raw = await rawSocket(server)
  const join = (table: string, ref: string) =>
    raw.join(
      'wait',
      {
        config: {
          postgres_changes: [{ event: '*', schema: 'public', table }],
          postgres_changes_options: { wait: true, timeout: 5000 },
        },
      },
      ref,
    )
  const { status, response } = await join('plums', '1')
  expect([status, response.reason]).toEqual([
    'error',
    expect.stringMatching(
      /^RealtimeDisabledForConfiguration: Unable to subscribe to changes with given param/,
    ),
  ])
  expect((await join('pears', '2')).status).toBe('ok')
  raw.socket.close()
})
