-- Collapses repeated events. While a notification is unread, a later event about the same subject updates it and moves it to
-- the top of the list, and an event that was already sent by e-mail and push is not sent again.

alter table private.notification_texts add column topic text;
comment on column private.notification_texts.topic is
  'Unread events of one topic about the same task and tasker replace each other; null: each event is a notification';
update private.notification_texts t set topic = v.topic from (values
  ('application_received', 'application'), ('application_received_unverified', 'application'), ('application_withdrawn', 'application'),
  ('application_accepted', 'answer'), ('application_declined', 'answer'), ('decline_undone', 'answer'),
  ('booking_cancelled', 'cancellation'),
  ('task_asked', 'request'), ('asked_task_changed', 'request'), ('request_withdrawn', 'request'),
  ('task_changed', 'change')
) v (key, topic) where v.key = t.key;

alter table public.notifications
  add column subject_key text,
  add column delivered_keys text[] not null default '{}';
comment on column public.notifications.subject_key is 'Topic, task and tasker; a later event with the same one updates the unread row';
comment on column public.notifications.delivered_keys is 'Keys of the events that were sent by e-mail and push while it was unread';
create unique index notifications_subject_key on public.notifications (user_id, subject_key) where subject_key is not null and not read;

alter table private.email_events add column subject_key text;
create unique index email_events_subject_key on private.email_events (person_id, subject_key) where subject_key is not null and email_id is null;
alter table private.push_messages add column subject_key text;
create index push_messages_subject_key on private.push_messages (subject_key) where subject_key is not null;

-- Reading a notification ends the collapsing: the next event is a new one.
create function private.settle_notification() returns trigger language plpgsql set search_path = '' as $$
begin
  new.subject_key := null;
  return new;
end $$;
create trigger "90_settle" before update on public.notifications
for each row when (new.read and new.subject_key is not null) execute function private.settle_notification();

