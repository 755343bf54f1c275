-- Data exports: a person asks for everything that is theirs, at most once a day. The function export-data makes zip files of it
-- in the background, part by part (begin_data_export, finish_data_export), in a private bucket that only its owner reads.
-- After seven days, or once a newer one is requested, run-scheduled removes them.
--   data-exports  `<person's id>/<export's id>/<random>.zip`

insert into private.notification_kinds (kind, required) values ('account', true);
update private.notification_texts set kind = 'account'
where key in ('account_suspended', 'suspension_lifted', 'role_changed', 'content_hidden', 'content_shown');
insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('data_export_ready', 'account', 'Your data is ready to download', 'Download your data', 'Your data is ready',
    'Everything that Meadowlark keeps about you can be downloaded for {days} days. If you did not ask for it, change your password.'),
  ('data_export_failed', 'account', 'Your data export did not work', 'Try again', 'Your data export did not work',
    'We could not put your data together. You can request it again now.');

create or replace function private.check_preference() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not private.is_required(new.kind) or (new.bell and new.email),
    'Payments, complaints and your account always come to the bell and by e-mail', case when new.email then 'bell' else 'email' end);
  new.updated_at := now();
  return new;
end $$;

create type public.data_export_status as enum ('requested', 'ready', 'failed', 'expired');

create table public.data_exports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  status public.data_export_status not null default 'requested',
  requested_at timestamptz not null default now(),
  ready_at timestamptz,
  -- Until then its files may be downloaded.
  expires_at timestamptz not null default now() + interval '7 days',
  -- Names in the bucket data-exports, in order, and how many bytes they are together.
  files text[] not null default '{}',
  size bigint not null default 0,
  -- The last file that the parts so far hold, where the next one goes on.
  last_bucket text not null default '',
  last_name text not null default '',
  -- How often the next part was begun.
  tries integer not null default 0
);
create index data_exports_newest on public.data_exports (user_id, requested_at desc);
create index data_exports_ready on public.data_exports (expires_at) where status = 'ready';

alter table public.data_exports enable row level security;
revoke all on public.data_exports from anon, authenticated;
grant select on public.data_exports to authenticated;
create policy "people read their own exports" on public.data_exports for select to authenticated
using (user_id = (select auth.uid()));

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('data-exports', 'data-exports', false, 50 * 1024 * 1024, array['application/zip'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;
-- Admins are not let in: nobody but the owner reads an export.
create policy "people download their own exports" on storage.objects for select to authenticated
using (bucket_id = 'data-exports' and exists (select from public.data_exports e
  where e.user_id = (select auth.uid()) and e.status = 'ready' and e.expires_at > now() and name = any (e.files)));

create function public.request_data_export() returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  requested uuid;
begin
  perform private.allow(me is not null and private.has_account(), 'Not authenticated');
  -- One after the other, so that there is one a day.
  perform pg_advisory_xact_lock(hashtextextended('data export ' || me, 0));
  perform private.require(not exists (select from public.data_exports
    where user_id = me and status <> 'failed' and requested_at > now() - interval '1 day'),
    'You can request your data once a day. Please try again tomorrow.', 'requested_at');
  -- The newest one takes the place of all others.
  update public.data_exports set expires_at = now(), status = case status when 'ready' then 'expired' else 'failed' end::public.data_export_status
  where user_id = me and status in ('ready', 'requested');
  insert into public.data_exports (user_id) values (me) returning id into requested;
  perform private.enqueue_function('export-data', jsonb_build_object('export_id', requested));
  perform private.schedule_tick(now());
end $$;

-- Every file that a person put up, and the photos that others sent them; an export itself is none.
create function private.files_to_export(person uuid) returns table (bucket_id text, name text, size bigint)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0) from storage.objects o
  where o.bucket_id in ('profile-photos', 'identity-documents', 'task-photos', 'chat-photos', 'booking-photos')
    and (o.owner_id = person::text or left(o.name, 36) = person::text)
  union
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0)
  from (
    select 'chat-photos' as bucket, m.photo from public.messages m where m.receiver_id = person and m.hidden_at is null
    union all
    select 'booking-photos', unnest(b.completion_photos) from public.bookings b where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(c.photos || c.answer_photos) from public.complaints c where person in (c.giver_id, c.tasker_id)
  ) shown join storage.objects o on o.bucket_id = shown.bucket and o.name = shown.photo
$$;

