-- Refunds of payments: queued with the change that causes them, sent by the edge function refund-payment, retried until given up.

create function private.queue_refund(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.payments set refund_status = 'queued'
  where id = payment and refund_amount > 0 and refund_status = 'none';
  if found then
    perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', payment), 'refund-' || payment);
  end if;
end $$;

-- The refund for the edge function refund-payment: {action: 'send', payment_id, payment_intent, amount_cents, currency,
-- idempotency_key}, or {action: 'none', reason} when nothing is due.
create function public.begin_refund(payment_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = begin_refund.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.refund_amount = 0 or due.refund_status = 'none' then
    return jsonb_build_object('action', 'none', 'reason', 'no refund is due');
  elsif due.refund_status = 'sent' then
    return jsonb_build_object('action', 'none', 'reason', 'already sent');
  elsif due.open_disputes > 0 then -- the bank may give the same money back
    return jsonb_build_object('action', 'none', 'reason', 'waiting for the end of a chargeback');
  end if;
  return jsonb_build_object('action', 'send', 'payment_id', due.id, 'payment_intent', due.stripe_payment_intent_id,
    'amount_cents', (due.refund_amount * 100)::bigint, 'currency', lower(due.currency),
    'idempotency_key', private.next_idempotency_key('refund', due.id, due.refund_refusals));
end $$;

-- Records a refund that was made, even if its id is not known yet (null). Safe to repeat.
create function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  if private.record_sent_refund(finish_refund.payment_id, finish_refund.refund_id) then
    select * into strict due from public.payments p where p.id = finish_refund.payment_id;
    perform private.notify_refund(due, 'refund_sent', due.refund_amount);
  end if;
end $$;

-- Records that the provider refused the refund, as fail_payout does for transfers. The giver is only notified of the first
-- refusal.
create function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_refund.payment_id for no key update;
  if due.refund_status is null or due.refund_status not in ('queued', 'failed')
      or fail_refund.idempotency_key is distinct from private.next_idempotency_key('refund', due.id, due.refund_refusals) then
    return;
  end if;
  update public.payments set refund_status = 'failed', refund_refusals = refund_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  if due.refund_status = 'queued' then
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.refund_refusal_reason(fail_refund.code));
  end if;
end $$;

-- Notifies the giver. E-mails about earlier states of the refund that are not written yet are withdrawn.
create function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking constant uuid := private.booking_of_payment(refunded);
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = booking
    and (e.params ->> 'payment') is not distinct from (private.extra_facts(refunded) ->> 'payment')
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, private.extra_facts(refunded) || jsonb_strip_nulls(jsonb_build_object(
    'amount', amount, 'task', (select title from public.tasks where id = refunded.task_id), 'reason', private.coded(reason))),
    private.booking_link(booking));
end $$;

-- Records a refund that was made and returns whether it was new. Safe to repeat; the id can be null while it is not known.
create function private.record_sent_refund(payment uuid, refund_id text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = payment for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.refund_status = 'sent' then
    update public.payments p set stripe_refund_id = coalesce(p.stripe_refund_id, refund_id) where p.id = due.id;
    return false;
  end if;
  if refund_id = any (due.closed_refunds) then
    return false; -- the refund that failed afterwards
  end if;
  perform private.require(due.refund_amount > 0 and due.refund_status in ('queued', 'failed'),
    'refund.none_due', 'payment_id');
  update public.payments set refund_status = 'sent', refunded_amount = refund_amount, refunded_at = now(),
    stripe_refund_id = refund_id where id = due.id;
  perform private.record_failure(due.id, 'refund', null);
  perform private.post_ledger(due.id, 'refund', due.refund_refusals::text,
    jsonb_build_object('giver', due.refund_amount, 'provider', -due.refund_amount));
  return true;
end $$;

-- Why a refund was refused and what happens next, as a code of `reason`. A low balance of the platform has the same as for a payout.
create function private.refund_refusal_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case when code in ('balance_insufficient', 'insufficient_funds') then private.transfer_refusal_reason(code)
    else 'provider_refused_refund' end
$$;

-- Records a refund that the provider created and refused in one response. So does the webhook; whichever comes first counts.
create function public.record_refund(payment_id uuid, refund jsonb) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(refund ->> 'id' <> '' and refund ->> 'status' <> '' and jsonb_typeof(refund -> 'amount') = 'number',
    'refund.invalid', 'refund');
  perform private.require(exists (select from public.payments p where p.id = record_refund.payment_id),
    'payment.not_found', 'payment_id');
  perform private.apply_refund(record_refund.payment_id, record_refund.refund, now());
end $$;

-- Sends a refund again that was refused, or that came back after it was sent. Does nothing if it is already on its way;
-- begin_refund ensures that the money moves once.
create function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "send a refund again"}');
  perform private.lock_booking_and_payment(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'admin.own_case', '{"matter": "about your own refund"}');
  perform private.require(due.open_disputes = 0, private.freeze_reason_code(due), 'payment_id');
  perform private.require(due.refund_status in ('queued', 'failed'), 'refund.none_to_send', 'payment_id');
  if due.refund_status = 'queued' and exists (select from pgmq.q_effects q where q.message ->> 'key' = job) then
    return;
  end if;
  update public.payments set refund_status = 'queued' where id = due.id and refund_status = 'failed';
  -- Counting of tries starts again: waiting and abandoned tries are deleted.
  with over as (
    delete from pgmq.q_effects q where q.message ->> 'key' = job returning q.msg_id
  ), given_up as (
    delete from pgmq.a_effects a using private.failed_effects f
    where f.id = a.msg_id and f.given_up_at is not null and a.message ->> 'key' = job returning a.msg_id)
  delete from private.failed_effects f where f.id in (select msg_id from over union all select msg_id from given_up);
  perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', due.id), job);
end $$;

grant execute on function
  public.retry_refund(uuid)
to authenticated;
