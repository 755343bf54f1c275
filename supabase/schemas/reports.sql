-- Reports: people report a task, message, profile, review, question or answer. An admin hides it from everyone but its author, or
-- dismisses the report. The author is notified of what was hidden and why, the reporter that the report was reviewed.

create type public.reported_kind as enum ('task', 'message', 'profile', 'review', 'question', 'answer');

create type public.report_status as enum ('open', 'hidden', 'dismissed');

create table public.reports (
  id uuid primary key default gen_random_uuid(),
  kind public.reported_kind not null,
  subject_id uuid not null,
  author_id uuid not null references private.profiles (id) on delete cascade,
  reporter_id uuid not null, -- no foreign key: it would make embedding the author ambiguous
  reason text not null,
  excerpt text not null,
  status public.report_status not null default 'open',
  decision_note text,
  decided_by uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  unique (reporter_id, kind, subject_id)
);
alter table public.reports enable row level security;

comment on table public.reports is
  'Reports of tasks, messages, profiles, reviews, questions and answers, one for each reporter and subject';
comment on column public.reports.kind is 'What was reported';
comment on column public.reports.subject_id is
  'The id of the task, the message, the person, the review or the question, also of an answer''s question';
comment on column public.reports.author_id is 'The person who wrote the subject';
comment on column public.reports.reporter_id is 'The person who reported it';
comment on column public.reports.reason is 'What is wrong, in the reporter''s words, 10 to 1000 characters';
comment on column public.reports.excerpt is 'The subject''s text at the time of the report, at most 2000 characters';
comment on column public.reports.status is
  'The admin''s decision: '
  'new → open when somebody reports it; '
  'open | dismissed → hidden when an admin hides the subject; '
  'open → dismissed when an admin finds nothing wrong; '
  'hidden → dismissed when an admin shows the subject again';
comment on column public.reports.decision_note is
  'The admin''s reason for hiding the subject, which its author reads; null otherwise';
comment on column public.reports.decided_by is 'The admin of the last decision; null while open';
comment on column public.reports.decided_at is 'Time of the last decision; null while open';

create index reports_open on public.reports (created_at, id) where status = 'open';
create index reports_newest on public.reports (created_at desc, id desc);
create index reports_of_subject on public.reports (kind, subject_id);
create index reports_of_author on public.reports (author_id, created_at desc);
create index reports_by_reporter on public.reports (reporter_id, created_at desc);

-- Whether a chat photo belongs to a hidden message of somebody else.
create function private.is_hidden_photo(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.messages where photo = name and hidden_at is not null and sender_id <> (select auth.uid()))
$$;

-- A report copies only what its reporter can read. reported_thing and report_content run with the caller's rights, so policies
-- and views apply; only file_report runs as its owner.

-- The author and text of a subject, as the caller can read it; no row for anything else.
create function private.reported_content(kind public.reported_kind, subject uuid)
returns table (author uuid, excerpt text) language sql stable set search_path = '' as $$
  select t.task_giver_id, t.title || E'\n' || t.description from public.tasks t where kind = 'task' and t.id = subject
  union all
  select m.sender_id, coalesce(nullif(m.message, ''), 'Photo') from public.messages m where kind = 'message' and m.id = subject
  union all
  select p.id, concat_ws(E'\n', p.full_name, p.bio, array_to_string(p.skills, ', ')) from public.public_profiles p
  where kind = 'profile' and p.id = subject and p.full_name is not null
  union all
  select r.reviewer_id, r.rating || ' of 5' || coalesce(E'\n' || r.comment, '') from public.reviews r
  where kind = 'review' and r.id = subject
  union all
  select q.asker_id, q.question from public.task_questions q where kind = 'question' and q.id = subject
  union all
  select a.giver_id, a.answer from public.task_answers a where kind = 'answer' and a.question_id = subject
$$;

-- Reports something that the caller can read, with a reason of 10 to 1000 characters.
create function public.report_content(kind public.reported_kind, subject uuid, reason text) returns void
language plpgsql security invoker set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  given constant text := private.trimmed(reason);
  thing record;
begin
  perform private.allow(me is not null and private.has_account(), 'report.not_authenticated');
  perform private.allow(not private.is_suspended(me), 'account.suspended_for_reports');
  perform private.require(report_content.kind is not null, 'report.kind_invalid', 'kind');
  perform private.require(private.visible_length(given) >= 10, 'report.reason_too_short', 'reason');
  perform private.require(length(given) <= 1000, 'report.reason_too_long', 'reason');
  select * into thing from private.reported_content(report_content.kind, report_content.subject);
  perform private.require(thing.author is not null, 'report.subject_gone', 'subject');
  perform private.require(thing.author <> me, 'report.own', 'subject');
  perform private.file_report(report_content.kind, report_content.subject, thing.author, thing.excerpt, given);
end $$;

-- Hides something from everyone but its author, or shows it again.
create function private.set_content_hidden(kind public.reported_kind, subject uuid, hidden boolean) returns void
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
    when 'question' then update public.task_questions set hidden_at = case when hidden then now() end where id = subject;
    when 'answer' then update public.task_answers set hidden_at = case when hidden then now() end where question_id = subject;
  end case;
