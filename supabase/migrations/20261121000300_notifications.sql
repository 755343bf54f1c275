-- Notifications: what the bell shows. Written by triggers only; a person marks their own as read.

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  title text not null,
  message text not null,
  link text,
  read boolean not null default false,
  created_at timestamptz not null default now(),
  -- What the title and the message are in the reader's language: a key of the app's translations
  -- (notifications.<key>.title, .message) and its parameters. Amounts in params are dollars.
  key text not null,
  params jsonb not null default '{}'
);

create index notifications_newest on public.notifications (user_id, created_at desc);
create index notifications_unread on public.notifications (user_id) where not read;

-- The English texts, with {parameters}; the app's translations go by the same keys and parameters.
create table private.notification_texts (
  key text primary key,
  title text not null,
  message text not null
);
alter table private.notification_texts enable row level security;

insert into private.notification_texts (key, title, message) values
  ('application_received', 'New application', '{person} applied to "{task}".'),
  ('application_received_unverified', 'New application', '{person} applied to "{task}". {person} is not verified yet.'),
  ('application_accepted', 'Application accepted', '{person} accepted your application for "{task}".'),
  ('application_declined', 'Application declined', 'Your application for "{task}" was not chosen.'),
  ('task_withdrawn', 'Task withdrawn', '"{task}" was withdrawn, so your application has ended.'),
  ('application_withdrawn', 'Application withdrawn', '{person} withdrew the application for "{task}".'),
  ('payment_held', 'Payment secured', 'The payment of ${amount} for "{task}" is held in escrow.'),
  ('task_started', 'Task started', '"{task}" is paid into escrow. You can start the work.'),
  ('task_marked_complete', 'Task marked complete',
    '{person} marked "{task}" complete. Please confirm and release the payment.'),
  ('payment_released', 'Payment released', '{person} released ${amount} for "{task}".'),
  ('booking_cancelled', 'Booking cancelled', '{person} cancelled the booking for "{task}".'),
  ('booking_cancelled_refund', 'Booking cancelled',
    '{person} cancelled the booking for "{task}". Fee ${fee}, refund ${refund}.'),
  ('booking_cancelled_share', 'Booking cancelled',
    '{person} cancelled the booking for "{task}". Your share of the cancellation fee is ${share}.'),
  ('payout_waiting', 'Set up your payout account',
    '${amount} for "{task}" is waiting. Add your bank details to receive it.'),
  ('payout_sent', 'Payout sent', '${amount} for "{task}" is on its way to your bank account.'),
  ('payout_failed', 'Payout failed', 'The payout of ${amount} for "{task}" did not go through.'),
  ('refund_sent', 'Refund sent', 'Your refund of ${amount} for "{task}" takes 5 to 10 business days.'),
  ('message_received', 'New message', '{person}: {text}'),
  ('review_received', 'New review', '{person} reviewed you for "{task}".'),
  ('verification_submitted', 'Verification submitted', 'Your verification is under review. We will tell you what is decided.'),
  ('verification_waiting', 'Verification to review', '{person} handed in a verification.'),
  ('verification_approved', 'You are verified', 'Your verification was approved.'),
  ('verification_refused', 'Verification refused', 'Your verification was refused: {reason}'),
  ('verification_withdrawn', 'Verification taken back',
    'You are no longer verified: {reason} You can correct it and hand in again.'),
  ('badge_removed', 'Verified badge removed', 'An administrator removed the verified badge from your profile.'),
  ('name_under_review', 'Verified badge under review',
    'You changed your name from "{before}" to "{name}". The verified badge is off until an administrator has looked at it.'),
  ('verified_name_changed', 'A verified person changed their name',
    '"{before}" is now called "{name}" and no longer verified. Please compare the name with the ID.'),
  ('verified_photo_changed', 'A verified person changed their photo', '{person} has another profile photo now.');

-- Tells one person of one event. Params fill the English text and travel along for the translated one.
create function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  name text;
  value text;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  for name, value in select * from jsonb_each_text(event_params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  insert into public.notifications (user_id, title, message, link, key, params)
  select id, texts.title, texts.message, event_link, event_key, event_params
  from public.profiles where id = person and deleted_at is null;
end $$;

-- Tells every admin.
create function private.notify_admins(event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  admin uuid;
begin
  for admin in select user_id from public.user_roles where role = 'admin' order by user_id loop
    perform private.notify_person(admin, event_key, event_params, event_link);
  end loop;
end $$;

-- Where a notification about one booking leads: to it, among all the others.
create function private.booking_link(booking uuid) returns text
language sql immutable set search_path = '' as $$
  select '/bookings?booking=' || booking
$$;

-- Names in notifications: never empty.
create function private.person_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select full_name from public.profiles where id = person), 'Someone')
$$;

alter table public.notifications enable row level security;
revoke all on public.notifications from anon, authenticated;
grant select on public.notifications to authenticated;
grant update (read) on public.notifications to authenticated;

create policy "people read their own notifications" on public.notifications for select to authenticated
using (user_id = (select auth.uid()));
create policy "people mark their own notifications" on public.notifications for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
