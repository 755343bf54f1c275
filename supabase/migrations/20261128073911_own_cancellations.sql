-- Notifies the giver who cancelled a paid booking in the second person.
set check_function_bodies = off;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  refund numeric := 0;
  split record;
  outcome text;
  answer text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
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

    perform private.notify_person(booking.task_giver_id,
      case when caller = booking.task_giver_id then 'own_booking_cancelled' else 'booking_cancelled_refund' end,
      jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund), '/bookings');
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if not list_again and caller = booking.task_giver_id and booking.status <> 'pending' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint);
end $$;

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('own_booking_cancelled', 'payments', 'Booking cancelled', 'You cancelled the booking for "{{task}}". Fee {{fee, money}}, refund {{refund, money}}.', '"{{task}}" was cancelled: {{refund, money}} goes back to you', 'Open the booking', 'refund', true, null, null);
