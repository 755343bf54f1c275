-- The ledger: double entry, append-only. Every movement of a payment's money is one transaction of entries
-- that sums to zero, so each payment and the whole book do, always. Debits are positive; dollars, CAD.

create type public.ledger_account as enum (
  'provider',      -- cash at the payment provider: charges in, transfers and refunds out
  'escrow',        -- held for a booking
  'tasker',        -- owed to the tasker
  'giver',         -- owed back to the giver
  'platform_fees', -- earned
  'gst',           -- owed to the Receiver General
  'disputes'       -- went back past us: taken by the card network, or refunded by hand at the provider
);

create table public.ledger_entries (
  id bigint generated always as identity primary key,
  transaction_id uuid not null,
  payment_id uuid not null references public.payments (id),
  kind text not null,
  -- What outside caused it (an intent, transfer, refund or dispute id), empty for our own acts.
  reference text not null default '',
  account public.ledger_account not null,
  amount numeric(12, 2) not null check (amount <> 0),
  created_at timestamptz not null default now(),
  -- The same movement cannot be written twice, whatever is retried.
  unique (payment_id, kind, reference, account)
);
create index ledger_entries_of_transaction on public.ledger_entries (transaction_id);
create index ledger_entries_of_account on public.ledger_entries (account, created_at);

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

create trigger "20_append_only" before update or delete on public.ledger_entries
for each row execute function private.forbid('The ledger is append-only');
create trigger "20_append_only_as_a_whole" before truncate on public.ledger_entries
for each statement execute function private.forbid('The ledger is append-only');

-- Writes one transaction from {account: dollars}; zero amounts are left out.
create function private.post_ledger(payment uuid, kind text, reference text, movement jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  transaction uuid := gen_random_uuid();
begin
  insert into public.ledger_entries (transaction_id, payment_id, kind, reference, account, amount)
  select transaction, payment, post_ledger.kind, post_ledger.reference, m.key::public.ledger_account, m.value::numeric
  from jsonb_each_text(movement) m where m.value::numeric <> 0;
end $$;

alter table public.ledger_entries enable row level security;
revoke all on public.ledger_entries from anon, authenticated, service_role;
grant select on public.ledger_entries to authenticated, service_role;

create policy "admins read the ledger" on public.ledger_entries for select to authenticated
using ((select private.is_admin()));
