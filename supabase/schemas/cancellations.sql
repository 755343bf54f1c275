-- Cancelling a booking: the fee, and making sure that no card is charged for a cancelled booking. While a PaymentIntent is
-- attached and not settled (private.has_open_intent), nobody can cancel. handle-cancellation first closes the intent at the
-- provider, or learns that it was paid, and records the outcome here. No tables.

-- The payment that must be closed at the provider before the caller can cancel this booking: {payment_id,
-- payment_intent_id, listing}, the first two null if there is none. `listing` is what private.listing_after answers if the task is
-- not closed by its giver.
create function public.prepare_cancellation(booking_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  booking := private.cancellable_booking(prepare_cancellation.booking_id, auth.uid());
  select * into payment from public.payments p where p.booking_id = booking.id
    and private.has_open_intent(booking.id);
  return jsonb_build_object('payment_id', payment.id, 'payment_intent_id', payment.stripe_payment_intent_id,
    'listing', private.listing_after(booking, false));
end $$;

-- The booking, if the person is one of its two parties and it can still be cancelled; otherwise raises an error.
create function private.cancellable_booking(booking_id uuid, caller uuid) returns public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = cancellable_booking.booking_id;
  perform private.require(booking.id is not null and caller in (booking.task_doer_id, booking.task_giver_id),
    'booking.not_found', 'booking_id');
  perform private.require(booking.status in ('pending', 'accepted', 'in_progress'),
    'booking.not_cancellable', 'booking_id');
  return booking;
end $$;

-- The state of the task once the booking is cancelled: 'closed' by its giver, because its time has passed or as a visit of a
-- series, 'on_hold' while its giver is suspended, otherwise 'listed_again'. Null for an application, which leaves the task as it
-- is.
create function private.listing_after(booking public.bookings, closes boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when booking.status = 'pending' then null
    when closes or booking.series_id is not null or exists (select from public.tasks t where t.id = booking.task_id
      and private.posted_time(booking, t.scheduled_date) <= now()) then 'closed'
    when private.is_suspended(booking.task_giver_id) then 'on_hold'
    else 'listed_again' end;
end $$;

-- Records how a PaymentIntent ended, according to the provider: succeeded, which holds the money as the webhook does, or
-- canceled. The first outcome recorded counts. Returns a note if a person must look at it.
create function public.record_payment_intent(payment_id uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(intent ->> 'id' <> '' and intent ->> 'status' in ('succeeded', 'canceled'),
    'payment.intent_not_ended', 'intent');
  perform private.require(exists (select from public.payments p where p.id = record_payment_intent.payment_id),
    'payment.not_found', 'payment_id');
  if intent ->> 'status' = 'succeeded' then
    return private.apply_payment_succeeded(payment_id, intent);
  end if;
  perform private.detach_intent(payment_id, intent ->> 'id');
  return null;
end $$;

-- Detaches an intent that can no longer charge, so that the booking can be cancelled or get another intent.
create function private.detach_intent(payment uuid, intent text) returns void
language sql security definer set search_path = '' as $$
  update public.payments set stripe_payment_intent_id = nullif(stripe_payment_intent_id, intent),
    closed_intents = array_append(closed_intents, intent)
  where id = payment and escrow_status = 'pending' and intent <> all (closed_intents)
$$;

-- Cancels a booking; a pending application is withdrawn by its tasker or declined by the giver. Returns {message, fee_cents,
-- refund_cents}. The fee depends on the database's clock. With `list_again` false, a giver's task is withdrawn instead of being
-- listed for other taskers.
create function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
begin
  return private.cancel_booking_for(auth.uid(), cancel_booking.booking_id, cancel_booking.reason, cancel_booking.list_again);
end $$;

-- The same for one of its two people: the caller, or the one who did not come.
create function private.cancel_booking_for(caller uuid, booking_id uuid, reason text, list_again boolean) returns jsonb
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  extra_fees numeric(12, 2) := 0;
  extras record;
  refund numeric := 0;
  split record;
  facts jsonb;
  outcome text;
  answer text;
  listing text;
begin
  perform from public.bookings b where b.id = cancel_booking_for.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking_for.booking_id, caller);
  select * into strict task from public.tasks where id = booking.task_id;
  listing := private.listing_after(booking, not list_again and caller = booking.task_giver_id);

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
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount - payment.reduction, payment.total, task.scheduled_date, now());
      extra_fees := private.charge_extras(payment.id, task.scheduled_date);
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancelled_by = caller, cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);
    perform private.settle_extras(payment.id);
    select * into strict extras from private.extra_sums(payment.id);
    fee := fee + extra_fees;
    refund := refund + extras.refund;

    facts := extras.facts || jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund,
      'listing', private.coded(listing));
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_giver_id, 'own_booking_cancelled', facts, '/bookings');
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', extras.facts || jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount + extras.payout), '/bookings');
    else
      perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', facts, '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if listing = 'closed' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint,
    'listing', listing);
end $$;

grant execute on function
  public.prepare_cancellation(uuid), public.cancel_booking(uuid, text, boolean)
to authenticated;
