-- Reports: people say that a task, a message, a profile or a review should not be there; an admin hides it from everybody but its
-- author, or dismisses the report. Who wrote it hears what was hidden and why; who reported it, that it was looked at.

create type public.reported_kind as enum ('task', 'message', 'profile', 'review');
create type public.report_status as enum ('open', 'hidden', 'dismissed');

create table public.reports (
  id uuid primary key default gen_random_uuid(),
  kind public.reported_kind not null,
  subject_id uuid not null, -- the id of the task, the message, the person or the review
  author_id uuid not null references private.profiles (id) on delete cascade, -- who wrote it
  reporter_id uuid not null, -- no foreign key: it would make embedding the author ambiguous
  reason text not null,
  excerpt text not null, -- its words when it was reported
  status public.report_status not null default 'open',
  decision_note text,
  decided_by uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  unique (reporter_id, kind, subject_id)
);
create index reports_open on public.reports (created_at, id) where status = 'open';
create index reports_newest on public.reports (created_at desc, id desc);
create index reports_of_subject on public.reports (kind, subject_id);
create index reports_of_author on public.reports (author_id, created_at desc);
create index reports_by_reporter on public.reports (reporter_id, created_at desc);

alter table public.reports enable row level security;
revoke all on public.reports from anon, authenticated;
grant select on public.reports to authenticated;
create policy "people read what they reported, admins all" on public.reports for select to authenticated
using (reporter_id = (select auth.uid()) or (select private.is_admin()));
create trigger write_audit after update on public.reports
for each row execute function private.write_audit('status', 'decision_note', 'decided_by');

alter table public.messages add column hidden_at timestamptz;
alter table public.reviews add column hidden_at timestamptz;
create index messages_hidden_with_photo on public.messages (photo) where hidden_at is not null and photo is not null;

create policy "hidden messages are for who wrote them" on public.messages as restrictive for select to authenticated
using (hidden_at is null or sender_id = (select auth.uid()));
create policy "hidden reviews are for who wrote them and admins" on public.reviews as restrictive
for select to anon, authenticated
using (hidden_at is null or reviewer_id = (select auth.uid()) or (select private.is_admin()));

create function private.is_hidden_photo(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.messages where photo = name and hidden_at is not null and sender_id <> (select auth.uid()))
$$;
grant execute on function private.is_hidden_photo(text) to anon, authenticated, service_role;
create policy "photos of hidden messages are for who sent them and admins" on storage.objects as restrictive
for select to anon, authenticated
using (bucket_id <> 'chat-photos' or not private.is_hidden_photo(name) or (select private.is_admin()));

-- A profile hidden for a report shows strangers its name and its record, and nothing that the person wrote or put up.
create or replace view public.public_profiles as
select id, full_name, case when hidden_for = 'report' then null else avatar_url end as avatar_url,
  case when hidden_for = 'report' then null else bio end as bio, city, rating, total_reviews, completed_tasks, response_rate,
  on_time_rate, trust_score, case when hidden_for = 'report' then '{}' else skills end as skills, experience_years, hourly_rate,
  availability_status, verification_level, created_at, role, is_verified, id_verified, background_checked, insured
from private.profiles;

-- Who wrote it and what it says, as the caller may see it now; no row for what is not there or not theirs to see.
create function private.reported_thing(kind public.reported_kind, subject uuid)
returns table (author uuid, excerpt text) language sql stable security definer set search_path = '' as $$
  select t.task_giver_id, t.title || E'\n' || t.description from public.tasks t
  where kind = 'task' and t.id = subject and (t.status = 'open' or t.asked_tasker_id = auth.uid() or private.has_applied(t.id))
  union all
  select m.sender_id, coalesce(nullif(m.message, ''), 'Photo') from public.messages m
  where kind = 'message' and m.id = subject and auth.uid() in (m.receiver_id, m.sender_id)
  union all
  select p.id, concat_ws(E'\n', p.full_name, p.bio, array_to_string(p.skills, ', ')) from private.profiles p
  where kind = 'profile' and p.id = subject and p.deleted_at is null
  union all
  select r.reviewer_id, r.rating || ' of 5' || coalesce(E'\n' || r.comment, '') from public.reviews r
  where kind = 'review' and r.id = subject and r.visible_from <= now()
