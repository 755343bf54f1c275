-- Favourites: the taskers whom a person has saved. Nobody else reads them: neither the tasker, nor an admin, nor by a count.

create table public.favourites (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  tasker_id uuid not null references private.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, tasker_id)
);
create index favourites_newest on public.favourites (user_id, created_at desc, tasker_id);
create index favourites_of_tasker on public.favourites (tasker_id);

create trigger "20_own" before insert on public.favourites for each row
when (private.is_client() and (new.user_id = auth.uid()) is not true)
execute function private.forbid('You can only save taskers for yourself');
create trigger "30_tasker" before insert on public.favourites for each row
when ((new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id)) is not true)
execute function private.reject('Only a tasker can be saved', 'tasker_id');

-- A list has an end, so that it stays quick to read and nobody fills the table.
create function private.check_favourites_count() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'You can save at most 500 taskers. Remove one first.', 'tasker_id');
  return new;
end $$;
create trigger "31_count" before insert on public.favourites
for each row execute function private.check_favourites_count();

alter table public.favourites enable row level security;
revoke all on public.favourites from anon, authenticated;
grant select, delete on public.favourites to authenticated;
grant insert (user_id, tasker_id) on public.favourites to authenticated;

create policy "people read their own favourites" on public.favourites for select to authenticated
using (user_id = (select auth.uid()));
create policy "people save taskers for themselves" on public.favourites for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "who has left saves nobody" on public.favourites as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "people remove their own favourites" on public.favourites for delete to authenticated
using (user_id = (select auth.uid()));

-- Who leaves while money records keep the emptied profile is saved by nobody any more, and keeps no list.
create function private.forget_favourites() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.favourites where old.id in (user_id, tasker_id);
  return old;
end $$;
create trigger end_favourites before delete on auth.users
for each row execute function private.forget_favourites();

-- The badges that a person has earned, beside their other facts: a computed column of public_profiles.
create function public.earned_badges(person public.public_profiles) returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(badge order by badge), '{}') from public.badges where user_id = person.id
$$;
grant execute on function public.earned_badges(public.public_profiles) to anon, authenticated, service_role;
