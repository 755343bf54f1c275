-- What a giver hears of the refund they wait for: sent, delayed, come back, or not needed because the money went back another
-- way. They hear of each turn once; of news that wait to be mailed only the last is true, so it replaces the others.

insert into private.notification_texts (key, kind, title, message, subject, button, amounts) values
  ('refund_failed', 'payments', 'Refund delayed', 'Your refund of ${amount} for "{task}" has not gone through yet. {reason}',
    'Your refund of ${amount} for "{task}" is delayed', 'Open the booking', 'refund'),
  ('refund_returned', 'payments', 'Refund came back',
    'Your refund of ${amount} for "{task}" did not reach your card and came back to us. An administrator looks for another way to send it, and we tell you when it is sent. If you have a question, write to us.',
    'Your refund of ${amount} for "{task}" came back to us', 'Open the booking', 'refund'),
  ('refund_spared', 'payments', 'Refund already with you',
    '${amount} of your refund for "{task}" went back to your card already, through your bank or the payment provider. We do not send it once more.',
    'Your refund of ${amount} for "{task}" is with you already', 'Open the booking', 'refund');

create function private.tell_of_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', reason)), private.booking_link(refunded.booking_id));
end $$;

-- Books a refund that was made and answers whether that is news; harmless to repeat, also with no id known yet (null).
create function private.record_sent_refund(payment uuid, refund_id text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = payment for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.refund_status = 'sent' then
    update public.payments p set stripe_refund_id = coalesce(p.stripe_refund_id, refund_id) where p.id = due.id;
    return false;
  end if;
  if refund_id = any (due.closed_refunds) then
    return false; -- the refund that failed afterwards
  end if;
  perform private.require(due.refund_amount > 0 and due.refund_status in ('queued', 'failed'),
    'This payment has no refund to record', 'payment_id');
  update public.payments set refund_status = 'sent', refunded_amount = refund_amount, refunded_at = now(),
    stripe_refund_id = refund_id where id = due.id;
  perform private.note_failure(due.id, 'refund', null);
  perform private.post_ledger(due.id, 'refund', due.refund_refusals::text,
    jsonb_build_object('giver', due.refund_amount, 'provider', -due.refund_amount));
  return true;
end $$;

create or replace function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  if private.record_sent_refund(finish_refund.payment_id, finish_refund.refund_id) then
    select * into strict due from public.payments p where p.id = finish_refund.payment_id;
    perform private.tell_of_refund(due, 'refund_sent', due.refund_amount);
  end if;
end $$;

-- Why a refund was refused, and what happens next; our own balance reads as for a payout.
create function private.reason_of_refused_refund(code text) returns text
language sql immutable set search_path = '' as $$
  select case when code in ('balance_insufficient', 'insufficient_funds') then private.reason_of_refusal(code)
    else 'The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.' end
$$;

-- As fail_payout. The giver hears of it at the first refusal: of the tries after it there is nothing to say until one is taken.
create or replace function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_refund.payment_id for no key update;
  if due.refund_status is null or due.refund_status not in ('queued', 'failed')
      or fail_refund.idempotency_key is distinct from private.next_key('refund', due.id, due.refund_refusals) then
    return;
  end if;
  update public.payments set refund_status = 'failed', refund_refusals = refund_refusals + 1 where id = due.id;
  perform private.note_failure(due.id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  if due.refund_status = 'queued' then
    perform private.tell_of_refund(due, 'refund_failed', due.refund_amount, private.reason_of_refused_refund(fail_refund.code));
  end if;
end $$;

-- A refund as Stripe reports it: ours is finished or, when it failed afterwards, due again by hand. One that is not
-- the refund that is due was made at the provider itself. Of one that is first heard of when it has failed, nobody hears that it was sent.
create or replace function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  is_news boolean;
begin
  perform private.lock_money(payment);
  select * into strict known from public.payments where id = payment;
  if refund ->> 'id' = any (known.closed_refunds) then
    return null; -- its failure is already known
  elsif known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100
      or exists (select from public.outside_refunds r where r.id = refund ->> 'id')
      or (known.refund_status = 'sent' and known.stripe_refund_id <> refund ->> 'id') then
    return private.apply_outside_refund(payment, refund, at);
  end if;

  is_news := private.record_sent_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    if is_news then
      perform private.tell_of_refund(known, 'refund_sent', known.refund_amount);
    end if;
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.note_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  perform private.tell_of_refund(known, 'refund_returned', known.refund_amount);
  return 'a refund came back: it must be sent another way';
end $$;

-- Records a refund that the provider made and refused in the same answer, as the webhook does; whichever comes first counts.
create function public.record_refund(payment_id uuid, refund jsonb) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(refund ->> 'id' <> '' and refund ->> 'status' <> '' and jsonb_typeof(refund -> 'amount') = 'number',
    'A refund has an id, an amount and a status', 'refund');
  perform private.require(exists (select from public.payments p where p.id = record_refund.payment_id),
    'Payment not found', 'payment_id');
  perform private.apply_refund(record_refund.payment_id, record_refund.refund, now());
end $$;
revoke execute on function public.record_refund(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.record_refund(uuid, jsonb) to service_role;

-- Money that has left escrow: while a dispute is open, what was not sent waits (begin_payout, begin_refund). What a bank
-- gave back is not refunded once more. A payout that was sent is the platform's loss; of one that was not, an admin decides.
create or replace function private.follow_disputes_after_settlement(before public.payments, known public.payments) returns void
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
      perform private.tell_of_refund(known, 'refund_spared', spared);
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
