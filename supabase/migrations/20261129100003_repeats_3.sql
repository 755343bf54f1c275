-- Repeats, part 3 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  countered boolean;
begin
  select b.id, b.counter_state is not distinct from 'open' into due, countered
  from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'pending' and b.answer_by <= now())
    or (b.status = 'accepted' and private.payment_deadline(b, t.scheduled_date) <= now()))
    and not private.has_open_intent(b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  perform private.set_actor('schedule');
  if countered then
    update public.bookings set counter_state = 'lapsed' where id = due;
  else
    update public.bookings set status = 'cancelled' where id = due;
  end if;
  perform private.set_actor(null);
  return 1;
end $$;
