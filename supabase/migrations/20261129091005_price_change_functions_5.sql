-- Changes of a price after the agreement: functions, part 5.
set check_function_bodies = off;

create function private.settle_decision(
  payment public.payments, back numeric, outcome public.escrow_status, kind text default 'decision'
) returns public.payments language plpgsql security definer set search_path = '' as $$
declare
  kept record;
begin
  select * into strict kept from private.fees_of(payment.purpose::text, payment.amount - payment.reduction - back);
  perform private.settle_payment(payment.id, kind, outcome, kept.payout_amount, payment.total - kept.total, kept.gst * 2);
  select * into strict payment from public.payments p where p.id = payment.id;
  return payment;
end $$;

create function private.settle_extra(extra_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  extra public.payments;
  main public.payments;
  booking public.bookings;
  outcome text;
  kept record;
begin
  select * into extra from public.payments p where p.id = extra_id and p.part_of is not null for no key update;
  select * into main from public.payments p where p.id = extra.part_of;
  if extra.escrow_status is distinct from 'held' or main.escrow_status not in ('released', 'refunded') then
    return;
  end if;
  select * into strict booking from public.bookings b where b.id = main.booking_id;
  outcome := private.outcome_of_extra(extra, main, booking);
  if outcome = 'release' then
    perform private.settle_payment(extra.id, 'release', 'released', extra.payout_amount, 0, extra.gst * 2);
  elsif outcome = 'refund' then
    perform private.settle_payment(extra.id, 'cancellation', 'refunded', 0, extra.total, 0);
  else
    select * into strict kept from private.fees(extra.cancellation_fee);
    perform private.settle_payment(extra.id, 'cancellation', 'refunded', kept.payout_amount, extra.total - extra.cancellation_fee, kept.gst);
  end if;
end $$;

create function private.settle_extras(main uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.close_extra_intent(c) from public.booking_changes c join public.payments p on p.booking_id = c.booking_id
  where p.id = main and c.state in ('proposed', 'accepted');
  update public.booking_changes c set state = 'lapsed' from public.payments p
  where p.id = main and c.booking_id = p.booking_id and c.state in ('proposed', 'accepted');
  perform private.settle_extra(e.id) from (
    select p.id from public.payments p where p.part_of = main and p.escrow_status = 'held' order by p.id) e;
end $$;

create or replace function private.settle_payment(
  payment uuid, kind text, outcome public.escrow_status, payout numeric, refund numeric, gst_part numeric
) returns void language plpgsql security definer set search_path = '' as $$
declare
  settled public.payments;
  lost numeric;
begin
  update public.payments set escrow_status = outcome, payout_amount = payout, settled_loss = lost_amount,
    released_at = case when outcome = 'released' then coalesce(released_at, now()) else released_at end,
    refund_amount = greatest(refund - lost_amount, 0)
  where id = payment returning * into strict settled;
  lost := least(settled.lost_amount, settled.total);
  perform private.post_ledger(payment, kind, '', jsonb_build_object(
    'escrow', settled.total, 'tasker', -payout, 'giver', -settled.refund_amount, 'disputes', -lost,
    'gst', -gst_part, 'platform_fees', -(settled.total - payout - settled.refund_amount - lost - gst_part)));
  perform private.queue_payout(payment);
  perform private.queue_refund(payment);
end $$;

create or replace function private.update_disputed_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before public.payments;
  known public.payments;
  complained boolean;
begin
  select * into strict before from public.payments where id = payment for no key update;
  update public.payments set
    open_disputes = (select count(*) from public.disputes d where d.payment_id = payment and d.open),
    lost_amount = (select coalesce(sum(d.lost), 0) from public.disputes d where d.payment_id = payment)
      + (select coalesce(sum(r.gone), 0) from public.outside_refunds r where r.payment_id = payment)
  where id = payment returning * into known;
  if known.escrow_status in ('released', 'refunded') then
    perform private.update_settled_payment(before, known);
    return;
  elsif known.escrow_status = 'pending' then
    return; -- the dispute was reported before its charge; the charge asks again
  end if;

  complained := exists (select from public.complaints c where c.payment_id = payment and c.decision is null);
  if known.open_disputes > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes = 0 or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'chargeback_opened');
    end if;
  elsif known.lost_amount >= known.total then
    perform private.close_lost_payment(known);
  elsif known.unsettled_loss > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes > 0 or before.unsettled_loss <> known.unsettled_loss or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'payment_lost_in_part');
      perform private.notify_admins_of_loss(known);
    end if;
  elsif known.escrow_status = 'frozen' then
    update public.payments set escrow_status = 'held' where id = payment and not complained;
    if before.open_disputes > 0 or before.unsettled_loss > 0 then
      perform private.notify_parties(known, 'chargeback_won');
      perform private.schedule_tick(now()); -- a giver who was silent all the while
    end if;
    perform private.settle_extra(payment);
  end if;
