-- Notifications of a booking link to that booking, for people with one role, too.
set check_function_bodies = off;

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
  elsif event_link = '/bookings' then
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
  values (person, event_key, event_params, place, booking, private.amount_lines(texts.amounts, booking), due, event_subject_key)
  on conflict do nothing;
  if found then
    perform private.schedule_emails(due);
  end if;
end $$;
