-- Codes of errors, 6: the rules of payout accounts to cancellations.
set check_function_bodies = off;

drop trigger "11_complete" on public.payout_accounts;
create trigger "11_complete" before insert or update on public.payout_accounts for each row
when (private.is_client() and new.bank_last4 is null)
execute function private.reject('payout_account.incomplete', 'bank_last4');

drop trigger "30_pending" on public.payout_accounts;
create trigger "30_pending" before insert on public.payout_accounts for each row
when (private.is_client() and (new.account_status = 'pending') is not true)
execute function private.reject('payout_account.unconfirmed', 'account_status');

drop trigger "31_confirmed" on public.payout_accounts;
create trigger "31_confirmed" before update on public.payout_accounts for each row
when (private.is_client() and (new.account_status in (old.account_status, 'pending')) is not true)
execute function private.reject('payout_account.unconfirmed', 'account_status');

drop trigger "32_by_provider" on public.payout_accounts;
create trigger "32_by_provider" before update on public.payout_accounts for each row
when (private.is_client() and old.account_type <> 'manual' and new.bank_last4 is distinct from old.bank_last4)
execute function private.reject('payout_account.changed_at_provider', 'bank_last4');

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
    'idempotency_key', private.next_key('payout', due.id, due.payout_refusals));
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
      or fail_payout.idempotency_key is distinct from private.next_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.reason_of_refusal(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.note_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
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
  perform private.note_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', jsonb_build_object('amount', due.payout_amount,
    'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
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
  perform private.note_failure(due.id, 'refund', null);
  perform private.post_ledger(due.id, 'refund', due.refund_refusals::text,
    jsonb_build_object('giver', due.refund_amount, 'provider', -due.refund_amount));
  return true;
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
    'idempotency_key', private.next_key('refund', due.id, due.refund_refusals));
end $$;

create or replace function public.record_refund(payment_id uuid, refund jsonb) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(refund ->> 'id' <> '' and refund ->> 'status' <> '' and jsonb_typeof(refund -> 'amount') = 'number',
    'refund.invalid', 'refund');
  perform private.require(exists (select from public.payments p where p.id = record_refund.payment_id),
    'payment.not_found', 'payment_id');
  perform private.apply_refund(record_refund.payment_id, record_refund.refund, now());
end $$;

create or replace function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "send a refund again"}');
  perform private.lock_money(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'admin.own_case', '{"matter": "about your own refund"}');
  perform private.require(due.open_disputes = 0, private.frozen_code(due), 'payment_id');
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

create or replace function public.record_stripe_event(event jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  object jsonb := event #> '{data,object}';
  kind text := event ->> 'type';
  payment uuid;
  event_note text;
begin
  perform private.require(coalesce(event ->> 'id', '') <> '' and coalesce(kind, '') <> ''
    and jsonb_typeof(object) = 'object', 'stripe_event.invalid', 'event');
  insert into public.stripe_events (id, type, payload) values (event ->> 'id', kind, event) on conflict do nothing;
  if not found then
    return jsonb_build_object('status', 'duplicate');
  end if;

  if kind = 'account.updated' then
    perform private.apply_account(object, to_timestamp((event ->> 'created')::double precision));
  elsif kind ~ '^payout\.' then
    event_note := private.apply_payout(object, event ->> 'account');
  elsif kind ~ '^(payment_intent|charge|refund|transfer)\.' then -- charge.dispute.* among them
    payment := private.payment_of_stripe_object(object);
    if payment is null then
      event_note := 'no payment of ours';
    else
      event_note := private.apply_payment_event(payment, event);
    end if;
  end if;
  update public.stripe_events set payment_id = payment, note = event_note where id = event ->> 'id';
  return jsonb_build_object('status', 'applied', 'payment_id', payment, 'note', event_note);
end $$;

create or replace function private.cancellable_booking(booking_id uuid) returns public.bookings
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = cancellable_booking.booking_id;
  perform private.require(booking.id is not null and auth.uid() in (booking.task_doer_id, booking.task_giver_id),
    'booking.not_found', 'booking_id');
  perform private.require(booking.status in ('pending', 'accepted', 'in_progress'),
    'booking.not_cancellable', 'booking_id');
  return booking;
end $$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric := 0;
  refund numeric := 0;
  split record;
  outcome text;
  answer text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);

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
    perform private.require(payment.escrow_status = 'held', private.frozen_code(payment), 'booking_id');
    select * into strict task from public.tasks where id = booking.task_id;
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', jsonb_build_object(
      'person', private.person_name(caller), 'task', task.title, 'fee', fee, 'refund', refund), '/bookings');
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.person_name(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if not list_again and caller = booking.task_giver_id and booking.status <> 'pending' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint);
end $$;

create or replace function public.record_payment_intent(payment_id uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(intent ->> 'id' <> '' and intent ->> 'status' in ('succeeded', 'canceled'),
    'payment.intent_not_ended', 'intent');
  perform private.require(exists (select from public.payments p where p.id = record_payment_intent.payment_id),
    'payment.not_found', 'payment_id');
  if intent ->> 'status' = 'succeeded' then
    return private.apply_payment_succeeded(payment_id, intent);
  end if;
  perform private.close_intent(payment_id, intent ->> 'id');
  return null;
end $$;
