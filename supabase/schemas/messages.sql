-- Messages: one chat per booking, between its two parties, from acceptance on, with photos, read marks, typing and presence.
-- Also fills the realtime publication with the tables that the app subscribes to.

create type public.message_status as enum ('sent', 'read');

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  sender_id uuid not null references private.profiles (id) on delete cascade,
  receiver_id uuid not null references private.profiles (id) on delete cascade,
  message text not null,
  status public.message_status not null default 'sent',
  read_at timestamptz,
  created_at timestamptz not null default now(),
  photo text,
  hidden_at timestamptz
);
alter table public.messages enable row level security;

comment on table public.messages is 'The chat of each booking between its two parties, from acceptance on';
comment on column public.messages.message is 'The text; empty if there is only a photo';
comment on column public.messages.status is
  'Whether the receiver has read it: new → sent when the sender writes it; sent → read when the receiver reads it';
comment on column public.messages.read_at is 'When the receiver read it; null before';
comment on column public.messages.photo is 'Name of its photo in the bucket chat-photos; the text may then be empty';
comment on column public.messages.hidden_at is 'When an admin hid it after a report; null while it is shown';

create index messages_of_booking on public.messages (booking_id, created_at);
create index messages_unread on public.messages (receiver_id, booking_id) where read_at is null;
create index messages_of_sender on public.messages (sender_id);
create index messages_of_receiver on public.messages (receiver_id, booking_id, read_at);
create index messages_hidden_with_photo on public.messages (photo) where hidden_at is not null and photo is not null;
create index messages_hidden_of_sender on public.messages (sender_id) where hidden_at is not null;

-- Whether these two may write to each other about this booking.
create function private.may_chat(booking uuid, sender uuid, receiver uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and status in ('accepted', 'in_progress', 'completed')
    and (sender, receiver) in ((task_giver_id, task_doer_id), (task_doer_id, task_giver_id)));
end $$;

-- Before a message is written.
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

create trigger before_message_insert before insert on public.messages
for each row execute function private.before_message_insert();

-- Before a message changes.
create function private.before_message_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new := private.mark_message_read(new, old);
  end if;
  return new;
end $$;

create trigger before_message_update before update on public.messages
for each row execute function private.before_message_update();

-- Trims the text.
create function private.tidy_message(message public.messages) returns public.messages
language plpgsql immutable set search_path = '' as $$
begin
  message.message := private.trimmed(message.message);
  return message;
end $$;

-- Whether the photo is named after its message and was uploaded by the sender, who can see it in the bucket.
create function private.has_uploaded_photo(message public.messages) returns boolean
language sql stable set search_path = '' as $$
  select message.photo = message.booking_id || '/' || message.id || '.jpg'
    and exists (select from storage.objects where bucket_id = 'chat-photos' and name = message.photo
      and owner_id = message.sender_id::text)
$$;

-- Sets status and time together. Messages that were read never become unread again, and the database sets the time.
create function private.mark_message_read(message public.messages, before public.messages) returns public.messages
language plpgsql stable set search_path = '' as $$
begin
  message.read_at := case when message.status = 'read' or message.read_at is not null
    then coalesce(before.read_at, now()) else before.read_at end;
  message.status := case when message.read_at is null then before.status else 'read' end;
  return message;
end $$;

-- After a message is written.
create function private.after_message_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_message(new);
  perform private.queue_message_email(new);
  perform private.recount_response_rate(new);
  return null;
end $$;

create trigger after_message_insert after insert on public.messages
for each row execute function private.after_message_insert();

-- After a message is read, hidden or shown again.
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

create trigger after_message_update after update on public.messages
for each row execute function private.after_message_update();

-- Notifies the receiver, once per conversation until that notification is read. It does not if they read a message of the
-- conversation within the last two minutes, because they are probably in the chat.
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
    'person', private.named(message.sender_id), 'text', coalesce(to_jsonb(nullif(left(message.message, 120), '')), private.coded('photo')),
    'booking', message.booking_id), private.booking_link(message.booking_id));
end $$;

-- Recounts the tasker's response rate. The giver's first message is a question, the tasker's first message after it the
-- answer; other messages change nothing. The booking is locked, so that concurrent messages are counted one after the other.
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

-- Notifies the conversation's channel that a message was hidden or shown. Row-level security hides the row from the receiver,
-- who therefore gets no realtime change of it.
create function private.announce_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  perform realtime.send('{}', 'hidden', 'chat:' || message.booking_id, true);
end $$;