end $$;

-- Decides all reports of the same subject, as an admin. With `hide`, the subject is hidden and its author reads the reason;
-- without, the reports are dismissed and a hidden subject is shown again.
create function public.decide_report(report_id uuid, hide boolean, note text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  report public.reports;
  given text;
  one record;
  was_hidden boolean;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide reports"}');
  select * into report from public.reports r where r.id = decide_report.report_id for no key update;
  perform private.require(report.id is not null, 'report.not_found', 'report_id');
  perform private.allow(report.author_id <> auth.uid(), 'admin.own_case', '{"matter": "about what you wrote"}');
  perform private.require(hide is not null, 'report.decision_required', 'hide');
  given := case when hide then private.admin_reason(note) end;
  was_hidden := report.status = 'hidden';
  perform private.require(not (hide and was_hidden), 'report.already_hidden', 'report_id');
  perform private.require(hide or report.status <> 'dismissed', 'report.already_dismissed', 'report_id');
  perform private.set_content_hidden(report.kind, report.subject_id, hide);
  for one in
    update public.reports r set status = case when hide then 'hidden' else 'dismissed' end::public.report_status,
      decision_note = given, decided_by = auth.uid(), decided_at = now()
    from public.reports before
    where before.id = r.id and r.kind = report.kind and r.subject_id = report.subject_id
      and (r.status = 'open' or r.id = report.id or was_hidden)
    returning r.reporter_id, before.status = 'open' as was_open
  loop
    if one.was_open and one.reporter_id <> auth.uid() then
      perform private.notify_person(one.reporter_id, 'report_handled', jsonb_build_object('what', private.coded(report.kind::text),
        'outcome', private.coded(case when hide then 'hidden' else 'kept' end)), '/dashboard');
    end if;
  end loop;
  if hide then
    perform private.notify_person(report.author_id, 'content_hidden',
      jsonb_build_object('what', private.coded(report.kind::text), 'reason', given), '/dashboard');
  elsif was_hidden then
    perform private.notify_person(report.author_id, 'content_shown', jsonb_build_object('what', private.coded(report.kind::text)), '/dashboard');
  end if;
end $$;

-- Reports by status, with people's names: open ones oldest first, others newest first. Returns the page after the row
-- (after_at, after_id), at most 100 rows.
create function public.find_reports(wanted public.report_status default 'open', after_at timestamptz default null,
  after_id uuid default null, max_results integer default 50)
returns table (id uuid, kind public.reported_kind, subject_id uuid, author_id uuid, author_name text, reporter_id uuid,
  reporter_name text, reason text, excerpt text, status public.report_status, decision_note text, decided_at timestamptz,
  others integer, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through reports"}');
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

-- Files a report of what `reported_thing` found: once for each subject, at most 10 in 24 hours. Administrators are notified of
-- the first open report of a subject.
create function private.file_report(kind public.reported_kind, subject uuid, author uuid, excerpt text, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  -- One after the other, so that the count holds.
  perform pg_advisory_xact_lock(hashtextextended('reports ' || me, 0));
  perform private.require(not exists (select from public.reports r
    where r.reporter_id = me and r.kind = file_report.kind and r.subject_id = file_report.subject),
    'report.already_reported', 'subject');
  perform private.require((select count(*) from public.reports r
    where r.reporter_id = me and r.created_at > now() - interval '24 hours') < 10,
    'report.daily_limit', 'subject');
  if not exists (select from public.reports r where r.kind = file_report.kind and r.subject_id = file_report.subject
      and r.status = 'open') then
    perform private.notify_admins('content_reported', jsonb_build_object('person', private.full_name(me),
      'what', private.coded(file_report.kind::text), 'reason', left(file_report.reason, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (file_report.kind, file_report.subject, file_report.author, me, file_report.reason, left(file_report.excerpt, 2000));
end $$;

-- Before a report is filed.
create function private.before_report_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('reports_made');
  return new;
end $$;

create trigger before_report_insert before insert on public.reports
for each row execute function private.before_report_insert();

create policy "people read their own reports, admins all" on public.reports for select to authenticated
using (reporter_id = (select auth.uid()) or (select private.is_admin()));

create policy "photos of hidden messages only for sender and admins" on storage.objects as restrictive
for select to anon, authenticated
using (bucket_id <> 'chat-photos' or not private.is_hidden_photo(name) or (select private.is_admin()));

grant select (id, kind, subject_id, author_id, reporter_id, reason, status, decided_at, created_at) on public.reports to authenticated;
grant execute on function
  private.is_hidden_photo(text)
to anon, authenticated, service_role;
grant execute on function
  private.reported_content(reported_kind, uuid), public.decide_report(uuid, boolean, text),
  public.find_reports(report_status, timestamp with time zone, uuid, integer),
  public.report_content(reported_kind, uuid, text), private.file_report(reported_kind, uuid, uuid, text, text)
to authenticated;
