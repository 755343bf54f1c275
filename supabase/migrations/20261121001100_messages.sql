-- Messages: one chat per booking, between its two parties, from acceptance on; read marks by the receiver.

create type public.message_status as enum ('sent', 'read');

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  sender_id uuid not null references public.profiles (id) on delete cascade,
  receiver_id uuid not null references public.profiles (id) on delete cascade,
  message text not null,
  status public.message_status not null default 'sent',
  read_at timestamptz,
  created_at timestamptz not null default now()
);

create index messages_of_booking on public.messages (booking_id, created_at);
create index messages_unread on public.messages (receiver_id, booking_id) where read_at is null;
create index messages_of_sender on public.messages (sender_id);

-- Whether these two may write to each other about this booking.
create function private.may_chat(booking uuid, sender uuid, receiver uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where id = booking
    and status in ('accepted', 'in_progress', 'completed')
    and (sender, receiver) in ((task_giver_id, task_doer_id), (task_doer_id, task_giver_id)))
$$;
grant execute on function private.may_chat(uuid, uuid, uuid) to authenticated, service_role;

create function private.tidy_message() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.message := private.trimmed(new.message);
  return new;
end $$;
create trigger "10_tidy" before insert on public.messages
for each row execute function private.tidy_message();

create trigger "11_message_min" before insert on public.messages for each row
when ((length(new.message) >= 1) is not true)
execute function private.reject('Message cannot be empty', 'message');
create trigger "12_message_max" before insert on public.messages for each row
when (length(new.message) > private.rule('limits.chatMessage.max'))
execute function private.reject('Message too long (max 1000 characters)', 'message');
create trigger "20_own" before insert on public.messages for each row
when (private.is_client() and (new.sender_id = auth.uid()) is not true)
execute function private.forbid('You can only write as yourself');
create trigger "21_parties" before insert on public.messages for each row
when (not private.may_chat(new.booking_id, new.sender_id, new.receiver_id))
execute function private.forbid('Messages can be sent between the two parties once a booking is accepted');

-- Read is read: it does not become unread again, and its time is ours.
create function private.mark_read() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.read_at := case when new.status = 'read' or new.read_at is not null
    then coalesce(old.read_at, now()) else old.read_at end;
  new.status := case when new.read_at is null then old.status else 'read' end;
  return new;
end $$;
create trigger "90_read" before update on public.messages for each row
when (private.is_client())
execute function private.mark_read();

alter table public.messages enable row level security;
revoke all on public.messages from anon, authenticated;
grant select on public.messages to authenticated;
grant insert (booking_id, sender_id, receiver_id, message) on public.messages to authenticated;
grant update (status, read_at) on public.messages to authenticated;

create policy "both parties read their messages" on public.messages for select to authenticated
using (sender_id = (select auth.uid()) or receiver_id = (select auth.uid()));
create policy "both parties of an accepted booking write" on public.messages for insert to authenticated
with check (sender_id = (select auth.uid()) and private.may_chat(booking_id, sender_id, receiver_id));
create policy "receivers mark their messages read" on public.messages for update to authenticated
using (receiver_id = (select auth.uid())) with check (receiver_id = (select auth.uid()));
