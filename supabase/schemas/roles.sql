-- Roles and sign-up: an account's profile, first role and language, and how roles are added, switched and replaced.

create table public.user_roles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  role public.app_role not null,
  created_at timestamptz not null default now(),
  active boolean not null default false,
  unique (user_id, role)
);
alter table public.user_roles enable row level security;

comment on table public.user_roles is 'The roles of each person';
comment on column public.user_roles.active is
  'The role in which the person currently works; if none is active, the one of highest priority counts';

create table private.unfinished_accounts (
  person_id uuid primary key references auth.users (id) on delete cascade
);
alter table private.unfinished_accounts enable row level security;

comment on table private.unfinished_accounts is
  'Accounts from a sign-in provider whose owner has not entered name, phone and role yet; until then they are taskers';

create unique index user_roles_active on public.user_roles (user_id) where active;

-- After a person gets, changes or loses a role. Choosing the active role changes no rights, so it triggers nothing.
create function private.after_user_role_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.sync_profile_role(coalesce(new.user_id, old.user_id));
  return null;
end $$;

create trigger after_user_role_change after insert or update of user_id, role or delete on public.user_roles
for each row execute function private.after_user_role_change();

-- Copies a person's roles to the profile, by priority: admin, task_doer, task_giver.
create function private.sync_profile_role(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  held constant public.app_role[] := array(select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));
begin
  update private.profiles set role = held[1], roles = held where id = person;
end $$;

-- After an account is created, gets another e-mail address or is deleted.
create function private.after_account_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.create_profile(new);
  elsif tg_op = 'DELETE' then
    perform private.erase_exports(old.id);
    perform private.erase_photos(old.id);
    perform private.erase_shown_pictures(old.id);
  elsif old.email is distinct from new.email then
    perform private.sync_profile_email(new);
  end if;
  return null;
end $$;

create trigger after_account_change after insert or update of email or delete on auth.users
for each row execute function private.after_account_change();

-- Creates a profile and one role from the sign-up's metadata {full_name, phone, role, language}. With a password, all of it
-- comes from the sign-up form and must satisfy the form's rules. An account from another provider has no role and starts as
-- task_doer, the form's default.
create function private.create_profile(account auth.users) returns void
language plpgsql set search_path = '' as $$
declare
  meta jsonb := coalesce(account.raw_user_meta_data, '{}');
  -- A provider's metadata does not come from the form, whatever its keys are called.
  filled_form boolean := coalesce(account.encrypted_password, '') <> ''
    or (meta ? 'role' and coalesce(account.raw_app_meta_data ->> 'provider', 'email') in ('email', 'phone'));
  person_name text := coalesce(meta ->> 'full_name', meta ->> 'name');
  person_phone text := coalesce(nullif(private.trimmed(meta ->> 'phone'), ''), nullif(account.phone, ''));
  wanted text := meta ->> 'role';
begin
  if filled_form then
    person_name := private.tidy_name(person_name);
    perform private.require_name(person_name);
    perform private.require(wanted in ('task_giver', 'task_doer'), 'account.role_invalid', 'role');
  else
    person_name := private.provided_name(person_name);
    wanted := 'task_doer';
  end if;
  perform private.require(length(coalesce(account.email, '')) <= private.rule('limits.email.max'), 'account.email_too_long', 'email');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');

  insert into private.profiles (id, full_name, email, phone, language) values (account.id, person_name, account.email, person_phone,
    case when meta ->> 'language' = any (private.languages()) then meta ->> 'language' else 'en' end);
  insert into public.user_roles (user_id, role) values (account.id, wanted::public.app_role);
  if not filled_form then
    insert into private.unfinished_accounts values (account.id);
  end if;
end $$;

-- Keeps the profile's e-mail address equal to the account's, also after a confirmed change.
create function private.sync_profile_email(account auth.users) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles set email = account.email where id = account.id;
end $$;

