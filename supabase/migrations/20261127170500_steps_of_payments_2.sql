-- Named steps of what happens before and after a change of payments, payouts, cards and receipts (2 of 3).
set check_function_bodies = off;

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
    select b.basis, b.amount into basis, counted from private.basis_of_payout(payment) b;
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
  perform private.require(payment.open_disputes = 0, private.frozen_code(payment), 'payment_id');
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
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.reason_of_refused_refund(fail_refund.code));
  end if;
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
