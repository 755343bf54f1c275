-- Kinds of notifications: what people choose by, for the bell and for e-mail, and the words that an e-mail has beside
-- those of the bell.

create type public.notification_kind as enum (
  'applications', 'bookings', 'payments', 'complaints', 'messages', 'reviews', 'verification', 'admin');

create table private.notification_kinds (
  kind public.notification_kind primary key,
  -- Always sent, to the bell and by e-mail: money that moved, and decisions that have a time limit.
  required boolean not null default false,
  -- How long an event waits for others, so that they become one e-mail.
  gather interval not null default '2 minutes'
);
alter table private.notification_kinds enable row level security;
insert into private.notification_kinds (kind, required, gather) values
  ('applications', false, '2 minutes'), ('bookings', false, '2 minutes'), ('payments', true, '2 minutes'),
  ('complaints', true, '2 minutes'), ('messages', false, '10 minutes'), ('reviews', false, '2 minutes'),
  ('verification', false, '2 minutes'), ('admin', false, '10 minutes');

alter table private.notification_texts
  add column kind public.notification_kind not null default 'bookings' references private.notification_kinds (kind),
  -- The e-mail's subject, with {parameters}; null: the title and the task.
  add column subject text,
  -- The words on the e-mail's button.
  add column button text not null default 'Open Meadowlark',
  -- Which lines of money an e-mail shows: what the giver pays, what the tasker receives, what goes back to the giver.
  add column amounts text check (amounts in ('total', 'payout', 'refund')),
  -- Whether the event is mailed. Messages are mailed by themselves, once they were unread for a while.
  add column by_email boolean not null default true;
create index notification_texts_of_kind on private.notification_texts (kind);

update private.notification_texts t set kind = v.kind::public.notification_kind, subject = v.subject, button = v.button,
  amounts = v.amounts
from (values
  ('application_received', 'applications', '{person} applied to "{task}"', 'See the application', null),
  ('application_received_unverified', 'applications', '{person} applied to "{task}"', 'See the application', null),
  ('application_accepted', 'applications', '{person} accepted your application for "{task}"', 'Open the booking', null),
  ('application_declined', 'applications', 'Your application for "{task}" was not chosen', 'See your bookings', null),
  ('task_withdrawn', 'applications', '"{task}" was withdrawn', 'See your bookings', null),
  ('application_withdrawn', 'applications', '{person} withdrew the application for "{task}"', 'See your bookings', null),
  ('application_expired', 'applications', 'Your application for "{task}" was not answered', 'See your bookings', null),
  ('task_started', 'bookings', '"{task}" is paid into escrow: you can start', 'Open the booking', null),
  ('booking_cancelled', 'bookings', '{person} cancelled the booking for "{task}"', 'Open the booking', null),
  ('booking_expired', 'bookings', 'The booking for "{task}" was closed: it was not paid in time', 'Open the booking', null),
  ('task_expired', 'bookings', '"{task}" was closed: nobody was chosen in time', 'Open your dashboard', null),
  ('payment_held', 'payments', 'You paid ${amount} for "{task}": it is held in escrow', 'Open the booking', 'total'),
  ('task_marked_complete', 'payments', 'Please confirm: "{task}" is marked complete', 'Confirm or complain', null),
  ('confirm_reminder', 'payments', 'Please confirm "{task}", or tell us what is wrong', 'Confirm or complain', null),
  ('payment_released', 'payments', '{person} released ${amount} to you for "{task}"', 'Open the booking', 'payout'),
  ('payment_released_by_time', 'payments', '${amount} was released to you for "{task}"', 'Open the booking', 'payout'),
  ('confirmed_by_time', 'payments', 'The payment for "{task}" was released', 'Open the booking', 'total'),
  ('booking_cancelled_refund', 'payments', '"{task}" was cancelled: ${refund} goes back to you', 'Open the booking', 'refund'),
  ('booking_cancelled_share', 'payments', '"{task}" was cancelled: your share of the fee is ${share}', 'Open the booking', 'payout'),
  ('payout_waiting', 'payments', '${amount} for "{task}" waits for your bank details', 'Add your bank details', 'payout'),
  ('payout_sent', 'payments', 'You were paid out ${amount} for "{task}"', 'See your payouts', 'payout'),
  ('payout_failed', 'payments', 'The payout of ${amount} for "{task}" did not go through', 'Check your bank details', 'payout'),
  ('refund_sent', 'payments', 'Your refund of ${amount} for "{task}" is on its way', 'Open the booking', 'refund'),
  ('chargeback_opened', 'payments', 'The payment for "{task}" is disputed and frozen', 'Open the booking', null),
  ('chargeback_won', 'payments', 'The payment for "{task}" is held in escrow again', 'Open the booking', null),
  ('chargeback_lost', 'payments', 'The payment for "{task}" was taken back by the bank', 'Open the booking', null),
  ('payment_sent_back', 'payments', 'The payment for "{task}" was sent back to the card', 'Open the booking', null),
  ('payment_lost_in_part', 'payments', 'The payment for "{task}" is on hold', 'Open the booking', null),
  ('loss_decided', 'payments', 'The payment for "{task}" was decided', 'Open the booking', null),
  ('complaint_opened', 'complaints', '{person} complains about "{task}": please answer within 48 hours', 'Answer the complaint', null),
  ('complaint_answered', 'complaints', '{person} answered your complaint about "{task}"', 'Read the answer', null),
  ('complaint_decided_giver', 'complaints', 'Your complaint about "{task}" was decided: ${refund} goes back to you', 'See the decision', 'refund'),
  ('complaint_decided_tasker', 'complaints', 'The complaint about "{task}" was decided: ${share} goes to you', 'See the decision', 'payout'),
  ('message_received', 'messages', '{person} wrote to you about "{task}"', 'Read and answer', null),
  ('review_received', 'reviews', '{person} reviewed you for "{task}"', 'Read the review', null),
  ('verification_submitted', 'verification', 'Your verification is under review', 'Open your dashboard', null),
  ('verification_approved', 'verification', 'You are verified', 'Open your dashboard', null),
  ('verification_refused', 'verification', 'Your verification was refused', 'Correct and hand in again', null),
  ('verification_withdrawn', 'verification', 'You are no longer verified', 'Correct and hand in again', null),
  ('badge_removed', 'verification', 'Your verified badge was removed', 'Open your profile', null),
  ('name_under_review', 'verification', 'Your verified badge is under review', 'Open your profile', null),
  ('verification_waiting', 'admin', 'A verification to review: {person}', 'Review it', null),
  ('verified_name_changed', 'admin', 'A verified person changed their name: {name}', 'Compare the name', null),
  ('verified_photo_changed', 'admin', 'A verified person changed their photo: {person}', 'Look at it', null),
  ('complaint_to_decide', 'admin', 'A complaint to decide: "{task}"', 'Open the complaint', null),
  ('chargeback_inquiry', 'admin', 'A bank asks about ${amount} for "{task}"', 'Open disputes', null),
  ('chargeback_inquiry_closed', 'admin', 'A bank asks no more about ${amount} for "{task}"', 'Open disputes', null),
  ('chargeback_to_answer', 'admin', 'A chargeback to answer: ${amount} for "{task}"', 'Open disputes', null),
  ('chargeback_ended_won', 'admin', 'A chargeback was won: ${amount} for "{task}"', 'Open disputes', null),
  ('chargeback_ended_lost', 'admin', 'A chargeback was lost: ${amount} for "{task}"', 'Open disputes', null),
  ('loss_to_decide', 'admin', 'A payment to decide: ${lost} of ${total} for "{task}" went back', 'Decide', null),
  ('money_came_back', 'admin', '${amount} for "{task}" came back after it was settled', 'Open disputes', null)
) as v (key, kind, subject, button, amounts) where v.key = t.key;

