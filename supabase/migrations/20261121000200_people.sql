-- People: profiles, their roles, sign-up, and the view of a person that strangers may read.

create type public.app_role as enum ('task_giver', 'task_doer', 'admin');
create type public.availability_status as enum ('available', 'busy', 'unavailable');

-- id is the id in auth.users. It is no foreign key on purpose: when an account is deleted, the row stays as
-- an emptied anchor for money records and for the other party's history (see the accounts migration).
create table public.profiles (
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
  hourly_rate numeric, -- whole cents, kept by the rules below, which name the field when it is too much
  availability_status public.availability_status not null default 'available',
  last_active timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  verified_by_admin boolean not null default false,
  verification_notes text,
  verified_at timestamptz,
  verified_by uuid references public.profiles (id) on delete set null,
  language text not null default 'en',
  -- The name that was last verified: what the badge stood beside before a change of name took it back.
  verified_name text,
  -- Facts kept by triggers from user_roles and verifications, so that listing people reads one table.
  role public.app_role,
  id_verified boolean not null default false, -- an admin saw an ID and approved the verification
  background_checked boolean not null default false,
  insured boolean not null default false,
  -- The verified badge, wherever one is shown: an approved ID, or an admin's own word. Nothing else writes it.
  is_verified boolean not null generated always as (id_verified or verified_by_admin) stored,
  verification_level text not null
    generated always as (case when id_verified or verified_by_admin then 'verified' else 'unverified' end) stored,
  deleted_at timestamptz
);

create table public.user_roles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.app_role not null,
  created_at timestamptz not null default now(),
  unique (user_id, role)
);

create index profiles_taskers on public.profiles (rating desc, total_reviews desc, id)
  where id_verified and role = 'task_doer';
create index profiles_created on public.profiles (created_at desc);
create index profiles_email on public.profiles (lower(email));
create index profiles_verified_by on public.profiles (verified_by) where verified_by is not null;

create function private.has_role(wanted public.app_role) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles where user_id = (select auth.uid()) and role = wanted)
$$;

create function private.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.has_role('admin')
$$;

-- The caller and that person have a booking that was accepted and not cancelled.
create function private.is_counterpart(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where status in ('accepted', 'in_progress', 'completed')
      and task_doer_id = person and task_giver_id = (select auth.uid()))
    or exists (select from public.bookings where status in ('accepted', 'in_progress', 'completed')
      and task_doer_id = (select auth.uid()) and task_giver_id = person);
end $$;

grant execute on function private.has_role(public.app_role), private.is_admin(), private.is_counterpart(uuid)
  to anon, authenticated, service_role;

-- Someone's role for display: admin before task_doer before task_giver.
create function private.sync_profile_role() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
begin
  update public.profiles set role = (
    select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role) limit 1
  ) where id = person;
  return null;
end $$;

create trigger sync_profile_role after insert or update or delete on public.user_roles
for each row execute function private.sync_profile_role();

-- Names, which stand beside the badge.

-- A name without characters that show nothing (but for the joiners that scripts and emoji need) and with single
-- blanks: what differs in these alone is the same name. The twin of plainName in shared/text.ts.
create function private.plain_name(name text) returns text
language sql immutable set search_path = '' as $$
  select private.trimmed(regexp_replace(
    regexp_replace(name, '(?![\u200c\u200d\ufe0f])[' || private.hidden_characters() || ']', '', 'g'),
    '[' || private.space_characters() || ']+', ' ', 'g'))
$$;

-- What in a name would pass for the badge; the twin of looksVerified in shared/text.ts.
create function private.forged_badge() returns text
language sql immutable set search_path = '' as $$
  select '[\u2705\u2611\u2713\u2714\U0001f5f8\U0001f5f9]'
$$;

create function private.require_name(name text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  perform private.require(private.visible_length(name) >= private.rule('limits.name.min'),
    'Name must be at least 2 characters', 'full_name');
  perform private.require(length(name) <= private.rule('limits.name.max'), 'Name too long', 'full_name');
  perform private.require(name !~ private.forged_badge(),
    'Name cannot contain a check mark', 'full_name');
end $$;

grant execute on function private.plain_name(text), private.forged_badge(), private.require_name(text)
  to anon, authenticated, service_role;

-- Sign-up: one profile and one role from the metadata {full_name, phone, role}. With a password all of it
-- is the sign-up form's and is held to the form's rules; a person who comes through another provider brings
-- no role and starts as the form does, as task_doer.
create function private.create_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  meta jsonb := coalesce(new.raw_user_meta_data, '{}');
  filled_form boolean := coalesce(new.encrypted_password, '') <> '' or meta ? 'role';
  person_name text := private.plain_name(coalesce(meta ->> 'full_name', meta ->> 'name'));
  person_phone text := coalesce(nullif(private.trimmed(meta ->> 'phone'), ''), nullif(new.phone, ''));
  wanted text := meta ->> 'role';
begin
  if filled_form then
    perform private.require_name(person_name);
    perform private.require(wanted in ('task_giver', 'task_doer'), 'role must be task_giver or task_doer', 'role');
  else
    person_name := regexp_replace(person_name, private.forged_badge(), '', 'g');
    person_name := nullif(left(private.plain_name(person_name), private.rule('limits.name.max')), '');
    wanted := 'task_doer';
  end if;
  perform private.require(length(coalesce(new.email, '')) <= private.rule('limits.email.max'), 'Email too long', 'email');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'Invalid phone number', 'phone');

  insert into public.profiles (id, full_name, email, phone) values (new.id, person_name, new.email, person_phone);
  insert into public.user_roles (user_id, role) values (new.id, wanted::public.app_role);
  return new;
end $$;

create trigger create_profile after insert on auth.users
for each row execute function private.create_profile();

-- The profile shows the address of the account, also after it was changed and confirmed.
create function private.sync_profile_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set email = new.email where id = new.id;
  return new;
end $$;

create trigger sync_profile_email after update of email on auth.users
for each row when (old.email is distinct from new.email) execute function private.sync_profile_email();

-- What a stranger may know of a person. Owned by the migrations' role, so it shows every person; the
-- columns are the whole of what it shows.
create view public.public_profiles as
select id, full_name, avatar_url, bio, city, rating, total_reviews, completed_tasks, response_rate, on_time_rate,
  trust_score, skills, experience_years, hourly_rate, availability_status, verification_level, created_at,
  role, is_verified, id_verified, background_checked, insured
from public.profiles;
comment on view public.public_profiles is 'What strangers may see of a person';

alter table public.profiles enable row level security;
alter table public.user_roles enable row level security;

revoke all on public.profiles, public.user_roles, public.public_profiles from anon, authenticated;
grant select on public.public_profiles to anon, authenticated;
grant select on public.profiles, public.user_roles to authenticated;
grant update (full_name, phone, city, bio, avatar_url, last_active, skills, preferred_categories, experience_years,
  hourly_rate, availability_status, language, updated_at,
  verified_by_admin, verification_notes, verified_at, verified_by) on public.profiles to authenticated;

-- One policy for each verb, its cheapest reason first: what strangers list is decided without a look elsewhere.
create policy "people read themselves and their counterparts, admins everyone" on public.profiles
for select to authenticated
using (id = (select auth.uid()) or (select private.is_admin()) or private.is_counterpart(id));
create policy "people change themselves, admins the verification of everyone" on public.profiles
for update to authenticated
using (id = (select auth.uid()) or (select private.is_admin()))
with check (id = (select auth.uid()) or (select private.is_admin()));

create policy "people read their own roles, admins all" on public.user_roles for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));
