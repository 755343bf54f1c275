-- Which imported calendars are read next.
set check_function_bodies = off;

create function public.begin_calendar_reads(max_calendars integer) returns table (id uuid, address text, etag text, time_zone text)
language sql security definer set search_path = '' as $$
  with begun as (
    update public.imported_calendars c set tried_at = now(), due_at = now() + interval '50 minutes' + random() * interval '20 minutes'
    where c.id in (select d.id from public.imported_calendars d where d.due_at <= now() order by d.due_at limit max_calendars
      for update skip locked)
    returning c.*)
  select b.id, b.address, case when b.parsed_at > now() - interval '1 day' then b.etag end,
    coalesce(s.time_zone, private.time_zone())
  from begun b left join public.schedule_settings s on s.user_id = b.user_id
$$;