$$;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('content_reported', 'admin', 'A report to decide: a {what}', 'Open the report', 'A report to decide',
    '{person} reported a {what}: {reason}'),
  ('content_hidden', 'complaints', 'Your {what} is hidden', 'Open Meadowlark', 'Your {what} is hidden',
    'Somebody reported it, and an administrator has hidden it from others: {reason}'),
  ('content_shown', 'complaints', 'Your {what} is shown again', 'Open Meadowlark', 'Your {what} is shown again',
    'An administrator has looked at it once more and shows it again.'),
  ('report_handled', 'complaints', 'Your report was looked at', 'Open Meadowlark', 'Your report was looked at',
    'An administrator has looked at the {what} that you reported and {outcome}. Thank you for telling us.');

-- Reports something once, with a reason of 10 to 1000 characters; at most 10 things in 24 hours. The first open report of a thing
-- notifies admins.
create function public.report_content(kind public.reported_kind, subject uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  given constant text := private.trimmed(reason);
  thing record;
begin
  perform private.allow(me is not null and private.has_account(), 'Please sign in to report something');
  perform private.allow(not private.is_suspended(me), 'Your account is suspended: you cannot report until this is lifted');
  perform private.require(report_content.kind is not null, 'What is reported is a task, a message, a profile or a review', 'kind');
  perform private.require(private.visible_length(given) >= 10, 'Please say what is wrong in at least 10 characters', 'reason');
  perform private.require(length(given) <= 1000, 'Reason too long (max 1000 characters)', 'reason');
  select * into thing from private.reported_thing(report_content.kind, report_content.subject);
  perform private.require(thing.author is not null, 'This is no longer there', 'subject');
  perform private.require(thing.author <> me, 'This is your own', 'subject');
  -- One after the other, so that the count holds.
  perform pg_advisory_xact_lock(hashtextextended('reports ' || me, 0));
  perform private.require(not exists (select from public.reports r
    where r.reporter_id = me and r.kind = report_content.kind and r.subject_id = report_content.subject),
    'You have already reported this', 'subject');
  perform private.require((select count(*) from public.reports r
    where r.reporter_id = me and r.created_at > now() - interval '24 hours') < 10,
    'You have reported 10 things within a day. Please try again tomorrow.', 'subject');
  if not exists (select from public.reports r where r.kind = report_content.kind and r.subject_id = report_content.subject
      and r.status = 'open') then
    perform private.notify_admins('content_reported', jsonb_build_object('person', private.person_name(me),
      'what', report_content.kind, 'reason', left(given, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (report_content.kind, report_content.subject, thing.author, me, given, left(thing.excerpt, 2000));
end $$;

-- The stars of a hidden review count no more. The rest of what a record is stays as it was.
do $$
begin
  execute replace(pg_get_functiondef('private.record_of(uuid)'::regprocedure),
    'r.visible_from <= clock_timestamp()', 'r.visible_from <= clock_timestamp() and r.hidden_at is null');
end $$;

-- Hides something from everybody but its author, or shows it again.
create function private.set_hidden(kind public.reported_kind, subject uuid, hidden boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  case kind
    when 'task' then update public.tasks set hidden_for = case when hidden then 'report'
        when private.is_suspended(task_giver_id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'message' then update public.messages set hidden_at = case when hidden then now() end where id = subject;
    when 'profile' then update private.profiles set hidden_for = case when hidden then 'report'
        when private.is_suspended(id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'review' then
      update public.reviews set hidden_at = case when hidden then now() end where id = subject;
      perform private.recount_person((select reviewee_id from public.reviews where id = subject));
  end case;
end $$;

-- An admin's decision about what a report is about; all reports of the same thing go with it. With `hide` it is hidden, with a
-- reason that its author reads; without, the reports are dismissed, and what was hidden is shown again.
create function public.decide_report(report_id uuid, hide boolean, note text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  report public.reports;
  given text;
  one record;
  was_hidden boolean;
begin
  perform private.allow(private.is_admin(), 'Only admins can decide reports');
  select * into report from public.reports r where r.id = decide_report.report_id for no key update;
  perform private.require(report.id is not null, 'Report not found', 'report_id');
  perform private.allow(report.author_id <> auth.uid(), 'Another admin decides about what you wrote');
  perform private.require(hide is not null, 'A decision is required', 'hide');
  given := case when hide then private.admin_reason(note) end;
  was_hidden := report.status = 'hidden';
  perform private.require(not (hide and was_hidden), 'This is hidden already', 'report_id');
  perform private.require(hide or report.status <> 'dismissed', 'This is dismissed already', 'report_id');
  perform private.set_hidden(report.kind, report.subject_id, hide);
  for one in
    update public.reports r set status = case when hide then 'hidden' else 'dismissed' end::public.report_status,
      decision_note = given, decided_by = auth.uid(), decided_at = now()
    from public.reports before
    where before.id = r.id and r.kind = report.kind and r.subject_id = report.subject_id
      and (r.status = 'open' or r.id = report.id or was_hidden)
    returning r.reporter_id, before.status = 'open' as was_open
  loop
    if one.was_open and one.reporter_id <> auth.uid() then
      perform private.notify_person(one.reporter_id, 'report_handled', jsonb_build_object('what', report.kind,
        'outcome', case when hide then 'has hidden it' else 'has found nothing against our rules' end), '/dashboard');
    end if;
  end loop;
  if hide then
    perform private.notify_person(report.author_id, 'content_hidden',
      jsonb_build_object('what', report.kind, 'reason', given), '/dashboard');
  elsif was_hidden then
    perform private.notify_person(report.author_id, 'content_shown', jsonb_build_object('what', report.kind), '/dashboard');
  end if;
end $$;

-- Reports by how they stand: the open ones oldest first, the others newest first, with the people's names. The page after the
-- row (after_at, after_id); at most 100.
create function public.find_reports(wanted public.report_status default 'open', after_at timestamptz default null,
  after_id uuid default null, max_results integer default 50)
returns table (id uuid, kind public.reported_kind, subject_id uuid, author_id uuid, author_name text, reporter_id uuid,
  reporter_name text, reason text, excerpt text, status public.report_status, decision_note text, decided_at timestamptz,
  others integer, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can look through reports');
  return query select r.id, r.kind, r.subject_id, r.author_id, author.full_name, r.reporter_id, reporter.full_name, r.reason,
    r.excerpt, r.status, r.decision_note, r.decided_at,
    (select count(*)::integer - 1 from public.reports o where o.kind = r.kind and o.subject_id = r.subject_id), r.created_at
  from public.reports r join private.profiles author on author.id = r.author_id
    left join private.profiles reporter on reporter.id = r.reporter_id
  where r.status = wanted and (after_at is null
    or case when wanted = 'open' then (r.created_at, r.id) > (after_at, after_id) else (r.created_at, r.id) < (after_at, after_id) end)
  order by case when wanted = 'open' then r.created_at end, case when wanted = 'open' then r.id end,
    r.created_at desc, r.id desc
  limit least(greatest(coalesce(max_results, 50), 0), 100);
end $$;

create or replace function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can see the back office');
  return query
    select 'verifications', count(*), min(v.updated_at) from public.verifications v where v.verification_status = 'pending'
    union all
    select 'complaints', count(*), min(c.created_at) from public.complaints c where c.decision is null
    union all
    select 'reports', count(*), min(r.created_at) from public.reports r where r.status = 'open'
    union all
    select 'losses', count(*), min(p.updated_at) from public.payments p
    where p.unsettled_loss > 0 and p.open_disputes = 0 and p.escrow_status = 'frozen'
    union all
    select 'chargebacks', count(*), min(d.created_at) from public.disputes d
    where d.status in ('needs_response', 'warning_needs_response')
    union all
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_stuck(p)
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

revoke execute on function public.report_content(public.reported_kind, uuid, text),
  public.decide_report(uuid, boolean, text), public.find_reports(public.report_status, timestamptz, uuid, integer)
  from public, anon;
grant execute on function public.report_content(public.reported_kind, uuid, text),
  public.decide_report(uuid, boolean, text), public.find_reports(public.report_status, timestamptz, uuid, integer)
  to authenticated;
