-- Unread messages by booking, for the marks on Chat buttons and the drawer's badge; and what a notice of a message is
-- found by, so that it does not matter how many other notifications a person has left unread.

create view public.unread_conversations with (security_invoker = true) as
select booking_id, count(*)::integer as unread_count
from public.messages
where receiver_id = (select auth.uid()) and read_at is null
group by booking_id;
comment on view public.unread_conversations is 'How many messages whoever reads this has not read, by booking';
revoke all on public.unread_conversations from anon, authenticated;
grant select on public.unread_conversations to authenticated;

create index notifications_message_notices on public.notifications (user_id, (params ->> 'booking'))
where not read and key = 'message_received';
