-- Receipts for givers and payout statements for taskers: issued in the transaction of the payment or its settlement, numbered
-- without gaps for each kind. Their contents are fixed when they are issued; screens read later changes from the payment.

create type public.receipt_kind as enum ('receipt', 'statement');

-- The basis of a total: the task's amount, a cancellation fee, an administrator's decision, or a change of the price.
create type public.receipt_basis as enum ('task', 'cancellation', 'decision', 'increase', 'expense', 'tip');

create table private.issuer (
  only_one boolean primary key default true check (only_one),
  name text not null default 'Meadowlark' check (name <> ''),
  address text,
  gst_number text check (gst_number ~ '^[0-9]{9} ?RT ?[0-9]{4}$')
);
alter table private.issuer enable row level security;

comment on table private.issuer is
  'The company that receipts and statements name, if an installation differs from marketplace.config.ts; one row';
comment on column private.issuer.name is 'Legal name of the company';
comment on column private.issuer.only_one is 'Always true, so that there is one row';
comment on column private.issuer.address is 'Left out of the documents while it is null';
comment on column private.issuer.gst_number is
  'Registration number of the sales tax, as the Canada Revenue Agency assigns it: nine digits, RT, four digits; left out while it is null';

create table private.receipt_numbers (
  only_one boolean primary key default true check (only_one),
  receipt bigint not null default 0,
  statement bigint not null default 0
);
alter table private.receipt_numbers enable row level security;

comment on table private.receipt_numbers is
  'The last number of each kind; one row, so that a transaction that needs both numbers waits only once';
comment on column private.receipt_numbers.only_one is 'Always true, so that there is one row';
comment on column private.receipt_numbers.receipt is 'Last number of a receipt';
comment on column private.receipt_numbers.statement is 'Last number of a statement';

create table public.receipts (
  id uuid primary key default gen_random_uuid(),
  kind public.receipt_kind not null,
  number bigint,
  payment_id uuid not null references public.payments (id),
  person_id uuid not null references private.profiles (id),
  issued_at timestamptz not null default now(),
  issuer jsonb not null,
  task_title text not null,
  person_name text,
  other_name text,
  basis public.receipt_basis not null,
  amount numeric(12, 2),
  platform_fee numeric(12, 2),
  gst numeric(12, 2),
  platform_fee_percent numeric not null,
  gst_percent numeric not null,
  total numeric(12, 2) not null check (total > 0),
  currency text not null,
  card_brand text,
  card_last4 text,
  unique (kind, number),
  unique (payment_id, kind)
);
alter table public.receipts enable row level security;

comment on table public.receipts is
  'Receipts for givers and payout statements for taskers; their contents are fixed when they are issued';
comment on column public.receipts.kind is 'receipt: for the giver who paid; statement: for the tasker who is paid out';
comment on column public.receipts.number is 'Without gaps for each kind, assigned by a trigger when the transaction commits';
comment on column public.receipts.person_id is 'The payer for a receipt, the payee for a statement';
comment on column public.receipts.issuer is 'The issuer at that time: {name, address, gst_number}';
comment on column public.receipts.task_title is 'The task''s title at that time';
comment on column public.receipts.person_name is 'The person''s name at that time; null once they have deleted their account';
comment on column public.receipts.other_name is
  'The other party''s name at that time; null once they have deleted their account';
comment on column public.receipts.basis is
  'What the total is based on: the task''s amount, a cancellation fee, an admin''s decision, or an increase, expense or tip';
comment on column public.receipts.amount is 'Dollars that the fees are calculated from; null if a decision left no such parts';
comment on column public.receipts.platform_fee is 'Dollars, added in a receipt and deducted in a statement; null like amount';
comment on column public.receipts.gst is 'Dollars, added in a receipt and deducted in a statement; null like amount';
comment on column public.receipts.platform_fee_percent is 'Percentage at that time';
comment on column public.receipts.gst_percent is 'Percentage at that time';
comment on column public.receipts.total is 'Dollars that the giver paid or the tasker receives';
comment on column public.receipts.card_brand is
  'The card that was charged, as the provider names it; null if unknown, and in statements';
comment on column public.receipts.card_last4 is 'Last four digits of the card; null if unknown, and in statements';

create table private.charged_cards (
  payment_id uuid primary key references public.payments (id) on delete cascade,
  brand text,
  last4 text not null
);
alter table private.charged_cards enable row level security;

comment on table private.charged_cards is
  'Cards of charges whose receipt is not issued yet, because the provider''s events arrive in any order';
comment on column private.charged_cards.brand is 'The provider''s name, such as visa; null if unknown';
comment on column private.charged_cards.last4 is 'Last four digits';

create index receipts_newest on public.receipts (person_id, kind, issued_at desc);

-- Before a receipt or statement is deleted.
create function private.before_receipt_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'receipt.permanent');
  return null;
