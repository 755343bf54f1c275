-- Gives functions of refunds, disputes and losses plain names. Callers with later names follow in the next migration.
set check_function_bodies = off;

create or replace function private.apply_dispute(payment uuid, kind text, dispute jsonb, at timestamptz) returns text
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

create or replace function private.apply_outside_refund(payment uuid, refund jsonb, at timestamptz) returns text
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

create or replace function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  select b.* into strict booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = payment for no key update of b;
  select * into strict paid from public.payments where id = payment for no key update;

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
  perform private.note_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if booking.status = 'accepted' then
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

create or replace function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  is_news boolean;
begin
  perform private.lock_booking_and_payment(payment);
  select * into strict known from public.payments where id = payment;
  if refund ->> 'id' = any (known.closed_refunds) then
    return null; -- its failure is already known
  elsif known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100
      or exists (select from public.outside_refunds r where r.id = refund ->> 'id')
      or (known.refund_status = 'sent' and known.stripe_refund_id <> refund ->> 'id') then
    return private.apply_outside_refund(payment, refund, at);
  end if;

  is_news := private.record_sent_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    if is_news then
      perform private.notify_refund(known, 'refund_sent', known.refund_amount);
    end if;
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.note_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  perform private.notify_refund(known, 'refund_returned', known.refund_amount);
  return 'a refund came back: it must be sent another way';
end $$;

create function private.close_lost_payment(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
  by_bank constant boolean := exists (select from public.disputes d where d.payment_id = payment.id and d.lost > 0);
begin
  select status into strict stage from public.bookings where id = payment.booking_id;
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now(),
    settled_loss = lost_amount where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount, decided_at = now(),
    decision_note = case when by_bank then 'The bank of the card holder took the payment back.'
      else 'The payment was sent back to the card.' end
  where payment_id = payment.id and decision is null;
  perform private.end_unpaid_booking(payment, stage);
  perform private.notify_parties(payment, case when by_bank then 'chargeback_lost' else 'payment_sent_back' end);
end $$;

create function private.end_unpaid_booking(payment public.payments, stage public.booking_status) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set updated_at = now(),
    status = case when stage = 'completed' then 'completed' else 'cancelled' end::public.task_status
  where id = payment.task_id and status = 'assigned';
  if stage = 'in_progress' then
    perform private.set_actor('payment');
    update public.bookings set status = 'cancelled', cancellation_reason = 'The payment was taken back.'
    where id = payment.booking_id;
    perform private.set_actor(null);
  end if;
end $$;

create or replace function private.gather_emails(max_people integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
  events bigint[];
  email uuid;
begin
  -- An e-mail after a week is news no more; it could not be sent because there was no mail server.
  delete from private.email_events where email_id is null and due_at < now() - interval '7 days';
  delete from private.emails where status <> 'waiting' and created_at < now() - interval '30 days';
  for person in select e.person_id from private.email_events e where e.email_id is null and e.due_at <= now()
    group by e.person_id order by min(e.due_at) limit max_people
  loop
    -- Who gathers the same person's events at this moment has them locked.
    select array_agg(w.id) into events from (
      select e.id from private.email_events e where e.person_id = person and e.email_id is null
        and (e.key <> 'message_received' or e.due_at <= now()) order by e.id for update skip locked) w;
    delete from private.email_events e using private.notification_texts t
    where e.id = any (events) and t.key = e.key and (private.email_address(person) is null
      or not private.wants_email(person, t.kind) or private.is_outdated(e));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

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
    perform private.notify_person(due.payee_id, 'payout_given_up', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout'))), '/profile?tab=payout');
  end if;
end $$;

create function private.is_outdated(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
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
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create function private.lock_booking_and_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b join public.payments p on p.booking_id = b.id where p.id = payment for no key update of b;
  perform from public.payments where id = payment for no key update;
end $$;

create function private.notify_parties(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(payment.booking_id));
end $$;

create function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', reason)), private.booking_link(refunded.booking_id));
end $$;

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

create or replace function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  refilled public.notifications;
  texts private.notification_texts;
  name text;
  value text;
begin
  select * into refilled from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = refilled.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  refilled.params := refilled.params || changed;
  for name, value in select * from jsonb_each_text(refilled.params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  update public.notifications set params = refilled.params, title = texts.title, message = texts.message where id = notification;
end $$;
