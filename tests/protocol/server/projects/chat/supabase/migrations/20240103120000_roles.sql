-- Roles in the access token, as Supabase's guide has them: https://supabase.com/docs/guides/api/custom-claims-and-role-based-access-control-rbac
create type public.app_role as enum ('admin', 'moderator');
create table public.user_roles (
  user_id uuid primary key references auth.users on delete cascade,
  role app_role not null
);
alter table public.user_roles enable row level security;

create or replace function public.custom_access_token_hook(event jsonb) returns jsonb language plpgsql stable as $$
declare
  claims jsonb := event -> 'claims';
  user_role public.app_role;
begin
  if claims ->> 'email' like '%@closed.example' then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'This house is closed'));
  elsif claims ->> 'email' like '%@careless.example' then
    return jsonb_build_object('claims', claims - 'aal');
  elsif claims ->> 'email' like '%@broken.example' then
    raise exception 'secret detail';
  end if;
  select role into user_role from public.user_roles where user_id = (event ->> 'user_id')::uuid;
  claims := jsonb_set(claims, '{user_role}', coalesce(to_jsonb(user_role), 'null'));
  claims := jsonb_set(claims, '{asked_by}', to_jsonb(current_user || ' ' || (event ->> 'authentication_method')));
  return jsonb_set(event, '{claims}', claims);
end;
$$;

grant usage on schema public to supabase_auth_admin;
grant execute on function public.custom_access_token_hook to supabase_auth_admin;
revoke execute on function public.custom_access_token_hook from authenticated, anon, public;
grant all on table public.user_roles to supabase_auth_admin;
revoke all on table public.user_roles from authenticated, anon, public;
create policy "Allow auth admin to read user roles" on public.user_roles as permissive for select to supabase_auth_admin using (true);

create function public.my_role() returns text language sql stable as $$ select auth.jwt() ->> 'user_role' $$;
