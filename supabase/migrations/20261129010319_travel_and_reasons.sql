-- Reasons of recommendations, distances from the places of taskers, and whether a travel area reaches a place.
set check_function_bodies = off;

create function private.km_from_city(city text, latitude double precision, longitude double precision) returns integer
language sql stable set search_path = '' as $$
  select round(private.km_between(c.latitude, c.longitude, km_from_city.latitude, km_from_city.longitude))::integer
  from private.public_point_of(null, private.match_place(city)) c
$$;

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

create function public.recommendation_reasons(task public.tasks) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('category', reasons.category, 'skills', to_jsonb(reasons.skills), 'km',
    (select d.km from public.travel_areas a cross join lateral (
      select private.km_between(a.latitude, a.longitude, task.public_latitude, task.public_longitude) as km) d
     where a.user_id = me.id and d.km <= a.radius_km))
  from public.profiles me
  cross join lateral (select task.category = any (me.preferred_categories) as category, array(
    select skill.name from unnest(me.skills) with ordinality skill (name, place)
    where strpos(private.search_text(task.title), private.search_text(skill.name)) > 0
      or strpos(private.search_text(task.description), private.search_text(skill.name)) > 0
    order by skill.place) as skills) reasons
  where me.id = (select auth.uid()) and (reasons.category or cardinality(reasons.skills) > 0)
$$;

create function public.tasker_distance(tasker uuid, location text) returns table (city text, km integer, reach text)
language sql set search_path = '' as $$
  select p.city, private.km_from_city(p.city, c.latitude, c.longitude), private.travel_reach(tasker, place.id)
  from (select private.match_place(left(location, 200)) as id) place
  cross join lateral private.public_point_of(null, place.id) c
  join public.public_profiles p on p.id = tasker
  where place.id is not null
$$;

create function public.tasker_km(booking public.bookings) returns integer
language sql stable set search_path = '' as $$
  select private.km_from_city(p.city, t.public_latitude, t.public_longitude)
  from public.tasks t cross join public.public_profiles p where t.id = booking.task_id and p.id = booking.task_doer_id
$$;

grant execute on function private.km_from_city(text,double precision,double precision) to authenticated;
grant execute on function private.travel_reach(uuid,text) to authenticated;
grant execute on function public.recommendation_reasons(public.tasks) to authenticated;
grant execute on function public.recommendation_reasons(public.tasks) to service_role;
grant execute on function public.tasker_distance(uuid,text) to authenticated;
grant execute on function public.tasker_distance(uuid,text) to service_role;
grant execute on function public.tasker_km(public.bookings) to authenticated;
grant execute on function public.tasker_km(public.bookings) to service_role;

insert into private.activity_limits (action, per_hour, per_day, at_once, new_per_hour, new_per_day, new_at_once) values
  ('travel_asked', 60, 150, null, 30, 60, null),
  ('same_tasker_travel_asked', 15, 25, null, 10, 15, null);
