-- How far taskers are from tasks, by the place that their profile names, and whether their travel area reaches a place.

set check_function_bodies = off;

-- Whole kilometres from the place that a profile names to a point; null without a known place.
create function private.km_from_city(city text, latitude double precision, longitude double precision) returns integer
language sql stable set search_path = '' as $$
  select round(private.km_between(c.latitude, c.longitude, km_from_city.latitude, km_from_city.longitude))::integer
  from private.public_point_of(null, private.match_place(city)) c
$$;

-- Whole kilometres from the tasker's place to the public point of the task: a computed column of bookings. Both are public; null if the
-- profile or the task names no place.
create function public.tasker_km(booking public.bookings) returns integer
language sql stable set search_path = '' as $$
  select private.km_from_city(p.city, t.public_latitude, t.public_longitude)
  from public.tasks t cross join public.public_profiles p where t.id = booking.task_id and p.id = booking.task_doer_id
$$;

-- Whether a tasker's travel area reaches a place: within, beyond, or unknown without an area. Only a giver may ask about a tasker, whose
-- profile they can read. A neighbourhood counts as its city, and a city as far as its inner part (private.load_cells), so the answer
-- depends on no point finer than a town. Each question counts towards the limits.
create function private.travel_reach(tasker uuid, place text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  reaches boolean;
begin
  perform private.refuse_application();
  if not private.has_role('task_giver') or tasker = auth.uid() or not private.is_tasker(tasker)
    or exists (select from public.public_profiles p where p.id = tasker and p.is_hidden) then
    return 'unknown';
  end if;
  perform private.count_activity('travel_asked');
  perform private.count_activity('same_tasker_travel_asked', tasker);
  select bool_or(private.km_between(a.latitude, a.longitude, town.latitude, town.longitude)
      <= a.radius_km + coalesce(sqrt(town.population) / 100, 0)) into reaches
  from public.travel_areas a, public.places named
    join public.places town on town.kind <> 'neighbourhood' and (town.id = named.id or town.name = named.city)
  where a.user_id = tasker and named.id = place;
  return case when reaches then 'within' when not reaches then 'beyond' else 'unknown' end;
end $$;

-- How far a tasker is from a place, for a giver who asks them first. `city` is as the profile names it, `km` from there to the place,
-- and `reach` within, beyond or unknown. No row if the text names no place or the caller cannot see the tasker.
create function public.tasker_distance(tasker uuid, location text) returns table (city text, km integer, reach text)
language sql set search_path = '' as $$
  select p.city, private.km_from_city(p.city, c.latitude, c.longitude), private.travel_reach(tasker, place.id)
  from (select private.match_place(left(location, 200)) as id) place
  cross join lateral private.public_point_of(null, place.id) c
  join public.public_profiles p on p.id = tasker
  where place.id is not null
$$;

grant execute on function
  private.km_from_city(text, double precision, double precision), private.travel_reach(uuid, text), public.tasker_distance(uuid, text),
  public.tasker_km(bookings)
to authenticated;
