-- The ledger: every movement of money, double-entry and append-only, and the function that posts to it.

-- The accounts of the ledger, which is double-entry and append-only. Each movement of a payment's money is one transaction
-- whose entries sum to zero. Debits are positive; amounts are dollars.
create type public.ledger_account as enum (
  'provider',      -- cash at the payment provider: charges in, transfers and refunds out
  'escrow',        -- held for a booking
  'tasker',        -- owed to the tasker
  'giver',         -- owed back to the giver
  'platform_fees', -- earned
  'gst',           -- owed to the Receiver General
  'disputes'       -- returned without us: taken by the card network, or refunded by hand at the provider
);

create table public.ledger_entries (
  id bigint generated always as identity primary key,
  transaction_id uuid not null,
  payment_id uuid not null references public.payments (id),
  kind text not null,
  reference text not null default '',
  account public.ledger_account not null,
  amount numeric(12, 2) not null check (amount <> 0),
  created_at timestamptz not null default now(),
  -- Prevents posting the same movement twice, whatever is retried.
  unique (payment_id, kind, reference, account)
);
alter table public.ledger_entries enable row level security;

comment on table public.ledger_entries is
  'Double-entry, append-only ledger: each movement of money is one transaction whose entries sum to zero';
comment on column public.ledger_entries.transaction_id is 'Entries with the same id are one movement and sum to zero';
comment on column public.ledger_entries.kind is
  'The movement: charge, release, cancellation, decision, payout, refund and what reverses them';
comment on column public.ledger_entries.reference is
  'The provider''s object that caused it (an intent, transfer, refund or dispute id); empty for our own acts';
comment on column public.ledger_entries.account is
  'provider: cash at Stripe; escrow: held for a booking; tasker and giver: owed to them; platform_fees: earned; gst: owed to '
  'the Receiver General; disputes: returned without us';
comment on column public.ledger_entries.amount is 'Dollars; debits are positive';

create index ledger_entries_of_transaction on public.ledger_entries (transaction_id);
create index ledger_entries_of_account on public.ledger_entries (account, created_at);

-- Checks when the transaction commits that the entries of each movement sum to zero.
create function private.check_ledger_balance() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (select sum(amount) from public.ledger_entries where transaction_id = new.transaction_id) <> 0 then
    raise exception 'Ledger transaction % does not sum to zero', new.transaction_id using errcode = '23514';
  end if;
  return null;
end $$;

create constraint trigger check_ledger_balance after insert on public.ledger_entries
deferrable initially deferred for each row execute function private.check_ledger_balance();

-- Before a ledger entry is changed or deleted.
create function private.before_ledger_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'ledger.append_only');
  return null;
end $$;

create trigger before_ledger_entry_change before update or delete on public.ledger_entries
for each row execute function private.before_ledger_entry_change();

create trigger before_ledger_truncate before truncate on public.ledger_entries
for each statement execute function private.before_ledger_entry_change();

-- After a ledger entry is posted.
create function private.after_ledger_entry_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_entry(new);
  return null;
end $$;

create trigger after_ledger_entry_insert after insert on public.ledger_entries
for each row execute function private.after_ledger_entry_insert();

-- Posts one transaction from {account: dollars}; zero amounts are left out.
create function private.post_ledger(payment uuid, kind text, reference text, movement jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  transaction uuid := gen_random_uuid();
begin
  insert into public.ledger_entries (transaction_id, payment_id, kind, reference, account, amount)
  select transaction, payment, post_ledger.kind, post_ledger.reference, m.key::public.ledger_account, m.value::numeric
  from jsonb_each_text(movement) m where m.value::numeric <> 0;
end $$;

create policy "admins read the ledger" on public.ledger_entries for select to authenticated
using ((select private.is_admin()));

revoke all on public.ledger_entries from service_role;
grant select on public.ledger_entries to authenticated, service_role;
