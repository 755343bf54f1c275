// Row-level security per subscriber: who receives which row, at what cost, and from when on a new token counts.

import type { SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../src/realtime/authorization.ts'
import { createChanges } from '../../src/realtime/changes/changes.ts'
import type { Change, Changes } from '../../src/realtime/changes/contract.ts'
import { eventually } from '../support/eventually.ts'
import { makeAccount, signedIn, stranger } from '../support/people.ts'
import { listen, type Received } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const { server } = serverFor(`
    create table public.teams (member text, team text, primary key (member, team));
    create table public.notes (id int primary key, owner uuid, team text, open boolean default false, words text);
    alter table public.notes enable row level security;
    alter table public.teams enable row level security;
    create sequence public.checks;
    create function public.count_check() returns boolean language sql volatile as $$ select nextval('checks') > 0 $$;
    create policy "own or open" on public.notes for select to authenticated
      using (open or owner = (select auth.uid()));
    create policy "of the team" on public.notes for select to authenticated using (
      exists (select from public.teams t where t.team = notes.team and t.member = (select auth.uid())::text)
    );
    create policy "own" on public.teams for select to authenticated using (member = (select auth.uid())::text);
    create table public.counted (id int primary key);
    alter table public.counted enable row level security;
    create policy "counted" on public.counted for select to authenticated using ((select public.count_check()));
    create table public.strict (id int, part text, primary key (id, part));
    alter table public.strict enable row level security;
    create policy "of age" on public.strict for select to authenticated
      using ((auth.jwt() ->> 'age')::int >= id);
    grant select on public.teams, public.notes, public.counted, public.strict to authenticated, anon, service_role;
    grant usage on sequence public.checks to authenticated;
    alter publication supabase_realtime add table public.notes, public.counted, public.strict`)
const ids: Record<string, string> = {}
const clients: SupabaseClient[] = []
const opened: Changes[] = []

beforeAll(async () => {
  for (const person of ['grace', 'theo', 'ada', 'sam'] as const)
    ids[person] = await makeAccount(server, person)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.removeAllChannels()
  for (const changes of opened.splice(0)) await changes.stop()
  await sql('delete from notes; delete from counted; delete from strict; delete from teams')
})

const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

async function person(name: 'grace' | 'theo' | 'ada' | 'sam'): Promise<SupabaseClient> {
  const client = await signedIn(server, name)
  clients.push(client)
  return client
}

/** The part that delivers changes, without sockets. */
function openChanges(): Changes {
  const changes = createChanges(server.services)
  opened.push(changes)
  return changes
}

const notes = ({ events }: Received) =>
  events.map(({ eventType, new: now, old }) => [eventType, now.id ?? old.id])

test('a row is shown to those whose policies allow it, and to nobody else', async () => {
  const grace = await listen(await person('grace'), { table: 'notes' })
  const theo = await listen(await person('theo'), { table: 'notes' })
  const nobody = stranger(server)
  const everything = stranger(server, server.secretKey)
  clients.push(nobody, everything)
  const anon = await listen(nobody, { table: 'notes' })
  const service = await listen(everything, { table: 'notes' })
  await sql(`insert into notes values (1, $1), (2, $2)`, [ids.grace, ids.theo])
  await sql(`insert into teams values ($1, 'north')`, [ids.theo])
  await sql(`insert into notes values (3, $1, 'north')`, [ids.grace])
  await sql(`insert into notes values (4, null, null, true)`)
  await Promise.all([service.until(4), grace.until(3), theo.until(3)])
  expect(notes(service).map(([, id]) => id)).toEqual([1, 2, 3, 4])
  expect(notes(grace).map(([, id]) => id)).toEqual([1, 3, 4])
  expect(notes(theo).map(([, id]) => id)).toEqual([2, 3, 4])
  expect(anon.events).toEqual([])
})

test('a row that comes into sight is received of, one that leaves it is not; a deleted one only by its key', async () => {
  await sql(`insert into notes values (1, $1, null, false, 'hers'), (2, $2, null, false, 'his')`, [
    ...[ids.grace, ids.theo],
  ])
  await sql(`alter table notes replica identity full`)
  const grace = await listen(
    await person('grace'),
    { table: 'notes', event: 'UPDATE' },
    { table: 'notes', event: 'DELETE' },
  )
  await sql(`update notes set owner = $1 where id = 1`, [ids.theo])
  await sql(`update notes set owner = $1 where id = 2`, [ids.grace])
  await grace.until(1)
  // One after the other: a single statement deletes in the order of the rows' places, which differs.
  for (const id of [1, 2]) await sql(`delete from notes where id = $1`, [id])
  await grace.until(3)
  expect(notes(grace)).toEqual([
    ['UPDATE', 2],
    ['DELETE', 1],
    ['DELETE', 2],
  ])
  // Policies cannot be checked any more, so nothing but the key is sent.
  expect(grace.events.slice(1).map(({ old }) => old)).toEqual([{ id: 1 }, { id: 2 }])
  await sql(`alter table notes replica identity default`)
})

test('a policy counts from the next change on', async () => {
  const theo = await listen(await person('theo'), { table: 'notes' })
  await sql(`insert into notes values (1, $1)`, [ids.grace])
  await sql(`create policy "all" on notes for select to authenticated using (true)`)
  await sql(`insert into notes values (2, $1)`, [ids.grace])
  await theo.until(1)
  await sql(`drop policy "all" on notes`)
  await sql(`insert into notes values (3, $1)`, [ids.grace])
  await sql(`alter table notes disable row level security`)
  await sql(`insert into notes values (4, $1)`, [ids.grace])
  await eventually(() => notes(theo).some(([, id]) => id === 4))
  await sql(`alter table notes enable row level security`)
  await sql(`insert into notes values (5, $1); `, [ids.grace])
  await sql(`insert into notes values (6, $1)`, [ids.theo])
  await eventually(() => notes(theo).some(([, id]) => id === 6))
  expect(notes(theo).map(([, id]) => id)).not.toContain(5)
})

test('a policy that fails for somebody costs only them the row', async () => {
  const changes = openChanges()
  const received = new Map<string, Change[]>()
  for (const age of ['10', 'ten', '3', '7', 'x', '12']) {
    const reader = { role: 'authenticated', claims: { role: 'authenticated', age } }
    received.set(age, [])
    await changes.subscribe(reader, [{ event: '*', schema: 'public', table: 'strict' }], {
      onChange: (_, change) => received.get(age)?.push(change),
      onResync: () => {},
    })
  }
  await sql(`insert into strict values (5, 'a,"b'), (5, 'c'), (11, 'd')`)
  await eventually(() => received.get('12')?.length === 3)
  const seen = [...received].map(([age, all]) => [
    age,
    all.map(({ payload }) => payload.errors ?? payload.record),
  ])
  const rows = [
    { id: 5, part: 'a,"b' },
    { id: 5, part: 'c' },
  ]
  const error = ['Error 500: Internal Server Error, RLS policy evaluation failed']
  expect(seen).toEqual([
    ['10', rows],
    ['ten', [error, error, error]],
    ['3', []],
    ['7', rows],
    ['x', [error, error, error]],
    ['12', [...rows, { id: 11, part: 'd' }]],
  ])
})

test('the database is queried once per distinct set of claims, whatever the number of sockets', async () => {
  const changes = openChanges()
  let received = 0
  const people = 20
  for (let index = 0; index < 200; index++) {
    const claims = {
      role: 'authenticated',
      sub: `00000000-0000-4000-8000-${String(index % people).padStart(12, '0')}`,
    }
    await changes.subscribe(
      { role: 'authenticated', claims },
      [{ event: '*', schema: 'public', table: 'counted' }],
      {
        onChange: () => received++,
        onResync: () => {},
      },
    )
  }
  const before = Number((await sql(`select nextval('checks')`)).rows[0].nextval)
  await sql(`insert into counted select generate_series(1, 10)`)
  await eventually(() => received === 2000)
  const checks = Number((await sql(`select nextval('checks')`)).rows[0].nextval) - before - 1
  // Ten rows of one transaction are checked together; it may arrive in two parts.
  expect(checks).toBeGreaterThanOrEqual(people)
  expect(checks).toBeLessThanOrEqual(2 * people)
})

test('a large batch receives everything, each in the order of the commits', async () => {
  const changes = openChanges()
  const received: number[][] = []
  for (let index = 0; index < 500; index++) {
    const mine: number[] = []
    received.push(mine)
    const sub = ids[['grace', 'theo', 'ada', 'sam'][index % 4] as string]
    const reader = { role: 'authenticated', claims: { role: 'authenticated', sub } }
    await changes.subscribe(reader, [{ event: 'INSERT', schema: 'public', table: 'notes' }], {
      onChange: (_, { payload }) => mine.push(payload.record?.id as number),
      onResync: () => mine.push(Number.NaN),
    })
  }
  for (let part = 0; part < 10; part++) {
    await sql(`insert into notes (id, open) select $1 + n, true from generate_series(0, 19) n`, [part * 20])
  }
  await eventually(() => received.every((mine) => mine.length >= 200))
  const all = Array.from({ length: 200 }, (_, id) => id)
  for (const mine of received) expect(mine).toEqual(all)
})

test('a new token counts from the next change on', async () => {
  const changes = openChanges()
  const reader = (name: string): Principal => ({
    role: 'authenticated',
    claims: { role: 'authenticated', sub: ids[name] },
  })
  const received: unknown[] = []
  const subscription = await changes.subscribe(
    reader('grace'),
    [{ event: '*', schema: 'public', table: 'notes' }],
    {
      onChange: (_, { payload }) => received.push(payload.record?.id),
      onResync: () => {},
    },
  )
  await sql(`insert into notes values (1, $1), (2, $2)`, [ids.grace, ids.theo])
  await eventually(() => received.length === 1)
  subscription.renew(reader('theo'))
  await sql(`insert into notes values (3, $1), (4, $2)`, [ids.grace, ids.theo])
  await eventually(() => received.length === 2)
  subscription.renew({ role: 'anon', claims: { role: 'anon' } })
  await sql(`insert into notes values (5, $1), (6, $2)`, [ids.grace, ids.theo])
  subscription.close()
  await sql(`insert into notes values (7, $1, null, true)`, [ids.theo])
  await changes.ready(1000)
  expect(received).toEqual([1, 4])
})

test('a new token on a live channel counts at once', async () => {
  const client = stranger(server)
  clients.push(client)
  const received = await listen(client, { table: 'notes', event: 'INSERT' })
  await sql(`insert into notes values (1, $1)`, [ids.grace])
  const grace = await person('grace')
  const { data } = await grace.auth.getSession()
  await client.realtime.setAuth(data.session?.access_token ?? '')
  // No message says from when on it counts.
  let id = 1
  await eventually(async () => {
    await sql(`insert into notes values ($2, $1)`, [ids.grace, ++id])
    return received.events.length > 0
  })
  const first = notes(received)[0]
  expect(first).toEqual(['INSERT', expect.any(Number)])
  expect(first?.[1]).toBeGreaterThan(1)
})

test('whatever is written, each receives exactly what they can select', async () => {
  const changes = openChanges()
  const names = ['grace', 'theo', 'ada', 'sam']
  const received = new Map<string, Record<string, unknown>[]>(names.map((name) => [name, []]))
  for (const name of names) {
    const reader = { role: 'authenticated', claims: { role: 'authenticated', sub: ids[name] } }
    await changes.subscribe(reader, [{ event: '*', schema: 'public', table: 'notes' }], {
      onChange: (_, { payload }) => received.get(name)?.push(payload.record ?? {}),
      onResync: () => received.get(name)?.push({ resync: true }),
    })
  }
  const maybe = (name: string) =>
    fc.constantFrom<string | null>(null, ...names.map((one) => ids[one] ?? null), name)
  const act = fc.record({
    id: fc.integer({ min: 1, max: 6 }),
    owner: maybe(ids.grace as string),
    team: fc.constantFrom(null, 'north', 'south'),
    open: fc.boolean(),
    words: fc.string({ maxLength: 10 }).filter((text) => !text.includes('\0')),
    member: fc.option(fc.tuple(fc.constantFrom(...names), fc.constantFrom('north', 'south'))),
  })
  let marker = 0
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      for (const { id, owner, team, open, words, member } of acts) {
        for (const list of received.values()) list.length = 0
        if (member) {
          await sql(`insert into teams values ($1, $2) on conflict do nothing`, [ids[member[0]], member[1]])
        }
        await sql(
          `insert into notes values ($1, $2, $3, $4, $5)
           on conflict (id) do update set owner = $2, team = $3, open = $4, words = $5`,
          [id, owner, team, open, words],
        )
        // Everybody sees the marker, after what came before it.
        await sql(`insert into notes (id, open) values ($1, true)`, [--marker])
        await eventually(() => [...received.values()].every((list) => list.at(-1)?.id === marker), 60_000, 1)
        for (const name of names) {
          const [result] = await server.services.requests
            .as(
              { role: 'authenticated' },
              { 'request.jwt.claims': JSON.stringify({ role: 'authenticated', sub: ids[name] }) },
            )
            .query([{ text: 'select to_jsonb(n) from notes n where id = $1', values: [String(id)] }])
          const seen = (result?.rows ?? []).map(([json]) => JSON.parse(json as string))
          expect(received.get(name)?.slice(0, -1)).toEqual(seen)
        }
      }
      await sql('delete from teams')
    }),
    { numRuns: 15 },
  )
})
