-- Why the payment provider refused a transfer or a refund, by its code: in our words with the next step for whom it is about, and
-- the code itself beside the provider's message for administrators.

alter table public.payment_failures
  add column code text check (length(code) <= 100);
comment on column public.payment_failures.code is 'The payment provider''s code for it, where it gave one';

drop function private.note_failure(uuid, public.payment_step, text);

-- Remembers why a step failed; null as message: it went through after all.
create function private.note_failure(payment uuid, step public.payment_step, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if message is null then
    delete from public.payment_failures f where f.payment_id = payment and f.step = note_failure.step;
    return;
  end if;
  insert into public.payment_failures as f (payment_id, step, person_id, message, code)
  select p.id, note_failure.step, case when note_failure.step = 'payout' then p.payee_id else p.payer_id end,
    left(note_failure.message, 500), left(note_failure.code, 100)
  from public.payments p where p.id = payment
  on conflict on constraint payment_failures_pkey do update set message = excluded.message, code = excluded.code, failed_at = now();
end $$;

-- Why a transfer was refused, and what is to be done. The twin of web/lib/refusals.ts; codes: https://docs.stripe.com/error-codes
create function private.reason_of_refusal(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code in ('insufficient_capabilities_for_transfer', 'transfers_not_allowed', 'payouts_not_allowed')
      then 'Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.'
    -- As release-payout says it where the provider knows the booking's charge, and not the account.
    when code = 'account_invalid'
      then 'The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.'
    when code in ('balance_insufficient', 'insufficient_funds')
      then 'Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.'
    else 'The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.' end
$$;

update private.notification_texts set button = 'See your payouts',
  message = 'The payout of ${amount} for "{task}" did not go through. {reason}' where key = 'payout_failed';

drop function public.fail_payout(uuid, text, text);
drop function public.fail_refund(uuid, text, text);

-- Records that the provider refused the transfer (not that it did not answer: then the same key is tried
-- again). The next begin_payout gives a new key. Of a key that is no longer the current one nothing is recorded, or two
-- jobs that were refused at once would each be given a key of their own. The tasker hears of it, and again when the reason is another.
create function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.reason_of_refusal(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
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

-- The same for a refund.
create function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.payments p set refund_status = 'failed', refund_refusals = p.refund_refusals + 1
  where p.id = fail_refund.payment_id and p.refund_status in ('queued', 'failed')
    and fail_refund.idempotency_key = private.next_key('refund', p.id, p.refund_refusals);
  if found then
    perform private.note_failure(fail_refund.payment_id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  end if;
end $$;
grant execute on function public.fail_payout(uuid, text, text, text), public.fail_refund(uuid, text, text, text) to service_role;

-- What opening an account needs to know of the caller: {user_id, account_id (null before there is one), idempotency_key,
-- email, phone, legal_name and date_of_birth (as handed in for the verification, else null)}. In place of an account that was closed
-- another is opened, so its key is another.
create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.require(person.id is not null, 'Not authenticated', null);
  perform private.allow(not private.has_role('task_giver'), 'Only taskers are paid out');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;

-- A refund as Stripe reports it: ours is finished or, when it failed afterwards, due again by hand. One that is not
-- the refund that is due was made at the provider itself.
create or replace function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
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

  perform public.finish_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.note_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  return 'a refund came back: it must be sent another way';
end $$;

-- Payments, newest first. `kind` is payments, payouts (those with one) or refunds; `state` is one of the kind's own states, stuck,
-- or all. Amounts are dollars, `failure` is the provider's message with its code. The page after the row (before_at, before_id); at most 100.
create or replace function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, booking_id uuid, task_id uuid, task_title text, payer_id uuid, payer_name text, payee_id uuid,
  payee_name text, amount numeric, total numeric, payout_amount numeric, refund_amount numeric, refunded_amount numeric,
  lost_amount numeric, escrow_status public.escrow_status, payout_status public.transfer_status,
  refund_status public.transfer_status, stuck boolean, failure text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  state_column constant text := case kind when 'payments' then 'escrow_status' when 'payouts' then 'payout_status'
    when 'refunds' then 'refund_status' end;
  step constant text := case kind when 'payments' then 'charge' when 'payouts' then 'payout' else 'refund' end;
begin
  perform private.allow(private.is_admin(), 'Only admins can look through payments');
  perform private.require(state_column is not null, 'Kind must be payments, payouts or refunds', 'kind');
  perform private.require(state in ('all', 'stuck') or state = any (case kind
      when 'payments' then enum_range(null::public.escrow_status)::text[]
      else enum_range(null::public.transfer_status)::text[] end), 'There is no such state', 'state');
  return query execute concat_ws(' ',
    'select p.id, p.booking_id, p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_stuck(p), f.message || coalesce('' ('' || f.code || '')'', ''''), p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_stuck(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;
