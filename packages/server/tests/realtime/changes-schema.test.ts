// The realtime schema as migrations find it: policies, sending, the grants, and that laying it twice is harmless.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePlatform } from '../../src/start/platform-schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let at: TestDatabase
beforeAll(async () => {
  at = await createTestDatabase()
})
afterAll(() => at.drop())

const query = async (text: string) => (await at.database.pool.query(text)).rows

test('is laid again at the next start without a change', async () => {
  await preparePlatform(at.url, { project: '/nowhere', migrations: false, seed: [] })
  expect(await query('select count(*)::int as messages from realtime.messages')).toEqual([{ messages: 0 }])
})

test('takes policies from a migration, and refuses a stranger what they do not allow', async () => {
  const read = await at.database.transaction(async (client) => {
    await client.query(`set local role postgres`)
    await client.query(`
      create policy "members read" on realtime.messages for select to authenticated
        using (realtime.topic() = 'room:1' and extension in ('broadcast', 'presence'))`)
    await client.query(`select realtime.send('{"hello": "room"}', 'greeting', 'room:1', true)`)
    await client.query(`set local role authenticated`)
    await client.query(`select set_config('realtime.topic', 'room:1', true)`)
    const allowed = await client.query('select topic, event, private, payload from realtime.messages')
    await client.query(`select set_config('realtime.topic', 'room:2', true)`)
    const refused = await client.query('select from realtime.messages')
    await client.query('rollback')
    return { allowed: allowed.rows, refused: refused.rowCount }
  })
  expect(read).toEqual({
    allowed: [
      {
        topic: 'room:1',
        event: 'greeting',
        private: true,
        payload: { id: expect.any(String), hello: 'room' },
      },
    ],
    refused: 0,
  })
})

test('a message that may not be sent warns and undoes nothing', async () => {
  const warnings: string[] = []
  await at.database.transaction(async (client) => {
    const received = (notice: { message?: string }) => warnings.push(notice.message ?? '')
    client.on('notice', received)
    await client.query('set local role anon')
    await client.query(`select realtime.send('{}', 'greeting', 'room:1')`)
    client.off('notice', received)
  })
  expect(warnings).toEqual([expect.stringMatching(/^WarnSendingBroadcastMessage: .*row-level security/)])
  expect(await query('select from realtime.messages')).toEqual([])
})

test('broadcast_changes sends the row from a trigger', async () => {
  await query(`
    create table public.pears (id int primary key, name text);
    create function public.tell() returns trigger language plpgsql security definer as $$
    begin
      perform realtime.broadcast_changes('pears', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell after insert or update or delete on public.pears for each row execute function public.tell();
    insert into public.pears values (1, 'Conference');
    delete from public.pears;`)
  const rows = await query('select event, payload, private from realtime.messages order by event')
  const part = { schema: 'public', table: 'pears', id: expect.any(String) }
  expect(rows).toEqual([
    {
      event: 'DELETE',
      private: true,
      payload: { ...part, operation: 'DELETE', record: null, old_record: { id: 1, name: 'Conference' } },
    },
    {
      event: 'INSERT',
      private: true,
      payload: { ...part, operation: 'INSERT', record: { id: 1, name: 'Conference' }, old_record: null },
    },
  ])
})
