-- Payout accounts, where taskers receive their money: each mirrors a connected account at the payment provider, with its status
-- and what the provider still requires.

create type public.account_status as enum ('pending', 'active', 'restricted');

create table public.payout_accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references private.profiles (id) on delete cascade,
  stripe_account_id text not null unique,
  bank_last4 text,
  account_status public.account_status not null default 'pending',
  account_type text not null default 'manual',
  provider_updated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  requirements text[] not null default '{}',
  requirement_errors jsonb not null default '[]',
  bank_name text
);
alter table public.payout_accounts enable row level security;

comment on table public.payout_accounts is
  'Where taskers receive their money; each mirrors a connected account at the payment provider';
comment on column public.payout_accounts.stripe_account_id is
  'The provider''s id, acct_…; manual_ and the user id for bank details that were entered by hand';
comment on column public.payout_accounts.bank_last4 is 'Last digits of the bank account; null if unknown';
comment on column public.payout_accounts.account_status is
  'Whether it can receive money: '
  'new → pending when the person adds it; '
  'pending | restricted → active when Stripe allows transfers and payouts; '
  'pending | active → restricted when Stripe requires something from the person, or has closed the account; '
  'active | restricted → pending when Stripe reviews what was submitted, or the person changes the bank digits by hand';
comment on column public.payout_accounts.account_type is
  'custom: a connected account; manual: bank details entered by hand, or a connected account that Stripe has closed';
comment on column public.payout_accounts.provider_updated_at is
  'When the provider last reported the status; older reports are ignored; null before the first';
comment on column public.payout_accounts.requirements is
  'What the payment provider still requires, by its names, such as individual.address.line1';
comment on column public.payout_accounts.requirement_errors is 'What the provider found wrong: [{requirement, reason}]';
comment on column public.payout_accounts.bank_name is 'As the provider reports it; null if unknown';

-- Before a payout account is added or changed. A person enters bank details; only the payment provider makes an account active.
-- Changing the details by hand makes it pending again.
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

create trigger before_payout_account_change before insert or update on public.payout_accounts
for each row execute function private.before_payout_account_change();

-- Sets what a person cannot choose for an account that they enter by hand: id, type and times.
create function private.open_payout_account(account public.payout_accounts) returns public.payout_accounts
language plpgsql stable set search_path = '' as $$
begin
  account.stripe_account_id := 'manual_' || replace(auth.uid()::text, '-', '');
  account.account_type := 'manual';
  account.provider_updated_at := null;
  account.updated_at := now();
  return account;
end $$;

-- Restricts the change to the bank digits, keeps the provider's columns, and makes an account with new digits pending again.
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

-- After a payout account is added, changed or deleted.
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

-- `update of`: a report of the provider resumes payouts although the account was active before.
create trigger after_payout_account_change after insert or update of account_status or delete on public.payout_accounts
for each row execute function private.after_payout_account_change();

-- Counts a client's change of a payout account towards the person's limits. Runs last (activity_limits.sql).
create function private.limit_payout_account_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('payout_account_changes');
  return null;
end $$;

create trigger within_limit after insert or update on public.payout_accounts
for each row execute function private.limit_payout_account_changes();

-- The status of a connected account: active when it can receive transfers and payouts, restricted when the person must do
-- something, pending while the provider reviews what was submitted.
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

-- The bank account that the provider pays out to.
create function private.default_bank(account jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select bank from jsonb_array_elements(coalesce(account #> '{external_accounts,data}', '[]')) bank
  order by coalesce((bank ->> 'default_for_currency')::boolean, false) desc limit 1
$$;

-- Data for opening or continuing the caller's connected account: {user_id, account_id (null before one exists),
-- idempotency_key, email, phone, legal_name and date_of_birth (from the verification, else null)}. The replacement for a closed
-- account needs a new idempotency key.
create function public.prepare_payout_account() returns jsonb
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

-- Records a connected account as read from the provider at `at`. With `owner`, it becomes that person's account unless they
-- already have a connected one; without, only a known account is updated. Returns the row, or null if the account is unknown.
create function public.record_payout_account(account jsonb, at timestamptz, owner uuid default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  recorded public.payout_accounts;
begin
  perform private.require(account ->> 'id' ~ '^acct_', 'payout_account.invalid', 'account');
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

create policy "people read their own payout account" on public.payout_accounts for select to authenticated
using (user_id = (select auth.uid()));

create policy "people add their own payout account" on public.payout_accounts for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people change their own payout account" on public.payout_accounts for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot add payout accounts" on public.payout_accounts as restrictive for insert to authenticated
with check ((select private.has_account()));

grant select, insert (user_id, stripe_account_id, bank_last4, account_status, account_type, updated_at), update (stripe_account_id, bank_last4, account_status, account_type, updated_at) on public.payout_accounts to authenticated;
grant execute on function
  private.open_payout_account(public.payout_accounts),
  private.change_payout_account(public.payout_accounts, public.payout_accounts)
to authenticated, service_role;
grant execute on function
  public.prepare_payout_account()
to authenticated;
