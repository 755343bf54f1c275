-- moved visits: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.require_movable(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(booking.status in ('accepted', 'in_progress') and booking.visit_number is distinct from 0,
    'time_proposal.not_agreed', 'booking_id');
  select * into payment from public.payments p where p.booking_id = booking.id;
  if payment.escrow_status = 'frozen' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'booking_id');
end $$;
