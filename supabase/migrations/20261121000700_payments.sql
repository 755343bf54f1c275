-- Payments: one row per paid booking and where its money stands; saved cards and payout accounts.
-- Amounts come from private.fees, never from a request. Clients read; the only thing a client does to a
-- payment is release it, a row update that check_release holds to the rules.

create type public.escrow_status as enum ('pending', 'held', 'released', 'refunded', 'frozen');
create type public.transfer_status as enum ('none', 'waiting', 'queued', 'sent', 'failed', 'reversed');

create table public.payments (
  id uuid primary key default gen_random_uuid(),
  -- Money records outlive tasks, bookings and people, so nothing here cascades.
  booking_id uuid not null unique references public.bookings (id),
  task_id uuid not null references public.tasks (id),
  payer_id uuid not null references public.profiles (id),
  payee_id uuid not null references public.profiles (id),
  amount numeric(12, 2) not null check (amount > 0),
  platform_fee numeric(12, 2) not null check (platform_fee >= 0),
  gst numeric(12, 2) not null check (gst >= 0),
  total numeric(12, 2) not null check (total = amount + platform_fee + gst),
  -- What goes to the tasker: the amount less both fees, their share of a cancellation fee, or what an admin
  -- decided.
  payout_amount numeric(12, 2) not null check (payout_amount between 0 and total),
  cancellation_fee numeric(12, 2) not null default 0 check (cancellation_fee between 0 and total),
  -- What is to go back to the giver, and what the payment provider has confirmed to have sent back.
  refund_amount numeric(12, 2) not null default 0 check (refund_amount between 0 and total),
  refunded_amount numeric(12, 2) not null default 0 check (refunded_amount between 0 and total),
  currency text not null default 'CAD' check (currency = 'CAD'),
  escrow_status public.escrow_status not null default 'pending',
  payout_status public.transfer_status not null default 'none',
  refund_status public.transfer_status not null default 'none',
  -- The PaymentIntent that can pay this, or has paid it.
  stripe_payment_intent_id text unique,
  -- Those that were cancelled at the provider before they were paid; the next needs another idempotency key.
  closed_intents text[] not null default '{}',
  stripe_charge_id text unique,
  stripe_transfer_id text unique,
  stripe_refund_id text unique,
  -- Tries that the payment provider refused; the next try needs another idempotency key.
  payout_refusals integer not null default 0,
  refund_refusals integer not null default 0,
  -- Disputes that a bank has not decided yet: while there is one, nothing of this payment moves.
  open_disputes integer not null default 0 check (open_disputes >= 0),
  -- What went back to the giver past us, for good: lost to disputes, or refunded by hand at the provider.
  lost_amount numeric(12, 2) not null default 0 check (lost_amount >= 0),
  -- How much of that a settlement or an admin's decision has taken into account; what is left awaits a decision.
  settled_loss numeric(12, 2) not null default 0 check (settled_loss >= 0),
  unsettled_loss numeric(12, 2) not null generated always as (greatest(lost_amount - settled_loss, 0)) stored,
  -- Refunds of ours that failed afterwards.
  closed_refunds text[] not null default '{}',
  held_at timestamptz,
  -- Reminders to confirm that were sent.
  reminders integer not null default 0,
  released_at timestamptz,
  refunded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (payout_amount + refund_amount <= total)
);

create index payments_of_task on public.payments (task_id);
create index payments_of_payer on public.payments (payer_id, created_at desc);
create index payments_of_payee on public.payments (payee_id, created_at desc);
create index payments_with_loss_to_decide on public.payments (created_at) where unsettled_loss > 0;
create index payments_waiting on public.payments (payee_id) where payout_status = 'waiting';

create table public.payment_methods (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  stripe_payment_method_id text not null,
  card_brand text,
  card_last4 text,
  card_exp_month integer,
  card_exp_year integer,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  unique (user_id, stripe_payment_method_id)
);
create unique index payment_methods_one_default on public.payment_methods (user_id) where is_default;
create index payment_methods_newest on public.payment_methods (user_id, created_at desc);

create type public.account_status as enum ('pending', 'active', 'restricted');

