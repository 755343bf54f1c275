-- Notifications name the other person of an accepted booking in full, and a cancellation answers beforehand what the task becomes.
set check_function_bodies = off;

create function private.listing_after(booking public.bookings, closes boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when booking.status = 'pending' then null
    when closes or exists (select from public.tasks t where t.id = booking.task_id and t.scheduled_date <= now()) then 'closed'
    when private.is_suspended(booking.task_giver_id) then 'on_hold'
    else 'listed_again' end;
end $$;

create function private.name_for(reader uuid, person uuid, booking uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(
    (select to_jsonb(case
        when exists (select from public.bookings b where b.status in ('accepted', 'in_progress', 'completed')
          and (b.task_giver_id, b.task_doer_id) in ((reader, person), (person, reader)))
        or exists (select from public.bookings b where b.id = name_for.booking and b.accepted_at is not null
          and (b.task_giver_id, b.task_doer_id) in ((reader, person), (person, reader)))
      then p.full_name else p.short_name end) from private.profiles p where p.id = person),
    (select private.coded('deleted_user') where private.is_account_deleted(person)), '"Someone"')
$$;

create or replace function private.named(person uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('profile', person)
$$;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
  booking constant uuid := private.booking_of_event(person, event_params, event_link);
begin
  event_params := private.with_words(private.with_names(event_params, person, booking));
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  if texts.part is not null then
    place := coalesce(private.booking_link(booking) || '&part=' || texts.part, event_link);
  elsif event_link = '/bookings' and exists (select from private.profiles p where p.id = person and cardinality(p.roles) > 1) then
    place := coalesce(private.booking_link(booking), event_link);
  end if;
  insert into public.notifications as n (user_id, title, message, link, key, params, subject_key, delivered_keys)
  select id, private.filled_text(texts.title, event_params), private.filled_text(texts.message, event_params), place, event_key,
    event_params, event_subject_key, array[event_key]
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind)
  on conflict (user_id, subject_key) where subject_key is not null and not read do update set title = excluded.title,
    message = excluded.message, link = excluded.link, key = excluded.key, params = excluded.params, created_at = now(),
    delivered_keys = case when excluded.key = any (n.delivered_keys) then n.delivered_keys else n.delivered_keys || excluded.delivered_keys end;
  perform private.queue_push(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  end if;
end $$;

create or replace function private.person_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select private.with_words(jsonb_build_object('person', private.name_for(null, person, null))) ->> 'person'
$$;

create or replace function private.queue_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from private.email_events e where e.key = 'message_received' and e.person_id = message.receiver_id
      and e.booking_id = message.booking_id)
  then
    perform private.queue_email(message.receiver_id, 'message_received',
      private.with_words(private.with_names(jsonb_build_object(
        'person', private.named(message.sender_id), 'booking', message.booking_id,
        'task', (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = message.booking_id)),
        message.receiver_id, message.booking_id)),
      private.booking_link(message.booking_id));
  end if;
end $$;

create function private.with_names(params jsonb, reader uuid, booking uuid) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce(jsonb_object_agg(name, private.name_for(reader, (value ->> 'profile')::uuid, booking)), '{}')
  from jsonb_each(params) as each (name, value) where jsonb_typeof(value) = 'object' and value ? 'profile'
$$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  refund numeric := 0;
  split record;
  facts jsonb;
  outcome text;
  answer text;
  listing text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);
  select * into strict task from public.tasks where id = booking.task_id;
  listing := private.listing_after(booking, not list_again and caller = booking.task_giver_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    facts := jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund,
      'listing', private.coded(listing));
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_giver_id, 'own_booking_cancelled', facts, '/bookings');
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    else
      perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', facts, '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if listing = 'closed' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint,
    'listing', listing);
end $$;

create or replace function public.prepare_cancellation(booking_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  booking := private.cancellable_booking(prepare_cancellation.booking_id);
  select * into payment from public.payments p where p.booking_id = booking.id
    and private.has_open_intent(booking.id);
  return jsonb_build_object('payment_id', payment.id, 'payment_intent_id', payment.stripe_payment_intent_id,
    'listing', private.listing_after(booking, false));
end $$;

update private.notification_texts
set message = '{{person}} cancelled the booking for "{{task}}". Fee {{fee, money}}, refund {{refund, money}}. {{listing}}'
where key = 'booking_cancelled_refund';
