-- Named steps of what happens before and after a change of payments, payouts, cards and receipts (2 of 3).
set check_function_bodies = off;

create function private.detach_card(card public.payment_methods) returns void
language plpgsql set search_path = '' as $$
declare
  customer constant text := (select stripe_customer_id from private.payment_customers where user_id = card.user_id);
begin
  if customer is not null then
    perform private.enqueue_function('detach-payment-method', jsonb_build_object(
      'payment_method', card.stripe_payment_method_id, 'customer', customer));
  end if;
end $$;

create function private.document_payment(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if before.escrow_status = 'pending' then
    perform private.issue_receipt(payment, 'receipt');
  end if;
  if payment.escrow_status in ('released', 'refunded') and payment.payout_amount > 0 then
    perform private.issue_receipt(payment, 'statement');
  end if;
end $$;

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

create function private.erase_bank_details(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payouts set bank_last4 = null where user_id = person;
end $$;

create function private.erase_receipt_names(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.receipts set person_name = null, card_brand = null, card_last4 = null
  where person_id = person and (person_name is not null or card_last4 is not null);
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and person in (p.payer_id, p.payee_id) and r.person_id <> person and r.other_name is not null;
end $$;

create function private.is_card_of_other(card text, owner uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payment_methods m where m.stripe_payment_method_id = card and m.user_id <> owner)
$$;

create or replace function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := 'task';
  counted numeric := payment.amount;
  parts record;
  card private.charged_cards;
begin
  if not to_giver then
    select b.basis, b.amount into basis, counted from private.payout_basis(payment) b;
  end if;
  -- The giver's parts are those that were charged, whatever the fee policy says today.
  select case when to_giver then payment.platform_fee else f.platform_fee end as platform_fee,
    case when to_giver then payment.gst else f.gst end as gst
  into parts from (select 1) one left join lateral private.fees(counted) f on counted is not null;
  if to_giver then
    delete from private.charged_cards c where c.payment_id = payment.id returning * into card;
  end if;
  insert into public.receipts (kind, payment_id, person_id, issued_at, issuer, task_title, person_name, other_name, basis, amount,
    platform_fee, gst, platform_fee_percent, gst_percent, total, currency, card_brand, card_last4)
  values (issue_receipt.kind, payment.id, person, at, private.issuer_of_receipts(),
    (select t.title from public.tasks t where t.id = payment.task_id),
    (select p.full_name from private.profiles p where p.id = person),
    (select p.full_name from private.profiles p where p.id = other), basis, counted, parts.platform_fee, parts.gst,
    private.marketplace_number('fees.platformPercent'), private.marketplace_number('tax.percent'),
    case when to_giver then payment.total else payment.payout_amount end, payment.currency,
    card.brand, card.last4)
  on conflict on constraint receipts_payment_id_kind_key do nothing;
end $$;

create function private.issuer_of_receipts() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('name', coalesce(nullif(i.name, 'Meadowlark'), o.value ->> 'name'),
    'address', coalesce(i.address, o.value ->> 'address'), 'gst_number', coalesce(i.gst_number, o.value ->> 'taxNumber'))
  from (select private.marketplace() -> 'operator' as value) o left join private.issuer i on true
$$;

create function private.limit_payout_account_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('payout_account_changes');
  return null;
end $$;

create function private.lock_booking_and_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b join public.payments p on p.booking_id = b.id where p.id = payment for no key update of b;
  perform from public.payments where id = payment for no key update;
end $$;

create function private.next_idempotency_key(kind text, payment uuid, refusals integer) returns text
language sql immutable set search_path = '' as $$
  select kind || '-' || payment || case when refusals > 0 then '-' || refusals + 1 else '' end
$$;

create function private.notify_failed_transfer(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  payout constant boolean := payment.payout_status = 'failed' and before.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', case when payout then 'payout' else 'refund' end,
    'amount', case when payout then payment.payout_amount else payment.refund_amount end,
    'task', (select title from public.tasks where id = payment.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, payment.id));
end $$;

create function private.notify_parties(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(payment.booking_id));
end $$;

create function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', reason)), private.booking_link(refunded.booking_id));
end $$;

create function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(payment.payer_id), 'amount', payment.payout_amount,
    'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

create function private.open_payout_account(account public.payout_accounts) returns public.payout_accounts
language plpgsql stable set search_path = '' as $$
begin
  account.stripe_account_id := 'manual_' || replace(auth.uid()::text, '-', '');
  account.account_type := 'manual';
  account.provider_updated_at := null;
  account.updated_at := now();
  return account;
end $$;

create function private.payout_basis(payment public.payments, out basis public.receipt_basis, out amount numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  returned constant numeric := coalesce((select c.returned_amount from public.complaints c
    where c.payment_id = payment.id and c.decision is not null), 0);
begin
  basis := case when payment.cancellation_fee > 0 then 'cancellation'
    when payment.escrow_status = 'released' and returned = 0 then 'task' else 'decision' end;
  amount := case when payment.cancellation_fee > 0 then payment.cancellation_fee else payment.amount - returned end;
  if (select f.payout_amount from private.fees(amount) f) is distinct from payment.payout_amount then
    amount := null;
  end if;
end $$;

create function private.post_total(payment uuid, kind text, object text, total numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booked numeric;
begin
  select coalesce(-sum(e.amount), 0) into booked from public.ledger_entries e
  where e.payment_id = payment and e.kind = post_total.kind and e.account = 'provider'
    and split_part(e.reference, ':', 1) = object;
  if total <> booked then
    perform private.post_ledger(payment, kind, object || ':' || (total * 100)::bigint,
      jsonb_build_object('provider', booked - total, 'disputes', total - booked));
  end if;
end $$;

create function private.queue_customer_deletion() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.enqueue_function('close-payment-customer', jsonb_build_object('customer', old.stripe_customer_id));
  return null;
end $$;

create or replace function private.reason_of_return(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'The bank account has been closed.'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable')
      then 'The bank takes no deposits for this account at the moment.'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name')
      then 'The account does not belong to the name that the bank was given.'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account')
      then 'No account with these numbers was found, or it takes no deposits.'
    when code = 'invalid_currency' then 'The account does not take ' || (private.marketplace() #>> '{texts,currency}') || '.'
    else 'The bank did not take it.' end
$$;

create function private.record_failure(payment uuid, step public.payment_step, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if message is null then
    delete from public.payment_failures f where f.payment_id = payment and f.step = record_failure.step;
    return;
  end if;
  insert into public.payment_failures as f (payment_id, step, person_id, message, code)
  select p.id, record_failure.step, case when record_failure.step = 'payout' then p.payee_id else p.payer_id end,
    left(record_failure.message, 500), left(record_failure.code, 100)
  from public.payments p where p.id = payment
  on conflict on constraint payment_failures_pkey do update set message = excluded.message, code = excluded.code, failed_at = now(),
    given_up = false;
end $$;

create or replace function private.record_sent_refund(payment uuid, refund_id text) returns boolean
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

create function private.resume_payouts(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  payment record;
begin
  for payment in select id, payout_status from public.payments
    where payee_id = person and payout_status in ('waiting', 'failed') order by id for no key update
  loop
    if payment.payout_status = 'waiting' then
      perform private.queue_payout(payment.id);
    else
      perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment.id), 'payout-' || payment.id);
    end if;
  end loop;
end $$;

create function private.update_disputed_payment(payment uuid) returns void
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
  end if;
end $$;
