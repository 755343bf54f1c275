-- Merges the triggers of messages into one function for each moment, with named steps.
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
      perform private.forget_hidden_message(new);
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

create function private.delete_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events
  where key = 'message_received' and person_id = message.receiver_id and booking_id = message.booking_id;
end $$;

create function private.forget_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(message.message, 120), ''), 'Photo');
begin
  perform private.refill_notification(n.id, '{"text": "Removed message"}') from public.notifications n
  where n.user_id = message.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = message.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = message.booking_id::text and m.params ->> 'text' = words;
end $$;

create function private.has_uploaded_photo(message public.messages) returns boolean
language sql stable set search_path = '' as $$
  select message.photo = message.booking_id || '/' || message.id || '.jpg'
    and exists (select from storage.objects where bucket_id = 'chat-photos' and name = message.photo
      and owner_id = message.sender_id::text)
$$;

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

create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
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

create function private.tidy_message(message public.messages) returns public.messages
language plpgsql immutable set search_path = '' as $$
begin
  message.message := private.trimmed(message.message);
  return message;
end $$;

drop trigger "10_tidy" on public.messages;

drop trigger "11_message" on public.messages;

drop trigger "20_account" on public.messages;

drop trigger "20_parties" on public.messages;

drop trigger "21_limit" on public.messages;

drop trigger "30_photo" on public.messages;

drop trigger "90_read" on public.messages;

drop trigger announce_hidden_message on public.messages;

drop trigger announce_message on public.messages;

drop trigger forget_hidden_message on public.messages;

drop trigger move_hidden_files on public.messages;

drop trigger queue_message_email on public.messages;

drop trigger recount_after_message on public.messages;

drop trigger settle_message_email on public.messages;

drop trigger settle_message_notice on public.messages;

create trigger after_message_insert after insert on public.messages
for each row execute function private.after_message_insert();

create trigger after_message_update after update on public.messages
for each row execute function private.after_message_update();

create trigger before_message_insert before insert on public.messages
for each row execute function private.before_message_insert();

create trigger before_message_update before update on public.messages
for each row execute function private.before_message_update();

drop function private.announce_hidden_message();

drop function private.announce_message();

drop function private.check_message_parties();

drop function private.check_message_photo();

drop function private.check_message_text();

drop function private.forget_hidden_message();

drop function private.mark_read();

drop function private.queue_message_email();

drop function private.recount_after_message();

drop function private.settle_message_email();

drop function private.settle_message_notice();

drop function private.tidy_message();

grant execute on function private.has_uploaded_photo(public.messages) to authenticated;
grant execute on function private.has_uploaded_photo(public.messages) to service_role;
grant execute on function private.mark_message_read(public.messages,public.messages) to authenticated;
grant execute on function private.mark_message_read(public.messages,public.messages) to service_role;
grant execute on function private.tidy_message(public.messages) to authenticated;
grant execute on function private.tidy_message(public.messages) to service_role;
