-- Delivery of notification e-mails (emails.sql queues them): handing them out to the function send-emails, unsubscribing, and
-- mail servers' reports about addresses (mail_events), which can stop e-mails to an address (suppressed_addresses).

set check_function_bodies = off;

create table private.mail_events (
  id uuid primary key,
  person_id uuid not null references private.profiles (id) on delete cascade,
  address text not null,
  type text not null check (type in ('bounced', 'complained')),
  cause text check (cause in ('address', 'temporary', 'message')),
  detail text check (length(detail) <= 500),
  reported_at timestamptz not null default now(),
  check ((type = 'bounced') = (cause is not null))
);
alter table private.mail_events enable row level security;

comment on table private.mail_events is
  'Reports of mail servers about the addresses of accounts, kept for 90 days and at most 50 for each person';
comment on column private.mail_events.id is 'A hash of the report''s own id, so that a repeated report is one row';
comment on column private.mail_events.address is 'In lower case';
comment on column private.mail_events.type is 'bounced or complained';
comment on column private.mail_events.cause is
  'Of a bounce: address (no such mailbox), temporary (a later e-mail may arrive) or message (this message or its sender was '
  'rejected, so the address may be fine); null for a complaint';
comment on column private.mail_events.detail is 'What the mail server reported, at most 500 characters; null for none';

create table private.suppressed_addresses (
  id uuid primary key references private.profiles (id) on delete cascade,
  address text not null,
  reason text not null check (reason in ('bounced', 'complained')),
  detail text check (length(detail) <= 500),
  since timestamptz not null default now(),
  lifted_at timestamptz
);
alter table private.suppressed_addresses enable row level security;

comment on table private.suppressed_addresses is 'Addresses to which no notifications are mailed, at most one for each person';
comment on column private.suppressed_addresses.id is 'The person';
comment on column private.suppressed_addresses.address is 'In lower case; counts only while it is the account''s address';
comment on column private.suppressed_addresses.reason is 'bounced or complained';
comment on column private.suppressed_addresses.detail is 'What the mail server reported, at most 500 characters; null for none';
comment on column private.suppressed_addresses.since is 'When e-mails to the address stopped';
comment on column private.suppressed_addresses.lifted_at is 'When e-mails were resumed; null while they are stopped';

create index mail_events_of_person on private.mail_events (person_id, reported_at desc);
create index mail_events_oldest on private.mail_events (reported_at);

-- Makes e-mails from events that are due, for at most `max_people` people. All pending events of a person go into one e-mail,
-- except messages that are not due yet.
create function private.gather_emails(max_people integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
  events bigint[];
  email uuid;
begin
  -- An e-mail after a week is news no more; it could not be sent because there was no mail server.
  delete from private.email_events where email_id is null and due_at < now() - interval '7 days';
  delete from private.emails where status <> 'waiting' and created_at < now() - interval '30 days';
  for person in select e.person_id from private.email_events e where e.email_id is null and e.due_at <= now()
    group by e.person_id order by min(e.due_at) limit max_people
  loop
    -- A transaction that gathers the same person's events has locked them.
    select array_agg(w.id) into events from (
      select e.id from private.email_events e where e.person_id = person and e.email_id is null
        and (e.key <> 'message_received' or e.due_at <= now()) order by e.id for update skip locked) w;
    delete from private.email_events e using private.notification_texts t
    where e.id = any (events) and t.key = e.key and (private.email_address(person) is null
      or not private.wants_email(person, t.kind) or private.is_outdated_event(e));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

-- The events of an e-mail, most important first: money, complaints, then the others in their order. Events about money include
-- the link to the receipt or statement. The version before reads title, message, subject and button outside of `texts`.
create function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', case when e.key = 'searches_matched'
        then e.params - 'ids' || coalesce(private.alerted_tasks(e.person_id, e.params -> 'ids'), '{}') else e.params end, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind
  cross join lateral (
    select coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{{task}}"' else t.title end) as subject) s
  where e.email_id = email
$$;

-- Hands out at most `max_emails` e-mails that are due: [{id, to, name, language, events, unsubscribe, unsubscribe_kinds}].
-- `language` is the reader's; the events' params contain the facts for texts in it (ADR 0035). `unsubscribe` is the token for
-- all kinds in the e-mail that can be turned off (null: none can); `unsubscribe_kinds` has one token for each kind.
create function public.begin_emails(max_emails integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  perform private.gather_emails(least(greatest(max_emails, 0), 100));
  -- Between two tries the account was closed, the conversation read or the tasks of an alert hidden.
  delete from private.email_events e using private.emails m
  where m.id = e.email_id and m.status = 'waiting' and m.next_try_at <= now() and e.key = 'searches_matched'
    and private.is_outdated_event(e);
  delete from private.emails m where m.status = 'waiting' and m.next_try_at <= now()
    and (private.email_address(m.person_id) is null
      or not exists (select from private.email_events e where e.email_id = m.id));
  with due as (
    select id from private.emails where status = 'waiting' and next_try_at <= now()
      and (taken_until is null or taken_until <= now())
    order by next_try_at limit least(greatest(max_emails, 0), 100) for update skip locked
  ), begun as (
    update private.emails m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.id, m.person_id
  ), kinds as (
    select b.id, b.person_id, array_agg(distinct t.kind) as kinds from begun b
    join private.email_events e on e.email_id = b.id join private.notification_texts t on t.key = e.key
    group by b.id, b.person_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'to', private.email_address(b.person_id),
    'name', private.person_name(b.person_id), 'language', (select p.language from private.profiles p where p.id = b.person_id),
    'events', private.events_of_email(b.id),
    'unsubscribe', private.unsubscribe_token(b.person_id, b.kinds),
    'unsubscribe_kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k, 'token', private.unsubscribe_token(b.person_id, array[k]))
      order by k), '[]') from unnest(b.kinds) k where not private.is_required(k)))), '[]') into taken from kinds b;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-emails', '{}', 'send-emails-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

