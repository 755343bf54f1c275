-- Changes of a price after the agreement: functions, part 4.
set check_function_bodies = off;

create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.notify_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', private.extra_facts(due) || jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.coded(private.abandoned_payout_reason((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout')))), '/profile?tab=payout');
  end if;
end $$;

create function private.is_extra_payable(change public.booking_changes, main public.payments, charged boolean default false)
returns boolean language sql stable set search_path = '' as $$
  select change.state = 'accepted' and (charged or change.answer_by > now())
    and (case when change.kind = 'tip' then main.escrow_status = 'released'
      else main.escrow_status = 'held' or (charged and main.escrow_status = 'frozen') end)
$$;

create or replace function private.is_outdated_event(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key in ('increase_proposed', 'expense_submitted', 'decrease_proposed') then not exists (
      select from public.booking_changes c where c.id = (event.params ->> 'change')::uuid and c.state = 'proposed')
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending'
        and event.params ->> 'person' in (private.full_name(v.user_id), private.person_name(v.user_id)))
    when event.key = 'searches_matched' then event.params ? 'ids' and private.alerted_tasks(event.person_id, event.params -> 'ids') is null
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on case when event.params ? 'payment' then p.id = (event.params ->> 'payment')::uuid
      else p.booking_id = b.id end
    left join public.complaints c on c.booking_id = b.id
$$;

create or replace function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
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

create or replace function private.lock_booking_and_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b where b.id = (
    select private.booking_of_payment(p) from public.payments p where p.id = payment) for no key update;
  perform from public.payments where id = (select part_of from public.payments where id = payment) for no key update;
  perform from public.payments where id = payment for no key update;
end $$;

create function private.lock_change(change_id uuid) returns public.booking_changes
language plpgsql set search_path = '' as $$
declare
  found_booking constant uuid := (select c.booking_id from public.booking_changes c where c.id = lock_change.change_id);
  change public.booking_changes;
begin
  perform private.require(private.is_party(found_booking), 'change.not_found', 'change_id');
  perform private.require_own_booking(found_booking);
  perform private.lock_payment_of(found_booking);
  select * into change from public.booking_changes c where c.id = lock_change.change_id for no key update;
  return change;
end $$;

create function private.require_own_booking(booking_id uuid) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = require_own_booking.booking_id for no key update;
  perform private.require(booking.id is not null and auth.uid() in (booking.task_doer_id, booking.task_giver_id),
    'booking.not_found', 'booking_id');
  return booking;
end $$;

create function private.notify_change(change public.booking_changes, booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  by_tasker constant boolean := change.proposed_by = booking.task_doer_id;
  other constant uuid := case when by_tasker then booking.task_giver_id else booking.task_doer_id end;
  event constant text := case change.state
    when 'proposed' then case change.kind when 'increase' then 'increase_proposed' when 'expense' then 'expense_submitted'
      else 'decrease_proposed' end
    when 'done' then case change.kind when 'decrease' then 'decrease_accepted' when 'tip' then 'tip_received' else 'change_paid' end
    when 'declined' then 'change_declined' when 'lapsed' then 'change_lapsed' end;
  reader constant uuid := case when change.state = 'proposed' then other
    when change.state = 'done' and change.kind <> 'decrease' then booking.task_doer_id else change.proposed_by end;
begin
  if event is null or (change.kind = 'tip' and change.state <> 'done') then
    return;
  end if;
  perform private.notify_person(reader, event, jsonb_build_object('change', change.id, 'amount', change.amount,
    'total', (select f.total from private.fees_of(change.kind::text, change.amount) f), 'task', private.task_title(booking.id),
    'person', private.named(case when reader = booking.task_doer_id then booking.task_giver_id else booking.task_doer_id end),
    'at', change.answer_by, 'when', private.day_and_time(change.answer_by)), private.booking_link(booking.id));
end $$;

create or replace function private.notify_parties(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := private.extra_facts(payment)
    || jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(private.booking_of_payment(payment)));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(private.booking_of_payment(payment)));
end $$;

create or replace function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking constant uuid := private.booking_of_payment(refunded);
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = booking
    and (e.params ->> 'payment') is not distinct from (private.extra_facts(refunded) ->> 'payment')
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, private.extra_facts(refunded) || jsonb_strip_nulls(jsonb_build_object(
    'amount', amount, 'task', (select title from public.tasks where id = refunded.task_id), 'reason', private.coded(reason))),
    private.booking_link(booking));
end $$;

create or replace function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  extras constant record := private.extra_sums(payment.id);
  news constant jsonb := extras.facts || jsonb_build_object('person', private.named(payment.payer_id),
    'amount', payment.payout_amount + extras.payout, 'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

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

create function private.payment_order(payment public.payments) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_idempotency_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', private.booking_of_payment(payment), 'task_id', payment.task_id)
$$;

create or replace function private.payout_basis(payment public.payments, out basis public.receipt_basis, out amount numeric)
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

create or replace function private.queue_email(
  person uuid, event_key text, event_params jsonb, event_link text, event_subject_key text default null, repeated boolean default false
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  booking uuid;
  place text;
  due timestamptz;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  if not private.wants_email(person, texts.kind) or private.email_address(person) is null then
    return;
  end if;
  booking := private.booking_of_event(person, event_params, event_link);
  place := coalesce(event_link, '/dashboard');
  if event_subject_key is not null then
    update private.email_events e set key = event_key, params = event_params, link = place, booking_id = booking, created_at = now()
    where e.person_id = person and e.subject_key = event_subject_key and e.email_id is null;
    if found or repeated then
      return;
    end if;
  end if;
  select now() + gather into strict due from private.notification_kinds k where k.kind = texts.kind;
  insert into private.email_events (person_id, key, params, link, booking_id, amounts, due_at, subject_key)
  values (person, event_key, event_params, place, booking,
    case when event_params ?| '{payment,change}' then '[]' else private.amount_lines(texts.amounts, booking) end, due, event_subject_key)
  on conflict do nothing;
  if found then
    perform private.schedule_emails(due);
  end if;
end $$;

create or replace function private.queue_payout(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into strict due from public.payments where id = payment;
  if due.payout_amount = 0 or due.payout_status not in ('none', 'waiting') then
    return;
  end if;
  if exists (select from public.payout_accounts where user_id = due.payee_id and account_status = 'active') then
    update public.payments set payout_status = 'queued' where id = payment;
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment), 'payout-' || payment);
  elsif due.payout_status = 'none' then
    update public.payments set payout_status = 'waiting' where id = payment;
    perform private.notify_person(due.payee_id, 'payout_waiting', private.extra_facts(due) || jsonb_build_object(
      'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
  end if;
end $$;

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
