-- A message that an administrator hides leaves its place in the chat: both people read there that it was removed, at once.

-- The messages of whoever reads them, as the chat shows them: of what is hidden, the receiver reads neither text nor photo.
-- The view reads as its owner, because the table shows receivers no row that is hidden.
create view public.chat_messages as
select m.id, m.booking_id, m.sender_id, m.receiver_id,
  case when m.hidden_at is null or m.sender_id = (select auth.uid()) then m.message else '' end as message,
  case when m.hidden_at is null or m.sender_id = (select auth.uid()) then m.photo end as photo,
  m.status, m.read_at, m.created_at, m.hidden_at is not null as hidden
from public.messages m
where (select auth.uid()) in (m.sender_id, m.receiver_id);
comment on view public.chat_messages is 'The messages of whoever reads them; what is hidden from them has its place and no content';
revoke all on public.chat_messages from anon, authenticated;
grant select on public.chat_messages to authenticated;

-- Hearing of the change itself is not for whom the row is hidden from: the channel of their conversation says that there is one.
create function private.announce_hidden_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'hidden', 'chat:' || new.booking_id, true);
  return null;
end $$;
create trigger announce_hidden_message after update on public.messages
for each row when ((old.hidden_at is null) <> (new.hidden_at is null))
execute function private.announce_hidden_message();

-- Nor is what is hidden sent by e-mail.
create or replace function private.unread_messages(person uuid, booking uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(coalesce(nullif(left(m.message, 300), ''), 'Photo') order by m.created_at) from (
    select message, created_at from public.messages
    where receiver_id = person and booking_id = booking and read_at is null and hidden_at is null
    order by created_at desc limit 3) m
$$;