-- Whether that person is a tasker whom the caller can see. Nobody can request or save other taskers: the answer would reveal
-- whose id it is.
create function private.is_tasker(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.public_profiles seen join private.profiles p using (id)
    where seen.id = person and 'task_doer' = any (p.roles));
end $$;

-- Whether the caller still has to supply name, phone and role.
create function public.account_unfinished() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.unfinished_accounts where person_id = auth.uid())
$$;

-- Completes an account created through a provider, once: name, phone (or null) and role, under the rules of the sign-up form.
create function public.finish_account(full_name text, phone text, role text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  person_name constant text := private.tidy_name(full_name);
  person_phone constant text := nullif(private.trimmed(phone), '');
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.require_name(person_name);
  perform private.require(coalesce(finish_account.role in ('task_giver', 'task_doer'), false),
    'account.role_invalid', 'role');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');
  delete from private.unfinished_accounts where person_id = person;
  perform private.require(found, 'account.already_finished', 'role');

  update public.profiles p set full_name = person_name, phone = person_phone where p.id = person;
  update public.user_roles r set role = finish_account.role::public.app_role
  where r.user_id = person and r.role in ('task_giver', 'task_doer');
end $$;

-- Both roles in one account: a person adds the other role themselves and switches between them; administrators set any roles.

-- Gives the caller another role and makes it active. A caller who already has the role only switches to it.
create function public.add_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.allow(found, 'account.not_authenticated');
  perform private.require(coalesce(add_role.role in ('task_giver', 'task_doer'), false),
    'account.role_invalid', 'role');
  if not private.has_role(add_role.role) then
    perform private.allow(not private.is_suspended(person),
      'account.suspended_for_roles');
    perform private.require(not exists (select from private.unfinished_accounts where person_id = person),
      'account.not_finished', 'role');
    insert into public.user_roles (user_id, role) values (person, add_role.role);
  end if;
  perform public.switch_role(add_role.role);
end $$;

-- Makes one of the caller's roles the active one, on all their devices. Their rights do not change.
create function public.switch_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform private.allow(coalesce(private.has_role(switch_role.role), false), 'account.role_missing');
  perform from private.profiles where id = person for no key update;
  update public.user_roles r set active = false where r.user_id = person and r.active and r.role <> switch_role.role;
  update public.user_roles r set active = true where r.user_id = person and not r.active and r.role = switch_role.role;
end $$;

-- Replaces a person's roles; the last admin cannot lose that role. An advisory lock serializes concurrent changes.
create function public.set_roles(person uuid, roles public.app_role[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant public.app_role[] := array(select distinct w from unnest(roles) w where w is not null order by w);
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change roles"}');
  perform private.require(cardinality(wanted) > 0, 'account.role_required', 'role');
  perform pg_advisory_xact_lock(hashtextextended('admins', 0));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'account.not_found', 'person');
  perform private.require(not 'admin' = any (wanted) or not private.is_suspended(person),
    'suspension.cannot_become_admin', 'role');
  perform private.require('admin' = any (wanted)
    or exists (select from public.user_roles r where r.role = 'admin' and r.user_id <> person),
    'account.last_admin', 'role');
  if array(select r.role from public.user_roles r where r.user_id = person order by r.role) = wanted then
    return;
  end if;
  delete from public.user_roles r where r.user_id = person and r.role <> all (wanted);
  insert into public.user_roles (user_id, role) select person, w from unnest(wanted) w
  on conflict on constraint user_roles_user_id_role_key do nothing;
  perform private.notify_person(person, 'role_changed', jsonb_build_object('role', private.coded(array_to_string(wanted, '_'))), '/dashboard');
end $$;

create policy "people read their own roles, admins all" on public.user_roles for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

grant select on public.user_roles to authenticated;
grant execute on function
  private.is_tasker(uuid)
to anon, authenticated, service_role;
grant execute on function
  public.account_unfinished(), public.finish_account(text, text, text), public.add_role(app_role),
  public.switch_role(app_role), public.set_roles(uuid, app_role[])
to authenticated;