-- What the next part of an export holds: {person, part, files: [{bucket, name}]}, files of at most 30 MB together or one of
-- any size. Null when nothing is to be done, because it is done, was given up or its person has left.
create function public.begin_data_export(export_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  export public.data_exports;
  files jsonb;
begin
  select * into export from public.data_exports e where e.id = begin_data_export.export_id and e.status = 'requested' for update;
  if export.id is null then
    return null;
  end if;
  -- Eight tries with growing pauses take half an hour.
  if export.tries >= 8 then
    update public.data_exports set status = 'failed', expires_at = now() where id = export.id;
    perform private.schedule_tick(now());
    perform private.notify_person(export.user_id, 'data_export_failed', '{}', '/profile?tab=security');
    return null;
  end if;
  update public.data_exports set tries = tries + 1 where id = export.id;
  select coalesce(jsonb_agg(jsonb_build_object('bucket', f.bucket_id, 'name', f.name) order by f.bucket_id, f.name), '[]') into files
  from (select t.*, sum(t.size) over (order by t.bucket_id, t.name) - t.size as before from private.files_to_export(export.user_id) t
    where (t.bucket_id, t.name) > (export.last_bucket, export.last_name) order by t.bucket_id, t.name limit 500) f
  where f.before + f.size <= 30 * 1024 * 1024 or f.before = 0;
  return jsonb_build_object('person', export.user_id, 'part', cardinality(export.files) + 1, 'files', files);
end $$;

-- A part is stored under `file`, with all files to `last` {bucket, name} (null: it holds none). The next one is queued, or the
-- person hears that all is ready. False when nobody waits for this part any more: then the file is to be removed.
create function public.finish_data_export(export_id uuid, part integer, file text, last jsonb) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  export public.data_exports;
begin
  select * into export from public.data_exports e where e.id = finish_data_export.export_id and e.status = 'requested' for update;
  if export.id is null or part <> cardinality(export.files) + 1 then
    return false;
  end if;
  update public.data_exports e set files = e.files || file, tries = 0,
    size = e.size + coalesce((select (metadata ->> 'size')::bigint from storage.objects where bucket_id = 'data-exports' and name = file), 0),
    last_bucket = coalesce(last ->> 'bucket', e.last_bucket), last_name = coalesce(last ->> 'name', e.last_name)
  where e.id = export.id returning e.* into export;
  if last is not null and exists (select from private.files_to_export(export.user_id) f
    where (f.bucket_id, f.name) > (export.last_bucket, export.last_name))
  then
    perform private.enqueue_function('export-data', jsonb_build_object('export_id', export.id));
    return true;
  end if;
  update public.data_exports set status = 'ready', ready_at = now(), expires_at = now() + interval '7 days' where id = export.id
  returning * into export;
  perform private.schedule_tick(export.expires_at);
  perform private.notify_person(export.user_id, 'data_export_ready', jsonb_build_object('days', '7'), '/profile?tab=security');
  return true;
end $$;

create function private.end_data_export() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  update public.data_exports set status = 'expired', files = '{}' where id in (
    select id from public.data_exports where status = 'ready' and expires_at <= now() limit 100 for update skip locked);
  get diagnostics ended = row_count;
  return ended;
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_of_work()
    + private.sweep_photos() + private.end_data_export();
end $$;

-- Files in the bucket of exports that nobody may download any more; the storage service itself removes them, bytes and row.
create function public.old_export_files() returns table (name text)
language sql stable security definer set search_path = '' as $$
  select o.name from storage.objects o where o.bucket_id = 'data-exports' and not exists (
    select from public.data_exports e where e.id::text = split_part(o.name, '/', 2)
      and e.status in ('requested', 'ready') and e.expires_at > now())
  order by o.name limit 500
$$;

-- Whoever leaves as an anchor without a name keeps no export; erase-account removes its files.
create function private.erase_exports() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.data_exports where user_id = old.id;
  return old;
end $$;
create trigger erase_exports after delete on auth.users
for each row execute function private.erase_exports();

revoke execute on function public.request_data_export(), public.begin_data_export(uuid),
  public.finish_data_export(uuid, integer, text, jsonb), public.old_export_files() from public, anon, authenticated;
grant execute on function public.request_data_export() to authenticated;
grant execute on function public.begin_data_export(uuid), public.finish_data_export(uuid, integer, text, jsonb),
  public.old_export_files() to service_role;
