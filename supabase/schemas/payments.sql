-- Payments: one row per booking that is paid, or about to be, with the state of its money, and why a step failed; and one for
-- each extra payment of a booking (extra_payments.sql).
-- Amounts come from private.fees, never from a request. Clients can only read, except that the giver releases a payment by
-- updating its row (payment_triggers.sql).

set check_function_bodies = off;

create type public.escrow_status as enum ('pending', 'held', 'released', 'refunded', 'frozen');

create type public.transfer_status as enum ('none', 'waiting', 'queued', 'sent', 'failed', 'reversed');

-- The steps at which the provider can refuse: charging a card, sending a transfer or a refund.
create type public.payment_step as enum ('charge', 'payout', 'refund');

-- The purpose of a payment: the booking, or a change of its price.
create type public.payment_purpose as enum ('task', 'increase', 'expense', 'tip');

create table public.payments (
  id uuid primary key default gen_random_uuid(),
  -- Money records outlive tasks, bookings and people, so nothing here cascades.
  booking_id uuid unique references public.bookings (id),
  task_id uuid not null references public.tasks (id),
  payer_id uuid not null references private.profiles (id),
  payee_id uuid not null references private.profiles (id),
  amount numeric(12, 2) not null check (amount > 0),
  platform_fee numeric(12, 2) not null check (platform_fee >= 0),
  gst numeric(12, 2) not null check (gst >= 0),
  total numeric(12, 2) not null check (total = amount + platform_fee + gst),
  payout_amount numeric(12, 2) not null check (payout_amount between 0 and total),
  cancellation_fee numeric(12, 2) not null default 0 check (cancellation_fee between 0 and total),
  refund_amount numeric(12, 2) not null default 0 check (refund_amount between 0 and total),
  refunded_amount numeric(12, 2) not null default 0 check (refunded_amount between 0 and total),
  currency text not null default private.currency() check (currency = private.currency()),
  escrow_status public.escrow_status not null default 'pending',
  payout_status public.transfer_status not null default 'none',
  refund_status public.transfer_status not null default 'none',
  stripe_payment_intent_id text unique,
  closed_intents text[] not null default '{}',
  stripe_charge_id text unique,
  stripe_transfer_id text unique,
  stripe_refund_id text unique,
  payout_refusals integer not null default 0,
  refund_refusals integer not null default 0,
  open_disputes integer not null default 0 check (open_disputes >= 0),
  lost_amount numeric(12, 2) not null default 0 check (lost_amount >= 0),
  settled_loss numeric(12, 2) not null default 0 check (settled_loss >= 0),
  unsettled_loss numeric(12, 2) not null generated always as (greatest(lost_amount - settled_loss, 0)) stored,
  closed_refunds text[] not null default '{}',
  held_at timestamptz,
  reminders integer not null default 0,
  released_at timestamptz,
  refunded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  part_of uuid references public.payments (id),
  purpose public.payment_purpose not null default 'task',
  reduction numeric(12, 2) not null default 0 check (reduction >= 0 and reduction < amount),
  check (payout_amount + refund_amount <= total),
  constraint payments_part_check check (num_nonnulls(booking_id, part_of) = 1 and (part_of is null) = (purpose = 'task'))
);
alter table public.payments enable row level security;

comment on table public.payments is
  'One row for each booking that is paid, or about to be, and for each extra payment, with the state of its money';
comment on column public.payments.booking_id is 'Null for an extra payment, whose booking is that of part_of';
comment on column public.payments.payer_id is 'The giver';
comment on column public.payments.payee_id is 'The tasker';
comment on column public.payments.amount is 'Dollars before fees: the booking''s agreed_amount, or the amount of the change';
comment on column public.payments.platform_fee is 'Dollars that the giver pays on top of amount, from private.fees';
comment on column public.payments.gst is 'Dollars of sales tax that the giver pays on top of amount, from private.fees';
comment on column public.payments.total is 'Dollars that are charged: amount, platform_fee and gst';
comment on column public.payments.payout_amount is
  'Dollars for the tasker: amount less both fees, a share of the cancellation fee, or as an admin decided';
