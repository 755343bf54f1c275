-- A report copies no more than its reporter may read. Both functions run with the caller's rights, so that policies and views
-- decide; only the filing runs as its owner.

-- Who wrote it and what it says, as the caller may read it; no row for anything else.
create or replace function private.reported_thing(kind public.reported_kind, subject uuid)
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
$$;
grant execute on function private.reported_thing(public.reported_kind, uuid) to authenticated;

-- Files a report of what `reported_thing` found: once a thing, at most 10 in 24 hours. The first open report of a thing notifies
-- administrators.
create function private.file_report(kind public.reported_kind, subject uuid, author uuid, excerpt text, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  -- One after the other, so that the count holds.
  perform pg_advisory_xact_lock(hashtextextended('reports ' || me, 0));
  perform private.require(not exists (select from public.reports r
    where r.reporter_id = me and r.kind = file_report.kind and r.subject_id = file_report.subject),
    'You have already reported this', 'subject');
  perform private.require((select count(*) from public.reports r
    where r.reporter_id = me and r.created_at > now() - interval '24 hours') < 10,
    'You have reported 10 things within a day. Please try again tomorrow.', 'subject');
  if not exists (select from public.reports r where r.kind = file_report.kind and r.subject_id = file_report.subject
      and r.status = 'open') then
    perform private.notify_admins('content_reported', jsonb_build_object('person', private.person_name(me),
      'what', file_report.kind, 'reason', left(file_report.reason, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (file_report.kind, file_report.subject, file_report.author, me, file_report.reason, left(file_report.excerpt, 2000));
end $$;
grant execute on function private.file_report(public.reported_kind, uuid, uuid, text, text) to authenticated;

-- Reports something that the caller can read, with a reason of 10 to 1000 characters.
create or replace function public.report_content(kind public.reported_kind, subject uuid, reason text) returns void
language plpgsql security invoker set search_path = '' as $$
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
  perform private.file_report(report_content.kind, report_content.subject, thing.author, thing.excerpt, given);
end $$;

-- The copy, and what an administrator writes to the author, are for administrators (find_reports). Reports from before this
-- migration may hold words that their reporter never could read.
revoke select on public.reports from authenticated;
grant select (id, kind, subject_id, author_id, reporter_id, reason, status, decided_at, created_at) on public.reports to authenticated;
