-- The drawer's list of conversations in one query, and notices of messages that wait.

-- One row per booking of the caller that is accepted or in progress, with the other party, the last message and the
-- number of unread ones; newest message first, those without messages last. What was written about a completed booking is
-- read, and gone on with, from the booking itself.
create view public.conversations with (security_invoker = true) as
select b.id as booking_id, b.status, t.id as task_id, t.title as task_title,
  p.id as other_id, p.full_name as other_name, p.avatar_url as other_avatar_url,
  p.role as other_role, p.is_verified as other_is_verified,
  last.message as last_message, last.created_at as last_message_at, last.sender_id as last_sender_id,
  (select count(*) from public.messages m where m.receiver_id = (select auth.uid()) and m.booking_id = b.id
    and m.read_at is null)::integer as unread_count
from public.bookings b
join public.tasks t on t.id = b.task_id
join public.public_profiles p
  on p.id = case when b.task_giver_id = (select auth.uid()) then b.task_doer_id else b.task_giver_id end
left join lateral (select m.message, m.created_at, m.sender_id from public.messages m where m.booking_id = b.id
  order by m.created_at desc limit 1) last on true
where b.status in ('accepted', 'in_progress')
  and (b.task_doer_id = (select auth.uid()) or b.task_giver_id = (select auth.uid()))
order by last.created_at desc nulls last, b.created_at desc, b.id;
comment on view public.conversations is 'The conversations of whoever reads them';
revoke all on public.conversations from anon, authenticated;
grant select on public.conversations to authenticated;

-- A message that finds its reader away is announced, once per conversation until the notice is read. Who has
-- read a message of the same conversation in the last two minutes is there and needs no notice.
create function private.announce_message() returns trigger
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
    'person', private.person_name(new.sender_id), 'text', left(new.message, 120), 'booking', new.booking_id),
    private.booking_link(new.booking_id));
  return null;
end $$;

create trigger announce_message after insert on public.messages
for each row execute function private.announce_message();

create index messages_of_receiver on public.messages (receiver_id, booking_id, read_at);

-- Reading a conversation settles its notice.
create function private.settle_message_notice() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = new.receiver_id and not read and key = 'message_received'
    and params ->> 'booking' = new.booking_id::text;
  return null;
end $$;

create trigger settle_message_notice after update of read_at on public.messages
for each row when (old.read_at is null and new.read_at is not null)
execute function private.settle_message_notice();