comment on column public.payments.cancellation_fee is 'Dollars that the giver pays for a cancellation; 0 otherwise';
comment on column public.payments.refund_amount is 'Dollars that are due to the giver as a refund';
comment on column public.payments.refunded_amount is 'Dollars that the payment provider has confirmed as refunded';
comment on column public.payments.currency is 'In capitals, such as CAD; the marketplace has one';
comment on column public.payments.escrow_status is
  'Where the money is: '
  'new → pending when the giver presses Pay; '
  'pending → held when Stripe reports the charge; '
  'held → released when the giver confirms the work, or 7 days after completion; '
  'held → frozen when a complaint or a dispute opens, or a part is taken back; '
  'frozen → held when the dispute is won, or an admin lets the platform bear a partial loss; '
  'frozen → released when an admin decides a complaint for the tasker; '
  'frozen → refunded when an admin decides to refund or split; '
  'held → refunded when the booking is cancelled, also while the charge was under way; '
  'held | frozen → refunded when the whole payment is taken back';
comment on column public.payments.payout_status is
  'Where the tasker''s money is: '
  'new → none when the giver presses Pay; '
  'none → queued when the money leaves escrow and the payout account is active; '
  'none → waiting when the money leaves escrow without an active payout account; '
  'waiting → queued when the payout account becomes active; '
  'queued | failed → waiting when the payout account is no longer active; '
  'queued | failed → sent when the transfer was made; '
  'queued → failed when Stripe refuses the transfer, which is tried again; '
  'sent → reversed when the transfer is reversed; '
  'waiting | queued | failed → none when an admin decides that the tasker gets nothing';
comment on column public.payments.refund_status is
  'Where the giver''s refund is (waiting and reversed are not used): '
  'new → none when the giver presses Pay; '
  'none → queued when a refund is due; '
  'queued | failed → sent when Stripe made the refund; '
  'queued → failed when Stripe refuses the refund, which is tried again; '
  'failed → queued when an admin sends it again; '
  'sent → failed when the refund comes back; '
  'queued | failed → none when a bank has already returned all of it';
comment on column public.payments.stripe_payment_intent_id is
  'The PaymentIntent that can pay this, or has paid it; null before one is attached';
comment on column public.payments.closed_intents is
  'PaymentIntents that were cancelled before they were paid; the next needs another idempotency key';
comment on column public.payments.stripe_charge_id is 'The charge that paid this; null before';
comment on column public.payments.stripe_transfer_id is 'The transfer to the tasker''s account; null before';
comment on column public.payments.stripe_refund_id is 'The refund to the giver; null before, or while its id is unknown';
comment on column public.payments.payout_refusals is
  'Number of transfers that the provider refused; the next try needs another idempotency key';
comment on column public.payments.refund_refusals is
  'Number of refunds that failed; the next try needs another idempotency key';
comment on column public.payments.open_disputes is
  'Number of disputes that a bank has not decided yet; while there is one, no money of this payment moves';
comment on column public.payments.lost_amount is
  'Dollars that returned to the giver without us, for good: lost to disputes, or refunded by hand at the provider';
comment on column public.payments.settled_loss is
  'Dollars of lost_amount that a settlement or an admin''s decision has taken into account';
comment on column public.payments.unsettled_loss is 'Dollars of lost_amount that await a decision';
comment on column public.payments.closed_refunds is 'Our refunds that failed after the provider had accepted them';
comment on column public.payments.held_at is 'When the charge succeeded; null before';
comment on column public.payments.reminders is 'Number of reminders to confirm that were sent';
comment on column public.payments.released_at is 'When the money was released to the tasker; null before';
comment on column public.payments.refunded_at is 'When the provider confirmed the refund; null before';
comment on column public.payments.part_of is 'The booking''s payment that this one is an extra of; null for that payment itself';
comment on column public.payments.purpose is 'task: the booking; otherwise the kind of the change that this extra payment pays';
comment on column public.payments.reduction is
  'Dollars of amount that both agreed to take off; they go back with their fees when the payment is settled';

