-- Named steps of what happens before and after a change of messages and settings; notifications in one syntax (1 of 2).
set check_function_bodies = off;

create function private.after_message_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_message(new);
  perform private.queue_message_email(new);
  perform private.recount_response_rate(new);
  return null;
end $$;

create function private.after_message_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (old.hidden_at is null) <> (new.hidden_at is null) then
    perform private.announce_hidden_message(new);
    if new.hidden_at is not null then
      perform private.redact_hidden_message(new);
    end if;
    if new.photo is not null then
      perform private.queue_file_moves();
    end if;
  end if;
  if old.read_at is null and new.read_at is not null then
    perform private.delete_message_email(new);
    perform private.mark_message_notice_read(new);
  end if;
  return null;
end $$;

create function private.after_push_subscription_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('browsers_subscribed');
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
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount
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

create function private.announce_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  perform realtime.send('{}', 'hidden', 'chat:' || message.booking_id, true);
end $$;

create function private.before_message_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_message(new);
  perform private.require(new.photo is not null or length(new.message) >= 1, 'message.empty', 'message');
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.chatMessage.max'),
    'message.too_long', 'message');
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.sender_id = auth.uid(), 'message.not_own');
  perform private.allow(private.may_chat(new.booking_id, new.sender_id, new.receiver_id), 'message.not_allowed');
  perform private.limit_client('messages_sent');
  perform private.require(new.photo is null or private.has_uploaded_photo(new), 'message.photo_missing', 'photo');
  return new;
end $$;

create function private.before_message_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new := private.mark_message_read(new, old);
  end if;
  return new;
end $$;

create function private.before_notification_preference_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.email or not private.is_required(new.kind), 'notification.required_kind', 'email');
  perform private.require(new.bell or not private.is_required(new.kind), 'notification.required_kind', 'bell');
  new := private.stamp_preference(new);
  return new;
end $$;

create function private.before_notification_update() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.read and new.subject_key is not null then
    new := private.clear_subject_key(new);
  end if;
  return new;
end $$;

create function private.clear_subject_key(notification public.notifications) returns public.notifications
language plpgsql immutable set search_path = '' as $$
begin
  notification.subject_key := null;
  return notification;
end $$;

create or replace function private.day_and_time(at timestamptz) returns text language sql stable set search_path = '' as $$
  select to_char(at at time zone private.time_zone(), 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

create function private.delete_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events
  where key = 'message_received' and person_id = message.receiver_id and booking_id = message.booking_id;
end $$;

create function private.describe_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(case fact ->> 'what'
      when 'price' then format('the price is now $%s', to_char((fact ->> 'amount')::numeric, 'FM999999990.00'))
        || coalesce((select format(', your application stays at $%s', to_char((stays ->> 'amount')::numeric, 'FM999999990.00'))
          from jsonb_array_elements(facts) stays where stays ->> 'what' = 'stays'), '')
      when 'time' then 'the time is now ' || private.day_and_time((fact ->> 'at')::timestamptz) || ', ' || (private.marketplace() #>> '{texts,clock}')
      when 'anytime' then 'any time suits now'
      when 'place' then 'the place is now ' || (fact ->> 'place')
      else (select words from private.task_changes() where what = fact ->> 'what') end, '; ' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

create function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(replace(template, '{{clock}}', private.marketplace() #>> '{texts,clock}'),
    '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;

create function private.erase_emails(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events where person_id = person;
  delete from private.emails where person_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from private.mail_events where person_id = person;
  delete from private.suppressed_addresses where id = person;
  delete from public.notification_preferences where user_id = person;
end $$;

create function private.erase_push(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.push_subscriptions where user_id = person;
  delete from public.quiet_hours where user_id = person;
end $$;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind
  cross join lateral (
    select coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{{task}}"' else t.title end) as subject) s
  where e.email_id = email
$$;

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
      or not private.wants_email(person, t.kind) or private.is_outdated_event(e));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

create function private.has_uploaded_photo(message public.messages) returns boolean
language sql stable set search_path = '' as $$
  select message.photo = message.booking_id || '/' || message.id || '.jpg'
    and exists (select from storage.objects where bucket_id = 'chat-photos' and name = message.photo
      and owner_id = message.sender_id::text)
$$;

create function private.is_outdated_event(event private.email_events) returns boolean
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

create function private.limit_settings_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  return null;
end $$;

create function private.mark_message_notice_read(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = message.receiver_id and not read and key = 'message_received'
    and params ->> 'booking' = message.booking_id::text;
end $$;

create function private.mark_message_read(message public.messages, before public.messages) returns public.messages
language plpgsql stable set search_path = '' as $$
begin
  message.read_at := case when message.status = 'read' or message.read_at is not null
    then coalesce(before.read_at, now()) else before.read_at end;
  message.status := case when message.read_at is null then before.status else 'read' end;
  return message;
end $$;

create or replace function private.merged_changes(earlier jsonb, later jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  same constant jsonb := '{"stays": "price", "anytime": "time"}';
  facts jsonb;
begin
  if not (earlier ? 'changed' and later ? 'changed') then
    return later;
  end if;
  select jsonb_agg(fact order by array_position(array(select what from private.task_changes()), fact ->> 'what')) into facts
  from (select fact from jsonb_array_elements(later -> 'changed') fact
    union all select fact from jsonb_array_elements(earlier -> 'changed') fact where not exists (
      select from jsonb_array_elements(later -> 'changed') newer
      where coalesce(same ->> (newer ->> 'what'), newer ->> 'what') = coalesce(same ->> (fact ->> 'what'), fact ->> 'what'))) all_facts;
  return later || jsonb_build_object('changed', facts, 'changes', private.describe_changes(facts));
end $$;

create function private.notify_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.messages m where m.receiver_id = message.receiver_id and m.booking_id = message.booking_id
      and m.read_at > now() - interval '2 minutes')
    or exists (select from public.notifications n where n.user_id = message.receiver_id and not n.read
      and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text)
  then
    return;
  end if;
  perform private.notify_person(message.receiver_id, 'message_received', jsonb_build_object(
    'person', private.person_name(message.sender_id), 'text', coalesce(nullif(left(message.message, 120), ''), 'Photo'),
    'booking', message.booking_id), private.booking_link(message.booking_id));
end $$;
