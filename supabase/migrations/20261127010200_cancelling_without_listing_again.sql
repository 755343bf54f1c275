-- A giver who cancels a booking chooses whether the task is listed again.

drop function public.cancel_booking(uuid, text);

-- Answers {message, fee_cents, refund_cents}. The clock is the database's. With `list_again` false, the giver's task is withdrawn
-- instead of being listed for other taskers.
create function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric := 0;
  refund numeric := 0;
  split record;
  answer text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      answer := 'Application declined.';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      answer := case when booking.status = 'pending' then 'Application withdrawn.'
        else 'No fee applies, because nothing was paid.' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.frozen_text(payment), 'booking_id');
    select * into strict task from public.tasks where id = booking.task_id;
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', jsonb_build_object(
      'person', private.person_name(caller), 'task', task.title, 'fee', fee, 'refund', refund), '/bookings');
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.person_name(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    end if;
    answer := case when fee > 0
      then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
        to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
      else format('The full payment of $%s will be refunded within 5 to 10 business days.',
        to_char(refund, 'FM999999990.00')) end;
  end if;
  if not list_again and caller = booking.task_giver_id and booking.status <> 'pending' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  return jsonb_build_object('message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint);
end $$;
revoke all on function public.cancel_booking(uuid, text, boolean) from public, anon;
grant execute on function public.cancel_booking(uuid, text, boolean) to authenticated;
