-- Settlement: how held money leaves escrow (release, cancellation, decision) and how the functions that
-- talk to the payment provider learn what to send and record what was sent. Each begin_ locks the payment
-- and each finish_ may be repeated, so a retried job or a late webhook ends in the same state.
-- Locks are taken in the order booking, payment, task, profiles.

-- Takes the whole of a payment out of escrow: so much to the tasker, so much back to the giver, the rest
-- earned, of which `gst_part` is GST. Queues the transfer and the refund that follow. What went back to the giver
-- past us counts towards the refund; where it is more than that, it is the platform's loss.
create function private.settle_payment(
  payment uuid, kind text, outcome public.escrow_status, payout numeric, refund numeric, gst_part numeric
) returns void language plpgsql security definer set search_path = '' as $$
declare
  settled public.payments;
  lost numeric;
begin
  update public.payments set escrow_status = outcome, payout_amount = payout, settled_loss = lost_amount,
    refund_amount = greatest(refund - lost_amount, 0)
  where id = payment returning * into strict settled;
  lost := least(settled.lost_amount, settled.total);
  perform private.post_ledger(payment, kind, '', jsonb_build_object(
    'escrow', settled.total, 'tasker', -payout, 'giver', -settled.refund_amount, 'disputes', -lost,
    'gst', -gst_part, 'platform_fees', -(settled.total - payout - settled.refund_amount - lost - gst_part)));
  perform private.queue_payout(payment);
  perform private.queue_refund(payment);
end $$;

-- Queues the transfer to the tasker, or leaves it waiting for a payout account that can receive it.
create function private.queue_payout(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into strict due from public.payments where id = payment;
  if due.payout_amount = 0 or due.payout_status not in ('none', 'waiting') then
    return;
  end if;
  if exists (select from public.payout_accounts where user_id = due.payee_id and account_status = 'active') then
    update public.payments set payout_status = 'queued' where id = payment;
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment), 'payout-' || payment);
  elsif due.payout_status = 'none' then
    update public.payments set payout_status = 'waiting' where id = payment;
    perform private.notify_person(due.payee_id, 'payout_waiting', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id)), '/profile');
  end if;
end $$;

