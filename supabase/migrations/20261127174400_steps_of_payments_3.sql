-- Named steps of what happens before and after a change of payments, payouts, cards and receipts (3 of 3).
set check_function_bodies = off;

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
    'transfer_group', due.booking_id, 'source_transaction', due.stripe_charge_id,
    'idempotency_key', private.next_idempotency_key('payout', due.id, due.payout_refusals));
end $$;

create or replace function public.begin_refund(payment_id uuid) returns jsonb
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

create or replace function public.decide_loss(
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
  select status into strict stage from public.bookings where id = payment.booking_id;
  perform private.require(decide_loss.decision <> 'split' or (stage = 'completed' and payment.escrow_status = 'frozen'),
    'payment.not_splittable', 'decision');
  perform private.require(decide_loss.decision <> 'split' or (returned_amount > 0 and returned_amount < payment.amount),
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
  else
    perform private.settle_decision(payment,
      case decide_loss.decision when 'refund' then payment.amount else round(decide_loss.returned_amount, 2) end, 'refunded');
    perform private.end_unpaid_booking(payment, stage);
  end if;
  perform private.notify_parties(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

create or replace function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.reason_of_refusal(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_idempotency_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.reason_of_refusal(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
  if closed then
    -- What is owed waits for another account, which is opened with the next bank details.
    update public.payout_accounts set account_type = 'manual', account_status = 'restricted', bank_last4 = null, bank_name = null,
      requirements = '{}', requirement_errors = '[]', updated_at = now()
    where user_id = due.payee_id and account_type <> 'manual';
  end if;
  if before is distinct from reason then
    perform private.notify_person(due.payee_id, 'payout_failed', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id), 'reason', reason), '/profile?tab=payout');
  end if;
end $$;

create or replace function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
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
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.reason_of_refused_refund(fail_refund.code));
  end if;
end $$;

create or replace function public.finish_payout(payment_id uuid, transfer_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  perform private.require(transfer_id <> '', 'payout.transfer_id_required', 'transfer_id');
  select * into due from public.payments p where p.id = finish_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.stripe_transfer_id = finish_payout.transfer_id then
    return;
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded'),
    'payout.none_due', 'payment_id');
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id where id = due.id;
  perform private.record_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', jsonb_build_object('amount', due.payout_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
end $$;

create or replace function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  if private.record_sent_refund(finish_refund.payment_id, finish_refund.refund_id) then
    select * into strict due from public.payments p where p.id = finish_refund.payment_id;
    perform private.notify_refund(due, 'refund_sent', due.refund_amount);
  end if;
end $$;

create or replace function public.my_earnings_by_month() returns table (month date, amount numeric, payouts integer)
language sql stable security invoker set search_path = '' as $$
  select date_trunc('month', r.issued_at at time zone private.time_zone())::date, sum(p.payout_amount), count(*)::integer
  from public.receipts r join public.payments p on p.id = r.payment_id
  where r.person_id = (select auth.uid()) and r.kind = 'statement' and p.payout_amount > 0
  group by 1 order by 1
$$;

create or replace function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');

  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_idempotency_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', payment.booking_id, 'task_id', payment.task_id);
end $$;

create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.allow(person.id is not null, 'account.not_authenticated');
  perform private.allow(private.has_role('task_doer'), 'payout_account.only_taskers');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;

create or replace function public.record_payment_method(owner uuid, method jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  card uuid;
begin
  perform private.require(exists (select from private.payment_customers
    where user_id = owner and stripe_customer_id = method ->> 'customer'), 'payment_method.save_failed', 'method');
  perform from private.payment_customers where user_id = owner for update;
  delete from public.payment_methods where stripe_payment_method_id = method ->> 'id' and user_id <> owner;
  insert into public.payment_methods as m (user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month,
    card_exp_year, is_default)
  values (owner, method ->> 'id', method #>> '{card,brand}', method #>> '{card,last4}',
    (method #>> '{card,exp_month}')::integer, (method #>> '{card,exp_year}')::integer,
    not exists (select from public.payment_methods d where d.user_id = owner and d.is_default))
  on conflict (user_id, stripe_payment_method_id) do update set card_brand = excluded.card_brand,
    card_last4 = excluded.card_last4, card_exp_month = excluded.card_exp_month, card_exp_year = excluded.card_exp_year
  returning m.id into card;
  return card;
end $$;

create or replace function public.retry_refund(payment_id uuid) returns void
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
  -- Its tries begin anew: those that wait, or were given up, are no more.
  with over as (
    delete from pgmq.q_effects q where q.message ->> 'key' = job returning q.msg_id
  ), given_up as (
    delete from pgmq.a_effects a using private.failed_effects f
    where f.id = a.msg_id and f.given_up_at is not null and a.message ->> 'key' = job returning a.msg_id)
  delete from private.failed_effects f where f.id in (select msg_id from over union all select msg_id from given_up);
  perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', due.id), job);
end $$;
