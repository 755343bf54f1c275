-- Receipts for givers and payout statements for taskers: issued in the transaction of the payment and of its settlement,
-- numbered without gaps for each kind. What one says is fixed when it is issued; what became of the money since, screens
-- read from the payment beside it.

create type public.receipt_kind as enum ('receipt', 'statement');
-- What a sum was reckoned from: the task's amount, a cancellation fee, or what an administrator decided.
create type public.receipt_basis as enum ('task', 'cancellation', 'decision');

-- Who issues them. An operator fills it in; what is not filled in is left out of the documents.
create table private.issuer (
  only_one boolean primary key default true check (only_one),
  name text not null default 'Meadowlark' check (name <> ''),
  address text,
  -- As the Canada Revenue Agency gives it: nine digits, RT, four digits.
  gst_number text check (gst_number ~ '^[0-9]{9} ?RT ?[0-9]{4}$')
);
alter table private.issuer enable row level security;
insert into private.issuer default values;

-- The last number of each kind. One row, so that whoever needs both waits once.
create table private.receipt_numbers (
  only_one boolean primary key default true check (only_one),
  receipt bigint not null default 0,
  statement bigint not null default 0
);
alter table private.receipt_numbers enable row level security;
insert into private.receipt_numbers default values;

create table public.receipts (
  id uuid primary key default gen_random_uuid(),
  kind public.receipt_kind not null,
  -- Given at the end of the transaction: nobody sees a row without one.
  number bigint,
  payment_id uuid not null references public.payments (id),
  -- Whose document it is: the payer's receipt, the payee's statement.
  person_id uuid not null references private.profiles (id),
  issued_at timestamptz not null default now(),
  issuer jsonb not null, -- {name, address, gst_number}
  task_title text not null,
  -- The two parties as they were called then; null once that person has left.
  person_name text,
  other_name text,
  basis public.receipt_basis not null,
  -- Dollars. What the fees are reckoned from, and both fees: on top in a receipt, off in a statement. Null where a decision
  -- left no such parts.
  amount numeric(12, 2),
  platform_fee numeric(12, 2),
  gst numeric(12, 2),
  platform_fee_percent numeric not null,
  gst_percent numeric not null,
  -- What the giver paid, or what the tasker is paid.
  total numeric(12, 2) not null check (total > 0),
  currency text not null,
  unique (kind, number),
  unique (payment_id, kind)
);
create index receipts_newest on public.receipts (person_id, kind, issued_at desc);

create trigger "20_kept" before delete on public.receipts
for each row execute function private.forbid('Receipts and statements are kept');
create trigger "20_kept_as_a_whole" before truncate on public.receipts
for each statement execute function private.forbid('Receipts and statements are kept');

alter table public.receipts enable row level security;
revoke all on public.receipts from anon, authenticated, service_role;
grant select on public.receipts to authenticated, service_role;
create policy "people read their own receipts and statements, admins all" on public.receipts for select to authenticated
using (person_id = (select auth.uid()) or (select private.is_admin()));

-- Numbers are taken when the transaction ends, after all its other locks: whoever waits here waits for nothing else.
create function private.number_receipt() returns trigger
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
deferrable initially deferred for each row execute function private.number_receipt();

-- What a payout is reckoned from, {basis, amount}; the amount is null when the payout is not that less both fees.
create function private.basis_of_payout(payment public.payments, out basis public.receipt_basis, out amount numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  returned constant numeric := coalesce((select c.returned_amount from public.complaints c
    where c.payment_id = payment.id and c.decision is not null), 0);
begin
  basis := case when payment.cancellation_fee > 0 then 'cancellation'
    when payment.escrow_status = 'released' and returned = 0 then 'task' else 'decision' end;
  amount := case when payment.cancellation_fee > 0 then payment.cancellation_fee else payment.amount - returned end;
  if (select f.payout_amount from private.fees(amount) f) is distinct from payment.payout_amount then
    amount := null;
  end if;
end $$;

-- Issues one, unless this payment has one of that kind.
create function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := 'task';
  counted numeric := payment.amount;
  parts record;
begin
  if not to_giver then
    select b.basis, b.amount into basis, counted from private.basis_of_payout(payment) b;
  end if;
  -- The giver's parts are those that were charged, whatever the fee policy says today.
  select case when to_giver then payment.platform_fee else f.platform_fee end as platform_fee,
    case when to_giver then payment.gst else f.gst end as gst
  into parts from (select 1) one left join lateral private.fees(counted) f on counted is not null;
  insert into public.receipts (kind, payment_id, person_id, issued_at, issuer, task_title, person_name, other_name, basis, amount,
    platform_fee, gst, platform_fee_percent, gst_percent, total, currency)
  values (issue_receipt.kind, payment.id, person, at, (select to_jsonb(i) - 'only_one' from private.issuer i),
    (select t.title from public.tasks t where t.id = payment.task_id),
    (select p.full_name from private.profiles p where p.id = person),
    (select p.full_name from private.profiles p where p.id = other), basis, counted, parts.platform_fee, parts.gst,
    private.rule('fees.platformFeePercent'), private.rule('fees.gstPercent'),
    case when to_giver then payment.total else payment.payout_amount end, payment.currency)
  on conflict on constraint receipts_payment_id_kind_key do nothing;
end $$;

create function private.document_payment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.escrow_status = 'pending' then
    perform private.issue_receipt(new, 'receipt');
  end if;
  if new.escrow_status in ('released', 'refunded') and new.payout_amount > 0 then
    perform private.issue_receipt(new, 'statement');
  end if;
  return null;
end $$;
create trigger document_payment after update of escrow_status on public.payments
for each row when (new.escrow_status is distinct from old.escrow_status)
execute function private.document_payment();

-- What was paid before today, in the order in which it was.
do $$
declare
  payment public.payments;
begin
  for payment in select * from public.payments where held_at is not null order by held_at, id loop
    perform private.issue_receipt(payment, 'receipt', payment.held_at);
  end loop;
  for payment in select * from public.payments where escrow_status in ('released', 'refunded') and payout_amount > 0
    order by coalesce(released_at, refunded_at, updated_at), id
  loop
    perform private.issue_receipt(payment, 'statement', coalesce(payment.released_at, payment.refunded_at, payment.updated_at));
  end loop;
end $$;

-- Who leaves is not named any more, in nobody's documents.
create function private.forget_names() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.receipts set person_name = null where person_id = new.id and person_name is not null;
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and new.id in (p.payer_id, p.payee_id) and r.person_id <> new.id and r.other_name is not null;
  return null;
end $$;
create trigger forget_names after update of deleted_at on private.profiles
for each row when (new.deleted_at is not null) execute function private.forget_names();

-- What the caller earned, by month of Saskatchewan's calendar (its first day): dollars after fees, and how many payouts they are.
create function public.my_earnings_by_month() returns table (month date, amount numeric, payouts integer)
language sql stable security invoker set search_path = '' as $$
  select date_trunc('month', r.issued_at at time zone 'America/Regina')::date, sum(p.payout_amount), count(*)::integer
  from public.receipts r join public.payments p on p.id = r.payment_id
  where r.person_id = (select auth.uid()) and r.kind = 'statement' and p.payout_amount > 0
  group by 1 order by 1
$$;
grant execute on function public.my_earnings_by_month() to authenticated;

-- The same in one sum; shares of cancellation fees and what was decided are earned, too.
create or replace function public.my_earnings() returns numeric
language sql stable security invoker set search_path = '' as $$
  select coalesce(sum(payout_amount), 0) from public.payments
  where payee_id = (select auth.uid()) and escrow_status in ('released', 'refunded')
$$;
