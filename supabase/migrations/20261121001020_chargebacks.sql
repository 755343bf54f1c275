-- Chargebacks: the card holder's bank takes the money back while it looks into it, and keeps it or returns it. Heard of
-- as charge.dispute.* events, in any order and any number of times (https://docs.stripe.com/disputes/how-disputes-work).

insert into private.booking_transitions (from_status, to_status, actor) values ('in_progress', 'cancelled', 'payment');

insert into private.notification_texts (key, title, message) values
  ('chargeback_opened', 'Payment disputed',
    'The bank of the card holder is looking into the payment for "{task}". The money is frozen until it decides.'),
  ('chargeback_to_answer', 'A chargeback to answer',
    'The bank of the card holder took back ${amount} for "{task}". Send the evidence to the payment provider.'),
  ('chargeback_won', 'Payment held again', 'The bank has decided: the payment for "{task}" is held in escrow again.'),
  ('chargeback_lost', 'Payment taken back', 'The bank of the card holder took back the payment for "{task}".');

-- Applies one event about a dispute and answers the note for the person who looks at them all.
create function private.apply_dispute(payment uuid, kind text, dispute jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  taken constant numeric := (dispute ->> 'amount')::numeric / 100;
  reference constant text := dispute ->> 'id';
  closed constant text := case when kind = 'charge.dispute.closed' then dispute ->> 'status' end;
begin
  perform from public.bookings b join public.payments p on p.booking_id = b.id where p.id = payment for no key update of b;
  select * into strict known from public.payments where id = payment for no key update;
  if kind = 'charge.dispute.funds_withdrawn' and not private.is_booked(payment, 'dispute', reference) then
    perform private.post_ledger(payment, 'dispute', reference, jsonb_build_object('provider', -taken, 'disputes', taken));
  elsif kind = 'charge.dispute.funds_reinstated' and not private.is_booked(payment, 'dispute_won', reference) then
    perform private.post_ledger(payment, 'dispute_won', reference, jsonb_build_object('provider', taken, 'disputes', -taken));
  end if;
  if known.dispute_status is null or (known.dispute_status = 'open' and closed is not null) then
    update public.payments set dispute_status = coalesce(closed, 'open'), disputed_amount = taken, dispute_id = reference,
      dispute_due_at = coalesce(to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), dispute_due_at)
    where id = payment;
    if closed is null then
      perform private.notify_admins('chargeback_to_answer', jsonb_build_object('amount', round(taken, 2),
        'task', (select title from public.tasks where id = known.task_id)), '/admin/verify-users?tab=complaints');
    end if;
    perform private.follow_dispute(payment);
  end if;
  return 'a chargeback: ' || coalesce(closed, replace(kind, 'charge.dispute.', ''));
end $$;

-- What follows from what the bank says, for money that is in escrow:
--   open    it is frozen: neither released, cancelled nor decided about meanwhile
--   won     it is held again, or stays frozen for a complaint that is still open
--   lost    it is gone: what was not done ends, what was done is closed. What was paid out already, and what was only
--           a part of the payment, is the platform's loss.
create function private.follow_dispute(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
begin
  select * into strict known from public.payments where id = payment for no key update;
  if known.dispute_status is null or known.escrow_status not in ('held', 'frozen') then
    return;
  elsif known.dispute_status = 'open' then
    update public.payments set escrow_status = 'frozen' where id = payment;
    perform private.tell_both(known, 'chargeback_opened');
  elsif known.dispute_status = 'lost' and known.disputed_amount >= known.total then
    perform private.lose_dispute(known);
  elsif known.escrow_status = 'frozen' then
    update public.payments set escrow_status = 'held' where id = payment
      and not exists (select from public.complaints c where c.payment_id = payment and c.decision is null);
    perform private.tell_both(known, 'chargeback_won');
    perform private.wake_clock(now()); -- a giver who was silent all the while
  end if;
end $$;

create function private.lose_dispute(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
begin
  select status into strict stage from public.bookings where id = payment.booking_id;
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now()
  where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount,
    decision_note = 'The bank of the card holder took the payment back.', decided_at = now()
  where payment_id = payment.id and decision is null;
  update public.tasks set updated_at = now(),
    status = case when stage = 'completed' then 'completed' else 'cancelled' end::public.task_status
  where id = payment.task_id and status = 'assigned';
  if stage = 'in_progress' then
    perform private.act_as('payment');
    update public.bookings set status = 'cancelled', cancellation_reason = 'The payment was taken back.'
    where id = payment.booking_id;
    perform private.act_as(null);
  end if;
  perform private.tell_both(payment, 'chargeback_lost');
end $$;

create function private.tell_both(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(payment.booking_id));
end $$;

create function private.is_booked(payment uuid, kind text, reference text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.ledger_entries e where e.payment_id = payment and e.kind = is_booked.kind
    and e.reference = is_booked.reference)
$$;
