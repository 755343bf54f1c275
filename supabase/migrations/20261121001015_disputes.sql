-- Disputes: what the card holder's bank says about a payment, one row per dispute by the provider's id; a charge can have
-- several, for parts of it, one after the other or at once (https://docs.stripe.com/disputes/how-disputes-work). Heard of
-- as charge.dispute.* events, in any order and any number of times: a row is what all of them together say, so every
-- order ends alike. Refunds that were made by hand at the provider stand beside them, because both take money past us.

create table public.disputes (
  id text primary key,
  payment_id uuid not null references public.payments (id),
  amount numeric(12, 2) not null check (amount >= 0), -- dollars that the card holder disputes
  -- The provider's words (https://docs.stripe.com/api/disputes/object). A status that begins with warning_ is an
  -- inquiry: the bank asks and moves no money, but a dispute may come of it.
  status text not null,
  reason text,
  due_at timestamptz, -- until when the provider takes evidence
  -- Dollars that the provider took from our balance, and put back.
  withdrawn numeric(12, 2) not null default 0 check (withdrawn >= 0),
  reinstated numeric(12, 2) not null default 0 check (reinstated >= 0),
  -- Undecided; what was won stays open until its money is back, and an inquiry is open once money has moved.
  open boolean not null generated always as (case
    when status = 'lost' then false
    when status in ('won', 'prevented', 'charge_refunded', 'warning_closed', 'warning_needs_response', 'warning_under_review')
      then withdrawn > reinstated
    else true end) stored,
  -- Dollars that are gone for good: what is known to have been taken, or all that was disputed.
  lost numeric(12, 2) not null generated always as (case when status <> 'lost' then 0
    when withdrawn > reinstated then withdrawn - reinstated else amount end) stored,
  -- When the status above was reported, by the event's own clock.
  status_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index disputes_of_payment on public.disputes (payment_id);
create index disputes_newest on public.disputes (created_at desc);

create table public.outside_refunds (
  id text primary key,
  payment_id uuid not null references public.payments (id),
  amount numeric(12, 2) not null check (amount >= 0),
  status text not null,
  gone numeric(12, 2) not null generated always as
    (case when status in ('failed', 'canceled') then 0 else amount end) stored,
  status_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index outside_refunds_of_payment on public.outside_refunds (payment_id);

-- Written by record_stripe_event alone; what the two parties need of it stands in the payment.
alter table public.disputes enable row level security;
alter table public.outside_refunds enable row level security;
revoke all on public.disputes, public.outside_refunds from anon, authenticated, service_role;
grant select on public.disputes, public.outside_refunds to authenticated, service_role;
create policy "admins read disputes" on public.disputes for select to authenticated
using ((select private.is_admin()));
create policy "admins read refunds made at the provider" on public.outside_refunds for select to authenticated
using ((select private.is_admin()));

-- Which of two statuses comes later in a life, for events of the same second.
create function private.status_rank(status text) returns integer
language sql immutable set search_path = '' as $$
  select case status
    when 'warning_needs_response' then 0 when 'warning_under_review' then 1
    when 'needs_response' then 2 when 'under_review' then 3
    when 'warning_closed' then 5 when 'prevented' then 5 when 'charge_refunded' then 5 when 'won' then 6 when 'lost' then 7
    when 'pending' then 1 when 'requires_action' then 2 when 'succeeded' then 5 when 'canceled' then 6 when 'failed' then 7
    else 4 end
$$;

-- Applies one event about a dispute and answers the note for the person who looks at them all.
create function private.apply_dispute(payment uuid, kind text, dispute jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  disputed constant numeric := (dispute ->> 'amount')::numeric / 100;
  taken numeric;
  returned numeric;
  before public.disputes;
  known public.disputes;
begin
  if dispute ->> 'id' is null or disputed is null or dispute ->> 'status' is null then
    return 'a dispute without an id, an amount or a status';
  end if;
  perform private.lock_money(payment);
  select coalesce(-sum(m.cents) filter (where m.cents < 0), 0) / 100, coalesce(sum(m.cents) filter (where m.cents > 0), 0) / 100
  into taken, returned
  from (select value::text::numeric as cents
    from jsonb_path_query(dispute, '$.balance_transactions[*].amount') movement (value)) m;
  if kind = 'charge.dispute.funds_withdrawn' and taken = 0 then
    taken := disputed;
  elsif kind = 'charge.dispute.funds_reinstated' and returned = 0 then
    returned := disputed;
  end if;

  select * into before from public.disputes d where d.id = dispute ->> 'id';
  insert into public.disputes as d (id, payment_id, amount, status, reason, due_at, withdrawn, reinstated, status_at)
  values (dispute ->> 'id', payment, disputed, dispute ->> 'status', dispute ->> 'reason',
    to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), taken, returned, at)
  on conflict (id) do update set withdrawn = greatest(d.withdrawn, taken), reinstated = greatest(d.reinstated, returned);
  update public.disputes d set amount = disputed, status = dispute ->> 'status', status_at = at,
    reason = coalesce(dispute ->> 'reason', d.reason),
    due_at = coalesce(to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), d.due_at)
  where d.id = dispute ->> 'id' and (at, private.status_rank(dispute ->> 'status'), disputed)
    > (d.status_at, private.status_rank(d.status), d.amount);
  select * into strict known from public.disputes d where d.id = dispute ->> 'id';

  perform private.book_total(payment, 'dispute', known.id, known.withdrawn);
  perform private.book_total(payment, 'dispute_won', known.id, -known.reinstated);
  perform private.notify_admins_of_dispute(before, known);
  perform private.follow_disputes(payment);
  return case when known.status like 'warning%' then 'an inquiry: ' else 'a chargeback: ' end || known.status;
end $$;

-- Applies one event about a refund that nobody here asked for; see apply_dispute.
create function private.apply_outside_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.outside_refunds;
begin
  if refund ->> 'id' is null or refund ->> 'amount' is null or refund ->> 'status' is null then
    return 'a refund without an id, an amount or a status';
  end if;
  perform private.lock_money(payment);
  insert into public.outside_refunds as r (id, payment_id, amount, status, status_at)
  values (refund ->> 'id', payment, (refund ->> 'amount')::numeric / 100, refund ->> 'status', at)
  on conflict (id) do update set status = excluded.status, status_at = at, amount = excluded.amount
  where (at, private.status_rank(excluded.status)) > (r.status_at, private.status_rank(r.status));
  select * into strict known from public.outside_refunds r where r.id = refund ->> 'id';
  perform private.book_total(payment, 'outside_refund', known.id, known.gone);
  perform private.follow_disputes(payment);
  return 'a refund that was not asked for here';
end $$;

-- Locks what a settlement touches, in the order of all: the booking, then the payment.
create function private.lock_money(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b join public.payments p on p.booking_id = b.id where p.id = payment for no key update of b;
  perform from public.payments where id = payment for no key update;
end $$;

-- Books what is missing until so many dollars of this kind went from the provider to `disputes` (below zero: came
-- back) for this object of the provider's. Each entry is named by the sum it leads to.
create function private.book_total(payment uuid, kind text, object text, total numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booked numeric;
begin
  select coalesce(-sum(e.amount), 0) into booked from public.ledger_entries e
  where e.payment_id = payment and e.kind = book_total.kind and e.account = 'provider'
    and split_part(e.reference, ':', 1) = object;
  if total <> booked then
    perform private.post_ledger(payment, kind, object || ':' || (total * 100)::bigint,
      jsonb_build_object('provider', booked - total, 'disputes', total - booked));
  end if;
end $$;
