-- Payouts: money leaving escrow, transfers to the connected accounts of taskers with their failures and retries, and the payouts
-- that the provider sends from those accounts to banks.

create type public.payout_state as enum ('pending', 'in_transit', 'paid', 'canceled', 'failed');

create table public.payouts (
  id text primary key,
  user_id uuid not null references private.profiles (id),
  amount numeric(12, 2) not null check (amount > 0),
  currency text not null,
  status public.payout_state not null default 'pending',
  arrival_date date,
  bank_last4 text,
  failure_code text,
  failure_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  -- bank_last4 is looked up by it and not copied from payout_accounts: after a change of bank the provider pays out at once,
  -- and the event can arrive while payout_accounts still shows the old bank.
  destination text
);
alter table public.payouts enable row level security;

comment on table public.payouts is 'Payouts that the provider sends from connected accounts to banks, from its payout.* events';
comment on column public.payouts.id is 'The provider''s id, po_…';
comment on column public.payouts.user_id is 'The tasker';
comment on column public.payouts.amount is 'In the unit of currency, such as dollars';
comment on column public.payouts.currency is 'In capitals, such as CAD';
comment on column public.payouts.status is
  'The provider''s state, which only moves forward: '
  'new → pending when the provider creates it; '
  'pending → in_transit when it is sent to the bank; '
  'pending | in_transit → paid when it should have arrived; '
  'pending | in_transit → canceled when the provider cancels it; '
  'pending | in_transit | paid → failed when the bank returns it';
comment on column public.payouts.arrival_date is 'Day on which the bank is to have the money; null if unknown';
comment on column public.payouts.bank_last4 is
  'Last digits of the bank account, looked up by destination; null if unknown, or after the account was deleted';
comment on column public.payouts.failure_code is 'The provider''s reason why the bank returned it; null unless failed';
comment on column public.payouts.failure_message is 'The provider''s text for failure_code';
comment on column public.payouts.created_at is 'Time of creation at the provider';
comment on column public.payouts.destination is 'The provider''s id of the bank account';

create table private.payout_banks (
  id text primary key,
  payout_account_id uuid not null references public.payout_accounts (id) on delete cascade,
  last4 text not null
);
alter table private.payout_banks enable row level security;

comment on table private.payout_banks is 'Last digits of bank accounts by the provider''s id; deleted with the payout account';
comment on column private.payout_banks.id is 'The provider''s id, ba_…';
comment on column private.payout_banks.last4 is 'Last digits of the bank account';

create index payouts_newest on public.payouts (user_id, created_at desc);
create index payout_banks_of_account on private.payout_banks (payout_account_id);

-- The caller's total earnings in dollars, after fees. Includes shares of cancellation fees and amounts decided by an admin.
create function public.my_earnings() returns numeric
language sql stable security invoker set search_path = '' as $$
  select coalesce(sum(payout_amount), 0) from public.payments
  where payee_id = (select auth.uid()) and escrow_status in ('released', 'refunded')
$$;

-- Settlement: how held money leaves escrow (release, cancellation, decision), and how edge functions learn what to send and
-- record what they sent. Each begin_ function locks the payment and each finish_ function can be repeated, so a retried job or a
-- late webhook reaches the same state. Locks are taken in the order booking, payment, task, profiles.

-- Takes the whole payment out of escrow: `payout` for the tasker, `refund` for the giver, the rest as fees, of which `gst_part`
-- is sales tax. Queues the transfer and the refund. Money that already went back to the giver outside the app (lost_amount) counts
-- towards the refund; any excess is the platform's loss.
create function private.settle_payment(
  payment uuid, kind text, outcome public.escrow_status, payout numeric, refund numeric, gst_part numeric
) returns void language plpgsql security definer set search_path = '' as $$
declare
  settled public.payments;
  lost numeric;
begin
  update public.payments set escrow_status = outcome, payout_amount = payout, settled_loss = lost_amount,
    released_at = case when outcome = 'released' then coalesce(released_at, now()) else released_at end,
    refund_amount = greatest(refund - lost_amount, 0)
  where id = payment returning * into strict settled;
  lost := least(settled.lost_amount, settled.total);
  perform private.post_ledger(payment, kind, '', jsonb_build_object(
    'escrow', settled.total, 'tasker', -payout, 'giver', -settled.refund_amount, 'disputes', -lost,
    'gst', -gst_part, 'platform_fees', -(settled.total - payout - settled.refund_amount - lost - gst_part)));
  perform private.queue_payout(payment);
  perform private.queue_refund(payment);
end $$;

