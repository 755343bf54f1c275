-- E-mails of notifications: every notification queues an e-mail to the person in the same transaction. What
-- gathers for one person within a short while becomes one e-mail. The function send-emails takes e-mails with begin_emails
-- and reports each with finish_email or fail_email; an e-mail that nobody reports on is taken again after ten minutes.

create type private.email_status as enum ('waiting', 'sent', 'dead');

create table private.emails (
  id uuid primary key default gen_random_uuid(), -- the Message-ID, the same for every try
  person_id uuid not null references private.profiles (id) on delete cascade,
  status private.email_status not null default 'waiting',
  attempts integer not null default 0,
  next_try_at timestamptz not null default now(),
  -- Until then whoever took it is sending it.
  taken_until timestamptz,
  last_error text check (length(last_error) <= 500),
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index emails_of_person on private.emails (person_id);
create index emails_waiting on private.emails (next_try_at) where status = 'waiting';
create index emails_done on private.emails (created_at) where status <> 'waiting';
alter table private.emails enable row level security;

create table private.email_events (
  id bigint generated always as identity primary key,
  person_id uuid not null references private.profiles (id) on delete cascade,
  key text not null references private.notification_texts (key) on delete cascade,
  params jsonb not null,
  link text not null,
  booking_id uuid references public.bookings (id) on delete cascade,
  -- Lines of money as they were then: [{label, amount}] in dollars.
  amounts jsonb not null default '[]',
  due_at timestamptz not null,
  -- The e-mail that tells of it; null while it waits.
  email_id uuid references private.emails (id) on delete cascade,
  created_at timestamptz not null default now()
);
create index email_events_of_person on private.email_events (person_id, id) where email_id is null;
create index email_events_by_person on private.email_events (person_id);
create index email_events_due on private.email_events (due_at) where email_id is null;
create index email_events_of_email on private.email_events (email_id);
create index email_events_of_key on private.email_events (key);
create index email_events_of_booking on private.email_events (booking_id);
-- One e-mail per conversation until it is read: reading it removes the row.
create unique index email_events_of_conversation on private.email_events (person_id, booking_id) where key = 'message_received';
alter table private.email_events enable row level security;

-- Where e-mails to that person go: the confirmed address of an account that may sign in; else null.
create function private.email_address(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select nullif(u.email, '') from auth.users u join private.profiles p on p.id = u.id
  where u.id = person and p.deleted_at is null and u.deleted_at is null and u.email_confirmed_at is not null
    and (u.banned_until is null or u.banned_until <= now())
$$;

-- Calls send-emails at that moment. A job for each, so that people who act at once do not wait for each other.
create function private.schedule_emails(at timestamptz) returns void
language sql security definer set search_path = '' as $$
  select private.enqueue_function('send-emails', '{}', null, at)
$$;

-- The booking an event is about: named by its link or its params, or else the one of this person and this task that this
-- very transaction has changed.
create function private.booking_of_event(person uuid, params jsonb, link text) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  named constant text := coalesce(substring(link from 'booking=([0-9a-f-]{36})'), params ->> 'booking');
begin
  return (
    select b.id from public.bookings b join public.tasks t on t.id = b.task_id
      left join public.payments p on p.booking_id = b.id
    where b.id = named::uuid or (named is null and person in (b.task_giver_id, b.task_doer_id)
      and t.title = params ->> 'task' and now() in (b.updated_at, p.updated_at))
    order by greatest(b.updated_at, p.updated_at) desc, b.id limit 1);
end $$;

-- Lines of money for an e-mail, [{label, amount}] in dollars, the last one the sum; none where it is not known how the sum
-- came about. `which`: 'total', what the giver pays; 'payout', what the tasker receives; 'refund', what goes back.
create function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  fee_label constant text := format('Platform fee (%s%%)', private.rule('fees.platformFeePercent'));
  gst_label constant text := format('GST (%s%%)', private.rule('fees.gstPercent'));
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('Task amount', paid.amount), jsonb_build_array(fee_label, paid.platform_fee),
      jsonb_build_array(gst_label, paid.gst), jsonb_build_array('You paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'Cancellation fee' when base < paid.amount
        then 'Task amount, as decided' else 'Task amount' end, base),
      jsonb_build_array(fee_label, -parts.platform_fee), jsonb_build_array(gst_label, -parts.gst),
      jsonb_build_array('You receive', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('You paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('Cancellation fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('Kept for the work, with its fees', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('Already returned to your card', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('Goes back to you', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_build_object('label', line -> 0, 'amount', line -> 1)) from jsonb_array_elements(lines) line);
end $$;

-- Queues the e-mail of an event, unless the person turned that kind off or can be sent none.
create function private.queue_email(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  booking uuid;
  due timestamptz;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  if not private.wants_email(person, texts.kind) or private.email_address(person) is null then
    return;
  end if;
  booking := private.booking_of_event(person, event_params, event_link);
  select now() + gather into strict due from private.notification_kinds k where k.kind = texts.kind;
  insert into private.email_events (person_id, key, params, link, booking_id, amounts, due_at)
  values (person, event_key, event_params,
    case when event_link = '/bookings' and booking is not null then private.booking_link(booking) else coalesce(event_link, '/dashboard') end,
    booking, private.amount_lines(texts.amounts, booking), due)
  on conflict do nothing;
  if found then
    perform private.schedule_emails(due);
  end if;
end $$;

-- Tells one person of one event, at the bell and by e-mail, as they chose. Params fill the English text and travel along
-- for the translated one.
create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
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
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind);
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, event_link);
  end if;
end $$;

-- Messages. The first one of a conversation that waits is mailed once it was unread for as long as its kind gathers.
create function private.queue_message_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from private.email_events e where e.key = 'message_received' and e.person_id = new.receiver_id
      and e.booking_id = new.booking_id)
  then
    perform private.queue_email(new.receiver_id, 'message_received', jsonb_build_object(
      'person', private.person_name(new.sender_id), 'booking', new.booking_id,
      'task', (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = new.booking_id)),
      private.booking_link(new.booking_id));
  end if;
  return null;
end $$;
create trigger queue_message_email after insert on public.messages
for each row execute function private.queue_message_email();

create function private.settle_message_email() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events
  where key = 'message_received' and person_id = new.receiver_id and booking_id = new.booking_id;
  return null;
end $$;
-- Not "of read_at": who marks a message by its status alone has it stamped by a trigger.
create trigger settle_message_email after update on public.messages
for each row when (old.read_at is null and new.read_at is not null)
execute function private.settle_message_email();
drop trigger settle_message_notice on public.messages;
create trigger settle_message_notice after update on public.messages
for each row when (old.read_at is null and new.read_at is not null)
execute function private.settle_message_notice();

-- What was unread of a conversation, the oldest of the last three first; null: nothing.
create function private.unread_messages(person uuid, booking uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(left(m.message, 300) order by m.created_at) from (
    select message, created_at from public.messages
    where receiver_id = person and booking_id = booking and read_at is null order by created_at desc limit 3) m
$$;

-- Who leaves and keeps an empty anchor keeps none of this.
create function private.erase_emails() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events where person_id = new.id;
  delete from private.emails where person_id = new.id;
  delete from public.notification_preferences where user_id = new.id;
  return null;
end $$;
create trigger erase_emails after update of deleted_at on private.profiles
for each row when (new.deleted_at is not null) execute function private.erase_emails();
