-- The queue of notification e-mails (ADR 0024). A notification queues its event in the same transaction; events for one person
-- within a short while become one e-mail. The function send-emails takes e-mails with begin_emails and reports each with
-- finish_email or fail_email. Without a report, an e-mail is handed out again after ten minutes.

set check_function_bodies = off;

create type private.email_status as enum ('waiting', 'sent', 'dead', 'bounced', 'complained');

create table private.emails (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references private.profiles (id) on delete cascade,
  status private.email_status not null default 'waiting',
  attempts integer not null default 0,
  next_try_at timestamptz not null default now(),
  taken_until timestamptz,
  last_error text check (length(last_error) <= 500),
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
alter table private.emails enable row level security;

comment on table private.emails is
  'Notification e-mails, one for all events of a person that are due together; deleted 30 days after they ended';
comment on column private.emails.id is 'Part of the Message-ID, the same for every try';
comment on column private.emails.status is
  'What became of it: '
  'new → waiting when its events are due; '
  'waiting → sent when the mail server accepts it; '
  'waiting → dead when the mail server refuses it, or after ten tries; '
  'sent → bounced when a mail server reports that it did not arrive; '
  'sent → complained when the recipient marks it as spam';
comment on column private.emails.attempts is 'Number of tries that count';
comment on column private.emails.next_try_at is 'When it can be handed out to the function send-emails';
comment on column private.emails.taken_until is 'Until then, the caller that took it is sending it; null while nobody is';
comment on column private.emails.last_error is 'The mail server''s last message, at most 500 characters; null for none';
comment on column private.emails.sent_at is 'When the mail server accepted it; null before';

create table private.email_events (
  id bigint generated always as identity primary key,
  person_id uuid not null references private.profiles (id) on delete cascade,
  key text not null references private.notification_texts (key) on delete cascade,
  params jsonb not null,
  link text not null,
  booking_id uuid references public.bookings (id) on delete cascade,
  amounts jsonb not null default '[]',
  due_at timestamptz not null,
  email_id uuid references private.emails (id) on delete cascade,
  created_at timestamptz not null default now(),
  subject_key text
);
alter table private.email_events enable row level security;

comment on table private.email_events is
  'Events that become e-mails; pending ones are gathered when they are due, and deleted when they are outdated';
comment on column private.email_events.key is 'Event, a key of private.notification_texts';
comment on column private.email_events.params is
  'Values for the {{parameters}} of the texts; amounts are dollars; `codes` has the codes of those with words of their own, by name';
comment on column private.email_events.link is 'Path in the app that the e-mail''s button opens';
comment on column private.email_events.booking_id is 'The booking that the event is about; null for none';
comment on column private.email_events.amounts is 'Amounts at the time of the event: [{label, amount}] in dollars';
comment on column private.email_events.due_at is 'When the event can be mailed';
comment on column private.email_events.email_id is 'The e-mail that contains it; null while it is pending';
comment on column private.email_events.subject_key is
  'Topic, task and tasker; a later event with the same one replaces the pending one; null for none';

create table private.unsubscribe_tokens (
  token uuid primary key default gen_random_uuid(),
  person_id uuid not null references private.profiles (id) on delete cascade,
  kinds public.notification_kind[] not null check (cardinality(kinds) > 0),
  created_at timestamptz not null default now(),
  unique (person_id, kinds)
);
alter table private.unsubscribe_tokens enable row level security;

comment on table private.unsubscribe_tokens is
  'Random tokens for unsubscribing without signing in; each names one person and some kinds, and reveals nothing else';
comment on column private.unsubscribe_tokens.token is 'Part of the links in e-mails';
comment on column private.unsubscribe_tokens.kinds is 'The kinds that the token turns off or on, sorted';

create index emails_of_person on private.emails (person_id);
create index emails_waiting on private.emails (next_try_at) where status = 'waiting';
create index emails_done on private.emails (created_at) where status <> 'waiting';
create index email_events_of_person on private.email_events (person_id, id) where email_id is null;
create index email_events_by_person on private.email_events (person_id);
create index email_events_due on private.email_events (due_at) where email_id is null;
create index email_events_of_email on private.email_events (email_id);
create index email_events_of_key on private.email_events (key);
create index email_events_of_booking on private.email_events (booking_id);

-- One e-mail per conversation until it is read; reading it deletes the row.
create unique index email_events_of_conversation on private.email_events (person_id, booking_id) where key = 'message_received';
create unique index email_events_subject_key on private.email_events (person_id, subject_key) where subject_key is not null and email_id is null;

-- The address for a person's e-mails; null if there is none or it must not be used. Suspended people cannot sign in, so they
-- are mailed the reason and what cannot be turned off. People who are banned otherwise get no e-mails.
create function private.email_address(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select nullif(u.email, '') from auth.users u join private.profiles p on p.id = u.id
  where u.id = person and p.deleted_at is null and u.deleted_at is null and u.email_confirmed_at is not null
    and (u.banned_until is null or u.banned_until <= now()
      or exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null))
    and not private.is_suppressed(person)
$$;

-- Calls send-emails at that time. Each call is a separate job, so that concurrent transactions do not wait for each other.
create function private.schedule_emails(at timestamptz) returns void
language sql security definer set search_path = '' as $$
  select private.enqueue_function('send-emails', '{}', null, at)
$$;

-- The booking an event is about: the one in its link or params. Otherwise the booking of this person and task that the current
-- transaction has changed.
create function private.booking_of_event(person uuid, params jsonb, link text) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  named constant text := coalesce(substring(link from 'booking=([0-9a-f-]{36})'), params ->> 'booking');
begin
  if named is not null then
    return (select b.id from public.bookings b where b.id = named::uuid);
  end if;
  -- Each side by its index: with one condition over both, each notification would read all bookings.
  return (
    select b.id from (
      select * from public.bookings where task_giver_id = person
      union all
      select * from public.bookings where task_doer_id = person
    ) b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id
    where t.title = params ->> 'task' and now() in (b.updated_at, p.updated_at)
    order by greatest(b.updated_at, p.updated_at) desc, b.id limit 1);
end $$;

-- The amounts that an e-mail lists, [{line, percent?, amount, label}] in dollars, the sum last; empty if they do not explain the
-- sum. `which`: 'total', what the giver pays; 'payout', what the tasker receives; 'refund', what goes back.
create function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  -- The labels in English, for the version before.
  labels constant jsonb := '{"task": "Task amount", "task_as_decided": "Task amount, as decided", "paid": "You paid",
    "cancellation_fee": "Cancellation fee", "platform_fee": "Platform fee (%s%%)", "payout": "You receive",
    "kept": "Kept for the work, with its fees", "returned_before": "Already returned to your card", "refund": "Goes back to you"}'
    || jsonb_build_object('gst', (private.marketplace() #>> '{texts,tax}') || ' (%s%%)');
  fee constant numeric := private.marketplace_number('fees.platformPercent');
  gst constant numeric := private.marketplace_number('tax.percent');
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('task', paid.amount), jsonb_build_array('platform_fee', paid.platform_fee, fee),
      jsonb_build_array('gst', paid.gst, gst), jsonb_build_array('paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount - paid.reduction
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount - paid.reduction
        then 'task_as_decided' else 'task' end, base),
      jsonb_build_array('platform_fee', -parts.platform_fee, fee), jsonb_build_array('gst', -parts.gst, gst),
      jsonb_build_array('payout', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('cancellation_fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('kept', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('returned_before', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('refund', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('line', line -> 0, 'percent', line -> 2, 'amount', line -> 1,
    'label', format(labels ->> (line ->> 0), line ->> 2)))) from jsonb_array_elements(lines) line);
