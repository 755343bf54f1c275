-- Named steps of what happens before and after a change of payments, payouts, cards and receipts (1 of 3).
set check_function_bodies = off;

create function private.after_ledger_entry_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_entry(new);
  return null;
end $$;

create function private.after_payment_method_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.detach_card(old);
  if old.is_default then
    perform private.choose_default_card(old.user_id);
  end if;
  return null;
end $$;

create function private.after_payout_account_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    perform private.erase_bank_details(old.user_id);
  elsif new.account_status = 'active' then
    perform private.resume_payouts(new.user_id);
  end if;
  return null;
end $$;

create or replace function private.apply_dispute(payment uuid, kind text, dispute jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  disputed constant numeric := (dispute ->> 'amount')::numeric / 100;
  taken numeric;
  returned numeric;
  before public.disputes;
  known public.disputes;
begin
  if dispute ->> 'id' is null or disputed is null or dispute ->> 'status' is null then
    return 'a dispute without an id, an amount or a status';
  end if;
  perform private.lock_booking_and_payment(payment);
  select coalesce(-sum(m.cents) filter (where m.cents < 0), 0) / 100, coalesce(sum(m.cents) filter (where m.cents > 0), 0) / 100
  into taken, returned
  from (select value::text::numeric as cents
    from jsonb_path_query(dispute, '$.balance_transactions[*].amount') movement (value)) m;
  if kind = 'charge.dispute.funds_withdrawn' and taken = 0 then
    taken := disputed;
  elsif kind = 'charge.dispute.funds_reinstated' and returned = 0 then
    returned := disputed;
  end if;

  select * into before from public.disputes d where d.id = dispute ->> 'id';
  insert into public.disputes as d (id, payment_id, amount, status, reason, due_at, withdrawn, reinstated, status_at)
  values (dispute ->> 'id', payment, disputed, dispute ->> 'status', dispute ->> 'reason',
    to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), taken, returned, at)
  on conflict (id) do update set withdrawn = greatest(d.withdrawn, taken), reinstated = greatest(d.reinstated, returned);
  update public.disputes d set amount = disputed, status = dispute ->> 'status', status_at = at,
    reason = coalesce(dispute ->> 'reason', d.reason),
    due_at = coalesce(to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), d.due_at)
  where d.id = dispute ->> 'id' and (at, private.status_rank(dispute ->> 'status'), disputed)
    > (d.status_at, private.status_rank(d.status), d.amount);
  select * into strict known from public.disputes d where d.id = dispute ->> 'id';

  perform private.post_total(payment, 'dispute', known.id, known.withdrawn);
  perform private.post_total(payment, 'dispute_won', known.id, -known.reinstated);
  perform private.notify_admins_of_dispute(before, known);
  perform private.update_disputed_payment(payment);
  return case when known.status like 'warning%' then 'an inquiry: ' else 'a chargeback: ' end || known.status;
end $$;

create or replace function private.apply_outside_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.outside_refunds;
begin
  if refund ->> 'id' is null or refund ->> 'amount' is null or refund ->> 'status' is null then
    return 'a refund without an id, an amount or a status';
  end if;
  perform private.lock_booking_and_payment(payment);
  insert into public.outside_refunds as r (id, payment_id, amount, status, status_at)
  values (refund ->> 'id', payment, (refund ->> 'amount')::numeric / 100, refund ->> 'status', at)
  on conflict (id) do update set status = excluded.status, status_at = at, amount = excluded.amount
  where (at, private.status_rank(excluded.status)) > (r.status_at, private.status_rank(r.status));
  select * into strict known from public.outside_refunds r where r.id = refund ->> 'id';
  perform private.post_total(payment, 'outside_refund', known.id, known.gone);
  perform private.update_disputed_payment(payment);
  return 'a refund that was not asked for here';
end $$;