-- Queues the transfer to the tasker. Without an active payout account the payout waits.
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
    perform private.notify_person(due.payee_id, 'payout_waiting', private.extra_facts(due) || jsonb_build_object(
      'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
  end if;
end $$;

-- Completes the task whose payment was released.
create function private.complete_task(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'completed', updated_at = now() where id = task;
end $$;

-- Notifies the tasker of a released payment; after an automatic release, the giver, too.
create function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  extras constant record := private.extra_sums(payment.id);
  news constant jsonb := extras.facts || jsonb_build_object('person', private.named(payment.payer_id),
    'amount', payment.payout_amount + extras.payout, 'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

-- Queues the waiting payouts of a person whose payout account is active, and tries failed ones again.
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

-- The idempotency key of an attempt. The provider repeats its stored response for a key, so a refused request needs a new one.
create function private.next_idempotency_key(kind text, payment uuid, refusals integer) returns text
language sql immutable set search_path = '' as $$
  select kind || '-' || payment || case when refusals > 0 then '-' || refusals + 1 else '' end
$$;

-- The transfer for the edge function release-payout: {action: 'send', payment_id, amount_cents, currency, destination,
-- transfer_group, source_transaction, idempotency_key}, or {action: 'none', reason} when nothing is due.
create function public.begin_payout(payment_id uuid) returns jsonb
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
    'transfer_group', private.booking_of_payment(due), 'source_transaction', due.stripe_charge_id,
    'idempotency_key', private.next_idempotency_key('payout', due.id, due.payout_refusals));
end $$;

-- Records a transfer that was made. Safe to repeat.
create function public.finish_payout(payment_id uuid, transfer_id text) returns void
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
  if due.payout_amount = 0 then
    due := private.restore_kept_payout(due);
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded') and due.payout_amount > 0,
    'payout.none_due', 'payment_id');
  -- A loss that a bank decided while the transfer was on its way is the platform's, as of any payout that was sent.
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id,
    settled_loss = case when open_disputes = 0 then greatest(settled_loss, lost_amount) else settled_loss end where id = due.id;
  perform private.record_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', private.extra_facts(due) || jsonb_build_object(
    'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
end $$;

-- Records that the provider refused the transfer. (After a missing reply, the same key is tried again.) The next
-- begin_payout gives a new key. A refusal of an older key is ignored, or two jobs refused at once would each get a
-- new key. The tasker is notified, and again when the reason changes.
create function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.transfer_refusal_reason(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_idempotency_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.transfer_refusal_reason(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
  if closed then
    -- The money owed waits for another account, which is opened with the next bank details.
    update public.payout_accounts set account_type = 'manual', account_status = 'restricted', bank_last4 = null, bank_name = null,
      requirements = '{}', requirement_errors = '[]', updated_at = now()
    where user_id = due.payee_id and account_type <> 'manual';
  end if;
  if before is distinct from reason then
    perform private.notify_person(due.payee_id, 'payout_failed', private.extra_facts(due) || jsonb_build_object(
      'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id), 'reason', private.coded(reason)),
      '/profile?tab=payout');
  end if;
end $$;

-- Notifies administrators of a failed payout or refund, with a link to the page where it can be sent again.
create function private.notify_failed_transfer(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  payout constant boolean := payment.payout_status = 'failed' and before.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', private.coded(case when payout then 'payout' else 'refund' end),
    'amount', case when payout then payment.payout_amount else payment.refund_amount end,
    'task', (select title from public.tasks where id = payment.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, payment.id));
end $$;

-- Erases the digits of a deleted payout account from the person's payouts.
create function private.erase_bank_details(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payouts set bank_last4 = null where user_id = person;
end $$;

-- Applies a payout event. The state only moves forward (a paid payout can still fail), so events can arrive in any order. Returns
-- a note if the account is unknown.
create function private.apply_payout(payout jsonb, account text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  receiver public.payout_accounts;
  known public.payout_state;
  state constant public.payout_state := (payout ->> 'status')::public.payout_state;
begin
  select * into receiver from public.payout_accounts where stripe_account_id = account for no key update;
  if receiver.id is null then
    return 'no payout account of ours';
  end if;
  select status into known from public.payouts where id = payout ->> 'id' for update;
  insert into public.payouts as p (id, user_id, amount, currency, status, arrival_date, destination, bank_last4,
    failure_code, failure_message, created_at)
  values (payout ->> 'id', receiver.user_id, (payout ->> 'amount')::numeric / 100, upper(payout ->> 'currency'), state,
    to_timestamp((payout ->> 'arrival_date')::double precision)::date, payout ->> 'destination',
    (select last4 from private.payout_banks where id = payout ->> 'destination' and payout_account_id = receiver.id), payout ->> 'failure_code',
    payout ->> 'failure_message', to_timestamp((payout ->> 'created')::double precision))
  on conflict (id) do update set status = excluded.status, arrival_date = excluded.arrival_date,
    failure_code = excluded.failure_code, failure_message = excluded.failure_message, updated_at = now()
  where p.status <= excluded.status;
  if state = 'failed' and known is distinct from 'failed' then
    perform private.notify_person(receiver.user_id, 'payout_returned', jsonb_build_object(
      'amount', round((payout ->> 'amount')::numeric / 100, 2),
      'reason', private.coded(private.payout_return_reason(payout ->> 'failure_code'))), '/profile?tab=payout');
  end if;
  return null;
end $$;

-- Why a bank returned a payout, as a code of `reason` (private.notification_values); same reasons as
-- web/features/payouts/states.ts. https://docs.stripe.com/api/payouts/failures
create function private.payout_return_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'account_closed'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable') then 'account_restricted'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name') then 'other_holder'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account') then 'account_not_found'
    when code = 'invalid_currency' then 'currency_not_taken'
    else 'bank_refused' end
$$;

-- Why a transfer was refused and what to do, as such a code; same reasons as web/lib/refusals.ts. https://docs.stripe.com/error-codes
create function private.transfer_refusal_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code in ('insufficient_capabilities_for_transfer', 'transfers_not_allowed', 'payouts_not_allowed') then 'account_incomplete'
    -- As release-payout says it where the provider knows the booking's charge, and not the account.
    when code = 'account_invalid' then 'account_closed_by_provider'
    when code in ('balance_insufficient', 'insufficient_funds') then 'platform_balance_low'
    else 'provider_refused_payout' end
$$;

-- The person who must act after a payout has been abandoned: the tasker if their account lacks something, otherwise
-- an administrator.
create function private.abandoned_payout_reason(code text) returns text
language sql immutable set search_path = '' as $$
  select case private.transfer_refusal_reason(code) when 'account_incomplete' then 'account_incomplete' else 'admin_sends_payout' end
$$;

create policy "people read their own payouts, admins all" on public.payouts for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

revoke all on public.payouts from service_role;
grant select on public.payouts to authenticated, service_role;
grant execute on function
  public.my_earnings()
to authenticated;