update private.notification_texts set by_email = false where key = 'message_received';

-- What a person chose. A kind without a row comes to the bell and by e-mail.
create table public.notification_preferences (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  kind public.notification_kind not null references private.notification_kinds (kind),
  bell boolean not null default true,
  email boolean not null default true,
  updated_at timestamptz not null default now(),
  primary key (user_id, kind)
);
create index notification_preferences_of_kind on public.notification_preferences (kind);

create function private.is_required(wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select required from private.notification_kinds where kind = wanted
$$;
grant execute on function private.is_required(public.notification_kind) to authenticated, service_role;

-- Whether that person wants to hear of that kind by e-mail.
create function private.wants_email(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_required(wanted) or coalesce(
    (select email from public.notification_preferences where user_id = person and kind = wanted), true)
$$;

-- Whether it shows at that person's bell.
create function private.wants_bell(person uuid, wanted public.notification_kind) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_required(wanted) or coalesce(
    (select bell from public.notification_preferences where user_id = person and kind = wanted), true)
$$;

create function private.check_preference() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not private.is_required(new.kind) or (new.bell and new.email),
    'Payments and complaints always come to the bell and by e-mail', case when new.email then 'bell' else 'email' end);
  new.updated_at := now();
  return new;
end $$;
create trigger "40_required" before insert or update on public.notification_preferences
for each row execute function private.check_preference();

alter table public.notification_preferences enable row level security;
revoke all on public.notification_preferences from anon, authenticated;
grant select on public.notification_preferences to authenticated;
grant insert (user_id, kind, bell, email) on public.notification_preferences to authenticated;
grant update (kind, bell, email) on public.notification_preferences to authenticated;

create policy "people read what they chose" on public.notification_preferences for select to authenticated
using (user_id = (select auth.uid()));
create policy "people choose for themselves" on public.notification_preferences for insert to authenticated
with check (user_id = (select auth.uid()));
create policy "people change what they chose" on public.notification_preferences for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "who has left chooses nothing" on public.notification_preferences as restrictive for insert to authenticated
with check ((select private.has_account()));

-- The caller's choices, one row per kind that concerns them: {kind, bell, email, required}.
create function public.notification_settings()
returns table (kind public.notification_kind, bell boolean, email boolean, required boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  return query select k.kind, private.wants_bell(auth.uid(), k.kind), private.wants_email(auth.uid(), k.kind), k.required
  from private.notification_kinds k where k.kind <> 'admin' or private.is_admin() order by k.kind;
end $$;
grant execute on function public.notification_settings() to authenticated;