end $$;

-- Queues the e-mail of an event, unless the person turned off that kind or cannot be mailed. An event with a subject key
-- replaces the pending one with the same key. `repeated` means that the same event was already delivered.
create function private.queue_email(
  person uuid, event_key text, event_params jsonb, event_link text, event_subject_key text default null, repeated boolean default false
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  booking uuid;
  place text;
  due timestamptz;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  if not private.wants_email(person, texts.kind) or private.email_address(person) is null then
    return;
  end if;
  booking := private.booking_of_event(person, event_params, event_link);
  place := coalesce(event_link, '/dashboard');
  if event_subject_key is not null then
    update private.email_events e set key = event_key, params = event_params, link = place, booking_id = booking, created_at = now()
    where e.person_id = person and e.subject_key = event_subject_key and e.email_id is null;
    if found or repeated then
      return;
    end if;
  end if;
  select now() + gather into strict due from private.notification_kinds k where k.kind = texts.kind;
  insert into private.email_events (person_id, key, params, link, booking_id, amounts, due_at, subject_key)
  values (person, event_key, event_params, place, booking,
    case when event_params ?| '{payment,change}' then '[]' else private.amount_lines(texts.amounts, booking) end, due, event_subject_key)
  on conflict do nothing;
  if found then
    perform private.schedule_emails(due);
  end if;
end $$;

-- Queues an e-mail for the first unread message of a conversation. It is sent if the message is still unread when the time for
-- which its kind gathers has passed.
create function private.queue_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from private.email_events e where e.key = 'message_received' and e.person_id = message.receiver_id
      and e.booking_id = message.booking_id)
  then
    perform private.queue_email(message.receiver_id, 'message_received',
      private.with_words(private.with_names(jsonb_build_object(
        'person', private.named(message.sender_id), 'booking', message.booking_id,
        'task', (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = message.booking_id)),
        message.receiver_id, message.booking_id)),
      private.booking_link(message.booking_id));
  end if;
