-- Data exports: at most once a day, a person can request all data about themselves (ADR 0025). The function export-data writes
-- zip files in parts (begin_data_export, finish_data_export) to `<person's id>/<export's id>/<random>.zip` in a private bucket.
-- After seven days, or when the person requests a newer export, run-scheduled removes them.

create type public.data_export_status as enum ('requested', 'ready', 'failed', 'expired');

create table public.data_exports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  status public.data_export_status not null default 'requested',
  requested_at timestamptz not null default now(),
  ready_at timestamptz,
  expires_at timestamptz not null default now() + interval '7 days',
  files text[] not null default '{}',
  size bigint not null default 0,
  last_bucket text not null default '',
  last_name text not null default '',
  tries integer not null default 0
);
alter table public.data_exports enable row level security;

comment on table public.data_exports is 'Requested exports of all data about a person (ADR 0025)';
comment on column public.data_exports.requested_at is 'At most one request a day';
comment on column public.data_exports.status is
  'How far it is: '
  'new → requested when the person asks for it; '
  'requested → ready when the last part is stored; '
  'requested → failed after eight tries, or when the person requests a newer one; '
  'ready → expired after seven days, or when the person requests a newer one';
comment on column public.data_exports.ready_at is 'When the last part was stored; null before';
comment on column public.data_exports.expires_at is 'The files can be downloaded until then';
comment on column public.data_exports.files is 'Names of the files in the bucket data-exports, in order; empty once expired';
comment on column public.data_exports.size is 'Bytes of all files together';
comment on column public.data_exports.last_bucket is
  'Bucket of the last file in the parts so far; the next part continues after it';
comment on column public.data_exports.last_name is 'Name of the last file in the parts so far';
comment on column public.data_exports.tries is 'Number of tries of the next part';

create index data_exports_newest on public.data_exports (user_id, requested_at desc);
create index data_exports_ready on public.data_exports (expires_at) where status = 'ready';

-- Requests an export of the caller's data, once a day; a newer one replaces the others.
create function public.request_data_export() returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  requested uuid;
begin
  perform private.allow(me is not null and private.has_account(), 'account.not_authenticated');
  -- One after the other, so that there is one a day.
  perform pg_advisory_xact_lock(hashtextextended('data export ' || me, 0));
  perform private.require(not exists (select from public.data_exports
    where user_id = me and status <> 'failed' and requested_at > now() - interval '1 day'),
    'data_export.daily_limit', 'requested_at');
  -- The newest one takes the place of all others.
  update public.data_exports set expires_at = now(), status = case status when 'ready' then 'expired' else 'failed' end::public.data_export_status
  where user_id = me and status in ('ready', 'requested');
  insert into public.data_exports (user_id) values (me) returning id into requested;
  perform private.enqueue_function('export-data', jsonb_build_object('export_id', requested));
  perform private.schedule_tick(now());
end $$;

-- The files of a person's export: their uploads, and photos that their chats, bookings and complaints show. Dropped files that
-- wait for removal are left out.
create function private.files_to_export(person uuid) returns table (bucket_id text, name text, size bigint)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0) from storage.objects o
  where o.bucket_id in ('profile-photos', 'identity-documents', 'task-photos', 'chat-photos', 'booking-photos', 'hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and (o.owner_id = person::text or left(o.name, 36) = person::text) and not private.is_dropped_file(o.bucket_id, o.name)
  union
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0)
  from (
    select 'chat-photos' as bucket, m.photo from public.messages m where m.receiver_id = person and m.hidden_at is null
    union all
    select 'booking-photos', unnest(b.completion_photos) from public.bookings b where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(c.photos) from public.booking_changes c join public.bookings b on b.id = c.booking_id
    where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(r.photos) from public.snow_reports r join public.task_series s on s.id = r.series_id
      where person in (s.giver_id, s.tasker_id)
    union all
    select 'booking-photos', unnest(c.photos || c.answer_photos) from public.complaints c where person in (c.giver_id, c.tasker_id)
  ) shown join storage.objects o on o.bucket_id = shown.bucket and o.name = shown.photo
  where not private.is_dropped_file(o.bucket_id, o.name)
$$;

-- Begins the next part of an export: {person, part, files: [{bucket, name}]}, with files of at most 30 MB together or one of
-- any size. Null if there is nothing to do, because the export is finished or has failed, or its person has left.
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

-- Records a part stored as `file`, with all files up to `last` {bucket, name} (null: it contains none). Queues the next part,
-- or notifies the person that the export is ready. Returns false if this part is no longer expected; the caller then removes
-- the file.
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

-- Marks up to 100 exports as expired. Returns how many.
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

-- Up to 500 files in the bucket of exports that nobody can download any more. The storage service removes bytes and rows.
create function public.old_export_files() returns table (bucket_id text, name text)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name from storage.objects o where o.bucket_id = 'data-exports' and not exists (
    select from public.data_exports e where e.id::text = split_part(o.name, '/', 2)
      and e.status in ('requested', 'ready') and e.expires_at > now())
  order by o.name limit 500