-- Marks the notification of a conversation as read when its messages are read.
create function private.mark_message_notice_read(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = message.receiver_id and not read and key = 'message_received'
    and params ->> 'booking' = message.booking_id::text;
end $$;

-- Typing and presence use the private channel `chat:<booking id>`, for the two people who may write to each other.

-- The booking that a channel's topic names; null for any other topic.
create function private.chat_booking(topic text) returns uuid
language sql immutable set search_path = '' as $$
  select case when topic ~ '^chat:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(topic, 6)::uuid end
$$;

-- Whether the caller is one of the two people who may write to each other about this booking.
create function private.is_in_chat(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where id = booking
    and status in ('accepted', 'in_progress', 'completed')
    and (select auth.uid()) in (task_giver_id, task_doer_id))
$$;

-- The booking id at the start of a photo's name; null if the name has any other form.
create function private.photo_booking(name text) returns uuid
language sql immutable set search_path = '' as $$
  select case when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jpg$'
    then left(name, 36)::uuid end
$$;

-- Whether the caller is one of the two people of this booking, whatever its status.
create function private.is_party(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where id = booking
    and (select auth.uid()) in (task_giver_id, task_doer_id))
$$;

-- The caller's conversations about accepted and started bookings, further visits of a series only with messages. `other_role` is
-- the other person's side in the booking, whatever other roles they have.
create view public.conversations with (security_invoker = true) as
select b.id as booking_id, b.status, t.id as task_id, t.title as task_title,
  p.id as other_id, p.full_name as other_name, p.avatar_url as other_avatar_url,
  case when p.id = b.task_doer_id then 'task_doer' else 'task_giver' end::public.app_role as other_role,
  p.is_verified as other_is_verified,
  last.message as last_message, last.created_at as last_message_at, last.sender_id as last_sender_id,
  (select count(*) from public.messages m where m.receiver_id = (select auth.uid()) and m.booking_id = b.id
    and m.read_at is null)::integer as unread_count,
  last.photo is not null as last_has_photo
from public.bookings b
join public.tasks t on t.id = b.task_id
join public.public_profiles p
  on p.id = case when b.task_giver_id = (select auth.uid()) then b.task_doer_id else b.task_giver_id end
left join lateral (select m.message, m.created_at, m.sender_id, m.photo from public.messages m
  where m.booking_id = b.id order by m.created_at desc limit 1) last on true
where b.status in ('accepted', 'in_progress')
  and (b.series_id is null or b.answered_at is not null or last.created_at is not null)
  and (b.task_doer_id = (select auth.uid()) or b.task_giver_id = (select auth.uid()))
order by last.created_at desc nulls last, b.created_at desc, b.id;

-- Unread messages by booking, for the badges of Chat buttons and the drawer.
create view public.unread_conversations with (security_invoker = true) as
select booking_id, count(*)::integer as unread_count
from public.messages
where receiver_id = (select auth.uid()) and read_at is null
group by booking_id;

-- The caller's messages as the chat shows them. A message hidden by an admin keeps its place, but the receiver gets neither
-- text nor photo. The view runs as its owner, because row-level security hides such rows from receivers.
create view public.chat_messages as
select m.id, m.booking_id, m.sender_id, m.receiver_id,
  case when m.hidden_at is null or m.sender_id = (select auth.uid()) then m.message else '' end as message,
  case when m.hidden_at is null or m.sender_id = (select auth.uid()) then m.photo end as photo,
  m.status, m.read_at, m.created_at, m.hidden_at is not null as hidden
from public.messages m
where (select auth.uid()) in (m.sender_id, m.receiver_id);

comment on view public.conversations is
  'The reader''s conversations about accepted and started bookings, each with its last message';

comment on view public.unread_conversations is 'Number of messages that the reader has not read, by booking';

comment on view public.chat_messages is 'The reader''s messages; one that an admin hid keeps its place without text and photo';

create policy "both parties read their messages" on public.messages for select to authenticated
using (sender_id = (select auth.uid()) or receiver_id = (select auth.uid()));

create policy "both parties of an accepted booking write messages" on public.messages for insert to authenticated
with check (sender_id = (select auth.uid()) and private.may_chat(booking_id, sender_id, receiver_id));

create policy "receivers mark their messages read" on public.messages for update to authenticated
using (receiver_id = (select auth.uid())) with check (receiver_id = (select auth.uid()));

create policy "deleted accounts cannot write messages" on public.messages as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "both parties receive typing and presence of their chat" on realtime.messages for select to authenticated
using (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "both parties send typing and presence to their chat" on realtime.messages for insert to authenticated
with check (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "both parties see the photos of their chat" on storage.objects for select to authenticated
using (bucket_id = 'chat-photos' and private.is_party(private.photo_booking(name)));

-- Photos cannot be replaced or removed: what was sent stays as it was. Signed upload URLs are not issued.
create policy "both parties upload photos to their chat" on storage.objects for insert to authenticated
with check (bucket_id = 'chat-photos' and private.is_in_chat(private.photo_booking(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "hidden messages only for their sender" on public.messages as restrictive for select to authenticated
using (hidden_at is null or sender_id = (select auth.uid()));

grant select on public.chat_messages to authenticated;
grant select on public.conversations to authenticated;
grant select, insert (id, booking_id, sender_id, receiver_id, message, photo), update (status, read_at) on public.messages to authenticated;
grant select on public.unread_conversations to authenticated;
grant execute on function
  private.tidy_message(public.messages), private.mark_message_read(public.messages, public.messages),
  private.may_chat(uuid, uuid, uuid), private.has_uploaded_photo(public.messages)
to authenticated, service_role;
grant execute on function
  private.chat_booking(text), private.is_in_chat(uuid), private.photo_booking(text), private.is_party(uuid)
to authenticated;

-- Chat photos: one per message, `<booking id>/<message id>.jpg`, in a private bucket. The app converts every picture to JPEG,
-- which removes its location.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('chat-photos', 'chat-photos', false, 5 * 1024 * 1024, array['image/jpeg'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- Tables that the app subscribes to: for the bell, the chat, and the screens that show a booking and its money. Row-level
-- security decides which rows a subscriber receives.
alter publication supabase_realtime add table public.notifications, public.messages, public.bookings,
  public.payments, public.tasks, public.complaints;
