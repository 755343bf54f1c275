-- place filter by place: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "province": {"code":"SK"},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create or replace function private.match_place(location text) returns text
language sql stable security definer set search_path = '' as $$
  with parted as materialized (select private.place_parts(location) as parts),
  asked as materialized (select parts, replace(parts, ' ,', '') as words from parted),
  named as (
    select n.place_id, n.words, n.city_words, n.city_words is null or strpos(asked.words, n.city_words) > 0 as certain,
      strpos(reverse(asked.words), reverse(n.words)) as from_end
    from asked, private.place_names n join public.places p on p.id = n.place_id
    where strpos(asked.words, n.words) > 0
      and (p.kind in ('city', 'neighbourhood') or private.names_town(asked.parts, n.words))
  )
  select coalesce(
    (select place_id from named where city_words is not null and certain order by length(words) desc, place_id limit 1),
    (select place_id from named where city_words is null order by from_end, length(words) desc, place_id limit 1),
    (select min(place_id) from named having count(distinct place_id) = 1),
    (select p.id from public.places p
     where substring(upper(location) from '\m([A-Z][0-9][A-Z])(?:\M| ?[0-9][A-Z][0-9])') = any (p.postal_prefixes)
     order by p.kind = 'neighbourhood', p.population desc nulls last, p.id limit 1))
$$;

create function private.names_town(parts text, town text) returns boolean
language sql immutable strict parallel safe set search_path = '' as $$
  select strpos(parts, ' ,' || town) > 0 or strpos(parts, town || ', ') > 0
    or parts ~ (' (near|outside|(outside|north|south|east|west) of)' || town)
$$;

create function private.place_parts(value text) returns text
language sql immutable strict parallel safe set search_path = '' as $$
  select ' , ' || btrim(regexp_replace(regexp_replace(private.search_text(value),
    format('[,;:/()\n]| - |\m(%s|%s|[a-z][0-9][a-z]( ?[0-9][a-z][0-9])?)\M', lower(private.marketplace() #>> '{province,code}'),
      lower(private.marketplace() #>> '{texts,province}')), ' , ', 'g'), '[^[:alnum:],]+', ' ', 'g')) || ' , '
$$;
