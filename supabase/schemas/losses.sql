-- Losses: what follows when the provider takes money back from a payment, by a lost dispute or a refund by hand, and the
-- admin's decision about a partial loss. No tables.

-- An admin's decision about a payment that was lost in part:
--   carry_on  the platform bears the loss: the payment is held again, or its payout is sent, as if nothing had been lost
--   refund    the rest goes back to the giver, and the tasker gets nothing; unfinished work is cancelled
--   split     finished work only: the task counts for `returned_amount` dollars less, and fees, payout and refund follow the
--             fee policy on the rest; what already went back counts towards the refund
create type public.loss_decision as enum ('carry_on', 'refund', 'split');

-- Handles disputes of a payment whose money has left escrow. While one is open, unsent money waits (begin_payout,
-- begin_refund). Money that a bank has returned is not refunded again. A payout that was sent is the platform's loss;
-- if it was not, an admin decides.
create function private.update_settled_payment(before public.payments, known public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  spared numeric := 0;
begin
  if known.lost_amount < least(before.lost_amount, known.settled_loss) then
    perform private.notify_admins('money_came_back', jsonb_build_object(
      'amount', least(before.lost_amount, known.settled_loss) - known.lost_amount,
      'task', (select title from public.tasks where id = known.task_id)), '/admin/verify-users?tab=complaints');
  end if;
  if known.open_disputes > 0 then
    return;
  end if;
  if known.refund_status in ('queued', 'failed') then
    spared := least(known.unsettled_loss, known.refund_amount);
    if spared > 0 then
      perform private.post_ledger(known.id, 'refund_spared', known.lost_amount::text,
        jsonb_build_object('giver', spared, 'disputes', -spared));
      update public.payments set refund_amount = refund_amount - spared, refund_refusals = refund_refusals + 1,
        refund_status = case when refund_amount = spared then 'none' else refund_status end, settled_loss = settled_loss + spared where id = known.id;
      perform private.notify_refund(known, 'refund_spared', spared);
    end if;
    perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', known.id), 'refund-' || known.id);
  end if;
  if known.payout_status in ('queued', 'failed') and known.unsettled_loss = spared then
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', known.id), 'payout-' || known.id);
  elsif known.payout_status in ('sent', 'reversed', 'none') then
    update public.payments set settled_loss = greatest(settled_loss, lost_amount) where id = known.id;
  elsif known.unsettled_loss > spared and before.unsettled_loss <> known.unsettled_loss then
    perform private.notify_admins_of_loss(known);
  end if;
end $$;

-- Closes a payment that was lost completely: unfinished work is cancelled, finished work is closed.
create function private.close_lost_payment(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
  by_bank constant boolean := exists (select from public.disputes d where d.payment_id = payment.id and d.lost > 0);
begin
  select status into strict stage from public.bookings where id = private.booking_of_payment(payment);
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now(),
    settled_loss = lost_amount where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount - payment.reduction, extras_returned = true, decided_at = now(),
    decision_note = case when by_bank then 'The bank of the card holder took the payment back.'
      else 'The payment was sent back to the card.' end
  where payment_id = payment.id and decision is null;
  if payment.part_of is null then
    perform private.end_unpaid_booking(payment, stage);
    perform private.settle_extras(payment.id);
  end if;
  perform private.notify_parties(payment, case when by_bank then 'chargeback_lost' else 'payment_sent_back' end);
end $$;

-- Ends a booking that is not paid any more: cancelled before the work was done, closed afterwards.
create function private.end_unpaid_booking(payment public.payments, stage public.booking_status) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set updated_at = now(),
    status = case when stage = 'completed' then 'completed' else 'cancelled' end::public.task_status
  where id = payment.task_id and status = 'assigned';
  if stage = 'in_progress' then
    perform private.set_actor('payment');
    update public.bookings set status = 'cancelled', cancellation_reason = 'The payment was taken back.'
    where id = payment.booking_id;
    perform private.set_actor(null);
  end if;
end $$;

create function private.notify_admins_of_loss(payment public.payments) returns void
language sql security definer set search_path = '' as $$
  select private.notify_admins('loss_to_decide', jsonb_build_object('lost', payment.lost_amount, 'total', payment.total,
    'task', (select title from public.tasks where id = payment.task_id)), '/admin/verify-users?tab=complaints')
$$;

-- Decides about a partial loss, as an admin. Returns {payout_cents, refund_cents}: what remains to be sent.
create function public.decide_loss(
  payment_id uuid, decision public.loss_decision, returned_amount numeric default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
  stage public.booking_status;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide about a payment"}');
  perform private.lock_booking_and_payment(decide_loss.payment_id);
  select * into payment from public.payments p where p.id = decide_loss.payment_id;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() not in (payment.payer_id, payment.payee_id),
    'admin.own_case', '{"matter": "about the payment of your own booking"}');
  perform private.require(decide_loss.decision is not null, 'payment.decision_required', 'decision');
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'payment_id');
  perform private.require(payment.unsettled_loss > 0 and payment.escrow_status <> 'pending',
    'payment.nothing_to_decide', 'payment_id');
  perform private.require(not exists (select from public.complaints c where c.payment_id = payment.id and c.decision is null),
    'payment.complaint_open', 'payment_id');
  select status into strict stage from public.bookings where id = private.booking_of_payment(payment);
  perform private.require(decide_loss.decision <> 'split' or (stage = 'completed' and payment.escrow_status = 'frozen'),
    'payment.not_splittable', 'decision');
  perform private.require(decide_loss.decision <> 'split' or (returned_amount > 0 and returned_amount < payment.amount - payment.reduction),
    'payment.split_out_of_range', 'returned_amount');

  if payment.escrow_status <> 'frozen' then
    if decide_loss.decision = 'refund' then -- the payout that was not sent stays here
      perform private.post_ledger(payment.id, 'payout_kept', payment.lost_amount::text,
        jsonb_build_object('tasker', payment.payout_amount, 'disputes', -payment.payout_amount));
      update public.payments set payout_amount = 0, payout_status = 'none' where id = payment.id;
      perform private.recount_person(least(payment.payer_id, payment.payee_id)); -- one job less that was paid
      perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
    end if;
    update public.payments set settled_loss = lost_amount where id = payment.id;
    perform private.update_disputed_payment(payment.id);
  elsif decide_loss.decision = 'carry_on' then
    update public.payments set escrow_status = 'held', settled_loss = lost_amount where id = payment.id;
    perform private.schedule_tick(now());
    perform private.settle_extra(payment.id);
  else
    perform private.settle_decision(payment, case decide_loss.decision when 'refund' then payment.amount - payment.reduction
      else round(decide_loss.returned_amount, 2) end, 'refunded');
    if payment.part_of is null then
      perform private.end_unpaid_booking(payment, stage);
      perform private.settle_extras(payment.id);
    end if;
  end if;
  perform private.notify_parties(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

-- Dollars of a payout that an admin decided to keep after a loss.
create function private.kept_payout(payment uuid) returns numeric
language sql stable set search_path = '' as $$
  select coalesce(sum(amount), 0) from public.ledger_entries
  where payment_id = payment and kind = 'payout_kept' and account = 'tasker'
$$;

-- Undoes the decision to keep a payout whose transfer had left before: the platform bears that loss. Returns the updated payment,
-- or the same if no payout was kept.
create function private.restore_kept_payout(payment public.payments) returns public.payments
language plpgsql security definer set search_path = '' as $$
declare
  kept constant numeric := private.kept_payout(payment.id);
begin
  if kept > 0 then
    perform private.post_ledger(payment.id, 'payout_kept', 'restored', jsonb_build_object('tasker', -kept, 'disputes', kept));
    update public.payments set payout_amount = kept where id = payment.id returning * into strict payment;
    perform private.recount_parties(payment);
  end if;
  return payment;
end $$;

-- Settles a payment whose price counts for `back` dollars less, as an admin decided, and less what both agreed to take off. Fees,
-- refund and payout follow the fee policy on the rest. Returns the updated payment.
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

grant execute on function
  public.decide_loss(uuid, loss_decision, numeric)
to authenticated;
