-- Second factors, as the application demands them: who has one gets the rights of somebody signed in by proving it, and
-- admins have one. The auth service keeps factors (auth.mfa_factors) and says in the token's `aal` whether one was proved.

-- The hook of access tokens ([auth.hook.custom_access_token],
-- https://supabase.com/docs/guides/auth/auth-hooks/custom-access-token-hook): while the second step of a sign-in is still
-- to come, the token's role is that of strangers. So it opens nothing of the Data API, storage, realtime and functions
-- that is granted to people, present and future; the auth service itself asks for the token's subject alone.
create function private.access_token(event jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if event #>> '{claims,aal}' = 'aal1' and exists (
    select from auth.mfa_factors where user_id = (event ->> 'user_id')::uuid and status = 'verified')
  then
    return jsonb_set(event, '{claims,role}', '"anon"');
  end if;
  return event;
end $$;
grant usage on schema private to supabase_auth_admin;
grant execute on function private.access_token(jsonb) to supabase_auth_admin;

create function private.has_second_factor(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from auth.mfa_factors where user_id = person and status = 'verified');
end $$;

-- Admins who do without a second factor, as long as they have none: those whom a seed makes for trying the product out.
-- Only the database's owner writes here.
create table private.admins_without_second_factor (
  person_id uuid primary key references auth.users (id) on delete cascade
);
alter table private.admins_without_second_factor enable row level security;

create or replace function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  if not private.has_role('admin') then
    return false;
  end if;
  return coalesce(auth.jwt() ->> 'aal' = 'aal2', false) or (
    exists (select from private.admins_without_second_factor where person_id = auth.uid())
    and not private.has_second_factor(auth.uid()));
end $$;

-- Whether the caller is an admin who has to set up or to prove a second factor before the back office opens.
create function public.second_factor_demanded() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_role('admin') and not private.is_admin();
end $$;
revoke execute on function public.second_factor_demanded() from public, anon;
grant execute on function public.second_factor_demanded() to authenticated;

-- The last administrator stays, whether or not they have proved their second factor.
create or replace function public.account_deletion_obstacle() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  return coalesce(private.deletion_obstacle(auth.uid()),
    case when private.has_role('admin') and not exists (
        select from public.user_roles where role = 'admin' and user_id <> auth.uid())
      then 'You are the only administrator. Make somebody else one first.' end);
end $$;
