-- Photos in a chat: one to a message, in a private bucket that only the two people of the booking read.
-- `<booking id>/<message id>.jpg`; the app makes a JPEG of every picture, which leaves out where it was taken.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('chat-photos', 'chat-photos', false, 5 * 1024 * 1024, array['image/jpeg'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- The booking that a photo's name begins with; null for a name of any other form.
create function private.photo_booking(name text) returns uuid
language sql immutable set search_path = '' as $$
  select case when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jpg$'
    then left(name, 36)::uuid end
$$;

-- Whether the caller is one of the two people of this booking, whatever became of it.
create function private.is_party(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where id = booking
    and (select auth.uid()) in (task_giver_id, task_doer_id))
$$;
grant execute on function private.photo_booking(text), private.is_party(uuid) to authenticated;

create policy "both parties see the photos of their chat" on storage.objects for select to authenticated
using (bucket_id = 'chat-photos' and private.is_party(private.photo_booking(name)));

-- Nothing is replaced or taken down: what was sent stays as it was. No address is signed for uploading one.
create policy "both parties put photos into their chat" on storage.objects for insert to authenticated
with check (bucket_id = 'chat-photos' and private.is_in_chat(private.photo_booking(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

alter table public.messages add column photo text;
comment on column public.messages.photo is 'Name of its photo in the bucket chat-photos; the text may then be empty';
grant insert (photo) on public.messages to authenticated;

create or replace function private.check_message_text() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.photo is null and (length(new.message) >= 1) is not true then
    raise exception using message = 'Message cannot be empty', hint = 'message';
  end if;
  if length(new.message) > private.rule('limits.chatMessage.max') then
    raise exception using message = 'Message too long (max 1000 characters)', hint = 'message';
  end if;
  return new;
end $$;

-- A message's photo bears its name and was put there by its sender.
create function private.check_message_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.photo is not null and (new.photo <> new.booking_id || '/' || new.id || '.jpg'
    or not exists (select from storage.objects where bucket_id = 'chat-photos' and name = new.photo
      and owner_id = new.sender_id::text))
  then
    raise exception using message = 'The photo of a message must be uploaded first', hint = 'photo';
  end if;
  return new;
end $$;
create trigger "30_photo" before insert on public.messages
for each row execute function private.check_message_photo();

-- The drawer, the notice and the e-mail say "Photo" where there is no text.
create or replace view public.conversations with (security_invoker = true) as
select b.id as booking_id, b.status, t.id as task_id, t.title as task_title,
  p.id as other_id, p.full_name as other_name, p.avatar_url as other_avatar_url,
  p.role as other_role, p.is_verified as other_is_verified,
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
  and (b.task_doer_id = (select auth.uid()) or b.task_giver_id = (select auth.uid()))
order by last.created_at desc nulls last, b.created_at desc, b.id;

create or replace function private.announce_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.messages m where m.receiver_id = new.receiver_id and m.booking_id = new.booking_id
      and m.read_at > now() - interval '2 minutes')
    or exists (select from public.notifications n where n.user_id = new.receiver_id and not n.read
      and n.key = 'message_received' and n.params ->> 'booking' = new.booking_id::text)
  then
    return null;
  end if;
  perform private.notify_person(new.receiver_id, 'message_received', jsonb_build_object(
    'person', private.person_name(new.sender_id), 'text', coalesce(nullif(left(new.message, 120), ''), 'Photo'),
    'booking', new.booking_id), private.booking_link(new.booking_id));
  return null;
end $$;

create or replace function private.unread_messages(person uuid, booking uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(coalesce(nullif(left(m.message, 300), ''), 'Photo') order by m.created_at) from (
    select message, created_at from public.messages
    where receiver_id = person and booking_id = booking and read_at is null order by created_at desc limit 3) m
$$;

-- Whoever leaves takes the photos that they sent along (private.erase_files does so for the other buckets).
create function private.erase_chat_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects where bucket_id = 'chat-photos' and owner_id = old.id::text;
  perform set_config('storage.allow_delete_query', 'false', true);
  return old;
end $$;
create trigger erase_chat_photos after delete on auth.users
for each row execute function private.erase_chat_photos();
