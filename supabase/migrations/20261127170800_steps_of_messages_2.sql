-- Named steps of what happens before and after a change of messages and settings; notifications in one syntax (2 of 2).
set check_function_bodies = off;

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

create or replace function private.words_of_changes(facts jsonb) returns text
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