-- Records that the mail server has accepted the e-mail. Harmless to repeat.
create function public.finish_email(email_id uuid) returns void
language sql security definer set search_path = '' as $$
  update private.emails set status = 'sent', sent_at = now(), taken_until = null, last_error = null
  where id = finish_email.email_id and status = 'waiting'
$$;

-- Records that an e-mail could not be sent. `reason` server: the mail server is at fault, so the try does not count. later:
-- tried again after growing pauses, ten times in all. refused: given up. A recipient that the mail server refuses counts as a
-- bounce.
create function public.fail_email(email_id uuid, reason text, message text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  email private.emails;
  again timestamptz;
  admin uuid;
begin
  perform private.require(reason in ('server', 'later', 'refused'), 'email.failure_reason_invalid', 'reason');
  select * into email from private.emails m where m.id = fail_email.email_id and m.status = 'waiting' for update;
  if email.id is null or email.taken_until is null then
    return;
  elsif reason = 'server' then
    update private.emails set attempts = attempts - 1, taken_until = null, last_error = left(message, 500) where id = email.id;
  elsif reason = 'later' and email.attempts < 10 then
    again := now() + least(interval '1 minute' * 2 ^ (email.attempts - 1), interval '4 hours');
    update private.emails set taken_until = null, next_try_at = again, last_error = left(message, 500) where id = email.id;
    perform private.schedule_emails(again);
  else
    update private.emails set status = 'dead', taken_until = null, last_error = left(message, 500) where id = email.id;
    -- No such mailbox, no such domain, or a mailbox that was closed: https://www.rfc-editor.org/rfc/rfc3463#section-3.2
    if reason = 'refused' and message ~ '\m5\.(1\.(1|2|3|6|10)|2\.1)\M' then
      perform public.record_mail_event(email.id::text, 'bounced', a.address, 'address', null, message)
      from private.email_address(email.person_id) a (address) where a.address is not null;
    end if;
    -- At the bell alone, and once until it is read: an e-mail about e-mails that do not arrive might not arrive.
    for admin in select user_id from public.user_roles where role = 'admin' order by user_id loop
      if not exists (select from public.notifications n where n.user_id = admin and not n.read
        and n.key = 'email_undeliverable' and n.link = '/profile/' || email.person_id)
      then
        perform private.notify_person(admin, 'email_undeliverable', jsonb_build_object(
          'person', private.full_name(email.person_id), 'reason', left(message, 200)), '/profile/' || email.person_id);
      end if;
    end loop;
  end if;
end $$;

-- The kinds that an e-mail's token turns off, for anybody who has it: {kinds, subscribed}; null if there is no such
-- token.
create function public.email_subscription(token uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('kinds', to_jsonb(u.kinds), 'subscribed',
    (select bool_or(private.wants_email(u.person_id, k)) from unnest(u.kinds) k))
  from private.unsubscribe_tokens u where u.token = email_subscription.token
$$;

-- Turns e-mails of the token's kinds on or off. Harmless to repeat. Returns the same as email_subscription.
create function public.set_email_subscription(token uuid, subscribed boolean) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  known private.unsubscribe_tokens;
begin
  perform private.require(subscribed is not null, 'email.subscribed_required', 'subscribed');
  select * into known from private.unsubscribe_tokens u where u.token = set_email_subscription.token;
  perform private.require(known.token is not null, 'email.unsubscribe_link_invalid', 'token');
  insert into public.notification_preferences (user_id, kind, email)
  select known.person_id, k, subscribed from unnest(known.kinds) k
  on conflict (user_id, kind) do update set email = excluded.email;
  return public.email_subscription(known.token);
end $$;

-- Sends all pending e-mails now, for operators.
create function public.flush_emails() returns void
language plpgsql security definer set search_path = '' as $$
begin
  update private.email_events set due_at = now() where email_id is null and due_at > now();
  perform private.schedule_emails(now());
end $$;

-- Whether the account's address is suppressed.
create function private.is_suppressed(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.suppressed_addresses s join auth.users u on u.id = s.id
    where s.id = person and s.lifted_at is null and s.address = lower(u.email))
$$;

-- Stops e-mails to that address of the person, and notifies them in the app.
create function private.suppress_address(person uuid, suppressed text, why text, words text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.suppressed_addresses as s (id, address, reason, detail) values (person, suppressed, why, left(words, 500))
  on conflict (id) do update set address = excluded.address, reason = excluded.reason, detail = excluded.detail,
    since = now(), lifted_at = null
  where s.lifted_at is not null or s.address <> excluded.address;
  if found then
    perform private.notify_person(person, 'emails_stopped', jsonb_build_object('address', suppressed), '/notifications/settings');
  end if;
end $$;

-- Records one report about one address. A missing mailbox or a complaint suppresses the address at once; so do five temporary
-- bounces within 14 days. Returns {recorded, suppressed}: whether the report was new and about an account, and whether the
-- address is suppressed now. A repeated report changes nothing. `must_name_email` is for reports that anybody could have
-- written: they count only for the person to whom the e-mail of that Message-ID was sent. The id is random; only the recipient
-- and the mail servers know it.
create function public.record_mail_event(event_id text, type text, address text, cause text default null,
  message_id text default null, detail text default null, must_name_email boolean default false) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  reported constant text := lower(private.trimmed(record_mail_event.address));
  named_email constant uuid := substring(message_id from '^<?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})@')::uuid;
  person uuid;
  recorded boolean := false;
  suppressed boolean := false;
begin
  perform private.require(length(event_id) between 1 and 500, 'mail_event.id_invalid', 'event_id');
  perform private.require(record_mail_event.type in ('bounced', 'complained'), 'mail_event.type_invalid', 'type');
  perform private.require(record_mail_event.type = 'complained' or record_mail_event.cause in ('address', 'temporary', 'message'),
    'mail_event.cause_invalid', 'cause');
  perform private.require(length(reported) <= 320 and reported ~ '^\S+@\S+$', 'mail_event.address_invalid', 'address');
  delete from private.mail_events where reported_at < now() - interval '90 days';
  update private.emails m set status = record_mail_event.type::private.email_status, last_error = left(record_mail_event.detail, 500)
  where m.id = named_email and m.status = 'sent' and (not must_name_email
    or m.person_id in (select u.id from auth.users u where lower(u.email) = reported));
  for person in select u.id from auth.users u join private.profiles p on p.id = u.id
    where lower(u.email) = reported and p.deleted_at is null
      -- A mail server may report a bounce before the row says that the e-mail was sent.
      and (not must_name_email or exists (select from private.emails m where m.id = named_email and m.person_id = u.id
        and (m.status <> 'waiting' or m.attempts > 0)))
    for no key update of p
  loop
    insert into private.mail_events (id, person_id, address, type, cause, detail) values (md5(event_id || ' ' || person)::uuid, person,
      reported, record_mail_event.type, case when record_mail_event.type = 'bounced' then record_mail_event.cause end,
      left(record_mail_event.detail, 500)) on conflict do nothing;
    if found then
      recorded := true;
      -- Bounds the table, however many reports arrive.
      delete from private.mail_events e where e.id in (select old.id from private.mail_events old
        where old.person_id = person order by old.reported_at desc offset 50);
      if record_mail_event.type = 'complained' or record_mail_event.cause = 'address' or 5 <= (
        select count(*) from private.mail_events e where e.person_id = person and e.address = reported and e.cause = 'temporary'
          and e.reported_at > greatest(now() - interval '14 days',
            (select s.lifted_at from private.suppressed_addresses s where s.id = person)))
      then
        perform private.suppress_address(person, reported, record_mail_event.type, record_mail_event.detail);
      end if;
    end if;
    suppressed := suppressed or private.is_suppressed(person);
  end loop;
  return jsonb_build_object('recorded', recorded, 'suppressed', suppressed);
end $$;

-- Why e-mails to a person are stopped, for the person and for admins: {address, reason, detail, since}; null if e-mails are
-- sent.
create function public.suppressed_address(person uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'admin.required', '{"action": "see whether others are emailed"}');
  return (select jsonb_build_object('address', s.address, 'reason', s.reason, 'detail', s.detail, 'since', s.since)
    from private.suppressed_addresses s where s.id = person and private.is_suppressed(person));
end $$;

-- Resumes e-mails to the person's address, beginning with one that announces it. For the person and for admins; the audit log
-- records who did it.
create function public.resume_emails(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'admin.required', '{"action": "have others emailed again"}');
  perform private.count_activity('emails_resumed');
  update private.suppressed_addresses s set lifted_at = now() where s.id = person and private.is_suppressed(person);
  if found then
    insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values, by_admin, subject_ids)
    values (auth.uid(), coalesce(auth.role(), session_user), 'suppressed_addresses', person, 'update',
      '{"suppressed": true}', '{"suppressed": false}', private.is_admin(), array[person]);
    perform private.notify_person(person, 'emails_resumed', '{}', '/notifications/settings');
  end if;
end $$;

grant execute on function
  public.email_subscription(uuid), public.set_email_subscription(uuid, boolean)
to anon, authenticated;
grant execute on function
  public.suppressed_address(uuid), public.resume_emails(uuid)
to authenticated;
