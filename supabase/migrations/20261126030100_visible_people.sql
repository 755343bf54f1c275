-- Who sees whom. A stranger sees people who have something public: a listed tasker, the giver of an open task, the author of
-- a shown review. People also see themselves and everyone they share a booking, an application or a request with.
-- Administrators and trusted code see all.

-- The signed-in person who reads; null for strangers. Tokens of other applications, and of sign-ins that still need the
-- second step, count as strangers.
create function private.reader() returns uuid
language sql stable set search_path = '' as $$
  select case when auth.role() = 'authenticated' and not private.is_application() then auth.uid() end
$$;

create function private.reads_everyone() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(auth.role(), '') not in ('anon', 'authenticated') or private.reader() is not null and private.is_admin()
$$;
grant execute on function private.reader(), private.reads_everyone() to anon, authenticated, service_role;

-- Whether the reader knows that person: a hidden profile withholds its details from everybody else.
create or replace function private.knows_person(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.reads_everyone() or coalesce(person = private.reader(), false)
    or exists (select from public.bookings b where b.task_giver_id = person and b.task_doer_id = private.reader())
    or exists (select from public.bookings b where b.task_doer_id = person and b.task_giver_id = private.reader())
$$;

-- For the view below: looking up one person reads one entry of each, however many tasks and reviews there are.
create index tasks_open_of_giver on public.tasks (task_giver_id) where status = 'open' and hidden_for is null;
create index reviews_shown_by_person on public.reviews (reviewer_id, visible_from) where hidden_at is null;
create index bookings_of_pair on public.bookings (task_giver_id, task_doer_id);

create or replace view public.public_profiles as
select p.id, p.full_name, case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.knows_person(p.id) else false end as withheld) v
where (select private.reads_everyone()) or p.id = (select private.reader())
  -- As private.listed_taskers.
  or p.id_verified and p.role = 'task_doer' and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or exists (select from public.bookings b where b.task_giver_id = p.id and b.task_doer_id = (select private.reader()))
  or exists (select from public.bookings b where b.task_doer_id = p.id and b.task_giver_id = (select private.reader()))
  -- Between a giver and the tasker whom they ask first.
  or exists (select from public.tasks t where t.status = 'asked' and t.hidden_for is null
    and t.task_giver_id = p.id and t.asked_tasker_id = (select private.reader()))
  or exists (select from public.tasks t where t.status = 'asked'
    and t.asked_tasker_id = p.id and t.task_giver_id = (select private.reader()));
comment on view public.public_profiles is
  'What a reader may see of the people they may see: those with something public, and those they have to do with';

-- Nobody can ask or save a tasker whom they do not see: the answer would say whose id it is.
create or replace function private.is_tasker(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.public_profiles where id = person and role = 'task_doer');
end $$;

-- A person's badges follow from the row of public_profiles alone. Looked up by its id, they would show those of anybody.
create function private.badges_of(person public.public_profiles) returns setof text
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
grant execute on function private.badges_of(public.public_profiles) to anon, authenticated, service_role;

create or replace view public.badges as
select p.id as user_id, b.badge from public.public_profiles p cross join lateral private.badges_of(p) b (badge);

create or replace function public.earned_badges(person public.public_profiles) returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(badge order by badge), '{}') from private.badges_of(person) b (badge)
$$;
