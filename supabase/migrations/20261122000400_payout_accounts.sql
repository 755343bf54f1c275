-- The connected account behind a payout account: opened once a person, what the provider still requires, what became of
-- the money that its bank was sent. Account numbers never come here; only what the provider says of an account does.

alter table public.payout_accounts
  -- What the provider still wants, by its own names (individual.address.line1), and what it found wrong with what it has:
  -- [{requirement, reason}].
  add column requirements text[] not null default '{}',
  add column requirement_errors jsonb not null default '[]',
  add column bank_name text;

comment on column public.payout_accounts.requirements is 'What the payment provider still requires, by its names';

-- Bank details of a connected account are what the provider says they are.
create trigger "32_by_provider" before update on public.payout_accounts for each row
when (private.is_client() and old.account_type <> 'manual' and new.bank_last4 is distinct from old.bank_last4)
execute function private.reject('Bank details are changed with the payment provider', 'bank_last4');

-- What a connected account may do: active when it receives money, pending while the provider looks at what it was given,
-- restricted when the person must do something.
create function private.account_status(account jsonb) returns public.account_status
language sql immutable set search_path = '' as $$
  select case
    when (account ->> 'payouts_enabled')::boolean
      and coalesce(account #>> '{capabilities,transfers}', 'active') = 'active' then 'active'
    when jsonb_array_length(coalesce(account #> '{requirements,currently_due}', '[]')) > 0
      or coalesce(account #>> '{requirements,disabled_reason}', '') not in ('', 'under_review',
        'requirements.pending_verification') then 'restricted'
    else 'pending' end::public.account_status
$$;

-- The bank account that payouts go to.
create function private.default_bank(account jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select bank from jsonb_array_elements(coalesce(account #> '{external_accounts,data}', '[]')) bank
  order by coalesce((bank ->> 'default_for_currency')::boolean, false) desc limit 1
$$;

-- What a connected account may do now; news older than what is known is ignored.
create or replace function private.apply_account(account jsonb, at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  bank constant jsonb := private.default_bank(account);
begin
  update public.payout_accounts set
    account_status = private.account_status(account),
    bank_last4 = coalesce(bank ->> 'last4', bank_last4),
    bank_name = coalesce(bank ->> 'bank_name', bank_name),
    requirements = array(select jsonb_array_elements_text(coalesce(account #> '{requirements,currently_due}', '[]'))),
    requirement_errors = coalesce((select jsonb_agg(jsonb_build_object('requirement', e ->> 'requirement', 'reason', e ->> 'reason'))
      from jsonb_array_elements(coalesce(account #> '{requirements,errors}', '[]')) e), '[]'),
    provider_updated_at = at, updated_at = now()
  where stripe_account_id = account ->> 'id' and (provider_updated_at is null or provider_updated_at <= at);
end $$;

-- What opening an account needs to know of the caller: {user_id, account_id (null before there is one), idempotency_key,
-- email, phone, legal_name and date_of_birth (as handed in for the verification, else null)}.
create function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  account text;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.require(person.id is not null, 'Not authenticated', null);
  perform private.allow(not private.has_role('task_giver'), 'Only taskers are paid out');
  select * into declared from public.verifications where user_id = person.id;
  select stripe_account_id into account from public.payout_accounts where user_id = person.id and account_type <> 'manual';
  return jsonb_build_object('user_id', person.id, 'account_id', account, 'idempotency_key', 'payout-account-' || person.id,
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;
grant execute on function public.prepare_payout_account() to authenticated;

-- Records a connected account as the provider shows it, read at that moment. With `owner` it becomes that person's, unless
-- they have one; without, only an account that is known changes. Answers the account's row, or null when it is nobody's.
create function public.record_payout_account(account jsonb, at timestamptz, owner uuid default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  recorded public.payout_accounts;
begin
  perform private.require(account ->> 'id' ~ '^acct_', 'account must be a connected account', 'account');
  if owner is not null then
    insert into public.payout_accounts as p (user_id, stripe_account_id, account_status, account_type)
    values (owner, account ->> 'id', 'pending', 'custom')
    on conflict (user_id) do update set stripe_account_id = excluded.stripe_account_id, account_type = 'custom',
      account_status = 'pending', provider_updated_at = null
    where p.account_type = 'manual';
  end if;
  perform private.apply_account(account, at);
  select * into recorded from public.payout_accounts where stripe_account_id = account ->> 'id';
  return case when recorded.id is not null then to_jsonb(recorded) end;
end $$;
revoke execute on function public.record_payout_account(jsonb, timestamptz, uuid) from public, anon, authenticated;
grant execute on function public.record_payout_account(jsonb, timestamptz, uuid) to service_role;

-- An account that becomes active receives what was waiting for it, and what could not be sent before is tried again.
create or replace function private.resume_payouts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  payment record;
begin
  for payment in select id, payout_status from public.payments
    where payee_id = new.user_id and payout_status in ('waiting', 'failed') order by id for no key update
  loop
    if payment.payout_status = 'waiting' then
      perform private.queue_payout(payment.id);
    else
      perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment.id), 'payout-' || payment.id);
    end if;
  end loop;
  return null;
end $$;
drop index public.payments_waiting;
create index payments_waiting on public.payments (payee_id) where payout_status in ('waiting', 'failed');

-- Payouts: what a connected account's balance sent to its bank, by the provider's events.

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
  updated_at timestamptz not null default now()
);
create index payouts_newest on public.payouts (user_id, created_at desc);

alter table public.payouts enable row level security;
revoke all on public.payouts from anon, authenticated, service_role;
grant select on public.payouts to authenticated, service_role;
create policy "people read what their bank was sent, admins all" on public.payouts for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

-- Who leaves takes their bank along.
create function private.forget_bank() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.payouts set bank_last4 = null where user_id = old.user_id;
  return null;
end $$;
create trigger forget_bank after delete on public.payout_accounts
for each row execute function private.forget_bank();

insert into private.notification_texts (key, title, message, kind, subject, button) values
  ('payout_returned', 'Your bank sent a payout back', '${amount} came back: {reason} Please update your bank details.',
    'payments', 'Your bank sent ${amount} back', 'Update your bank details');

-- A payout as an event has it. Its state only moves forward (a paid one may still fail), so events may come in any order.
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
  insert into public.payouts as p (id, user_id, amount, currency, status, arrival_date, bank_last4, failure_code,
    failure_message, created_at)
  values (payout ->> 'id', receiver.user_id, (payout ->> 'amount')::numeric / 100, upper(payout ->> 'currency'), state,
    to_timestamp((payout ->> 'arrival_date')::double precision)::date, receiver.bank_last4, payout ->> 'failure_code',
    payout ->> 'failure_message', to_timestamp((payout ->> 'created')::double precision))
  on conflict (id) do update set status = excluded.status, arrival_date = excluded.arrival_date,
    failure_code = excluded.failure_code, failure_message = excluded.failure_message, updated_at = now()
  where p.status <= excluded.status;
  if state = 'failed' and known is distinct from 'failed' then
    perform private.notify_person(receiver.user_id, 'payout_returned', jsonb_build_object(
      'amount', round((payout ->> 'amount')::numeric / 100, 2),
      'reason', coalesce(payout ->> 'failure_message', 'The bank gave no reason.')), '/profile?tab=payout');
  end if;
  return null;
end $$;

-- Stores an event once and applies it. Answers {status: 'applied' | 'duplicate', payment_id, note}.
create or replace function public.record_stripe_event(event jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  object jsonb := event #> '{data,object}';
  kind text := event ->> 'type';
  payment uuid;
  event_note text;
begin
  perform private.require(coalesce(event ->> 'id', '') <> '' and coalesce(kind, '') <> ''
    and jsonb_typeof(object) = 'object', 'A Stripe event has an id, a type and data.object', 'event');
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