-- '<topic> <task> <tasker>' of an event; null if it has no topic or no known task.
create function private.event_subject_key(person uuid, topic text, params jsonb, link text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  task constant text := coalesce(params ->> 'task_id', substring(link from '^/task/([0-9a-f-]{36})'));
begin
  if topic is null then
    return null;
  elsif task is not null then
    return concat_ws(' ', topic, task, person);
  end if;
  return (select concat_ws(' ', topic, b.task_id, b.task_doer_id) from public.bookings b
    where b.id = private.booking_of_event(person, params, link));
end $$;

-- The same English text as private.changes_of_task, from the list that private.facts_of_changes returns.
create function private.words_of_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(case fact ->> 'what'
      when 'price' then format('the price is now $%s', to_char((fact ->> 'amount')::numeric, 'FM999999990.00'))
        || coalesce((select format(', your application stays at $%s', to_char((stays ->> 'amount')::numeric, 'FM999999990.00'))
          from jsonb_array_elements(facts) stays where stays ->> 'what' = 'stays'), '')
      when 'time' then 'the time is now ' || private.day_and_time((fact ->> 'at')::timestamptz) || ', Saskatchewan time'
      when 'anytime' then 'any time suits now'
      when 'place' then 'the place is now ' || (fact ->> 'place')
      when 'duration' then 'how long it takes'
      when 'work' then 'what is to be done'
      when 'tools' then 'the tools' end, '; ' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

-- The later event's params with the earlier, unread changes added. A later change of the same field replaces the earlier one.
create function private.merged_changes(earlier jsonb, later jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  same constant jsonb := '{"stays": "price", "anytime": "time"}';
  facts jsonb;
begin
  if not (earlier ? 'changed' and later ? 'changed') then
    return later;
  end if;
  select jsonb_agg(fact order by array_position(array['price', 'stays', 'time', 'anytime', 'place', 'duration', 'work', 'tools'],
    fact ->> 'what')) into facts
  from (select fact from jsonb_array_elements(later -> 'changed') fact
    union all select fact from jsonb_array_elements(earlier -> 'changed') fact where not exists (
      select from jsonb_array_elements(later -> 'changed') newer
      where coalesce(same ->> (newer ->> 'what'), newer ->> 'what') = coalesce(same ->> (fact ->> 'what'), fact ->> 'what'))) all_facts;
  return later || jsonb_build_object('changed', facts, 'changes', private.words_of_changes(facts));
end $$;

-- Queues an event for every browser of that person, unless they turned its kind off. A queued push with the same subject is
-- updated instead; a `repeated` event is never added.
drop function private.queue_push(uuid, text, jsonb, text);
create function private.queue_push(
  person uuid, event_key text, event_params jsonb, event_link text, event_subject_key text default null, repeated boolean default false
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due constant timestamptz := private.push_time(person, now());
begin
  if not exists (select from public.push_subscriptions s where s.user_id = person)
    or not private.wants_push(person, (select t.kind from private.notification_texts t where t.key = event_key))
  then
    return;
  end if;
  if event_subject_key is not null then
    update private.push_messages m set key = event_key, params = event_params, link = coalesce(event_link, '/dashboard')
    from public.push_subscriptions s
    where s.id = m.subscription_id and s.user_id = person and m.subject_key = event_subject_key and m.taken_until is null;
    if found or repeated then
      return;
    end if;
  end if;
  insert into private.push_messages (subscription_id, key, params, link, due_at, subject_key)
  select s.id, event_key, event_params, coalesce(event_link, '/dashboard'), due, event_subject_key
  from public.push_subscriptions s where s.user_id = person;
  perform private.enqueue_function('send-push', '{}', null, due);
end $$;

-- Queues the e-mail of an event, unless the person turned its kind off or has no confirmed address. A queued e-mail event with
-- the same subject is updated instead; a `repeated` event is never added.
drop function private.queue_email(uuid, text, jsonb, text);
create function private.queue_email(
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
  place := case when event_link = '/bookings' and booking is not null then private.booking_link(booking) else coalesce(event_link, '/dashboard') end;
  if event_subject_key is not null then
    update private.email_events e set key = event_key, params = event_params, link = place, booking_id = booking, created_at = now()
    where e.person_id = person and e.subject_key = event_subject_key and e.email_id is null;
    if found or repeated then
      return;
    end if;
  end if;
  select now() + gather into strict due from private.notification_kinds k where k.kind = texts.kind;
  insert into private.email_events (person_id, key, params, link, booking_id, amounts, due_at, subject_key)
  values (person, event_key, event_params, place, booking, private.amount_lines(texts.amounts, booking), due, event_subject_key)
  on conflict do nothing;
  if found then
    perform private.schedule_emails(due);
  end if;
end $$;

-- Notifies one person of one event, in the app, by push and by e-mail, according to their preferences. Params fill the English
-- text and are stored for translations.
create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
  name text;
  value text;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  for name, value in select * from jsonb_each_text(event_params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  if texts.part is not null then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)) || '&part=' || texts.part, event_link);
  end if;
  insert into public.notifications as n (user_id, title, message, link, key, params, subject_key, delivered_keys)
  select id, texts.title, texts.message, place, event_key, event_params, event_subject_key, array[event_key]
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind)
  on conflict (user_id, subject_key) where subject_key is not null and not read do update set title = excluded.title,
    message = excluded.message, link = excluded.link, key = excluded.key, params = excluded.params, created_at = now(),
    delivered_keys = case when excluded.key = any (n.delivered_keys) then n.delivered_keys else n.delivered_keys || excluded.delivered_keys end;
  perform private.queue_push(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  end if;
end $$;

-- Adds the task's id to the params, because the link does not contain it.
create or replace function private.follow_withdrawn_request() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = new.id and task_doer_id = old.asked_tasker_id) then
    perform private.notify_person(old.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(new.task_giver_id), 'task', new.title, 'task_id', new.id), '/dashboard');
  end if;
  return null;
end $$;

-- Removes the notification of a decline that was neither read nor mailed; otherwise notifies that it was taken back.
create or replace function private.follow_undone_decline() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  task_title constant text := (select title from public.tasks where id = new.task_id);
  decline constant text := concat_ws(' ', 'answer', new.task_id, new.task_doer_id);
  delivered_keys constant text[] := (select n.delivered_keys from public.notifications n
    where n.user_id = new.task_doer_id and n.subject_key = decline and not n.read);
  mailed constant boolean := exists (select from private.email_events e
    where e.person_id = new.task_doer_id and e.subject_key = decline and e.email_id is not null);
begin
  if mailed or cardinality(delivered_keys) > 1 or (delivered_keys is null and exists (select from public.notifications n
      where n.user_id = new.task_doer_id and n.key = 'application_declined' and n.params ->> 'task' = task_title
        and n.created_at >= old.answered_at))
  then
    perform private.notify_person(new.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(new.id));
    return null;
  end if;
  delete from private.email_events e where e.person_id = new.task_doer_id and e.subject_key = decline and e.email_id is null;
  delete from public.notifications n where n.user_id = new.task_doer_id and n.subject_key = decline and not n.read;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = new.task_doer_id and m.subject_key = decline and m.taken_until is null;
  return null;
end $$;
