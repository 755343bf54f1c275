-- Disputes: what the card holder's bank reports about a payment, one row per dispute. A charge can have several, for
-- parts of it, in turn or at once (https://docs.stripe.com/disputes/how-disputes-work). Events charge.dispute.*
-- arrive in any order and repeatedly; a row combines all of them, so every order gives the same result. The table
-- outside_refunds has refunds made by hand at the provider, because they also return money without us.

create table public.disputes (
  id text primary key,
  payment_id uuid not null references public.payments (id),
  amount numeric(12, 2) not null check (amount >= 0),
  -- Values of https://docs.stripe.com/api/disputes/object.
  status text not null,
  reason text,
  due_at timestamptz,
  withdrawn numeric(12, 2) not null default 0 check (withdrawn >= 0),
  reinstated numeric(12, 2) not null default 0 check (reinstated >= 0),
  open boolean not null generated always as (case
    when status = 'lost' then false
    when status in ('won', 'prevented', 'charge_refunded', 'warning_closed', 'warning_needs_response', 'warning_under_review')
      then withdrawn > reinstated
    else true end) stored,
  lost numeric(12, 2) not null generated always as (case when status <> 'lost' then 0
    when withdrawn > reinstated then withdrawn - reinstated else amount end) stored,
  status_at timestamptz not null,
  created_at timestamptz not null default now()
);
alter table public.disputes enable row level security;

comment on table public.disputes is
  'Bank disputes of payments, one row for each dispute, combined from all its events';
comment on column public.disputes.id is 'The provider''s id, du_… or dp_…';
comment on column public.disputes.amount is 'Dollars that the card holder disputes';
comment on column public.disputes.status is
  'Stripe''s status of the dispute; one that begins with warning_ is an inquiry, which moves no money';
comment on column public.disputes.reason is 'Stripe''s code for why the card holder disputes; null if unknown';
comment on column public.disputes.due_at is 'The provider''s deadline for evidence; null for none';
comment on column public.disputes.withdrawn is 'Dollars that the provider took from our balance';
comment on column public.disputes.reinstated is 'Dollars that the provider returned to our balance';
comment on column public.disputes.open is
  'Undecided: a won dispute stays open until its money is back, and an inquiry is open once money has moved';
comment on column public.disputes.lost is
  'Dollars lost for good: the amount known to have been taken, or else the whole disputed amount';
comment on column public.disputes.status_at is 'Time of the event that reported status';

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
alter table public.outside_refunds enable row level security;

comment on table public.outside_refunds is 'Refunds made by hand at the payment provider, because they return money without us';
comment on column public.outside_refunds.id is 'The provider''s id, re_…';
comment on column public.outside_refunds.amount is 'Dollars';
comment on column public.outside_refunds.status is 'Stripe''s status of the refund, such as succeeded or failed';
comment on column public.outside_refunds.gone is 'Dollars that left: amount, or 0 if the refund failed or was cancelled';
comment on column public.outside_refunds.status_at is 'Time of the event that reported status';

create index disputes_of_payment on public.disputes (payment_id);
create index outside_refunds_of_payment on public.outside_refunds (payment_id);
create index disputes_to_answer on public.disputes (created_at)
  where status in ('needs_response', 'warning_needs_response');
create index disputes_by_age on public.disputes (created_at desc, id desc);
create index disputes_by_state on public.disputes (status, created_at desc, id desc);

-- Rank of a status in the life of a dispute or refund, to order events of the same second.
create function private.status_rank(status text) returns integer
language sql immutable set search_path = '' as $$
  select case status
    when 'warning_needs_response' then 0 when 'warning_under_review' then 1
    when 'needs_response' then 2 when 'under_review' then 3
    when 'warning_closed' then 5 when 'prevented' then 5 when 'charge_refunded' then 5 when 'won' then 6 when 'lost' then 7
    when 'pending' then 1 when 'requires_action' then 2 when 'succeeded' then 5 when 'canceled' then 6 when 'failed' then 7
    else 4 end
$$;

-- Applies one event about a dispute. Returns a note for the person who reviews all events.
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
  perform private.lock_booking_and_payment(payment);
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

  perform private.post_total(payment, 'dispute', known.id, known.withdrawn);
  perform private.post_total(payment, 'dispute_won', known.id, -known.reinstated);
  perform private.notify_admins_of_dispute(before, known);
  perform private.update_disputed_payment(payment);
  return case when known.status like 'warning%' then 'an inquiry: ' else 'a chargeback: ' end || known.status;
end $$;

-- Applies one event about a refund that was not requested here; see apply_dispute.
create function private.apply_outside_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.outside_refunds;
begin
  if refund ->> 'id' is null or refund ->> 'amount' is null or refund ->> 'status' is null then
    return 'a refund without an id, an amount or a status';
  end if;
  perform private.lock_booking_and_payment(payment);
  insert into public.outside_refunds as r (id, payment_id, amount, status, status_at)
  values (refund ->> 'id', payment, (refund ->> 'amount')::numeric / 100, refund ->> 'status', at)
  on conflict (id) do update set status = excluded.status, status_at = at, amount = excluded.amount
  where (at, private.status_rank(excluded.status)) > (r.status_at, private.status_rank(r.status));
  select * into strict known from public.outside_refunds r where r.id = refund ->> 'id';
  perform private.post_total(payment, 'outside_refund', known.id, known.gone);
  perform private.update_disputed_payment(payment);
  return 'a refund that was not asked for here';
end $$;

-- Locks the rows that a settlement changes, in the order used everywhere: the booking, then its payment, then an extra payment.
create function private.lock_booking_and_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b where b.id = (
    select private.booking_of_payment(p) from public.payments p where p.id = payment) for no key update;
  perform from public.payments where id = (select part_of from public.payments where id = payment) for no key update;
  perform from public.payments where id = payment for no key update;
end $$;

-- Posts the difference between `total` and what is already booked for this object of the provider: dollars that went from
-- `provider` to `disputes` (negative: came back). The reference of each entry contains the total it leads to.
create function private.post_total(payment uuid, kind text, object text, total numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booked numeric;
begin
  select coalesce(-sum(e.amount), 0) into booked from public.ledger_entries e
  where e.payment_id = payment and e.kind = post_total.kind and e.account = 'provider'
    and split_part(e.reference, ':', 1) = object;
  if total <> booked then
    perform private.post_ledger(payment, kind, object || ':' || (total * 100)::bigint,
      jsonb_build_object('provider', booked - total, 'disputes', total - booked));
  end if;
end $$;

-- Notifies all admins of a dispute: when it needs a response, when it ends, and when an inquiry begins.
create function private.notify_admins_of_dispute(before public.disputes, now_known public.disputes) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('amount', now_known.amount, 'task',
    (select t.title from public.tasks t join public.payments p on p.task_id = t.id where p.id = now_known.payment_id));
  closed constant text[] := array['won', 'lost', 'warning_closed', 'prevented', 'charge_refunded'];
begin
  if now_known.status = any (closed) then
    if before.status is distinct from now_known.status then
      perform private.notify_admins(case when now_known.status = 'lost' then 'chargeback_ended_lost'
        when now_known.withdrawn = 0 and now_known.status <> 'won' then 'chargeback_inquiry_closed'
        else 'chargeback_ended_won' end, news, '/admin/verify-users?tab=complaints');
    end if;
  elsif now_known.open and (before.open is distinct from true or before.status = any (closed)) then
    perform private.notify_admins('chargeback_to_answer', news, '/admin/verify-users?tab=complaints');
  elsif not now_known.open and before.id is null then
    perform private.notify_admins('chargeback_inquiry', news, '/admin/verify-users?tab=complaints');
  end if;
end $$;

-- Counts the open and lost disputes of a payment again, then freezes it, settles it or resumes it. Harmless to repeat.
create function private.update_disputed_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before public.payments;
  known public.payments;
  complained boolean;
begin
  select * into strict before from public.payments where id = payment for no key update;
  update public.payments set
    open_disputes = (select count(*) from public.disputes d where d.payment_id = payment and d.open),
    lost_amount = (select coalesce(sum(d.lost), 0) from public.disputes d where d.payment_id = payment)
      + (select coalesce(sum(r.gone), 0) from public.outside_refunds r where r.payment_id = payment)
  where id = payment returning * into known;
  if known.escrow_status in ('released', 'refunded') then
    perform private.update_settled_payment(before, known);
    return;
  elsif known.escrow_status = 'pending' then
    return; -- the dispute was reported before its charge; the charge asks again
  end if;

  complained := exists (select from public.complaints c where c.payment_id = payment and c.decision is null);
  if known.open_disputes > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes = 0 or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'chargeback_opened');
    end if;
  elsif known.lost_amount >= known.total then
    perform private.close_lost_payment(known);
  elsif known.unsettled_loss > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes > 0 or before.unsettled_loss <> known.unsettled_loss or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'payment_lost_in_part');
      perform private.notify_admins_of_loss(known);
    end if;
  elsif known.escrow_status = 'frozen' then
    update public.payments set escrow_status = 'held' where id = payment and not complained;
    if before.open_disputes > 0 or before.unsettled_loss > 0 then
      perform private.notify_parties(known, 'chargeback_won');
      perform private.schedule_tick(now()); -- a giver who was silent all the while
    end if;
    perform private.settle_extra(payment);
  end if;
end $$;

create function private.notify_parties(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := private.extra_facts(payment)
    || jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(private.booking_of_payment(payment)));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(private.booking_of_payment(payment)));
end $$;

create policy "admins read disputes" on public.disputes for select to authenticated
using ((select private.is_admin()));

create policy "admins read refunds made at the provider" on public.outside_refunds for select to authenticated
using ((select private.is_admin()));

revoke all on public.disputes from service_role;
grant select on public.disputes to authenticated, service_role;
revoke all on public.outside_refunds from service_role;
grant select on public.outside_refunds to authenticated, service_role;
