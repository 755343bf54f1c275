-- near and alerts inlined: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.km_between(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns double precision language sql immutable strict parallel safe
return 2 * 6371 * asin(float8smaller(1, sqrt(sind((to_latitude - from_latitude) / 2) ^ 2
  + cosd(from_latitude) * cosd(to_latitude) * sind((to_longitude - from_longitude) / 2) ^ 2)));

create or replace function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  place constant text := private.search_text(task.location);
  day constant date := task.scheduled_date at time zone private.time_zone();
begin
  return query select * from public.saved_searches s
  where (person is null or s.user_id = person)
    and (s.category is null or s.category = any (kinds))
    and (s.min_pay is null or s.min_pay <= task.pay_amount) and (s.max_pay is null or s.max_pay >= task.pay_amount)
    and (s.first_day is null or s.first_day <= day) and (s.last_day is null or s.last_day >= day)
    and (s.radius_km is null
      or private.km_between(s.latitude, s.longitude, task.public_latitude, task.public_longitude) <= s.radius_km)
    and strpos(place, s.matched_location) > 0
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

create or replace function private.tidy_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql immutable set search_path = '' as $$
begin
  search.words := coalesce(private.trimmed(search.words), '');
  search.location := coalesce(private.trimmed(search.location), '');
  search.matched_words := array(select private.trimmed(private.search_text(word)) from unnest(private.search_words(search.words)) word);
  search.matched_location := coalesce(private.search_text(search.location), '');
  return search;
end $$;

comment on column public.saved_searches.matched_fragment is 'Not used: a later version removes it';