create or replace function private.apply_payment_event(payment uuid, event jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  kind constant text := event ->> 'type';
  object constant jsonb := event #> '{data,object}';
  at constant timestamptz := coalesce(to_timestamp((event ->> 'created')::double precision), now());
begin
  case kind
    when 'payment_intent.succeeded' then
      return private.apply_payment_succeeded(payment, object);
    when 'charge.succeeded' then
      perform private.apply_charge_succeeded(payment, object);
      return null;
    when 'payment_intent.payment_failed' then
      perform private.record_failure(payment, 'charge', coalesce(object #>> '{last_payment_error,message}', 'Payment failed'))
      from public.payments p where p.id = payment and p.escrow_status = 'pending'
        and (p.stripe_payment_intent_id is null or p.stripe_payment_intent_id = object ->> 'id');
      return null;
    when 'payment_intent.canceled' then
      perform private.detach_intent(payment, object ->> 'id');
      return null;
    when 'refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated' then
      return private.apply_refund(payment, object, at);
    when 'transfer.created' then
      return private.apply_transfer_created(payment, object);
    when 'transfer.reversed' then
      return private.apply_transfer_reversed(payment, object);
    when 'charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated', 'charge.dispute.closed' then
      return private.apply_dispute(payment, kind, object, at);
    else
      return null;
  end case;
end $$;

create or replace function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  select b.* into strict booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = payment for no key update of b;
  select * into strict paid from public.payments where id = payment for no key update;

  if paid.stripe_payment_intent_id is not null and paid.stripe_payment_intent_id <> intent ->> 'id' then
    return 'another payment intent pays this payment: refund this one by hand';
  elsif paid.escrow_status <> 'pending' then
    return null;
  elsif coalesce((intent ->> 'amount_received')::bigint, (intent ->> 'amount')::bigint) is distinct from paid.total * 100
      or lower(intent ->> 'currency') is distinct from lower(paid.currency) then
    return 'the amount charged is not the total of this payment';
  end if;

  update public.payments set escrow_status = 'held', held_at = now(),
    stripe_payment_intent_id = intent ->> 'id', stripe_charge_id = intent ->> 'latest_charge'
  where id = payment;
  perform private.record_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if booking.status = 'accepted' then
    perform private.set_actor('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.set_actor(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  perform private.apply_earlier_events(payment, intent ->> 'id');
  perform private.update_disputed_payment(payment); -- a dispute that was reported before the charge itself
  return null;
end $$;

create or replace function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  is_news boolean;
begin
  perform private.lock_booking_and_payment(payment);
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
      perform private.notify_refund(known, 'refund_sent', known.refund_amount);
    end if;
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.record_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  perform private.notify_refund(known, 'refund_returned', known.refund_amount);
  return 'a refund came back: it must be sent another way';
end $$;

create function private.assign_receipt_number() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  taken bigint;
begin
  if new.kind = 'receipt' then
    update private.receipt_numbers set receipt = receipt + 1 returning receipt into taken;
  else
    update private.receipt_numbers set statement = statement + 1 returning statement into taken;
  end if;
  update public.receipts set number = taken where id = new.id;
  return null;
end $$;

create function private.before_ledger_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'ledger.append_only');
  return null;
end $$;

create function private.before_payment_method_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.count_new_card();
  end if;
  perform private.require(new.stripe_payment_method_id ~ '^pm_[A-Za-z0-9_]{1,250}$',
    'payment_method.save_failed', 'stripe_payment_method_id');
  perform private.require(coalesce(new.card_last4 ~ '^[0-9]{4}$', true), 'payment_method.last4_invalid', 'card_last4');
  perform private.require(coalesce(new.card_brand ~ '^[A-Za-z0-9_ -]{1,30}$', true),
    'payment_method.brand_unknown', 'card_brand');
  perform private.require(coalesce(new.card_exp_month between 1 and 12, true)
    and coalesce(new.card_exp_year between 2000 and 2100, true), 'payment_method.expiry_invalid', 'card_exp_month');
  if tg_op = 'INSERT' then
    perform private.require(not private.is_card_of_other(new.stripe_payment_method_id, new.user_id),
      'payment_method.save_failed', 'stripe_payment_method_id');
  end if;
  return new;
end $$;

create function private.before_payout_account_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(coalesce(new.bank_last4 ~ '^[0-9]{1,4}$', true), 'payout_account.last4_invalid', 'bank_last4');
  perform private.require(not private.is_client() or new.bank_last4 is not null, 'payout_account.incomplete', 'bank_last4');
  if tg_op = 'INSERT' then
    perform private.require(not private.is_client() or new.account_status = 'pending',
      'payout_account.unconfirmed', 'account_status');
    if private.is_client() then
      new := private.open_payout_account(new);
    end if;
  else
    perform private.require(not private.is_client() or new.account_status in (old.account_status, 'pending'),
      'payout_account.unconfirmed', 'account_status');
    perform private.require(not private.is_client() or old.account_type = 'manual'
      or new.bank_last4 is not distinct from old.bank_last4, 'payout_account.changed_at_provider', 'bank_last4');
    if private.is_client() then
      new := private.change_payout_account(new, old);
    end if;
  end if;
  return new;
end $$;

create function private.before_receipt_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'receipt.permanent');
  return null;
end $$;

create function private.change_payout_account(account public.payout_accounts, before public.payout_accounts)
returns public.payout_accounts language plpgsql stable set search_path = '' as $$
begin
  account.stripe_account_id := before.stripe_account_id;
  account.account_type := before.account_type;
  if account.bank_last4 is distinct from before.bank_last4 then
    account.account_status := 'pending';
  end if;
  account.updated_at := now();
  return account;
end $$;

create function private.choose_default_card(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payment_methods set is_default = true where id = (select id from public.payment_methods
    where user_id = person order by created_at desc, id limit 1);
end $$;

create function private.close_lost_payment(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
  by_bank constant boolean := exists (select from public.disputes d where d.payment_id = payment.id and d.lost > 0);
begin
  select status into strict stage from public.bookings where id = payment.booking_id;
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now(),
    settled_loss = lost_amount where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount, decided_at = now(),
    decision_note = case when by_bank then 'The bank of the card holder took the payment back.'
      else 'The payment was sent back to the card.' end
  where payment_id = payment.id and decision is null;
  perform private.end_unpaid_booking(payment, stage);
  perform private.notify_parties(payment, case when by_bank then 'chargeback_lost' else 'payment_sent_back' end);
end $$;

create function private.complete_task(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'completed', updated_at = now() where id = task;
end $$;

create function private.delete_customer(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.payment_customers where user_id = person;
end $$;
