// However PostgreSQL plans a policy (an index on its condition, a hashed list, a function for each row), everybody is
// checked with their own claims, although a batch is checked in one round trip.

import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChanges } from '../../src/realtime/changes/changes.ts'
import type { Changes } from '../../src/realtime/changes/contract.ts'
import { type Database, openRequestDatabase } from '../../src/sql/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

const PEOPLE = 150
const POLICIES = {
  indexed: `owner = (select auth.uid())`,
  bare: `owner = auth.uid()`,
  hashed: `team in (select m.team from public.members m where m.person = (select auth.uid()))`,
  exists: `exists (select from public.members m where m.team = team_of.team and m.person = auth.uid())`,
  claim: `(select auth.jwt() -> 'app_metadata' ->> 'team') = team`,
  definer: `team = public.own_team()`,
  either: `owner = (select auth.uid()) or team = (select public.own_team())`,
}

let at: TestDatabase
let changes: Changes
let requests: Database

const person = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

beforeAll(async () => {
  at = await createTestDatabase()
  await at.database.pool.query(`
    create table public.members (person uuid, team text, primary key (person, team));
    insert into public.members select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'team ' || n
      from generate_series(0, 4999) n;
    grant select on public.members to authenticated;
    create function public.own_team() returns text language sql stable security definer as $$
      select team from public.members where person = auth.uid() $$;`)
  for (const [name, policy] of Object.entries(POLICIES)) {
    await at.database.pool.query(`
      create table public.${name} (id int primary key, owner uuid, team text);
      insert into public.${name}
        select n, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'team ' || n
          from generate_series(1000, 4999) n;
      create index on public.${name} (owner);
      create index on public.${name} (team, id);
      alter table public.${name} enable row level security;
      create policy "theirs" on public.${name} for select to authenticated
        using (${policy.replaceAll('team_of', name)});
      grant select on public.${name} to authenticated;
      alter publication supabase_realtime add table public.${name}`)
  }
  await at.database.pool.query('analyze')
  requests = openRequestDatabase(at.url)
  changes = createChanges({ database: at.database, requests, log: pino({ level: 'silent' }) })
})
afterAll(async () => {
  await changes.stop()
  await requests.close()
  await at.drop()
})

test.each(Object.keys(POLICIES))('%s', async (table) => {
  const received: number[][] = []
  const subscriptions = []
  for (let number = 0; number < PEOPLE; number++) {
    const mine: number[] = []
    received.push(mine)
    const claims = { role: 'authenticated', sub: person(number), app_metadata: { team: `team ${number}` } }
    subscriptions.push(
      await changes.subscribe({ role: 'authenticated', claims }, [{ event: '*', schema: 'public', table }], {
        onChange: (_, { payload }) => mine.push(payload.record?.id as number),
        onResync: () => mine.push(Number.NaN),
      }),
    )
  }
  // One by one, and all in one transaction; often enough for PostgreSQL to settle on a plan.
  for (let number = 0; number < 12; number++) {
    await at.database.pool.query(`insert into ${table} values ($1, $2, $3)`, [
      ...[number, person(number), `team ${number}`],
    ])
  }
  await at.database.pool.query(
    `insert into ${table} select n, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'team ' || n
     from generate_series(12, ${PEOPLE - 1}) n`,
  )
  await eventually(() => received.every((mine) => mine.length >= 1))
  await at.database.pool.query(`update ${table} set id = id + 10000 where id < ${PEOPLE}`)
  await eventually(() => received.every((mine) => mine.length >= 2))
  expect(received).toEqual(received.map((_, number) => [number, number + 10000]))
  for (const subscription of subscriptions) subscription.close()
})
