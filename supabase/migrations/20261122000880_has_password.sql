-- Whether the caller has a password: who came by another service may have none, and is asked for a code where others are
-- asked for it.
create function public.has_password() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from auth.users where id = auth.uid() and coalesce(encrypted_password, '') <> ''
  )
$$;

revoke execute on function public.has_password() from public, anon;
grant execute on function public.has_password() to authenticated;
