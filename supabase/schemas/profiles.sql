-- Profiles: the people of the marketplace, the limits of each field, how names are shown to others, and the view public.profiles,
-- through which the API reads and changes them.

set check_function_bodies = off;

create type public.app_role as enum ('task_giver', 'task_doer', 'admin');

create type public.availability_status as enum ('available', 'busy', 'unavailable');

-- Visibility of a profile. A public one is for everyone. A hidden one is not listed in Find Taskers, and its bio, city, skills
-- and rate are only for the person, admins and people they have a booking with. Name, photo, rating and reviews stay visible,
-- so that people know whom they deal with.
create type public.profile_visibility as enum ('public', 'hidden');

-- Names of people. A profile stores the full name as typed. Other people see the first name and the initial of the
-- last one, "Theo B.", until the two have an accepted booking. From then on they see the full name, as they see
-- contact details (private.is_counterpart). The person, administrators and trusted code always see the full name.
-- Notifications, e-mails and pushes follow the same rule (private.name_for).

-- "Anna Maria van der Berg" → "Anna B.", "Berg, Anna" → "Anna B.". A name of one word is not shortened: some people have only
-- one, and in a name like 王小明 the family name is one character, its own initial. Words without a letter (an emoji) do not
-- count.
create function private.public_name(full_name text) returns text
language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  letter constant text := '[[:alpha:]\u00c0-\u1fff\u2c00-\ud7ff\uf900-\ufdff\ufe70-\ufefc]';
  name text := normalize(private.trimmed(full_name), NFC);
  words text[];
begin
  name := regexp_replace(name, '^(\S+),\s+(.+)$', '\2 \1');
  -- Names joined by a character other than a space.
  name := regexp_replace(name, '(' || letter || '{2})[._,/]+(?=' || letter || '{2})', '\1 ', 'g');
  words := array(select w.word
    from regexp_split_to_table(name, '[' || private.space_characters() || '·・]+') with ordinality w (word, place)
    where w.word ~ letter order by w.place);
  if cardinality(words) < 2 then
    return full_name;
  end if;
  return words[1] || ' ' || upper(substring(words[cardinality(words)] from letter)) || '.';
end $$;

create table private.profiles (
  id uuid primary key,
  full_name text,
  email text,
  phone text,
  city text,
  bio text,
  avatar_url text,
  rating numeric(3, 2) not null default 0 check (rating between 0 and 5),
  total_reviews integer not null default 0,
  completed_tasks integer not null default 0,
  response_rate integer not null default 100 check (response_rate between 0 and 100),
  on_time_rate integer not null default 100 check (on_time_rate between 0 and 100),
  trust_score integer not null default 50 check (trust_score between 0 and 100),
  skills text[] not null default '{}',
  preferred_categories text[] not null default '{}',
  experience_years integer,
  hourly_rate numeric, -- rounded to cents and limited by private.before_profile_update, whose errors name the field
  availability_status public.availability_status not null default 'available',
  last_active timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  verified_by_admin boolean not null default false,
  verification_notes text,
  verified_at timestamptz,
  verified_by uuid references private.profiles (id) on delete set null,
  language text not null default 'en',
  verified_name text,
  role public.app_role,
  id_verified boolean not null default false,
  background_checked boolean not null default false,
  insured boolean not null default false,
  is_verified boolean not null generated always as (id_verified or verified_by_admin) stored,
  verification_level text not null
    generated always as (case when id_verified or verified_by_admin then 'verified' else 'unverified' end) stored,
  deleted_at timestamptz,
  visibility public.profile_visibility not null default 'public',
  hidden_for text check (hidden_for in ('report', 'suspension')),
  roles public.app_role[] not null default '{}',
  short_name text generated always as (private.public_name(full_name)) stored
);
alter table private.profiles enable row level security;

comment on table private.profiles is 'People, one row each; the API reads and changes them through the view public.profiles';
comment on column private.profiles.id is
  'Equals auth.users.id; without a foreign key, because the row can remain when the account is deleted';
comment on column private.profiles.full_name is
  'As the person typed it; null until an account from a sign-in provider is finished, and after deletion';
comment on column private.profiles.email is
  'The account''s address, copied by private.sync_profile_email; null for accounts without one';
comment on column private.profiles.phone is 'As the person typed it; null if not given';
comment on column private.profiles.city is 'Null if not given';
comment on column private.profiles.bio is 'Null if not given';
comment on column private.profiles.avatar_url is 'Web address or path of the profile photo; null if there is none';
comment on column private.profiles.rating is
  'Average stars of the shown reviews, 0 to 5; 0 without reviews; kept by private.recount_person like the next five';
