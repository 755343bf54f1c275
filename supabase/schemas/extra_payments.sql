-- Extra payments: the giver pays an increase, an expense or a tip by a second PaymentIntent of the same booking. Each is a row of
-- public.payments that names the booking's payment in part_of, with its own charge, ledger, receipt, transfer, refund and
-- disputes. It is held until the booking's payment has left escrow and then follows it; a tip is released at once. No tables.

set check_function_bodies = off;

-- The fees of a payment or change by its purpose: of the task and of an increase by the policy; none of an expense or a tip.
create function private.fees_of(purpose text, amount numeric)
returns table (platform_fee numeric, gst numeric, total numeric, payout_amount numeric)
language sql immutable set search_path = '' as $$
  select f.* from private.fees(amount) f where purpose not in ('expense', 'tip')
  union all
  select 0.00, 0.00, amount, amount where purpose in ('expense', 'tip')
$$;

-- The booking that a payment belongs to, also for an extra payment.
create function private.booking_of_payment(payment public.payments) returns uuid
language sql stable set search_path = '' as $$
  select coalesce(payment.booking_id, (select p.booking_id from public.payments p where p.id = payment.part_of))
$$;

-- Adds the id of an extra payment to the parameters of a notification about its money, because it has its own states.
create function private.extra_facts(payment public.payments) returns jsonb
language sql immutable set search_path = '' as $$
  select case when payment.part_of is null then '{}' else jsonb_build_object('payment', payment.id) end::jsonb
$$;

-- Whether the change of an extra payment can be paid now: accepted, in time, while the booking's money is held, or for a tip after
-- its release. With `charged`, a charge that Stripe reports is also taken late and while the money is frozen.
create function private.is_extra_payable(change public.booking_changes, main public.payments, charged boolean default false)
returns boolean language sql stable set search_path = '' as $$
  select change.state = 'accepted' and (charged or change.answer_by > now())
    and (case when change.kind = 'tip' then main.escrow_status = 'released'
      else main.escrow_status = 'held' or (charged and main.escrow_status = 'frozen') end)
$$;

