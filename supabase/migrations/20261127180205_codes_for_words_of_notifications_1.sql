-- Parameters of notifications can be coded: their English words stay, and clients translate by the code (1 of 3).
set check_function_bodies = off;

create function private.coded(code text) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('code', code) where code is not null
$$;

create or replace function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
  others constant uuid[] := array(
    select task_giver_id from public.bookings where task_doer_id = person
    union select task_doer_id from public.bookings where task_giver_id = person
    union select asked_tasker_id from public.tasks where task_giver_id = person
    union select task_giver_id from public.tasks where asked_tasker_id = person
    union select user_id from public.user_roles where role = 'admin');
  texts private.notification_texts;
  notice record;
  cleaned jsonb;
begin
  -- A message's words stand in the notification of it, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    cleaned := private.without_names(notice.params, names, '{person,name,before,reason}');
    select * into texts from private.notification_texts where key = notice.key;
    update public.notifications set params = cleaned, title = private.filled_text(texts.title, cleaned),
      message = private.filled_text(texts.message, cleaned) where id = notice.id;
  end loop;
  update private.email_events e set params = private.without_names(e.params, names)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

create function private.named(person uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select to_jsonb(private.public_name(full_name)) from private.profiles where id = person),
    (select private.coded('deleted_user') where private.is_account_deleted(person)), '"Someone"')
$$;

create function private.notification_values() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "what": {
    "task": "task",
    "message": "message",
    "profile": "profile",
    "review": "review"
  },
  "outcome": {
    "hidden": "has hidden it",
    "kept": "has found nothing against our rules"
  },
  "role": {
    "admin": "administrator",
    "task_doer": "tasker",
    "task_giver": "task giver",
    "task_giver_task_doer": "tasker and task giver",
    "task_doer_admin": "administrator and tasker",
    "task_giver_admin": "administrator and task giver",
    "task_giver_task_doer_admin": "administrator, tasker and task giver"
  },
  "transfer": {
    "payout": "payout",
    "refund": "refund"
  },
  "text": {
    "photo": "Photo",
    "removed_message": "Removed message"
  },
  "reason": {
    "account_closed": "The bank account has been closed.",
    "account_restricted": "The bank takes no deposits for this account at the moment.",
    "other_holder": "The account does not belong to the name that the bank was given.",
    "account_not_found": "No account with these numbers was found, or it takes no deposits.",
    "currency_not_taken": "The account does not take {{currency}}.",
    "bank_refused": "The bank did not take it.",
    "account_incomplete": "Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.",
    "account_closed_by_provider": "The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.",
    "platform_balance_low": "Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.",
    "provider_refused_payout": "The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.",
    "provider_refused_refund": "The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.",
    "admin_sends_payout": "An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done."
  },
  "person": {
    "deleted_user": "Deleted user"
  },
  "name": {
    "deleted_user": "Deleted user"
  },
  "task": {
    "removed_task": "Removed task"
  }
}$json$::jsonb
$$;

create or replace function private.notify_message(message public.messages) returns void
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
    'person', private.named(message.sender_id), 'text', coalesce(to_jsonb(nullif(left(message.message, 120), '')), private.coded('photo')),
    'booking', message.booking_id), private.booking_link(message.booking_id));
end $$;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
begin
  event_params := private.with_words(event_params);
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  if texts.part is not null then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)) || '&part=' || texts.part, event_link);
  elsif event_link = '/bookings' and exists (select from private.profiles p where p.id = person and cardinality(p.roles) > 1) then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)), event_link);
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
  select private.with_words(jsonb_build_object('person', private.named(person))) ->> 'person'
$$;

create or replace function private.redact_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(message.message, 120), ''), private.notification_values() #>> '{text,photo}');
begin
  perform private.refill_notification(n.id, '{"text": {"code": "removed_message"}}') from public.notifications n
  where n.user_id = message.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = message.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = message.booking_id::text and m.params ->> 'text' = words;
end $$;

create or replace function private.redact_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": {"code": "removed_task"}}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.is_only_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.is_only_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.is_only_offered(s.user_id, m.link, m.params, task);
end $$;

create or replace function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  refilled public.notifications;
  texts private.notification_texts;
begin
  select * into refilled from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = refilled.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  refilled.params := private.with_words(refilled.params || changed);
  update public.notifications set params = refilled.params, title = private.filled_text(texts.title, refilled.params),
    message = private.filled_text(texts.message, refilled.params) where id = notification;
end $$;

create function private.with_words(params jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select params || coalesce(jsonb_object_agg(name, private.filled_text(private.notification_values() #>> array[name, value ->> 'code'], '{}'))
    || jsonb_build_object('codes', coalesce(params -> 'codes', '{}') || jsonb_object_agg(name, value -> 'code')), '{}')
  from jsonb_each(params) as each (name, value) where jsonb_typeof(value) = 'object' and value ? 'code' and name <> 'codes'
$$;

create function private.without_names(params jsonb, names text[], fields text[] default '{}') returns jsonb
language sql stable set search_path = '' as $$
  select private.with_words(jsonb_object_agg(name, case when value #>> '{}' = any (names) or name = any (fields)
    then case when private.notification_values() -> name ? 'deleted_user' then private.coded('deleted_user')
      else private.notification_values() #> '{person,deleted_user}' end else value end))
  from jsonb_each(params) as each (name, value)
$$;

comment on column private.email_events.params is 'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name';
comment on column private.push_messages.params is 'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name';
comment on column public.notifications.params is 'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name';
