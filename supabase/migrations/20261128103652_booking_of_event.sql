-- A notification finds its booking by an index instead of reading all bookings.
set check_function_bodies = off;

create or replace function private.booking_of_event(person uuid, params jsonb, link text) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  named constant text := coalesce(substring(link from 'booking=([0-9a-f-]{36})'), params ->> 'booking');
begin
  if named is not null then
    return (select b.id from public.bookings b where b.id = named::uuid);
  end if;
  -- Each side by its index: with one condition over both, each notification would read all bookings.
  return (
    select b.id from (
      select * from public.bookings where task_giver_id = person
      union all
      select * from public.bookings where task_doer_id = person
    ) b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id
    where t.title = params ->> 'task' and now() in (b.updated_at, p.updated_at)
    order by greatest(b.updated_at, p.updated_at) desc, b.id limit 1);
end $$;