end $$;

create function public.answer_change(change_id uuid, accept boolean, amount numeric default null) returns public.change_state
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  change public.booking_changes;
begin
  change := private.lock_change(answer_change.change_id);
  select * into booking from public.bookings b where b.id = change.booking_id;
  select * into payment from public.payments p where p.booking_id = change.booking_id;
  perform private.allow(auth.uid() <> change.proposed_by, 'change.own');
  perform private.require(accept is not null, 'change.answer_required', 'accept');
  if accept and change.state in ('accepted', 'done') and change.amount = answer_change.amount
    or not accept and change.state = 'declined'
  then
    return change.state;
  end if;
  perform private.require(change.state = 'proposed' or not accept and change.state = 'accepted', 'change.not_open', 'change_id');
  if not accept then
    update public.booking_changes set state = 'declined', answered_at = now() where id = change.id returning * into change;
    perform private.close_extra_intent(change);
  else
    perform private.require_active_account();
    perform private.require(change.answer_by > now(), 'change.lapsed', 'change_id');
    perform private.check_price_open(payment);
    perform private.require(change.amount = answer_change.amount, 'change.amount_differs', 'amount',
      jsonb_build_object('price', change.amount));
    if change.kind = 'decrease' then
      perform private.reduce_payment(payment, change.amount);
    end if;
    update public.booking_changes set answered_at = now(), answer_by = now() + make_interval(hours => private.rule('limits.change.hours')),
      state = case kind when 'decrease' then 'done' else 'accepted' end::public.change_state,
      done_at = case kind when 'decrease' then now() end
    where id = change.id returning * into change;
    perform private.schedule_tick(change.answer_by);
  end if;
  perform private.notify_change(change, booking);
  return change.state;
end $$;

create or replace function public.attach_payment_intent(payment_id uuid, payment_intent_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(payment_intent_id <> '', 'payment.intent_id_required', 'payment_intent_id');
  perform private.lock_booking_and_payment(attach_payment_intent.payment_id);
  select * into payment from public.payments p where p.id = attach_payment_intent.payment_id;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  if payment.stripe_payment_intent_id = attach_payment_intent.payment_intent_id then
    return;
  end if;
  perform private.require(payment.stripe_payment_intent_id is null
    and attach_payment_intent.payment_intent_id <> all (payment.closed_intents),
    'payment.other_intent', 'payment_id');
  if payment.part_of is null then
    perform private.require(exists (select from public.bookings b where b.id = payment.booking_id and b.status = 'accepted'),
      'payment.booking_not_accepted', 'booking_id');
  else
    perform private.require((select private.is_extra_payable(c, p) from public.booking_changes c, public.payments p
      where c.payment_id = payment.id and p.id = payment.part_of), 'change.not_open', 'payment_id');
  end if;
  update public.payments set stripe_payment_intent_id = attach_payment_intent.payment_intent_id where id = payment.id;
end $$;

create or replace function public.begin_payout(payment_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  account text;
begin
  select * into due from public.payments p where p.id = begin_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.escrow_status not in ('released', 'refunded') or due.payout_amount = 0 then
    return jsonb_build_object('action', 'none', 'reason', 'no payout is due');
  elsif due.payout_status in ('sent', 'reversed') then
    return jsonb_build_object('action', 'none', 'reason', 'already ' || due.payout_status);
  elsif due.open_disputes > 0 or due.unsettled_loss > 0 then
    return jsonb_build_object('action', 'none', 'reason', 'waiting for the end of a chargeback');
  end if;
  select stripe_account_id into account from public.payout_accounts
  where user_id = due.payee_id and account_status = 'active';
  if account is null then
    update public.payments set payout_status = 'waiting' where id = due.id;
    return jsonb_build_object('action', 'none', 'reason', 'waiting for an active payout account');
  end if;
  return jsonb_build_object('action', 'send', 'payment_id', due.id,
    'amount_cents', (due.payout_amount * 100)::bigint, 'currency', lower(due.currency), 'destination', account,
    'transfer_group', private.booking_of_payment(due), 'source_transaction', due.stripe_charge_id,
    'idempotency_key', private.next_idempotency_key('payout', due.id, due.payout_refusals));
end $$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
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
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);
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
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
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
