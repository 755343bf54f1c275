-- Changes of a price after the agreement: functions, part 1.
set check_function_bodies = off;

create or replace function private.after_payment_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.escrow_status <> new.escrow_status then
    perform private.document_payment(new, old);
  end if;
  if (new.payout_status = 'failed' and old.payout_status <> 'failed')
    or (new.refund_status = 'failed' and old.refund_status <> 'failed')
  then
    perform private.notify_failed_transfer(new, old);
  end if;
  if old.escrow_status = 'held' and new.escrow_status = 'released' and new.part_of is null then
    if new.reduction = 0 then
      perform private.settle_payment(new.id, 'release', 'released', new.payout_amount, 0, new.gst * 2);
    else
      perform private.settle_decision(new, 0, 'released', 'release');
    end if;
    perform private.settle_extras(new.id);
    perform private.complete_task(new.task_id);
    perform private.notify_release(new);
  end if;
  if old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded') and new.part_of is null then
    perform private.recount_parties(new);
    perform private.request_reviews(new.booking_id);
  end if;
  if old.escrow_status = 'held' and new.escrow_status <> 'held' then
    perform private.mark_confirmation_notice_read(new);
  end if;
  return null;
end $$;

create or replace function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  -- The labels in English, for the version before.
  labels constant jsonb := '{"task": "Task amount", "task_as_decided": "Task amount, as decided", "paid": "You paid",
    "cancellation_fee": "Cancellation fee", "platform_fee": "Platform fee (%s%%)", "payout": "You receive",
    "kept": "Kept for the work, with its fees", "returned_before": "Already returned to your card", "refund": "Goes back to you"}'
    || jsonb_build_object('gst', (private.marketplace() #>> '{texts,tax}') || ' (%s%%)');
  fee constant numeric := private.marketplace_number('fees.platformPercent');
  gst constant numeric := private.marketplace_number('tax.percent');
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('task', paid.amount), jsonb_build_array('platform_fee', paid.platform_fee, fee),
      jsonb_build_array('gst', paid.gst, gst), jsonb_build_array('paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount - paid.reduction
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount - paid.reduction
        then 'task_as_decided' else 'task' end, base),
      jsonb_build_array('platform_fee', -parts.platform_fee, fee), jsonb_build_array('gst', -parts.gst, gst),
      jsonb_build_array('payout', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('cancellation_fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('kept', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('returned_before', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('refund', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('line', line -> 0, 'percent', line -> 2, 'amount', line -> 1,
    'label', format(labels ->> (line ->> 0), line ->> 2)))) from jsonb_array_elements(lines) line);
end $$;

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

create or replace function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  perform private.lock_booking_and_payment(payment);
  select * into strict paid from public.payments where id = payment;
  select * into strict booking from public.bookings where id = private.booking_of_payment(paid);

  if paid.stripe_payment_intent_id is not null and paid.stripe_payment_intent_id <> intent ->> 'id' then
    return 'another payment intent pays this payment: refund this one by hand';
  elsif paid.escrow_status <> 'pending' then
    return null;
  elsif coalesce((intent ->> 'amount_received')::bigint, (intent ->> 'amount')::bigint) is distinct from paid.total * 100
      or lower(intent ->> 'currency') is distinct from lower(paid.currency) then
    return 'the amount charged is not the total of this payment';
  end if;

  update public.payments set escrow_status = 'held', held_at = now(),
    stripe_payment_intent_id = intent ->> 'id', stripe_charge_id = intent ->> 'latest_charge'
  where id = payment;
  perform private.record_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if paid.part_of is not null then
    perform private.apply_extra_charge(paid);
  elsif booking.status = 'accepted' then
    perform private.set_actor('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.set_actor(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  perform private.apply_earlier_events(payment, intent ->> 'id');
  perform private.update_disputed_payment(payment); -- a dispute that was reported before the charge itself
  return null;
end $$;

create function private.booking_of_payment(payment public.payments) returns uuid
language sql stable set search_path = '' as $$
  select coalesce(payment.booking_id, (select p.booking_id from public.payments p where p.id = payment.part_of))
$$;

create or replace function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    private.cancellation_share(amount, scheduled, at),
    round(private.marketplace_number('fees.cancellationFlatCents') / 100, 2)))
$$;

