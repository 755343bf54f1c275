-- Typing and presence: the private channel `chat:<booking id>` of a conversation. Its two people hear each other and
-- nobody else, from acceptance on, as they write to each other (private.may_chat).

-- The booking that a channel's topic names; null for any other topic.
create function private.chat_booking(topic text) returns uuid
language sql immutable set search_path = '' as $$
  select case when topic ~ '^chat:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(topic, 6)::uuid end
$$;

-- Whether the caller is one of the two who write to each other about this booking.
create function private.is_in_chat(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where id = booking
    and status in ('accepted', 'in_progress', 'completed')
    and (select auth.uid()) in (task_giver_id, task_doer_id))
$$;
grant execute on function private.chat_booking(text), private.is_in_chat(uuid) to authenticated;

create policy "both parties of a conversation hear each other" on realtime.messages for select to authenticated
using (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));
create policy "both parties of a conversation show that they are there" on realtime.messages for insert to authenticated
with check (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));