end $$;

create trigger before_receipt_delete before delete on public.receipts
for each row execute function private.before_receipt_delete();

create trigger before_receipts_truncate before truncate on public.receipts
for each statement execute function private.before_receipt_delete();

-- Assigns the number when the transaction ends, after all its other locks, so waiting for a number cannot cause a deadlock.
create function private.assign_receipt_number() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  taken bigint;
begin
  if new.kind = 'receipt' then
    update private.receipt_numbers set receipt = receipt + 1 returning receipt into taken;
  else
    update private.receipt_numbers set statement = statement + 1 returning statement into taken;
  end if;
  update public.receipts set number = taken where id = new.id;
  return null;
end $$;

create constraint trigger number_receipt after insert on public.receipts
deferrable initially deferred for each row execute function private.assign_receipt_number();

-- The basis of a payout, {basis, amount}. The amount is null unless the payout equals it less both fees.
create function private.payout_basis(payment public.payments, out basis public.receipt_basis, out amount numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  returned constant numeric := coalesce((select c.returned_amount from public.complaints c
    where c.payment_id = payment.id and c.decision is not null), 0);
begin
  basis := case when payment.cancellation_fee > 0 then 'cancellation'
    when payment.escrow_status = 'released' and returned = 0 then payment.purpose::text else 'decision' end;
  amount := case when payment.cancellation_fee > 0 then payment.cancellation_fee
    else payment.amount - payment.reduction - returned end;
  if (select f.payout_amount from private.fees_of(payment.purpose::text, amount) f) is distinct from payment.payout_amount then
    amount := null;
  end if;
end $$;

-- The company that receipts name, {name, address, gst_number}: marketplace.config.ts, unless private.issuer says otherwise.
create function private.issuer_of_receipts() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('name', coalesce(nullif(i.name, 'Meadowlark'), o.value ->> 'name'),
    'address', coalesce(i.address, o.value ->> 'address'), 'gst_number', coalesce(i.gst_number, o.value ->> 'taxNumber'))
  from (select private.marketplace() -> 'operator' as value) o left join private.issuer i on true
$$;

-- Issues a receipt, with the card that was charged, or a statement. Does nothing if the payment already has one.
create function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := payment.purpose::text;
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
  into parts from (select 1) one left join lateral private.fees_of(payment.purpose::text, counted) f on counted is not null;
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

-- Issues the receipt when the charge succeeds, and the statement when the money leaves escrow with a payout.
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

-- Removes the name of a deleted account from its own and the other party's documents, and its card from its own.
create function private.erase_receipt_names(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.receipts set person_name = null, card_brand = null, card_last4 = null
  where person_id = person and (person_name is not null or card_last4 is not null);
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and person in (p.payer_id, p.payee_id) and r.person_id <> person and r.other_name is not null;
end $$;

-- The caller's earnings by calendar month of the marketplace's clock (its first day): dollars after fees, and the number of payouts.
create function public.my_earnings_by_month() returns table (month date, amount numeric, payouts integer)
language sql stable security invoker set search_path = '' as $$
  select date_trunc('month', r.issued_at at time zone private.time_zone())::date, sum(p.payout_amount), count(*)::integer
  from public.receipts r join public.payments p on p.id = r.payment_id
  where r.person_id = (select auth.uid()) and r.kind = 'statement' and p.payout_amount > 0
  group by 1 order by 1
$$;

-- Stores the card of a successful charge on the payment's receipt, or until that is issued.
create function private.apply_charge_succeeded(payment uuid, charge jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  card constant jsonb := charge #> '{payment_method_details,card}';
begin
  -- private.apply_payment_succeeded takes the same lock, so the later of the two events sees the earlier one's row.
  select * into strict known from public.payments where id = payment for no key update;
  if card ->> 'last4' is null or known.stripe_payment_intent_id <> charge ->> 'payment_intent' then
    return;
  end if;
  if exists (select from public.receipts r where r.payment_id = payment and r.kind = 'receipt') then
    update public.receipts r set card_brand = card ->> 'brand', card_last4 = card ->> 'last4'
    where r.payment_id = payment and r.kind = 'receipt' and r.card_last4 is null;
  else
    insert into private.charged_cards values (payment, card ->> 'brand', card ->> 'last4')
    on conflict (payment_id) do update set brand = excluded.brand, last4 = excluded.last4;
  end if;
end $$;

create policy "people read their own receipts and statements, admins all" on public.receipts for select to authenticated
using (person_id = (select auth.uid()) or (select private.is_admin()));

revoke all on public.receipts from service_role;
grant select on public.receipts to authenticated, service_role;
grant execute on function
  public.my_earnings_by_month()
to authenticated;

insert into private.issuer default values;
insert into private.receipt_numbers default values;
