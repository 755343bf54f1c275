-- Named steps of what happens before and after a change of messages and settings; notifications in one syntax (2 of 2).
set check_function_bodies = off;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
begin
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
  select coalesce((select private.public_name(full_name) from private.profiles where id = person),
    (select 'Deleted user' where private.is_account_deleted(person)), 'Someone')
$$;

create or replace function private.push_time(person uuid, at timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  quiet public.quiet_hours;
  here constant timestamp := at at time zone private.time_zone();
  during boolean;
begin
  select * into quiet from public.quiet_hours q where q.user_id = person;
  during := case when quiet.starts < quiet.ends then here::time >= quiet.starts and here::time < quiet.ends
    else here::time >= quiet.starts or here::time < quiet.ends end;
  if during is not true then
    return at;
  end if;
  return (here::date + quiet.ends + case when here::time < quiet.ends then interval '0' else interval '1 day' end)
    at time zone private.time_zone();
end $$;

create function private.queue_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from private.email_events e where e.key = 'message_received' and e.person_id = message.receiver_id
      and e.booking_id = message.booking_id)
  then
    perform private.queue_email(message.receiver_id, 'message_received', jsonb_build_object(
      'person', private.person_name(message.sender_id), 'booking', message.booking_id,
      'task', (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = message.booking_id)),
      private.booking_link(message.booking_id));
  end if;
end $$;

create function private.recount_response_rate(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  tasker uuid;
  asked timestamptz;
begin
  select task_doer_id into strict tasker from public.bookings where id = message.booking_id for no key update;
  select min(created_at) into asked from public.messages where booking_id = message.booking_id and receiver_id = tasker;
  if asked is not null and (message.created_at = asked or not exists (select from public.messages m
      where m.booking_id = message.booking_id and m.sender_id = message.sender_id and m.id <> message.id
        and m.created_at >= asked)) then
    perform private.recount_person(tasker);
  end if;
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
  refilled.params := refilled.params || changed;
  update public.notifications set params = refilled.params, title = private.filled_text(texts.title, refilled.params),
    message = private.filled_text(texts.message, refilled.params) where id = notification;
end $$;

create function private.stamp_preference(preference public.notification_preferences) returns public.notification_preferences
language plpgsql stable set search_path = '' as $$
begin
  preference.updated_at := now();
  return preference;
end $$;

create function private.tidy_message(message public.messages) returns public.messages
language plpgsql immutable set search_path = '' as $$
begin
  message.message := private.trimmed(message.message);
  return message;
end $$;

create or replace function public.begin_push(max_messages integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  -- A push after a day is news no more; a browser whose session has ended is nobody's.
  delete from private.push_messages where due_at < now() - interval '1 day';
  delete from public.push_subscriptions s using private.push_messages m
  where m.subscription_id = s.id and m.due_at <= now()
    and s.session_id is not null and not exists (select from auth.sessions a where a.id = s.session_id);
  with due as (
    select id from private.push_messages where due_at <= now() and (taken_until is null or taken_until <= now())
    order by due_at limit least(greatest(max_messages, 0), 100) for update skip locked
  ), begun as (
    update private.push_messages m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.*
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
      'auth_secret', s.auth_secret, 'key', b.key, 'kind', t.kind, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'texts', jsonb_build_object('title', t.title, 'message', t.message), 'params', b.params,
      'link', b.link, 'language', (select p.language from private.profiles p where p.id = s.user_id)) order by b.due_at), '[]') into taken
  from begun b join public.push_subscriptions s on s.id = b.subscription_id
  join private.notification_texts t on t.key = b.key;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-push', '{}', 'send-push-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;
