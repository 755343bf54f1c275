-- The view public.public_profiles, which shows people to each other, and what it shows: ratings, rates, trust score and badges.

set check_function_bodies = off;

-- Visibility of people. A stranger sees people who have something public: listed taskers, givers of open tasks, authors of shown
-- reviews. People also see themselves and everyone with whom they share a booking, an application or a request. Administrators
-- and trusted code see everyone.

-- The signed-in person who reads; null for strangers. Tokens of other applications, and of sign-ins that still need the second
-- factor, count as strangers. This and the next function are PL/pgSQL: views call them in every statement, and PostgreSQL plans
-- the body of a SQL function with a search_path again each time.
create function private.reader() returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return case when auth.role() = 'authenticated' and not private.is_application() then auth.uid() end;
end $$;

create function private.can_read_everyone() returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return case coalesce(auth.role(), '')
    when 'anon' then false
    when 'authenticated' then private.is_admin()
    else true
  end;
end $$;

-- The people whose full names the reader sees: as private.is_counterpart, and the reader. Sets of ids, as this and the next function
-- return them, are computed at most once in a statement and take one node of its plan, however long the list of people is.
create function private.counterparts() returns setof uuid
language plpgsql stable security definer rows 20 set search_path = '' as $$
declare
  reader constant uuid := private.reader();
begin
  return query
    select reader
    union all
    select case reader when b.task_giver_id then b.task_doer_id else b.task_giver_id end from public.bookings b
    where (b.task_giver_id = reader or b.task_doer_id = reader) and b.status in ('accepted', 'in_progress', 'completed');
end $$;

-- The people whom the reader sees though they have nothing public: those of shared bookings, applications and requests, and the
-- reader.
create function private.acquaintances() returns setof uuid
language plpgsql stable security definer rows 20 set search_path = '' as $$
declare
  reader constant uuid := private.reader();
begin
  return query
    select reader
    union all
    select case reader when b.task_giver_id then b.task_doer_id else b.task_giver_id end from public.bookings b
    where b.task_giver_id = reader or b.task_doer_id = reader
    union all
    select t.task_giver_id from public.tasks t
    where t.asked_tasker_id = reader and t.status = 'asked' and t.hidden_for is null
    union all
    select t.asked_tasker_id from public.tasks t where t.task_giver_id = reader and t.status = 'asked';
end $$;

create view public.public_profiles as
select p.id,
  case when (select private.can_read_everyone()) or p.id in (select private.counterparts())
    then p.full_name else p.short_name end as full_name,
  case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.can_see_person(p.id) else false end as withheld) v
-- Lists of open tasks and of taskers show people for whom one of the first two conditions holds.
where
  -- As private.listed_taskers.
  p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or (select private.can_read_everyone())
  or p.id in (select private.acquaintances());

-- Trust: a person's ratings, rates and score, computed from the events themselves by one function. Profiles store a copy for
-- lists and sorting; recount_person refreshes it after every event that changes it.

-- The record of a person:
--   rating, total_reviews  from the reviews that are shown
--   completed_tasks        jobs done as a tasker and paid out
--   response_rate          percentage of questions answered within 24 hours. A giver's questions are applications, a tasker's is
--                          the giver's first message about an active booking. An answered question counts at once. Without an
--                          answer, an application counts once its booking has ended, and a message once its booking has ended
--                          and 24 hours have passed. 100 while none counts.
--   on_time_rate           percentage of a tasker's scheduled bookings in which the tasker stated the arrival at most 15 minutes
--                          after the agreed time. Without that statement, a booking counts as on time if it was marked complete
--                          within two hours after the end of the task (by the end of the day if it has no duration). A booking
--                          that the tasker cancelled after acceptance, or did not come to, is never on time.
--   trust_score            starts at 50; verified +15, background checked +5, insured +5; stars: ±10 for each one above or
--                          below three, in full from five reviews on; +1 for each of up to ten paid jobs (done or given);
--                          −1 for every 5 points that on_time_rate is below 100, −1 for every 10 of response_rate; never
--                          outside 0 to 100.
create function private.reputation(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.series_id is null and b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and case
        when b.arrived_at is not null
          then b.arrived_at <= t.scheduled_date + make_interval(mins => private.rule('limits.arrival.graceMinutes'))
        when t.duration_minutes is not null
          then b.completed_at <= t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else b.completed_at
          <= (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person and not b.skipped))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

-- Refreshes a person's copy. The row is locked first, so that concurrent recounts cannot miss each other's events. Callers that
-- recount several people do so in the order of their ids.
create function private.recount_person(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from private.profiles where id = person for no key update;
  update private.profiles p set rating = r.rating, total_reviews = r.total_reviews,
    completed_tasks = r.completed_tasks, response_rate = r.response_rate, on_time_rate = r.on_time_rate,
    trust_score = r.trust_score
  from private.reputation(person) r
  where p.id = person
    and (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score);
end $$;

-- Recounts the record of the giver after an answer to an application, otherwise of the tasker. A step of a booking recounts
-- one person and the settlement of its money two, in the order of their ids, so concurrent recounts cannot deadlock.
create function private.recount_party(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.recount_person(case when before.status = 'pending' then booking.task_giver_id else booking.task_doer_id end);
end $$;

-- Recounts the records of both people when the money of completed work leaves escrow.
create function private.recount_parties(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.bookings where id = payment.booking_id and status = 'completed') then
    perform private.recount_person(least(payment.payer_id, payment.payee_id));
    perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
  end if;
end $$;

-- The badges that a person has earned: a computed column of public_profiles.
create function public.earned_badges(person public.public_profiles) returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(badge order by badge), '{}') from private.person_badges(person) b (badge)
$$;

-- Badges follow from the given row alone. Looking the person up by id would reveal badges of people whom the caller cannot see.
create function private.person_badges(person public.public_profiles) returns setof text
language sql immutable set search_path = '' as $$
  select b.badge from (values
    ('first_job', person.completed_tasks >= 1),
    ('ten_jobs', person.completed_tasks >= 10),
    ('fifty_jobs', person.completed_tasks >= 50),
    ('top_rated', person.rating >= 4.8 and person.total_reviews >= 5),
    ('quick_to_respond', person.response_rate >= 95 and person.completed_tasks >= 3),
    ('always_on_time', person.on_time_rate = 100 and person.completed_tasks >= 3),
    ('verified', person.is_verified),
    ('insured', person.insured)
  ) as b (badge, earned) where b.earned
$$;

-- Whether the person is a tasker: a computed column of public_profiles, because `role` contains only one of their roles.
create function public.is_tasker(person public.public_profiles) returns boolean
language sql stable set search_path = '' as $$ select private.is_tasker(person.id) $$;

create view public.badges as
select p.id as user_id, b.badge from public.public_profiles p cross join lateral private.person_badges(p) b (badge);

comment on view public.public_profiles is
  'People as others see them: those with something public, and those with whom the reader has a booking or a request';

comment on view public.badges is 'The badges that people have earned';

comment on column public.public_profiles.is_hidden is
  'The person hides their profile: bio, city, skills, experience and rate are withheld from the reader';

grant select on public.badges to anon, authenticated;
grant select on public.public_profiles to anon, authenticated;
grant execute on function
  public.earned_badges(public_profiles), public.is_tasker(public_profiles)
to anon, authenticated;
grant execute on function
  private.reader(), private.can_read_everyone(), private.counterparts(), private.acquaintances(),
  private.person_badges(public_profiles)
to anon, authenticated, service_role;