end $$;

-- Deletes the e-mail event of the conversation, because the receiver reads it.
create function private.delete_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events
  where key = 'message_received' and person_id = message.receiver_id and booking_id = message.booking_id;
end $$;

-- The last three unread messages of a conversation, for its e-mail; null without any. Hidden ones are left out.
create function private.unread_messages(person uuid, booking uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(coalesce(nullif(left(m.message, 300), ''), 'Photo') order by m.created_at) from (
    select message, created_at from public.messages
    where receiver_id = person and booking_id = booking and read_at is null and hidden_at is null
    order by created_at desc limit 3) m
$$;

-- When an account is deleted and its empty profile remains (ADR 0013), deletes the person's e-mails, tokens, address reports
-- and preferences.
create function private.erase_emails(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events where person_id = person;
  delete from private.emails where person_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from private.mail_events where person_id = person;
  delete from private.suppressed_addresses where id = person;
  delete from public.notification_preferences where user_id = person;
end $$;

-- Calls send-emails again, because more e-mails are due than one call can send.
create function public.schedule_emails() returns void
language sql security definer set search_path = '' as $$
  select private.schedule_emails(now())
$$;

-- The person's token for those of the given kinds that can be turned off; null if none can.
create function private.unsubscribe_token(person uuid, wanted public.notification_kind[]) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  kept constant public.notification_kind[] := array(select distinct k from unnest(wanted) k where not private.is_required(k) order by k);
  found_token uuid;
begin
  if cardinality(kept) = 0 then
    return null;
  end if;
  insert into private.unsubscribe_tokens (person_id, kinds) values (person, kept)
  on conflict (person_id, kinds) do update set kinds = excluded.kinds returning token into found_token;
  return found_token;
end $$;

-- Whether a pending event is outdated: what it asks for is done, or what it announces is over.
create function private.is_outdated_event(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key in ('increase_proposed', 'expense_submitted', 'decrease_proposed') then not exists (
      select from public.booking_changes c where c.id = (event.params ->> 'change')::uuid and c.state = 'proposed')
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending'
        and event.params ->> 'person' in (private.full_name(v.user_id), private.person_name(v.user_id)))
    when event.key = 'searches_matched' then event.params ? 'ids' and private.alerted_tasks(event.person_id, event.params -> 'ids') is null
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on case when event.params ? 'payment' then p.id = (event.params ->> 'payment')::uuid
      else p.booking_id = b.id end
    left join public.complaints c on c.booking_id = b.id
$$;