$$;

-- Deletes the exports of a deleted account whose empty profile remains (ADR 0013); erase-account removes the files.
create function private.erase_exports(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.data_exports where user_id = person;
end $$;

-- All data about a person, as {section: [row]}.
create function public.data_of_person(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  with rows (section, at, data) as (
    select 'account', u.created_at, jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
      'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'last_sign_in_at', u.last_sign_in_at,
      'user_metadata', u.raw_user_meta_data) from auth.users u where u.id = person
    union all select 'sign_in_methods', i.created_at, jsonb_build_object('provider', i.provider, 'identity_data', i.identity_data,
      'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) from auth.identities i where i.user_id = person
    union all select 'second_factors', f.created_at, jsonb_build_object('factor_type', f.factor_type, 'friendly_name', f.friendly_name,
      'status', f.status, 'created_at', f.created_at) from auth.mfa_factors f where f.user_id = person
    union all select 'sessions', s.created_at, jsonb_build_object('user_agent', s.user_agent, 'ip', s.ip, 'created_at', s.created_at,
      'refreshed_at', s.refreshed_at) from auth.sessions s where s.user_id = person
    union all select 'profile', p.created_at, to_jsonb(p) - 'verification_notes' - 'verified_by' from public.profiles p where p.id = person
    union all select 'roles', r.created_at, to_jsonb(r) from public.user_roles r where r.user_id = person
    union all select 'verification', v.created_at, to_jsonb(v) - 'decided_by' from public.verifications v where v.user_id = person
    union all select 'suspensions', s.created_at, to_jsonb(s) - 'suspended_by' - 'lifted_by' from public.suspensions s where s.user_id = person
    union all select 'tasks', t.created_at, to_jsonb(t) || jsonb_build_object('address',
      (select a.address from public.task_addresses a where a.task_id = t.id), 'point',
      (select to_jsonb(p) - 'task_id' from public.task_points p where p.task_id = t.id)) from public.tasks t where t.task_giver_id = person
    union all select 'requests_received', t.created_at, to_jsonb(t) from public.tasks t where t.asked_tasker_id = person
      and (t.hidden_for is null or exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = person))
    union all select 'bookings', b.created_at, to_jsonb(b) || jsonb_build_object('task_title',
      (select t.title from public.tasks t where t.id = b.task_id)) from public.bookings b
      where person in (b.task_giver_id, b.task_doer_id)
    union all select 'time_proposals', p.created_at, to_jsonb(p) from public.time_proposals p where person in (p.task_giver_id, p.task_doer_id)
    union all select 'no_shows', n.created_at, to_jsonb(n) from public.no_shows n where person in (n.task_giver_id, n.task_doer_id)
    union all select 'series', s.created_at, to_jsonb(s) from public.task_series s where person in (s.giver_id, s.tasker_id)
    union all select 'snow_reports', r.created_at, to_jsonb(r) from public.snow_reports r join public.task_series s on s.id = r.series_id
      where person in (s.giver_id, s.tasker_id)
    union all select 'messages', m.created_at, to_jsonb(m) from public.messages m
      where m.sender_id = person or (m.receiver_id = person and m.hidden_at is null)
    union all select 'questions_asked', q.created_at, to_jsonb(q) || jsonb_build_object('answer',
      (select a.answer from public.task_answers a where a.question_id = q.id and a.hidden_at is null))
      from public.task_questions q where q.asker_id = person
    union all select 'questions_answered', a.created_at, to_jsonb(a) from public.task_answers a where a.giver_id = person
    union all select 'application_texts', t.created_at, to_jsonb(t) from public.application_texts t where t.user_id = person
    union all select 'price_changes', c.created_at, to_jsonb(c) from public.booking_changes c join public.bookings b on b.id = c.booking_id
      where person in (b.task_giver_id, b.task_doer_id)
    union all select 'payments', p.created_at, to_jsonb(p) from public.payments p where person in (p.payer_id, p.payee_id)
    union all select 'payment_failures', f.failed_at, to_jsonb(f) from public.payment_failures f where f.person_id = person
    union all select 'payment_methods', m.created_at, to_jsonb(m) from public.payment_methods m where m.user_id = person
    union all select 'payment_customer', c.created_at, to_jsonb(c) from private.payment_customers c where c.user_id = person
    union all select 'payout_account', a.created_at, to_jsonb(a) from public.payout_accounts a where a.user_id = person
    union all select 'payouts', p.created_at, to_jsonb(p) from public.payouts p where p.user_id = person
    union all select 'receipts_and_statements', r.issued_at, to_jsonb(r) from public.receipts r where r.person_id = person
    union all select 'complaints', c.created_at, to_jsonb(c) - 'decided_by' from public.complaints c where person in (c.giver_id, c.tasker_id)
    union all select 'reviews_written', r.created_at, to_jsonb(r) from public.reviews r where r.reviewer_id = person
    union all select 'reviews_received', r.created_at, to_jsonb(r) from public.reviews r
      where r.reviewee_id = person and r.visible_from <= now() and r.hidden_at is null
    union all select 'travel_area', a.updated_at, to_jsonb(a) from public.travel_areas a where a.user_id = person
    union all select 'schedule_settings', h.updated_at, to_jsonb(h) from public.schedule_settings h where h.user_id = person
    union all select 'working_hours', null, to_jsonb(h) from public.working_hours h where h.user_id = person
    union all select 'hours_exceptions', h.day, to_jsonb(h) from public.hours_exceptions h where h.user_id = person
    union all select 'calendar_address', c.created_at, to_jsonb(c) - 'token' from public.calendar_addresses c where c.user_id = person
    union all select 'imported_calendars', c.created_at, to_jsonb(c) || jsonb_build_object('busy',
      (select jsonb_agg(b.period order by b.period) from private.calendar_busy b where b.calendar_id = c.id))
      from public.imported_calendars c where c.user_id = person
    union all select 'favourites', f.created_at, to_jsonb(f) from public.favourites f where f.user_id = person
    union all select 'saved_searches', s.created_at, to_jsonb(s) from public.saved_searches s where s.user_id = person
    union all select 'task_alerts', a.matched_at, to_jsonb(a) - 'person_id' from private.task_alerts a where a.person_id = person
    union all select 'seen_tasks', s.seen_at, to_jsonb(s) - 'person_id' from private.seen_tasks s where s.person_id = person
    union all select 'notifications', n.created_at, to_jsonb(n) from public.notifications n where n.user_id = person
    union all select 'notification_preferences', n.updated_at, to_jsonb(n) from public.notification_preferences n where n.user_id = person
    union all select 'quiet_hours', p.created_at, to_jsonb(q) from public.quiet_hours q join private.profiles p on p.id = q.user_id
      where q.user_id = person
    union all select 'push_subscriptions', s.created_at, jsonb_build_object('push_service', substring(s.endpoint from '^https?://[^/]+'),
      'created_at', s.created_at) from public.push_subscriptions s where s.user_id = person
    union all select 'emails', e.created_at, jsonb_build_object('about', e.key, 'params', e.params, 'created_at', e.created_at,
      'sent_at', (select m.sent_at from private.emails m where m.id = e.email_id)) from private.email_events e where e.person_id = person
    union all select 'reported_emails', e.reported_at, to_jsonb(e) - 'id' - 'person_id' from private.mail_events e where e.person_id = person
    union all select 'suppressed_address', s.since, to_jsonb(s) - 'id' from private.suppressed_addresses s where s.id = person
    union all select 'reports_made', r.created_at, jsonb_build_object('kind', r.kind, 'subject_id', r.subject_id,
      'reason', r.reason, 'status', r.status, 'created_at', r.created_at, 'decided_at', r.decided_at)
      from public.reports r where r.reporter_id = person
    -- As in my_restrictions: each hidden item once, however many people reported it.
    union all (select distinct on (r.kind, r.subject_id) 'reports_about_me', r.decided_at, jsonb_build_object('kind', r.kind,
      'subject_id', r.subject_id, 'excerpt', r.excerpt, 'decision_note', r.decision_note, 'decided_at', r.decided_at)
      from public.reports r where r.author_id = person and r.status = 'hidden' order by r.kind, r.subject_id, r.decided_at desc)
    union all select 'activity', a.at, jsonb_build_object('at', a.at, 'action', a.action, 'table', a.table_name, 'row', a.row_id,
      'new_values', a.new_values) from public.audit_log a where a.actor_id = person and not a.by_admin
    union all select 'data_exports', e.requested_at, jsonb_build_object('requested_at', e.requested_at, 'status', e.status)
      from public.data_exports e where e.user_id = person
  )
  select coalesce(jsonb_object_agg(s.section, s.list), '{}') from (
    select section, jsonb_agg(data order by at) as list from rows group by section) s
$$;

-- Before an export is requested.
create function private.before_data_export_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('exports_requested');
  return new;
end $$;

create trigger before_data_export_insert before insert on public.data_exports
for each row execute function private.before_data_export_insert();

create policy "people read their own exports" on public.data_exports for select to authenticated
using (user_id = (select auth.uid()));

-- Admins have no access: only the owner reads an export.
create policy "people download their own exports" on storage.objects for select to authenticated
using (bucket_id = 'data-exports' and exists (select from public.data_exports e
  where e.user_id = (select auth.uid()) and e.status = 'ready' and e.expires_at > now() and name = any (e.files)));

grant select on public.data_exports to authenticated;
grant execute on function
  public.request_data_export()
to authenticated;

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('data-exports', 'data-exports', false, 50 * 1024 * 1024, array['application/zip'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;