create function private.cancellation_share(amount numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select round(amount * percent / 100, 2)
  from jsonb_to_recordset(private.marketplace() #> '{fees,cancellation}') as step ("underHours" numeric, percent numeric)
  where scheduled - at < "underHours" * interval '1 hour' order by "underHours" limit 1
$$;

create function private.changed_amount(booking uuid, wanted public.change_kind) returns numeric
language sql stable set search_path = '' as $$
  select coalesce(sum(amount), 0) from public.booking_changes
  where booking_id = booking and kind = wanted and state in ('proposed', 'accepted', 'done')
$$;

create function private.charge_extras(main uuid, scheduled timestamptz) returns numeric
language plpgsql set search_path = '' as $$
begin
  update public.payments p set cancellation_fee = private.cancellation_share(p.amount, scheduled, now())
  where p.part_of = main and p.purpose = 'increase' and p.escrow_status in ('held', 'frozen')
    and private.cancellation_share(p.amount, scheduled, now()) > 0;
  return (select coalesce(sum(p.cancellation_fee), 0) from public.payments p where p.part_of = main);
end $$;

create function private.check_change_amount(
  booking public.bookings, payment public.payments, kind public.change_kind, amount numeric
) returns void language plpgsql stable set search_path = '' as $$
declare
  price constant numeric := payment.amount - payment.reduction;
  lowest constant numeric := private.rule('limits.change.min');
  highest numeric := case kind
    when 'increase' then private.marketplace_number('pay.max') - price - private.changed_amount(booking.id, 'increase')
    when 'decrease' then price - private.marketplace_number('pay.min')
    when 'expense' then booking.expense_limit - private.changed_amount(booking.id, 'expense')
    else private.rule('limits.tip.max') end;
begin
  perform private.require(amount >= lowest, 'change.amount_too_low', 'amount', jsonb_build_object('min', lowest));
  -- PostgreSQL counts NaN as the largest number.
  perform private.require(amount <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', greatest(highest, 0)));
  perform private.require(amount = round(amount, 2), 'change.amount_too_precise', 'amount');
end $$;

create function private.check_price_open(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require(payment.escrow_status = 'held', case when payment.escrow_status in ('released', 'refunded')
    then 'payment.already_settled' when payment.escrow_status = 'frozen' then private.freeze_reason_code(payment)
    else 'payment.not_held' end, 'booking_id');
end $$;

create or replace function private.check_release(payment public.payments, before public.payments) returns public.payments
language plpgsql set search_path = '' as $$
begin
  if payment.escrow_status = before.escrow_status then
    perform private.require(before.escrow_status = 'released', 'payment.unchanged', 'escrow_status');
    return before; -- a second release of the same payment changes nothing
  end if;
  perform private.require(payment.escrow_status = 'released', 'payment.only_release', 'escrow_status');
  perform private.allow(payment.payer_id = auth.uid(), 'payment.release_not_giver');
  perform private.require(before.part_of is null, 'payment.follows_booking', 'escrow_status');
  perform private.require(before.escrow_status = 'held', case before.escrow_status
    when 'pending' then 'payment.not_held'
    when 'frozen' then private.freeze_reason_code(before)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = payment.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  payment.released_at := now();
  payment.updated_at := now();
  return payment;
end $$;

create function private.close_extra_intent(change public.booking_changes) returns void
language plpgsql set search_path = '' as $$
begin
  if change.payment_id is not null then
    perform private.schedule_tick(now());
  end if;
end $$;

create or replace function private.close_lost_payment(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
  by_bank constant boolean := exists (select from public.disputes d where d.payment_id = payment.id and d.lost > 0);
begin
  select status into strict stage from public.bookings where id = private.booking_of_payment(payment);
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now(),
    settled_loss = lost_amount where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount - payment.reduction, extras_returned = true, decided_at = now(),
    decision_note = case when by_bank then 'The bank of the card holder took the payment back.'
      else 'The payment was sent back to the card.' end
  where payment_id = payment.id and decision is null;
  if payment.part_of is null then
    perform private.end_unpaid_booking(payment, stage);
    perform private.settle_extras(payment.id);
  end if;
  perform private.notify_parties(payment, case when by_bank then 'chargeback_lost' else 'payment_sent_back' end);
end $$;

create or replace function private.count_public_figures() returns void
language sql security definer set search_path = '' as $$
  with month as (
    select date_trunc('month', now() at time zone private.time_zone()) as ends
  ), paid as (
    select p.payee_id, sum(p.payout_amount) as amount
    from public.payments p, month
    where p.released_at >= (month.ends - interval '1 month') at time zone private.time_zone()
      and p.released_at < month.ends at time zone private.time_zone() and p.payout_status = 'sent'
    group by 1
  ), people as (
    select count(*) as active, count(*) filter (where exists (
      select from public.user_roles r where r.user_id = p.id and r.role = 'task_doer')) as taskers
    from private.profiles p where p.deleted_at is null and p.last_active > now() - interval '30 days'
  ), reviewed as (
    select avg(r.rating) as rating, count(distinct r.reviewer_id) as people
    from public.reviews r where r.visible_from <= now() and r.hidden_at is null
  )
  insert into private.public_figures as f (counted_at, active_users, tasks_completed, active_taskers, monthly_earnings, rating)
  select now(), private.rounded_down(people.active),
    (select private.rounded_down(count(*)) from public.tasks t where t.status = 'completed'),
    private.rounded_down(people.taskers),
    (select case when count(*) >= 10 then private.rounded_down(avg(paid.amount)) end from paid),
    case when reviewed.people >= 10 then floor(reviewed.rating * 10) / 10 end
  from people, reviewed
  on conflict (single) do update set counted_at = excluded.counted_at, active_users = excluded.active_users,
    tasks_completed = excluded.tasks_completed, active_taskers = excluded.active_taskers,
    monthly_earnings = excluded.monthly_earnings, rating = excluded.rating
$$;

create or replace function private.deletion_obstacle(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case
    when exists (select from public.complaints c where person in (c.giver_id, c.tasker_id) and c.decision is null)
      then 'account.complaint_open'
    when exists (select from public.payments p where person in (p.payer_id, p.payee_id)
        and (p.escrow_status in ('held', 'frozen')
          or (p.part_of is not null and p.escrow_status = 'pending' and p.stripe_payment_intent_id is not null)
          or exists (select from public.bookings b where b.id = p.booking_id and b.status = 'accepted'
            and private.has_open_intent(b.id))))
      then 'account.money_held'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status in ('waiting', 'failed'))
      then 'account.payout_waiting'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status = 'queued'
        or p.payer_id = person and p.refund_status in ('queued', 'failed'))
      then 'account.money_on_its_way'
  end
$$;

create function private.erase_changes(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.booking_changes c set state = 'lapsed' from public.bookings b
  where b.id = c.booking_id and person in (b.task_giver_id, b.task_doer_id) and c.state in ('proposed', 'accepted');
  update public.booking_changes set reason = null, photos = '{}' where proposed_by = person and (reason is not null or photos <> '{}');
end $$;