create table public.payment_failures (
  payment_id uuid not null references public.payments (id),
  step public.payment_step not null,
  person_id uuid not null references private.profiles (id),
  message text not null check (length(message) <= 500),
  failed_at timestamptz not null default now(),
  code text check (length(code) <= 100),
  given_up boolean not null default false,
  primary key (payment_id, step)
);
alter table public.payment_failures enable row level security;

comment on table public.payment_failures is
  'The provider''s latest message about a card, a transfer or a refund that failed; deleted when the step succeeds';
comment on column public.payment_failures.failed_at is 'Time of the latest failure';
comment on column public.payment_failures.step is 'The step that failed';
comment on column public.payment_failures.person_id is
  'The person whose card or account it concerns; with admins, the only one who can read it';
comment on column public.payment_failures.message is 'What the provider reported, at most 500 characters';
comment on column public.payment_failures.code is 'The payment provider''s code for it, where it gave one';
comment on column public.payment_failures.given_up is 'It is not tried by itself any more';

create index payments_of_main on public.payments (part_of) where part_of is not null;
create index payments_of_task on public.payments (task_id);
create index payments_of_payer on public.payments (payer_id, created_at desc);
create index payments_of_payee on public.payments (payee_id, created_at desc);
create index payments_with_loss_to_decide on public.payments (created_at) where unsettled_loss > 0;
create index payment_failures_of_person on public.payment_failures (person_id);

create index payments_to_confirm on public.payments (id) where escrow_status = 'held';
create index payments_waiting on public.payments (payee_id) where payout_status in ('waiting', 'failed');

-- For the dashboard (public.my_action_items) and the back office (public.admin_overview).
create index payments_held_of_payer on public.payments (payer_id) where escrow_status = 'held';
create index payments_not_sent on public.payments (updated_at)
  where payout_status in ('failed', 'queued') or refund_status in ('failed', 'queued');

-- For the pages of public.find_payments.
create index payments_newest on public.payments (created_at desc, id desc);
create index payments_by_escrow on public.payments (escrow_status, created_at desc, id desc);
create index payments_by_payout on public.payments (payout_status, created_at desc, id desc) where payout_status <> 'none';
create index payments_by_refund on public.payments (refund_status, created_at desc, id desc) where refund_status <> 'none';
create index payments_paid_out on public.payments (created_at desc, id desc) where payout_status <> 'none';
create index payments_refunded on public.payments (created_at desc, id desc) where refund_status <> 'none';

create function private.task_is_released(task uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payments where task_id = task and escrow_status = 'released')
$$;

-- The data for paying an accepted booking: created once, the same on every call. Returns {payment_id, booking_id,
-- task_id, amount_cents, total_cents, currency, payment_intent_id, idempotency_key, payee_id}; amount_cents is the
-- booking's agreed amount, total_cents what is charged.
create function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');
  perform private.require(booking.visit_number is distinct from 0, 'payment.waits_for_snow', 'booking_id');
  return private.payment_of_booking(booking);
end $$;

-- The payment of an accepted booking, created if there is none; the result is that of public.prepare_payment.
create function private.payment_of_booking(booking public.bookings) returns jsonb
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return private.payment_order(payment);
end $$;

-- The order that public.prepare_payment returns for a pending payment.
create function private.payment_order(payment public.payments) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_idempotency_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', private.booking_of_payment(payment), 'task_id', payment.task_id)
$$;