create function private.queue_refund(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.payments set refund_status = 'queued'
  where id = payment and refund_amount > 0 and refund_status = 'none';
  if found then
    perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', payment), 'refund-' || payment);
  end if;
end $$;

-- Release: the money is the tasker's, the task is done.
create function private.follow_release() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb;
begin
  perform private.settle_payment(new.id, 'release', 'released', new.payout_amount, 0, new.gst * 2);
  update public.tasks set status = 'completed', updated_at = now() where id = new.task_id;
  news := jsonb_build_object('person', private.person_name(new.payer_id), 'amount', new.payout_amount,
    'task', (select title from public.tasks where id = new.task_id));
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(new.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(new.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(new.payee_id, 'payment_released', news, '/bookings');
  end if;
  return null;
end $$;

create trigger follow_release after update of escrow_status on public.payments
for each row when (old.escrow_status = 'held' and new.escrow_status = 'released')
execute function private.follow_release();

-- An account that becomes active receives what was waiting for it.
create function private.resume_payouts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  payment uuid;
begin
  for payment in select id from public.payments
    where payee_id = new.user_id and payout_status = 'waiting' order by id for no key update
  loop
    perform private.queue_payout(payment);
  end loop;
  return null;
end $$;

create trigger resume_payouts after insert or update of account_status on public.payout_accounts
for each row when (new.account_status = 'active') execute function private.resume_payouts();

-- The idempotency key of a try: the provider answers one key always alike, so what it refused needs another.
create function private.next_key(kind text, payment uuid, refusals integer) returns text
language sql immutable set search_path = '' as $$
  select kind || '-' || payment || case when refusals > 0 then '-' || refusals + 1 else '' end
$$;

-- What release-payout sends: {action: 'send', payment_id, amount_cents, currency, destination,
-- transfer_group, source_transaction, idempotency_key}, or {action: 'none', reason} when nothing is due.
create function public.begin_payout(payment_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  account text;
begin
  select * into due from public.payments p where p.id = begin_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
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
    'transfer_group', due.booking_id, 'source_transaction', due.stripe_charge_id,
    'idempotency_key', private.next_key('payout', due.id, due.payout_refusals));
end $$;

-- Records the transfer that was made; harmless to repeat.
create function public.finish_payout(payment_id uuid, transfer_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  perform private.require(transfer_id <> '', 'transfer_id is required', 'transfer_id');
  select * into due from public.payments p where p.id = finish_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.stripe_transfer_id = finish_payout.transfer_id then
    return;
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded'),
    'This payment has no payout to record', 'payment_id');
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id where id = due.id;
  perform private.note_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', jsonb_build_object('amount', due.payout_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/profile');
end $$;

-- Records that the provider refused the transfer (not that it did not answer: then the same key is tried
-- again). The next begin_payout gives a new key. Of a key that is no longer the current one nothing is recorded, or two
-- jobs that were refused at once would each be given a key of their own.
create function public.fail_payout(payment_id uuid, message text, idempotency_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  update public.payments set payout_status = 'failed', payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.note_failure(due.id, 'payout', coalesce(message, ''));
  if due.payout_status <> 'failed' then
    perform private.notify_person(due.payee_id, 'payout_failed', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id)), '/profile');
  end if;
end $$;

-- What refund-payment sends: {action: 'send', payment_id, payment_intent, amount_cents, currency,
-- idempotency_key}, or {action: 'none', reason}.
create function public.begin_refund(payment_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = begin_refund.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.refund_amount = 0 or due.refund_status = 'none' then
    return jsonb_build_object('action', 'none', 'reason', 'no refund is due');
  elsif due.refund_status = 'sent' then
    return jsonb_build_object('action', 'none', 'reason', 'already sent');
  elsif due.open_disputes > 0 then -- the bank may give the same money back
    return jsonb_build_object('action', 'none', 'reason', 'waiting for the end of a chargeback');
  end if;
  return jsonb_build_object('action', 'send', 'payment_id', due.id, 'payment_intent', due.stripe_payment_intent_id,
    'amount_cents', (due.refund_amount * 100)::bigint, 'currency', lower(due.currency),
    'idempotency_key', private.next_key('refund', due.id, due.refund_refusals));
end $$;

-- Records the refund that was made; harmless to repeat, also with no id known yet (null).
create function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = finish_refund.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  if due.refund_status = 'sent' then
    update public.payments p set stripe_refund_id = coalesce(p.stripe_refund_id, finish_refund.refund_id)
    where p.id = due.id;
    return;
  end if;
  if finish_refund.refund_id = any (due.closed_refunds) then
    return; -- the refund that failed afterwards
  end if;
  perform private.require(due.refund_amount > 0 and due.refund_status in ('queued', 'failed'),
    'This payment has no refund to record', 'payment_id');
  update public.payments set refund_status = 'sent', refunded_amount = refund_amount, refunded_at = now(),
    stripe_refund_id = finish_refund.refund_id where id = due.id;
  perform private.note_failure(due.id, 'refund', null);
  perform private.post_ledger(due.id, 'refund', due.refund_refusals::text,
    jsonb_build_object('giver', due.refund_amount, 'provider', -due.refund_amount));
  perform private.notify_person(due.payer_id, 'refund_sent', jsonb_build_object('amount', due.refund_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/bookings');
end $$;

-- The same for a refund.
create function public.fail_refund(payment_id uuid, message text, idempotency_key text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.payments p set refund_status = 'failed', refund_refusals = p.refund_refusals + 1
  where p.id = fail_refund.payment_id and p.refund_status in ('queued', 'failed')
    and fail_refund.idempotency_key = private.next_key('refund', p.id, p.refund_refusals);
  if found then
    perform private.note_failure(fail_refund.payment_id, 'refund', coalesce(fail_refund.message, ''));
  end if;
end $$;

grant execute on function public.begin_payout(uuid), public.finish_payout(uuid, text),
  public.fail_payout(uuid, text, text), public.begin_refund(uuid), public.finish_refund(uuid, text),
  public.fail_refund(uuid, text, text) to service_role;