-- The giver's tip after the release. Returns the id of its change, which is then paid like an increase. An unpaid tip of the same
-- amount is returned again, one of another amount is replaced.
create function public.give_tip(booking_id uuid, amount numeric) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  tip public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.lock_own_booking(give_tip.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  payment := private.lock_payment_of(booking.id);
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.tip_not_giver');
  perform private.require(payment.escrow_status = 'released', 'change.tip_too_early', 'booking_id');
  perform private.require(payment.released_at > now() - make_interval(days => private.rule('limits.tip.days')),
    'change.tip_too_late', 'booking_id', jsonb_build_object('days', private.rule('limits.tip.days')));
  perform private.require(exists (select from private.profiles p where p.id = booking.task_doer_id and p.deleted_at is null),
    'change.person_left', 'booking_id');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip'
    and c.state = 'done') < private.rule('limits.tip.count'), 'change.too_many_tips', 'booking_id',
    jsonb_build_object('max', private.rule('limits.tip.count')));
  perform private.check_change_amount(booking, payment, 'tip', amount);
  select * into tip from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip' and c.state = 'accepted';
  if tip.amount = give_tip.amount and tip.answer_by > now() then
    return tip.id;
  end if;
  if tip.id is not null then
    update public.booking_changes set state = 'withdrawn' where id = tip.id;
    perform private.close_extra_intent(tip);
  end if;
  insert into public.booking_changes (booking_id, kind, proposed_by, amount, state, answer_by)
  values (booking.id, 'tip', auth.uid(), give_tip.amount, 'accepted',
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into tip;
  perform private.schedule_tick(tip.answer_by);
  return tip.id;
end $$;

-- The data for paying an accepted change: its extra payment is created once, the same on every call. Returns what
-- public.prepare_payment returns.
create function public.prepare_change_payment(change_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  main public.payments;
  change public.booking_changes;
  extra public.payments;
begin
  change := private.lock_change(prepare_change_payment.change_id);
  select * into main from public.payments p where p.booking_id = change.booking_id;
  perform private.allow(main.payer_id = auth.uid(), 'payment.not_giver');
  perform private.require(change.state <> 'done' or change.kind = 'decrease', 'change.already_paid', 'change_id');
  perform private.require(change.kind <> 'decrease' and change.state = 'accepted', 'change.not_open', 'change_id');
  perform private.require(change.answer_by > now(), 'change.lapsed', 'change_id');
  if change.kind <> 'tip' then
    perform private.check_price_open(main);
  end if;
  if change.payment_id is null then
    insert into public.payments (part_of, purpose, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
    select main.id, change.kind::text::public.payment_purpose, main.task_id, main.payer_id, main.payee_id, change.amount,
      f.platform_fee, f.gst, f.total, f.payout_amount
    from private.fees_of(change.kind::text, change.amount) f returning * into extra;
    update public.booking_changes set payment_id = extra.id where id = change.id;
  else
    select * into strict extra from public.payments p where p.id = change.payment_id for no key update;
  end if;
  return private.payment_order(extra);
end $$;

-- Lowers the price of a held payment. The difference goes back with its fees when the payment is settled.
create function private.reduce_payment(payment public.payments, less numeric) returns void
language plpgsql set search_path = '' as $$
declare
  price constant numeric := payment.amount - payment.reduction - less;
begin
  perform private.require(price >= private.marketplace_number('pay.min'), 'change.amount_too_high', 'amount',
    jsonb_build_object('max', payment.amount - payment.reduction - private.marketplace_number('pay.min')));
  update public.payments set reduction = reduction + less, payout_amount = (select f.payout_amount from private.fees(price) f)
  where id = payment.id;
end $$;

-- Has run-scheduled close the intent of a change that ended, so that nobody pays for it.
create function private.close_extra_intent(change public.booking_changes) returns void
language plpgsql set search_path = '' as $$
begin
  if change.payment_id is not null then
    perform private.schedule_tick(now());
  end if;
end $$;

-- Follows a successful charge of an extra payment, which is locked with its booking and its main payment: the change takes effect.
-- If it has ended, or the main payment has left escrow, all of the charge goes back.
create function private.apply_extra_charge(extra public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  main public.payments;
  change public.booking_changes;
begin
  select * into strict main from public.payments where id = extra.part_of;
  select * into strict change from public.booking_changes where payment_id = extra.id for no key update;
  if not private.is_extra_payable(change, main, charged => true) then
    perform private.settle_payment(extra.id, 'cancellation', 'refunded', 0, extra.total, 0);
    update public.booking_changes set state = 'lapsed' where id = change.id and state = 'accepted';
    return;
  end if;
  update public.booking_changes set state = 'done', done_at = now() where id = change.id returning * into change;
  if change.kind = 'tip' then
    perform private.settle_payment(extra.id, 'release', 'released', extra.payout_amount, 0, 0);
  end if;
  perform private.notify_change(change, b) from public.bookings b where b.id = main.booking_id;
end $$;

-- The end of an extra payment once the main payment has left escrow: release, refund, or cancellation (its fee is kept). Only
-- a giver's cancellation and a complaint keep or return a part; expenses are paid in full unless the tasker cancels.
create function private.outcome_of_extra(extra public.payments, main public.payments, booking public.bookings) returns text
language sql stable set search_path = '' as $$
  select case
    when main.escrow_status = 'released' then 'release'
    when booking.status = 'cancelled' then case
      when booking.cancelled_by is distinct from booking.task_giver_id then 'refund'
      when extra.purpose = 'expense' then 'release' else 'cancellation' end
    when exists (select from public.complaints c where c.payment_id = main.id and c.extras_returned) then 'refund'
    else 'release' end
$$;

-- Settles an extra payment that is held although the main payment has left escrow. Anything else stays as it is.
create function private.settle_extra(extra_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  extra public.payments;
  main public.payments;
  booking public.bookings;
  outcome text;
  kept record;
begin
  select * into extra from public.payments p where p.id = extra_id and p.part_of is not null for no key update;
  select * into main from public.payments p where p.id = extra.part_of;
  if extra.escrow_status is distinct from 'held' or main.escrow_status not in ('released', 'refunded') then
    return;
  end if;
  select * into strict booking from public.bookings b where b.id = main.booking_id;
  outcome := private.outcome_of_extra(extra, main, booking);
  if outcome = 'release' then
    perform private.settle_payment(extra.id, 'release', 'released', extra.payout_amount, 0, extra.gst * 2);
  elsif outcome = 'refund' then
    perform private.settle_payment(extra.id, 'cancellation', 'refunded', 0, extra.total, 0);
  else
    select * into strict kept from private.fees(extra.cancellation_fee);
    perform private.settle_payment(extra.id, 'cancellation', 'refunded', kept.payout_amount, extra.total - extra.cancellation_fee, kept.gst);
  end if;
end $$;

-- Ends the open changes of a booking whose main payment has left escrow, and settles its extra payments that are held. One that is
-- frozen by a dispute follows when that is over.
create function private.settle_extras(main uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.close_extra_intent(c) from public.booking_changes c join public.payments p on p.booking_id = c.booking_id
  where p.id = main and c.state in ('proposed', 'accepted');
  update public.booking_changes c set state = 'lapsed' from public.payments p
  where p.id = main and c.booking_id = p.booking_id and c.state in ('proposed', 'accepted');
  perform private.settle_extra(e.id) from (
    select p.id from public.payments p where p.part_of = main and p.escrow_status = 'held' order by p.id) e;
end $$;

-- Sums of the settled extra payments of a booking's payment: dollars that go back and dollars for the tasker. With `facts` among
-- its parameters, the e-mail of a notification does not list the amounts of the main payment alone.
create function private.extra_sums(main uuid, out refund numeric, out payout numeric, out facts jsonb)
language sql stable set search_path = '' as $$
  select coalesce(sum(refund_amount), 0), coalesce(sum(payout_amount), 0),
    case when count(*) = 0 then '{}' else jsonb_build_object('payment', main) end::jsonb
  from public.payments where part_of = main and purpose <> 'tip' and escrow_status in ('released', 'refunded')
$$;

-- Sets what a cancelling giver pays of each increase: the same share as of the task, and no flat fee. Returns the sum.
create function private.charge_extras(main uuid, scheduled timestamptz) returns numeric
language plpgsql set search_path = '' as $$
begin
  update public.payments p set cancellation_fee = private.cancellation_share(p.amount, scheduled, now())
  where p.part_of = main and p.purpose = 'increase' and p.escrow_status in ('held', 'frozen')
    and private.cancellation_share(p.amount, scheduled, now()) > 0;
  return (select coalesce(sum(p.cancellation_fee), 0) from public.payments p where p.part_of = main);
end $$;

grant execute on function
  public.give_tip(uuid, numeric), public.prepare_change_payment(uuid)
to authenticated;
