// Of a table that they may not read, listeners receive nothing at all: not that it has changed, nor which rows have gone.
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterEach, expect, test } from 'vitest'
import { signedIn, stranger } from '../support/people.ts'
import { listen, type Received } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const { server } = serverFor(`
    create schema closed;
    create table closed.seeds (id int primary key);
    grant select on closed.seeds to anon, authenticated;
    create table public.revoked (id int primary key, secret text);
    create table public.keyless_revoked (secret text);
    revoke all on public.revoked, public.keyless_revoked from anon, authenticated;
    create table public.unguarded (id int primary key);
    create table public.without_policy (id int primary key);
    create table public.for_others (id int primary key, words text);
    create table public.keyless_for_others (words text);
    create table public.never (id int primary key);
    create table public.only_written (id int primary key);
    create table public.for_everybody (id int primary key, owner uuid);
    grant select on public.unguarded, public.without_policy, public.for_others, public.keyless_for_others,
      public.never, public.only_written, public.for_everybody to anon, authenticated;
    grant select on all tables in schema public to service_role;
    alter table public.without_policy enable row level security;
    alter table public.for_others enable row level security;
    alter table public.for_others replica identity full;
    alter table public.keyless_for_others enable row level security;
    alter table public.keyless_for_others replica identity full;
    alter table public.never enable row level security;
    alter table public.only_written enable row level security;
    alter table public.for_everybody enable row level security;
    create policy "others" on public.for_others for select to authenticated using (true);
    create policy "others" on public.keyless_for_others for select to authenticated using (true);
    create policy "nobody" on public.never for select using (false);
    create policy "limit" on public.never as restrictive for select using (true);
    create policy "writers" on public.only_written for insert with check (true);
    create policy "own" on public.for_everybody for select using (owner = (select auth.uid()));
    alter table public.revoked replica identity full;
    alter table public.keyless_revoked replica identity full;
    alter publication supabase_realtime add table closed.seeds, public.revoked, public.keyless_revoked,
      public.unguarded, public.without_policy, public.for_others, public.keyless_for_others, public.never,
      public.only_written, public.for_everybody`)

const clients: SupabaseClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.removeAllChannels()
})

const sql = (text: string) => server.database.pool.query(text)
const seen = ({ events }: Received) =>
  events.map(({ schema, table, eventType, errors }) => [`${schema}.${table}`, eventType, errors?.[0] ?? null])

async function everything(client: SupabaseClient, ...more: object[]): Promise<Received> {
  clients.push(client)
  return listen(client, { schema: '*' }, ...more)
}

/** Inserts, changes and deletes rows everywhere; what everybody receives comes last. */
async function change(): Promise<void> {
  await sql(`
    insert into closed.seeds values (1); delete from closed.seeds;
    insert into public.revoked values (1, 'a'); update public.revoked set secret = 'b'; delete from public.revoked;
    insert into public.keyless_revoked values ('a'); delete from public.keyless_revoked;
    insert into public.without_policy values (1); delete from public.without_policy;
    insert into public.for_others values (1, 'a'); update public.for_others set words = 'b'; delete from public.for_others;
    insert into public.keyless_for_others values ('a'); delete from public.keyless_for_others;
    insert into public.never values (1); delete from public.never;
    insert into public.only_written values (1); delete from public.only_written;
    insert into public.for_everybody values (1); delete from public.for_everybody;
    insert into public.unguarded values (1); delete from public.unguarded`)
}

test('a stranger receives none of them, however they listen', async () => {
  const received = await everything(
    stranger(server),
    { table: 'revoked' },
    { table: 'for_others', filter: 'id=eq.1' },
  )
  await change()
  await received.until(3)
  expect(seen(received)).toEqual([
    // A policy names everybody: who could have seen the row cannot be checked once it has gone, as on Supabase.
    ['public.for_everybody', 'DELETE', null],
    ['public.unguarded', 'INSERT', null],
    ['public.unguarded', 'DELETE', null],
  ])
})

test('whom a policy names receives what it shows, and of deleted rows the key', async () => {
  const received = await everything(await signedIn(server, 'grace'))
  await change()
  await received.until(6)
  expect(seen(received)).toEqual([
    ['public.for_others', 'DELETE', null],
    ['public.keyless_for_others', 'INSERT', 'Error 400: Bad Request, no primary key'],
    ['public.keyless_for_others', 'DELETE', null],
    ['public.for_everybody', 'DELETE', null],
    ['public.unguarded', 'INSERT', null],
    ['public.unguarded', 'DELETE', null],
  ])
})

test('the secret key receives all of them, and a right counts from the next change on', async () => {
  const service = await everything(stranger(server, server.secretKey))
  const anon = await everything(stranger(server))
  await sql(`insert into public.without_policy values (2)`)
  await service.until(1)
  await sql(`create policy "shown" on public.without_policy for select to anon using (true)`)
  await sql(`delete from public.without_policy`)
  await anon.until(1)
  await service.until(2)
  expect(seen(service)).toEqual([
    ['public.without_policy', 'INSERT', null],
    ['public.without_policy', 'DELETE', null],
  ])
  await sql(`drop policy "shown" on public.without_policy`)
  // Of both at once: the row is gone before it could be checked.
  await sql(`insert into public.without_policy values (3); delete from public.without_policy`)
  await sql(`insert into public.unguarded values (3)`)
  await anon.until(2)
  expect(seen(anon)).toEqual([
    ['public.without_policy', 'DELETE', null],
    ['public.unguarded', 'INSERT', null],
  ])
})
