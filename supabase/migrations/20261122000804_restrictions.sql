-- What an administrator has taken from a person or hidden from others, and why: so that nobody is left wondering.

create index tasks_hidden_of_giver on public.tasks (task_giver_id) where hidden_for = 'report';
create index messages_hidden_of_sender on public.messages (sender_id) where hidden_at is not null;
create index reviews_hidden_of_reviewer on public.reviews (reviewer_id) where hidden_at is not null;

-- The caller's: {kind: 'suspension', 'profile', 'task', 'review' or 'message'; subject_id: the task, the reviewed person, the
-- booking of the message; title: of the task; reason: the administrator's words, null where none are kept}. Newest first, at most 20.
create function public.my_restrictions()
returns table (kind text, id uuid, subject_id uuid, title text, reason text, since timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null, 'Not authenticated');
  return query
  with hidden (kind, id, subject_id, title) as (
    select 'profile', p.id, p.id, null from private.profiles p where p.id = me and p.hidden_for = 'report'
    union all
    select 'task', t.id, t.id, t.title from public.tasks t where t.task_giver_id = me and t.hidden_for = 'report' and t.status <> 'cancelled'
    union all
    select 'review', r.id, r.reviewee_id, t.title from public.reviews r join public.bookings b on b.id = r.booking_id
      join public.tasks t on t.id = b.task_id where r.reviewer_id = me and r.hidden_at is not null
    union all
    select 'message', m.id, m.booking_id, t.title from public.messages m join public.bookings b on b.id = m.booking_id
      join public.tasks t on t.id = b.task_id where m.sender_id = me and m.hidden_at is not null
  )
  select h.kind, h.id, h.subject_id, h.title, decided.decision_note, decided.decided_at
  from hidden h left join lateral (select r.decision_note, r.decided_at from public.reports r
    where r.kind = h.kind::public.reported_kind and r.subject_id = h.id and r.status = 'hidden'
    order by r.decided_at desc limit 1) decided on true
  union all
  select 'suspension', me, me, null, s.reason, s.created_at
  from (select 1) one left join public.suspensions s on s.user_id = me and s.lifted_at is null where private.is_suspended(me)
  order by 6 desc nulls last, 2 limit 20;
end $$;
revoke execute on function public.my_restrictions() from public, anon;
grant execute on function public.my_restrictions() to authenticated;

-- Whoever is suspended cannot sign in to read it: the e-mail says why. Of what goes on meanwhile they are mailed what cannot be
-- turned off. Who is banned otherwise is mailed nothing.
create or replace function private.email_address(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select nullif(u.email, '') from auth.users u join private.profiles p on p.id = u.id
  where u.id = person and p.deleted_at is null and u.deleted_at is null and u.email_confirmed_at is not null
    and (u.banned_until is null or u.banned_until <= now()
      or exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null))
$$;

create or replace function private.wants_email(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_required(wanted) or (not private.is_suspended(person) and coalesce(
    (select email from public.notification_preferences where user_id = person and kind = wanted), true))
$$;