-- Records which PaymentIntent pays this payment, before anybody can pay with it. From then on, the booking can be cancelled
-- only after that intent was closed at the provider. Harmless to repeat, also after the webhook.
create function public.attach_payment_intent(payment_id uuid, payment_intent_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(payment_intent_id <> '', 'payment.intent_id_required', 'payment_intent_id');
  perform private.lock_booking_and_payment(attach_payment_intent.payment_id);
  select * into payment from public.payments p where p.id = attach_payment_intent.payment_id;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  if payment.stripe_payment_intent_id = attach_payment_intent.payment_intent_id then
    return;
  end if;
  perform private.require(payment.stripe_payment_intent_id is null
    and attach_payment_intent.payment_intent_id <> all (payment.closed_intents),
    'payment.other_intent', 'payment_id');
  if payment.part_of is null then
    perform private.require(exists (select from public.bookings b where b.id = payment.booking_id and b.status = 'accepted'),
      'payment.booking_not_accepted', 'booking_id');
  else
    perform private.require((select private.is_extra_payable(c, p) from public.booking_changes c, public.payments p
      where c.payment_id = payment.id and p.id = payment.part_of), 'change.not_open', 'payment_id');
  end if;
  update public.payments set stripe_payment_intent_id = attach_payment_intent.payment_intent_id where id = payment.id;
end $$;

-- Whether somebody may be paying this booking right now: an intent is attached and nothing is settled.
create function private.has_open_intent(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payments where booking_id = booking and escrow_status = 'pending'
    and stripe_payment_intent_id is not null)
$$;

-- Records why a step failed. A null message deletes the record, because the step succeeded. A new failure means that another
-- try was made, so the payout no longer counts as given up.
create function private.record_failure(payment uuid, step public.payment_step, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if message is null then
    delete from public.payment_failures f where f.payment_id = payment and f.step = record_failure.step;
    return;
  end if;
  insert into public.payment_failures as f (payment_id, step, person_id, message, code)
  select p.id, record_failure.step, case when record_failure.step = 'payout' then p.payee_id else p.payer_id end,
    left(record_failure.message, 500), left(record_failure.code, 100)
  from public.payments p where p.id = payment
  on conflict on constraint payment_failures_pkey do update set message = excluded.message, code = excluded.code, failed_at = now(),
    given_up = false;
end $$;

-- Open intents of bookings and changes whose time to pay is over; at most 100 of each. run-scheduled closes them at the provider,
-- then the booking or change can expire.
create function public.overdue_intents() returns table (payment_id uuid, payment_intent_id text)
language sql stable security definer set search_path = '' as $$
  (select p.id, p.stripe_payment_intent_id
  from public.bookings b join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
  where b.status = 'accepted' and private.has_open_intent(b.id)
    and private.payment_deadline(b, t.scheduled_date) <= now()
  order by p.id limit 100)
  union all
  (select p.id, p.stripe_payment_intent_id
  from public.payments p join public.booking_changes c on c.payment_id = p.id
  where p.escrow_status = 'pending' and p.part_of is not null and p.stripe_payment_intent_id is not null
    and (c.state <> 'accepted' or c.answer_by <= now())
  order by p.id limit 100)
$$;

-- Until when an accepted booking must be paid: within 14 days of acceptance, and before the work begins. If the work begins
-- within two hours of acceptance, or earlier, the deadline is two hours after acceptance. The twin of web/lib/payBy.ts.
create function private.pay_by(accepted_at timestamptz, scheduled_date timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select least(accepted_at + interval '14 days',
    case when scheduled_date is not null then greatest(scheduled_date, accepted_at + interval '2 hours') end)
$$;

create policy "both parties read their payments, admins all" on public.payments for select to authenticated
using (payer_id = (select auth.uid()) or payee_id = (select auth.uid()) or (select private.is_admin()));

create policy "givers release their own payments" on public.payments for update to authenticated
using (payer_id = (select auth.uid())) with check (payer_id = (select auth.uid()));

create policy "people read why their own card or account failed, admins all" on public.payment_failures for select
to authenticated using (person_id = (select auth.uid()) or (select private.is_admin()));

revoke all on public.payment_failures from service_role;
grant select on public.payment_failures to authenticated, service_role;
grant select, update (escrow_status, released_at) on public.payments to authenticated;
grant execute on function
  private.task_is_released(uuid), private.has_open_intent(uuid),
  private.pay_by(timestamp with time zone, timestamp with time zone)
to authenticated, service_role;
grant execute on function
  public.prepare_payment(uuid)
to authenticated;
