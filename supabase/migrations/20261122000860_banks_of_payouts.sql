-- To which bank account a payout went: by the account that the provider names, and not by the one that is known here when
-- the news of the payout comes, which may be an older one. After a change of bank the provider sends what waited at once.

alter table public.payouts add column destination text;

-- The last digits of bank accounts by the provider's id; it goes with the payout account.
create table private.payout_banks (
  id text primary key,
  payout_account_id uuid not null references public.payout_accounts (id) on delete cascade,
  last4 text not null
);
create index payout_banks_of_account on private.payout_banks (payout_account_id);
alter table private.payout_banks enable row level security;

create or replace function private.apply_account(account jsonb, at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  bank constant jsonb := private.default_bank(account);
begin
  perform from public.payout_accounts where stripe_account_id = account ->> 'id' for no key update;
  insert into private.payout_banks (id, payout_account_id, last4)
  select one ->> 'id', a.id, one ->> 'last4'
  from public.payout_accounts a, jsonb_array_elements(coalesce(account #> '{external_accounts,data}', '[]')) one
  where a.stripe_account_id = account ->> 'id' and one ->> 'last4' is not null
  on conflict (id) do nothing;
  update public.payouts p set bank_last4 = b.last4
  from private.payout_banks b join public.payout_accounts a on a.id = b.payout_account_id
  where a.stripe_account_id = account ->> 'id' and p.destination = b.id and p.bank_last4 is null;
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

create or replace function private.apply_payout(payout jsonb, account text) returns text
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
      'reason', private.reason_of_return(payout ->> 'failure_code')), '/profile?tab=payout');
  end if;
  return null;
end $$;