create table public.payout_accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references public.profiles (id) on delete cascade,
  stripe_account_id text not null unique,
  bank_last4 text,
  account_status public.account_status not null default 'pending',
  account_type text not null default 'manual',
  -- When the provider last reported what the account may do; older news is ignored.
  provider_updated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create trigger "40_token" before insert or update on public.payment_methods for each row
when ((new.stripe_payment_method_id ~ '^pm_[A-Za-z0-9_]{1,250}$') is not true)
execute function private.reject('Failed to create payment method', 'stripe_payment_method_id');
create trigger "41_last4" before insert or update on public.payment_methods for each row
when (new.card_last4 !~ '^[0-9]{4}$')
execute function private.reject('Only the last 4 digits of a card are kept', 'card_last4');
create trigger "42_brand" before insert or update on public.payment_methods for each row
when (new.card_brand !~ '^[A-Za-z0-9_ -]{1,30}$')
execute function private.reject('Unknown card brand', 'card_brand');
create trigger "43_expiry" before insert or update on public.payment_methods for each row
when (new.card_exp_month not between 1 and 12 or new.card_exp_year not between 2000 and 2100)
execute function private.reject('Card expiry is not a date', 'card_exp_month');

-- A person gives bank details; only the payment provider makes an account active. Saving other details
-- by hand makes it pending again.

create trigger "10_last4" before insert or update on public.payout_accounts for each row
when (new.bank_last4 !~ '^[0-9]{1,4}$')
execute function private.reject('Only the last 4 digits of the account are kept', 'bank_last4');
create trigger "11_complete" before insert or update on public.payout_accounts for each row
when (private.is_client() and new.bank_last4 is null)
execute function private.reject('Please fill in all bank account fields', 'bank_last4');
create trigger "30_pending" before insert on public.payout_accounts for each row
when (private.is_client() and (new.account_status = 'pending') is not true)
execute function private.reject('A payout account becomes active when the payment provider confirms it', 'account_status');
create trigger "31_confirmed" before update on public.payout_accounts for each row
when (private.is_client() and (new.account_status in (old.account_status, 'pending')) is not true)
execute function private.reject('A payout account becomes active when the payment provider confirms it', 'account_status');

create function private.open_payout_account() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.stripe_account_id := 'manual_' || replace(auth.uid()::text, '-', '');
  new.account_type := 'manual';
  new.provider_updated_at := null;
  new.updated_at := now();
  return new;
end $$;
create trigger "90_manual" before insert on public.payout_accounts for each row
when (private.is_client())
execute function private.open_payout_account();

create function private.change_payout_account() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.stripe_account_id := old.stripe_account_id;
  new.account_type := old.account_type;
  if new.bank_last4 is distinct from old.bank_last4 then
    new.account_status := 'pending';
  end if;
  new.updated_at := now();
  return new;
end $$;
create trigger "90_pending_again" before update on public.payout_accounts for each row
when (private.is_client())
execute function private.change_payout_account();

-- Why frozen money does not move.
create function private.frozen_text(payment public.payments) returns text
language sql immutable set search_path = '' as $$
  select case when payment.open_disputes > 0 then 'The payment is frozen until the bank has decided on a chargeback'
    when payment.unsettled_loss > 0 then 'A part of the payment was taken back: it is frozen until an administrator has decided'
    else 'The payment is frozen until a complaint is decided' end
$$;
grant execute on function private.frozen_text(public.payments) to authenticated, service_role;

-- A release is the giver's word that the work is done: only on a completed booking whose money is held.
create function private.check_release() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.escrow_status = old.escrow_status then
    perform private.require(old.escrow_status = 'released', 'Nothing to change on this payment', 'escrow_status');
    return old; -- a second release of the same payment changes nothing
  end if;
  perform private.require(new.escrow_status = 'released', 'A payment can only be released', 'escrow_status');
  perform private.allow(new.payer_id = auth.uid(), 'Only the task giver can release the payment');
  perform private.require(old.escrow_status = 'held', case old.escrow_status
    when 'pending' then 'The payment is not held yet'
    when 'frozen' then private.frozen_text(old)
    else 'The payment was already settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = new.booking_id and status = 'completed'),
    'The payment can be released once the tasker has marked the task complete', 'escrow_status');
  new.released_at := now();
  new.updated_at := now();
  return new;
end $$;
create trigger "30_release" before update on public.payments for each row
when (private.is_client())
execute function private.check_release();