comment on column private.profiles.total_reviews is 'Number of shown reviews';
comment on column private.profiles.completed_tasks is 'Number of jobs done as a tasker and paid out';
comment on column private.profiles.response_rate is
  'Percentage of applications (giver) and first messages (tasker) answered within 24 hours; 100 while none counts';
comment on column private.profiles.on_time_rate is
  'Percentage of scheduled jobs to which the tasker came in time; 100 while none counts; the formula is at private.reputation';
comment on column private.profiles.trust_score is
  '0 to 100, from badges, reviews, paid jobs and both rates; the formula is at private.reputation';
comment on column private.profiles.skills is
  'As the person typed them, without duplicates; searches and recommendations use them';
comment on column private.profiles.preferred_categories is
  'Categories of private.rules() whose tasks are recommended to the person';
comment on column private.profiles.experience_years is 'Whole years; null if not given';
comment on column private.profiles.hourly_rate is
  'Dollars an hour, rounded to cents; null if not given';
comment on column private.profiles.availability_status is 'What the person states about their availability';
comment on column private.profiles.last_active is
  'When the app last reported activity, by the database''s clock; null if it never did';
comment on column private.profiles.verified_by_admin is 'An admin confirmed the person directly, without a submitted ID';
comment on column private.profiles.verification_notes is 'Notes of admins about the verification; only admins read them';
comment on column private.profiles.verified_at is 'When verified_by_admin was set; null while it is false';
comment on column private.profiles.verified_by is 'The admin who set verified_by_admin; null while it is false';
comment on column private.profiles.language is
  'Code from the languages of private.rules(), such as en; copied to the metadata of the account';
comment on column private.profiles.verified_name is
  'The name that was last verified; admins see it after a new name removed the badge';
comment on column private.profiles.role is
  'The person''s role of highest priority: admin, task_doer, task_giver; kept by a trigger of user_roles';
comment on column private.profiles.id_verified is
  'An admin saw an ID and approved the verification; copied from verifications by a trigger';
comment on column private.profiles.background_checked is
  'The approved verification includes a background check; copied from verifications';
comment on column private.profiles.insured is
  'The approved verification declares an insurance that has not expired; copied from verifications';
comment on column private.profiles.is_verified is
  'Whether the verified badge is shown: an approved ID, or direct confirmation by an admin';
comment on column private.profiles.verification_level is
  'The same as is_verified, as verified or unverified, for older clients';
comment on column private.profiles.deleted_at is
  'When the account was deleted and the emptied profile was kept for money records; null while the account exists';
comment on column private.profiles.visibility is
  'A hidden profile is not listed, and only people who share a booking with the person and admins see its details';
comment on column private.profiles.hidden_for is
  'Why Find Taskers leaves the person out: report (an admin hid the profile) or suspension; null while it does not';
comment on column private.profiles.roles is 'All roles of the person by priority, kept by a trigger from user_roles';
comment on column private.profiles.short_name is
  'First name and initial, as strangers read it; stored because a list of tasks shows it for every giver';

create index profiles_created on private.profiles (created_at desc);
create index profiles_email on private.profiles (lower(email));
create index profiles_verified_by on private.profiles (verified_by) where verified_by is not null;
create index profiles_newest on private.profiles (created_at desc, id desc) where deleted_at is null;
create index profiles_reported on private.profiles (id) where hidden_for = 'report';
create index profiles_taskers on private.profiles (rating desc, total_reviews desc, id)
  where id_verified and 'task_doer' = any (roles);
create index profiles_with_task_giver on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'task_giver' = any (roles);
create index profiles_with_task_doer on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'task_doer' = any (roles);
create index profiles_with_admin on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'admin' = any (roles);

-- Checks used by policies and triggers. They are PL/pgSQL because the body of a SQL definer function is parsed and planned again
-- in each statement that calls it.
create function private.has_role(wanted public.app_role) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.user_roles where user_id = (select auth.uid()) and role = wanted);
end $$;

-- Whether the caller is an admin who signed in with a second factor, or an exempt admin who has none. Tokens of third-party
-- applications never are.
create function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.is_application() or not private.has_role('admin') then
    return false;
  end if;
  return coalesce(auth.jwt() ->> 'aal' = 'aal2', false) or (
    exists (select from private.admins_without_second_factor where person_id = auth.uid())
    and not private.has_second_factor(auth.uid()));
