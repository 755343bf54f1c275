-- Named steps of what happens before and after a change of bookings, complaints and reviews (3 of 3).
set check_function_bodies = off;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric := 0;
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

    perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', jsonb_build_object(
      'person', private.person_name(caller), 'task', task.title, 'fee', fee, 'refund', refund), '/bookings');
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.person_name(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
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

create or replace function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  news jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide complaints"}');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'complaint.not_found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'admin.own_case', '{"matter": "on a complaint about your own booking"}');
  perform private.require(complaint.decision is null, 'complaint.already_decided', 'complaint_id');
  perform private.require(seen is null or ((seen ->> 'answered_at')::timestamptz is not distinct from complaint.answered_at
      and (seen ->> 'lost_amount')::numeric is not distinct from payment.lost_amount),
    'complaint.changed', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'complaint.decision_required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'complaint.awaiting_answer', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'complaint.note_too_long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'payment.not_frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount),
    'complaint.split_out_of_range', 'returned_amount');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  if decide_complaint.decision = 'release' then
    update public.payments set released_at = now() where id = payment.id;
  end if;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  news := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id),
    'refund', payment.refund_amount, 'share', payment.payout_amount);
  perform private.notify_person(payment.payer_id,
    case decide_complaint.decision when 'split' then 'complaint_split_giver' else 'complaint_decided_giver' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.person_name(payment.payee_id))
      else news - 'share' end, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id,
    case decide_complaint.decision when 'split' then 'complaint_split_tasker' else 'complaint_decided_tasker' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.person_name(payment.payer_id))
      else news - 'refund' end, private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', (payment.payout_amount * 100)::bigint,
    'refund_cents', (payment.refund_amount * 100)::bigint);
end $$;

create or replace function public.record_payment_intent(payment_id uuid, intent jsonb) returns text
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
