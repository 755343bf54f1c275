// Which statements of pulled migrations are the storage service's own affair.
import { expect, it } from 'vitest'
import { concernsStorageItself, isUnlimited } from '../src/postgres/migrate/pulled-migrations.ts'

it.each([
  'revoke select on table "storage"."iceberg_namespaces" from "anon"',
  'GRANT ALL ON TABLE "storage"."migrations" TO "anon"',
  'create table if not exists storage.prefixes (name text)',
  'alter table only "storage"."s3_multipart_uploads" add constraint x check (true)',
  'drop table "storage"."buckets_analytics"',
  'drop function if exists "storage"."add_prefixes"(_bucket_id text, _name text)',
  'drop type if exists "storage"."buckettype"',
  'CREATE OR REPLACE FUNCTION storage.search(prefix text) RETURNS void',
  'CREATE TRIGGER a BEFORE INSERT ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.objects_insert_prefix_trigger()',
  'drop trigger if exists "protect_objects_delete" on "storage"."objects"',
  'alter table "storage"."objects" drop column if exists "level"',
  'CREATE UNIQUE INDEX i ON storage.objects USING btree (name COLLATE "C", bucket_id, level)',
])('%s is left out', (statement) => expect(concernsStorageItself(statement)).toBe(true))

it.each([
  'grant select on storage.objects to authenticated',
  'revoke all on table "storage"."buckets" from "anon"',
  'create policy "mine" on storage.objects for select using (true)',
  'alter table storage.objects enable row level security',
  'create trigger mine after insert on storage.objects for each row execute function public.scan()',
  'drop trigger if exists mine on storage.objects',
  'create index mine on storage.objects (owner_id)',
  'create function storage.mine() returns int language sql as $$ select 1 $$',
  'create table public.storage_prefixes (id int)',
  'drop function if exists public.get_level(text)',
  `insert into storage.buckets (id, name) values ('migrations', 'migrations')`,
])('%s is the project’s', (statement) => expect(concernsStorageItself(statement)).toBe(false))

it('statements that need a newer PostgreSQL are left out if they change nothing', () => {
  expect(
    ['SET transaction_timeout = 0', 'SET lock_timeout = 0', "set transaction_timeout = '5s'"].map(
      isUnlimited,
    ),
  ).toEqual([...[true, false, false]])
})