end $$;

-- Whether the caller and that person share a booking that was accepted and not cancelled.
create function private.is_counterpart(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where status in ('accepted', 'in_progress', 'completed')
      and task_doer_id = person and task_giver_id = (select auth.uid()))
    or exists (select from public.bookings where status in ('accepted', 'in_progress', 'completed')
      and task_doer_id = (select auth.uid()) and task_giver_id = person);
end $$;

-- Whether the caller's account still exists. An access token outlives its account by up to an hour; without this check, erased
-- data could be entered again (for example by another tab that updates last_active).
create function private.has_account() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.profiles where id = (select auth.uid()) and deleted_at is null)
$$;

-- Passes an update of the view on to the table. Only changed columns are written, so callers need no privilege for the others.
-- Not a definer: the table's grants, policies and triggers apply to the caller. Generated columns are left out.
create function private.update_profile() returns trigger
language plpgsql set search_path = '' as $$
declare
  before constant jsonb := to_jsonb(old);
  changes text;
begin
  select string_agg(format('%I = ($1).%I', key, key), ', ') into changes
  from jsonb_each(to_jsonb(new) - array['is_verified', 'verification_level']) as wanted (key, value)
  where value is distinct from before -> key;
  execute 'update private.profiles set ' || coalesce(changes, 'updated_at = updated_at') || ' where id = $2 returning id'
    into new.id using new, old.id;
  if new.id is null then
    return null;
  end if;
  select * into new from public.profiles where id = new.id;
  return new;
end $$;

-- Whether the reader knows that person: a hidden profile withholds its details from everyone else.
create function private.can_see_person(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.can_read_everyone() or coalesce(person = private.reader(), false)
    or exists (select from public.bookings b where b.task_giver_id = person and b.task_doer_id = private.reader())
    or exists (select from public.bookings b where b.task_doer_id = person and b.task_giver_id = private.reader())
$$;

-- The text that the back office's search for people matches.
create function private.person_text(full_name text, email text, phone text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select private.search_text(concat_ws(E'\n', full_name, email, phone))
$$;

create function private.full_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select full_name from private.profiles where id = person), private.person_name(person))
$$;

create view public.profiles with (security_invoker = true) as
select id, full_name, email, phone, city, bio, avatar_url, rating, total_reviews, completed_tasks, response_rate,
  on_time_rate, trust_score, skills, preferred_categories, experience_years, hourly_rate, availability_status,
  verification_level, last_active, created_at, updated_at, verified_by_admin,
  case when not private.is_client() or (select private.is_admin()) then verification_notes end as verification_notes,
  verified_at, verified_by, language, verified_name, role, is_verified, id_verified, background_checked, insured, deleted_at,
  visibility
from private.profiles;

comment on view public.profiles is
  'Profiles of the reader and of their counterparts, for admins of everyone; only admins see the notes';

create trigger update_profile instead of update on public.profiles
for each row execute function private.update_profile();

create index profiles_text on private.profiles using gin (private.person_text(full_name, email, phone) extensions.gin_trgm_ops)
  where deleted_at is null;

-- One policy for each command, with its cheapest condition first.
create policy "people read themselves and their counterparts, admins everyone" on private.profiles
for select to authenticated
using (id = (select auth.uid()) or (select private.is_admin()) or private.is_counterpart(id));

create policy "people change themselves, admins the verification of everyone" on private.profiles
for update to authenticated
using (id = (select auth.uid()) or (select private.is_admin()))
with check (id = (select auth.uid()) or (select private.is_admin()));

create policy "deleted accounts cannot change profiles" on private.profiles as restrictive for update to authenticated
using ((select private.has_account()));

grant select, update (full_name, phone, city, bio, avatar_url, skills, preferred_categories, experience_years, hourly_rate, availability_status, last_active, updated_at, verified_by_admin, verification_notes, verified_at, verified_by, language, visibility) on private.profiles to authenticated;
grant all on private.profiles to service_role;
grant select, update (full_name, phone, city, bio, avatar_url, skills, preferred_categories, experience_years, hourly_rate, availability_status, last_active, updated_at, verified_by_admin, verification_notes, verified_at, verified_by, language, visibility) on public.profiles to authenticated;
grant execute on function
  private.is_counterpart(uuid), private.has_role(app_role), private.is_admin(), private.can_see_person(uuid),
  private.person_text(text, text, text), private.public_name(text)
to anon, authenticated, service_role;
grant execute on function
  private.has_account()
to authenticated, service_role;
