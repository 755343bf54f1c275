-- Codes of errors, 9: the rules of task search to reports.
set check_function_bodies = off;

create or replace function private.found_tasks(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  kind record;
  narrowed text;
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'search.sort_unknown', 'sort');
  select * into kind from private.category_condition(category);
  -- Days are Saskatchewan's. A task that suits at any time has none.
  narrowed := concat_ws(' and ', 'true', kind.exact,
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone 'America/Regina'),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone 'America/Regina'));
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place)), kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- What is common is found among the first tasks in that order; what is not found there is rare, and an index has it.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Five times as far only where that is likely to do: the index is quick about what is rarer.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return coalesce(found_ids, '{}');
end $$;

create or replace function private.check_favourites_count() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'favourite.too_many', 'tasker_id');
  return new;
end $$;

create or replace function private.found_taskers(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = home)
        and (found_taskers.category is null or p.preferred_categories @> array[found_taskers.category])
        and (found_taskers.max_rate is null or p.hourly_rate <= found_taskers.max_rate)
        and (found_taskers.availability is null or p.availability_status::text = found_taskers.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create or replace function public.find_taskers(
  query text default '', max_results integer default 100, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
  wanted constant integer := least(greatest(coalesce(max_results, 100), 0), 200);
begin
  perform private.require(num_nulls(after_rating, after_reviews, after_id) in (0, 3),
    'search.position_incomplete', 'after_id');
  return query
  with found as (
    -- Equals of the last one, and who is rated lower: each is one stretch of the index.
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where t.rating = after_rating and t.total_reviews = after_reviews and t.id > after_id
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
    union all
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where (t.rating, t.total_reviews) < (coalesce(after_rating, 'infinity'), coalesce(after_reviews, 0))
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  ), page as (
    select * from found order by rating desc, total_reviews desc, id limit wanted
  )
  select p.* from page join public.public_profiles p on p.id = page.id
  order by page.rating desc, page.total_reviews desc, page.id;
end $$;

drop trigger "20_own" on public.favourites;
create trigger "20_own" before insert on public.favourites for each row
when (private.is_client() and (new.user_id = auth.uid()) is not true)
execute function private.forbid('favourite.not_own');

drop trigger "30_tasker" on public.favourites;
create trigger "30_tasker" before insert on public.favourites for each row
when ((new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id)) is not true)
execute function private.reject('favourite.not_tasker', 'tasker_id');

create or replace function private.admin_reason(reason text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  given constant text := private.trimmed(reason);
begin
  perform private.require(private.visible_length(given) >= 3, 'admin.reason_required', 'reason');
  perform private.require(length(given) <= private.rule('limits.decisionReason.max'), 'admin.reason_too_long', 'reason');
  return given;
end $$;

create or replace function private.check_task_is_shown() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.tasks where id = new.task_id and hidden_for is not null) then
    perform private.fail('task.not_open', 'task_id');
  end if;
  return new;
end $$;

create or replace function private.refuse_suspended() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended', null, '{}', '42501');
  end if;
  return new;
end $$;

create or replace function private.refuse_suspended_edit() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status = old.status and private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended_for_tasks', null, '{}', '42501');
  end if;
  return new;
end $$;

create or replace function private.refuse_suspended_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.id = (select auth.uid()) and private.is_suspended(new.id) and exists (
    select from unnest(private.public_profile_columns()) field
    where to_jsonb(new) -> field is distinct from to_jsonb(old) -> field)
  then
    perform private.fail('account.suspended_for_profile', null, '{}', '42501');
  end if;
  return new;
end $$;

create or replace function public.lift_suspension(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "lift a suspension"}');
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  update public.suspensions set lifted_at = now(), lifted_by = auth.uid() where user_id = person and lifted_at is null;
  perform private.require(found, 'suspension.not_suspended', 'person');
  update public.tasks set hidden_for = null where task_giver_id = person and hidden_for = 'suspension';
  update private.profiles set hidden_for = null where id = person and hidden_for = 'suspension';
  perform private.notify_person(person, 'suspension_lifted', '{}', '/dashboard');
end $$;

create or replace function public.my_restrictions()
returns table (kind text, id uuid, subject_id uuid, title text, reason text, since timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null, 'account.not_authenticated');
  return query
  with hidden (kind, id, subject_id, title) as (
    select 'profile', p.id, p.id, null from private.profiles p where p.id = me and p.hidden_for = 'report'
    union all
    select 'task', t.id, t.id, t.title from public.tasks t where t.task_giver_id = me and t.hidden_for = 'report' and t.status <> 'cancelled'
    union all
    select 'review', r.id, r.reviewee_id, t.title from public.reviews r join public.bookings b on b.id = r.booking_id
      join public.tasks t on t.id = b.task_id where r.reviewer_id = me and r.hidden_at is not null
    union all
    select 'message', m.id, m.booking_id, t.title from public.messages m join public.bookings b on b.id = m.booking_id
      join public.tasks t on t.id = b.task_id where m.sender_id = me and m.hidden_at is not null
  )
  select h.kind, h.id, h.subject_id, h.title, decided.decision_note, decided.decided_at
  from hidden h left join lateral (select r.decision_note, r.decided_at from public.reports r
    where r.kind = h.kind::public.reported_kind and r.subject_id = h.id and r.status = 'hidden'
    order by r.decided_at desc limit 1) decided on true
  union all
  select 'suspension', me, me, null, s.reason, s.created_at
  from (select 1) one left join public.suspensions s on s.user_id = me and s.lifted_at is null where private.is_suspended(me)
  order by 6 desc nulls last, 2 limit 20;
end $$;

create or replace function public.suspend_person(person uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given text;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "suspend people"}');
  given := private.admin_reason(reason);
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'account.not_found', 'person');
  perform private.require(not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin'),
    'suspension.admin', 'person');
  perform private.require(not exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null),
    'suspension.already_suspended', 'person');
  insert into public.suspensions (user_id, reason, suspended_by) values (person, given, auth.uid());
  update public.tasks set hidden_for = 'suspension'
  where task_giver_id = person and status in ('open', 'asked') and hidden_for is null;
  update private.profiles set hidden_for = 'suspension' where id = person and hidden_for is null;
  perform private.notify_person(person, 'account_suspended', jsonb_build_object('reason', given), '/profile');
end $$;

create or replace function private.file_report(kind public.reported_kind, subject uuid, author uuid, excerpt text, reason text) returns void
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
      'what', file_report.kind, 'reason', left(file_report.reason, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (file_report.kind, file_report.subject, file_report.author, me, file_report.reason, left(file_report.excerpt, 2000));
end $$;

create or replace function public.decide_report(report_id uuid, hide boolean, note text default null) returns void
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
