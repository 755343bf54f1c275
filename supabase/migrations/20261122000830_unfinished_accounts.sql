-- Accounts made by the word of a provider, which says nothing of the role: their owners choose it once, with name and
-- phone, before anything else. Until then they have the role that the sign-up form begins with.

create table private.unfinished_accounts (
  person_id uuid primary key references auth.users (id) on delete cascade
);
alter table private.unfinished_accounts enable row level security;

create or replace function private.create_profile() returns trigger
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
  if not filled_form then
    insert into private.unfinished_accounts values (new.id);
  end if;
  return new;
end $$;

-- Whether the caller still has to say who they are here.
create function public.account_unfinished() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.unfinished_accounts where person_id = auth.uid())
$$;

-- Once: name, phone (or null) and role of who came by a provider, held to the rules of the sign-up form.
create function public.finish_account(full_name text, phone text, role text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  person_name constant text := private.plain_name(full_name);
  person_phone constant text := nullif(private.trimmed(phone), '');
begin
  perform private.allow(person is not null, 'Not authenticated');
  perform private.require_name(person_name);
  perform private.require(coalesce(finish_account.role in ('task_giver', 'task_doer'), false),
    'role must be task_giver or task_doer', 'role');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'Invalid phone number', 'phone');
  delete from private.unfinished_accounts where person_id = person;
  perform private.require(found, 'This account is finished already', 'role');

  update public.profiles p set full_name = person_name, phone = person_phone where p.id = person;
  update public.user_roles r set role = finish_account.role::public.app_role
  where r.user_id = person and r.role in ('task_giver', 'task_doer');
end $$;

revoke all on function public.account_unfinished(), public.finish_account(text, text, text) from public, anon;
grant execute on function public.account_unfinished(), public.finish_account(text, text, text) to authenticated;
