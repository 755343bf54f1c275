-- Points on the map: exact ones of tasks for the people of the job, and the areas where taskers work.

create table public.task_points (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  latitude double precision not null,
  longitude double precision not null
);
alter table public.task_points enable row level security;

comment on table public.task_points is
  'Exact points of tasks from a device or a pin, for the giver, the accepted tasker and admins';
comment on column public.task_points.latitude is 'Degrees north, WGS 84';
comment on column public.task_points.longitude is 'Degrees east, WGS 84; negative in the west';

create table public.travel_areas (
  user_id uuid primary key default auth.uid() references private.profiles (id) on delete cascade,
  place_id text,
  latitude double precision not null,
  longitude double precision not null,
  radius_km integer not null default 50,
  updated_at timestamptz not null default now()
);
alter table public.travel_areas enable row level security;

comment on table public.travel_areas is
  'Where taskers start from and how far they travel. Others read none of it; a giver who asks a tasker first '
  'learns whether a town is within it';
comment on column public.travel_areas.user_id is 'The tasker';
comment on column public.travel_areas.place_id is 'The chosen place; null for a point from the device';
comment on column public.travel_areas.latitude is 'Degrees north of the cell''s centre; the exact point is not stored';
comment on column public.travel_areas.longitude is 'Degrees east of the cell''s centre; the exact point is not stored';
comment on column public.travel_areas.radius_km is 'Kilometres as the crow flies';

-- The public point of a task: the cell of its exact point, otherwise of its place; null without both.
create function private.public_point_of(task uuid, place text, out latitude double precision, out longitude double precision)
language sql stable set search_path = '' as $$
  select c.latitude, c.longitude from (
    select p.latitude, p.longitude, 1 as choice from public.task_points p where p.task_id = task
    union all
    select p.latitude, p.longitude, 2 from public.places p where p.id = place
    order by choice limit 1) exact cross join lateral private.public_point(exact.latitude, exact.longitude) c
$$;

-- Sets the place that the text of a task names, and its public point.
create function private.locate_task(task public.tasks, before public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
begin
  if before.id is null or task.location is distinct from before.location then
    task.place_id := private.match_place(task.location);
    select c.latitude, c.longitude into task.public_latitude, task.public_longitude
    from private.public_point_of(task.id, task.place_id) c;
  end if;
  return task;
end $$;

-- Before an exact point is added or changed.
create function private.before_task_point_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require_point(new.latitude, new.longitude);
  return new;
end $$;

create trigger before_task_point_change before insert or update on public.task_points
for each row execute function private.before_task_point_change();

-- After an exact point is added, changed or removed. It runs as the caller, whom the limit is for.
create function private.after_task_point_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('addresses_changed');
  perform private.set_public_point(coalesce(new.task_id, old.task_id));
  return null;
end $$;

create trigger after_task_point_change after insert or update or delete on public.task_points
for each row execute function private.after_task_point_change();

-- Sets the public point of a task anew, and alerts people near it. Anybody can call it, because it only repeats what the rows say.
create function private.set_public_point(task uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  moved public.tasks;
begin
  update public.tasks t set public_latitude = c.latitude, public_longitude = c.longitude
  from private.public_point_of(task, (select place_id from public.tasks where id = task)) c
  where t.id = task and (t.public_latitude, t.public_longitude) is distinct from (c.latitude, c.longitude)
  returning t.* into moved;
  if moved.status = 'open' and moved.hidden_for is null then
    perform private.alert_searchers(moved);
  end if;
end $$;

-- Sets places and public points of all tasks anew, after the places or cells changed.
create function private.locate_all_tasks() returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks t set place_id = located.place_id, public_latitude = located.latitude, public_longitude = located.longitude
  from (
    select t.id, m.place_id, c.latitude, c.longitude from public.tasks t
    join (select location, private.match_place(location) as place_id from (select distinct location from public.tasks) texts) m
      using (location)
    left join lateral private.public_point_of(t.id, m.place_id) c on true
  ) located
  where located.id = t.id and (t.place_id, t.public_latitude, t.public_longitude)
    is distinct from (located.place_id, located.latitude, located.longitude);
end $$;

-- Before a travel area is saved: a place, or a point of which only the cell is stored.
create function private.before_travel_area_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('addresses_changed');
  perform private.require(new.radius_km between private.rule('limits.radiusKm.min') and private.rule('limits.radiusKm.max'),
    'travel_area.radius', 'radius_km');
  if new.place_id is not null then
    select p.latitude, p.longitude into new.latitude, new.longitude from public.places p where p.id = new.place_id;
    perform private.require(found, 'place.unknown', 'place_id');
  end if;
  perform private.require_point(new.latitude, new.longitude);
  select c.latitude, c.longitude into new.latitude, new.longitude from private.public_point(new.latitude, new.longitude) c;
  new.updated_at := now();
  return new;
end $$;

create trigger before_travel_area_change before insert or update on public.travel_areas
for each row execute function private.before_travel_area_change();

-- Erases the points and the travel area of a deleted account whose profile stays as an anchor.
create function private.erase_points(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_points p using public.tasks t where t.id = p.task_id and t.task_giver_id = person;
  delete from public.travel_areas where user_id = person
$$;

-- The first one does everything; a migration of places takes the statement of each table whose rows change.
select private.load_places();
select private.load_cells();
select private.load_place_names();

create policy "givers and accepted taskers read the point, admins all" on public.task_points for select to authenticated
using (private.is_giver_of(task_id) or private.is_tasker_of(task_id) or (select private.is_admin()));

create policy "givers add the point of their tasks" on public.task_points for insert to authenticated
with check (private.is_giver_of(task_id));

create policy "givers change the point of their tasks" on public.task_points for update to authenticated
using (private.is_giver_of(task_id)) with check (private.is_giver_of(task_id));

create policy "givers remove the point of their open tasks" on public.task_points for delete to authenticated
using (private.is_giver_of(task_id)
  and exists (select from public.tasks t where t.id = task_id and t.status in ('open', 'asked')));

create policy "deleted accounts cannot add points" on public.task_points as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people read their own travel area" on public.travel_areas for select to authenticated
using (user_id = (select auth.uid()));

create policy "people add their own travel area" on public.travel_areas for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot add travel areas" on public.travel_areas as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own travel area" on public.travel_areas for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people remove their own travel area" on public.travel_areas for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete, insert (task_id, latitude, longitude), update (latitude, longitude) on public.task_points to authenticated;
grant select, delete, insert (user_id, place_id, latitude, longitude, radius_km), update (place_id, latitude, longitude, radius_km)
on public.travel_areas to authenticated;
grant execute on function
  private.public_point_of(uuid, text), private.locate_task(public.tasks, public.tasks), private.set_public_point(uuid)
to authenticated, service_role;
