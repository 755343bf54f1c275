-- find place of text: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create function public.find_place(location text) returns setof public.places
language sql stable set search_path = '' as $$
  select p.* from public.places p where p.id = private.match_place(left(location, 200))
$$;

grant execute on function public.find_place(text) to anon;
grant execute on function public.find_place(text) to authenticated;
grant execute on function public.find_place(text) to service_role;