create function private.stamp_payment() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;
create trigger "90_stamp" before update on public.payments for each row
when (not private.is_client())
execute function private.stamp_payment();

create function private.task_is_released(task uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payments where task_id = task and escrow_status = 'released')
$$;
grant execute on function private.task_is_released(uuid) to authenticated, service_role;

-- What the giver needs to pay an accepted booking: made once, the same on every call.
-- Answers {payment_id, amount_cents, total_cents, currency, payment_intent_id, idempotency_key, payee_id};
-- amount_cents is the booking's agreed amount, total_cents what is charged.
create function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'Booking not found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'Only the task giver can pay for a booking');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'This booking is already paid' else 'Only an accepted booking can be paid' end, 'booking_id');

  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'This booking is already paid', 'booking_id');

  return jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', payment.booking_id, 'task_id', payment.task_id);
end $$;
grant execute on function public.prepare_payment(uuid) to authenticated;

-- Remembers which PaymentIntent pays this payment, before anybody is given the means to pay it. From then on the
-- booking is cancelled only after that intent was closed at the provider. Harmless to repeat and after the webhook.
create function public.attach_payment_intent(payment_id uuid, payment_intent_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  perform private.require(payment_intent_id <> '', 'payment_intent_id is required', 'payment_intent_id');
  select b.* into booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = attach_payment_intent.payment_id for no key update of b;
  select * into payment from public.payments p where p.id = attach_payment_intent.payment_id for no key update;
  perform private.require(payment.id is not null, 'Payment not found', 'payment_id');
  if payment.stripe_payment_intent_id = attach_payment_intent.payment_intent_id then
    return;
  end if;
  perform private.require(payment.stripe_payment_intent_id is null
    and attach_payment_intent.payment_intent_id <> all (payment.closed_intents),
    'This payment has another payment intent', 'payment_id');
  perform private.require(booking.status = 'accepted', 'Only an accepted booking can be paid', 'booking_id');
  update public.payments set stripe_payment_intent_id = attach_payment_intent.payment_intent_id where id = payment.id;
end $$;
grant execute on function public.attach_payment_intent(uuid, text) to service_role;

-- Whether somebody may be paying this booking at this moment: an intent is attached and nothing is settled.
create function private.has_open_intent(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payments where booking_id = booking and escrow_status = 'pending'
    and stripe_payment_intent_id is not null)
$$;
grant execute on function private.has_open_intent(uuid) to authenticated, service_role;

alter table public.payments enable row level security;
alter table public.payment_methods enable row level security;
alter table public.payout_accounts enable row level security;
revoke all on public.payments, public.payment_methods, public.payout_accounts from anon, authenticated;

grant select on public.payments, public.payment_methods, public.payout_accounts to authenticated;
grant update (escrow_status, released_at) on public.payments to authenticated;
grant insert (user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month, card_exp_year, is_default)
  on public.payment_methods to authenticated;
grant delete on public.payment_methods to authenticated;
grant insert (user_id, stripe_account_id, bank_last4, account_status, account_type, updated_at)
  on public.payout_accounts to authenticated;
grant update (stripe_account_id, bank_last4, account_status, account_type, updated_at)
  on public.payout_accounts to authenticated;

create policy "both parties read their payments, admins all" on public.payments for select to authenticated
using (payer_id = (select auth.uid()) or payee_id = (select auth.uid()) or (select private.is_admin()));
create policy "givers release what they paid" on public.payments for update to authenticated
using (payer_id = (select auth.uid())) with check (payer_id = (select auth.uid()));

create policy "people read their own cards" on public.payment_methods for select to authenticated
using (user_id = (select auth.uid()));
create policy "people add their own cards" on public.payment_methods for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people remove their own cards" on public.payment_methods for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own payout account" on public.payout_accounts for select to authenticated
using (user_id = (select auth.uid()));
create policy "people add their own payout account" on public.payout_accounts for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people change their own payout account" on public.payout_accounts for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

-- Dollars released to the caller so far, after the platform fee and GST; what the dashboard shows as earnings.
create function public.my_earnings() returns numeric
language sql stable security invoker set search_path = '' as $$
  select coalesce(sum(payout_amount), 0) from public.payments
  where payee_id = (select auth.uid()) and escrow_status = 'released'
$$;
grant execute on function public.my_earnings() to authenticated;
