-- A suspended person changes nothing that others read about them, and puts up nothing that others could open. What that is
-- follows from the columns of public_profiles and from the buckets, so a new one of either is covered.

-- Columns that others read (public_profiles) and that the person may write.
create function private.public_profile_columns() returns text[]
language sql stable security definer set search_path = '' as $$
  select array_agg(shown.attname::text order by shown.attname::text) from pg_catalog.pg_attribute shown
  join pg_catalog.pg_attribute own on own.attname = shown.attname and own.attrelid = 'public.profiles'::regclass
  where shown.attrelid = 'public.public_profiles'::regclass and shown.attnum > 0 and not shown.attisdropped
    and has_column_privilege('authenticated', own.attrelid, own.attnum, 'update')
$$;
grant execute on function private.public_profile_columns() to authenticated, service_role;

create or replace function private.refuse_suspended_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.id = (select auth.uid()) and private.is_suspended(new.id) and exists (
    select from unnest(private.public_profile_columns()) field
    where to_jsonb(new) -> field is distinct from to_jsonb(old) -> field)
  then
    raise exception using errcode = '42501',
      message = 'Your account is suspended: you cannot change your profile until this is lifted';
  end if;
  return new;
end $$;
drop trigger "21_account" on private.profiles;
create trigger "21_account" before update on private.profiles for each row
when (new.deleted_at is null)
execute function private.refuse_suspended_profile();

-- Photos of the work and documents stay possible: they finish what is under way, and only its people and admins see them.
create function private.may_upload(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return not ((bucket = 'chat-photos' or (select b.public from storage.buckets b where b.id = bucket))
    and private.is_suspended((select auth.uid())));
end $$;
grant execute on function private.may_upload(text) to authenticated;
create policy "suspended people put up nothing public" on storage.objects as restrictive for insert to authenticated
with check (private.may_upload(bucket_id));
