-- Bounces and complaints. A mail server that took an e-mail may say later that it could not be delivered, and a mailbox
-- provider that its reader marked it as spam. The function mail-events takes these reports and calls record_mail_event. No
-- notification is mailed to an address that does not exist or whose reader complained: mailbox providers judge a sender by
-- such mail. The bell tells the person, who can have e-mails sent again. E-mails of signing in are no part of this: they are
-- asked for one by one, and are the way back for somebody whose mailbox works again.

alter type private.email_status add value 'bounced';
alter type private.email_status add value 'complained';

-- Reports about the address of an account, one row each. Those about other addresses are not kept.
create table private.mail_events (
  id uuid primary key, -- a hash of the report's own id: one that comes twice is one row
  person_id uuid not null references private.profiles (id) on delete cascade,
  address text not null,
  type text not null check (type in ('bounced', 'complained')),
  -- Of a bounce. 'address': there is no such mailbox; 'temporary': it may work another time; 'message': the mail server did
  -- not want this message or its sender, which says nothing about the address.
  cause text check (cause in ('address', 'temporary', 'message')),
  detail text check (length(detail) <= 500),
  reported_at timestamptz not null default now(),
  check ((type = 'bounced') = (cause is not null))
);
create index mail_events_of_person on private.mail_events (person_id, reported_at desc);
create index mail_events_oldest on private.mail_events (reported_at);
alter table private.mail_events enable row level security;

-- The address of a person to which no notifications are mailed. It counts while it is the account's address and not lifted.
create table private.suppressed_addresses (
  id uuid primary key references private.profiles (id) on delete cascade, -- the person's
  address text not null,
  reason text not null check (reason in ('bounced', 'complained')),
  detail text check (length(detail) <= 500),
  since timestamptz not null default now(),
  lifted_at timestamptz
);
alter table private.suppressed_addresses enable row level security;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values ('emails_resumed', 3, 5, 3, 5);

insert into private.notification_texts (key, kind, title, message, subject, button, by_email) values
  ('emails_stopped', 'account', 'We stopped emailing you',
    'Emails to {address} came back, or one was marked as spam. Your notification settings say more, and let you have emails sent again.',
    null, 'Open your settings', false),
  ('emails_resumed', 'account', 'We are emailing you again',
    'This is the first email to this address since we stopped. If you can read it, everything works.',
    'We are emailing you again', 'Open your settings', true);

-- Whether the account's address is suppressed.
create function private.is_suppressed(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.suppressed_addresses s join auth.users u on u.id = s.id
    where s.id = person and s.lifted_at is null and s.address = lower(u.email))
$$;

create or replace function private.email_address(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select nullif(u.email, '') from auth.users u join private.profiles p on p.id = u.id
  where u.id = person and p.deleted_at is null and u.deleted_at is null and u.email_confirmed_at is not null
    and (u.banned_until is null or u.banned_until <= now()
      or exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null))
    and not private.is_suppressed(person)
$$;

-- Stops e-mails to that address of the person, and tells them at the bell.
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

-- One report about one address. A missing mailbox or a complaint suppresses the address at once; so do five temporary bounces
-- within 14 days. Returns whether the report was news about an account, and whether the address is suppressed now. A report
-- that comes again changes nothing. With `must_name_email`, for reports that anybody may have written, only the person counts
-- to whom the e-mail of that Message-ID was sent. Its id is random; only the recipient and the mail servers know it.
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
  perform private.require(length(event_id) between 1 and 500, 'event_id must have 1 to 500 characters', 'event_id');
  perform private.require(record_mail_event.type in ('bounced', 'complained'), 'type must be bounced or complained', 'type');
  perform private.require(record_mail_event.type = 'complained' or record_mail_event.cause in ('address', 'temporary', 'message'),
    'cause must be address, temporary or message', 'cause');
  perform private.require(length(reported) <= 320 and reported ~ '^\S+@\S+$', 'address must be an e-mail address', 'address');
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

-- For the person and for administrators: {address, reason, detail, since}; null while e-mails are sent.
create function public.suppressed_address(person uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'Only admins can see whether others are emailed');
  return (select jsonb_build_object('address', s.address, 'reason', s.reason, 'detail', s.detail, 'since', s.since)
    from private.suppressed_addresses s where s.id = person and private.is_suppressed(person));
end $$;

-- E-mails are sent to the person's address again, and the first one says so. For the person and for administrators; the audit
-- log says by whom.
create function public.resume_emails(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'Only admins can have others emailed again');
  perform private.count_activity('emails_resumed');
  update private.suppressed_addresses s set lifted_at = now() where s.id = person and private.is_suppressed(person);
  if found then
    insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values, by_admin, subject_ids)
    values (auth.uid(), coalesce(auth.role(), session_user), 'suppressed_addresses', person, 'update',
      '{"suppressed": true}', '{"suppressed": false}', private.is_admin(), array[person]);
    perform private.notify_person(person, 'emails_resumed', '{}', '/notifications/settings');
  end if;
end $$;

revoke execute on function public.suppressed_address(uuid), public.resume_emails(uuid) from public, anon;
grant execute on function public.suppressed_address(uuid), public.resume_emails(uuid) to authenticated;
revoke execute on function public.record_mail_event(text, text, text, text, text, text, boolean) from public, anon, authenticated;
grant execute on function public.record_mail_event(text, text, text, text, text, text, boolean) to service_role;

-- A mail server that refuses the recipient at once says the same as one that reports it later.
create or replace function public.fail_email(email_id uuid, reason text, message text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  email private.emails;
  again timestamptz;
  admin uuid;
begin
  perform private.require(reason in ('server', 'later', 'refused'), 'reason must be server, later or refused', 'reason');
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
          'person', private.person_name(email.person_id), 'reason', left(message, 200)), '/profile/' || email.person_id);
      end if;
    end loop;
  end if;
end $$;

create or replace function private.erase_emails() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events where person_id = new.id;
  delete from private.emails where person_id = new.id;
  delete from private.unsubscribe_tokens where person_id = new.id;
  delete from private.mail_events where person_id = new.id;
  delete from private.suppressed_addresses where id = new.id;
  delete from public.notification_preferences where user_id = new.id;
  return null;
end $$;

-- An export also holds what was reported about the person's address.
create or replace function public.data_of_person(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  with rows (section, at, data) as (
    select 'account', u.created_at, jsonb_build_object('id', u.id, 'email', u.email, 'phone', u.phone, 'created_at', u.created_at,
      'email_confirmed_at', u.email_confirmed_at, 'phone_confirmed_at', u.phone_confirmed_at, 'last_sign_in_at', u.last_sign_in_at,
      'user_metadata', u.raw_user_meta_data) from auth.users u where u.id = person
    union all select 'sign_in_methods', i.created_at, jsonb_build_object('provider', i.provider, 'identity_data', i.identity_data,
      'created_at', i.created_at, 'last_sign_in_at', i.last_sign_in_at) from auth.identities i where i.user_id = person
    union all select 'second_factors', f.created_at, jsonb_build_object('factor_type', f.factor_type, 'friendly_name', f.friendly_name,
      'status', f.status, 'created_at', f.created_at) from auth.mfa_factors f where f.user_id = person
    union all select 'sessions', s.created_at, jsonb_build_object('user_agent', s.user_agent, 'ip', s.ip, 'created_at', s.created_at,
      'refreshed_at', s.refreshed_at) from auth.sessions s where s.user_id = person
    union all select 'profile', p.created_at, to_jsonb(p) - 'verification_notes' - 'verified_by' from public.profiles p where p.id = person
    union all select 'roles', r.created_at, to_jsonb(r) from public.user_roles r where r.user_id = person
    union all select 'verification', v.created_at, to_jsonb(v) - 'decided_by' from public.verifications v where v.user_id = person
    union all select 'suspensions', s.created_at, to_jsonb(s) - 'suspended_by' - 'lifted_by' from public.suspensions s where s.user_id = person
    union all select 'tasks', t.created_at, to_jsonb(t) || jsonb_build_object('address',
      (select a.address from public.task_addresses a where a.task_id = t.id)) from public.tasks t where t.task_giver_id = person
    union all select 'requests_received', t.created_at, to_jsonb(t) from public.tasks t where t.asked_tasker_id = person
      and (t.hidden_for is null or exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = person))
    union all select 'bookings', b.created_at, to_jsonb(b) || jsonb_build_object('task_title',
      (select t.title from public.tasks t where t.id = b.task_id)) from public.bookings b
      where person in (b.task_giver_id, b.task_doer_id)
    union all select 'messages', m.created_at, to_jsonb(m) from public.messages m
      where m.sender_id = person or (m.receiver_id = person and m.hidden_at is null)
    union all select 'payments', p.created_at, to_jsonb(p) from public.payments p where person in (p.payer_id, p.payee_id)
    union all select 'payment_failures', f.failed_at, to_jsonb(f) from public.payment_failures f where f.person_id = person
    union all select 'payment_methods', m.created_at, to_jsonb(m) from public.payment_methods m where m.user_id = person
    union all select 'payment_customer', c.created_at, to_jsonb(c) from private.payment_customers c where c.user_id = person
    union all select 'payout_account', a.created_at, to_jsonb(a) from public.payout_accounts a where a.user_id = person
    union all select 'payouts', p.created_at, to_jsonb(p) from public.payouts p where p.user_id = person
    union all select 'receipts_and_statements', r.issued_at, to_jsonb(r) from public.receipts r where r.person_id = person
    union all select 'complaints', c.created_at, to_jsonb(c) - 'decided_by' from public.complaints c where person in (c.giver_id, c.tasker_id)
    union all select 'reviews_written', r.created_at, to_jsonb(r) from public.reviews r where r.reviewer_id = person
    union all select 'reviews_received', r.created_at, to_jsonb(r) from public.reviews r
      where r.reviewee_id = person and r.visible_from <= now() and r.hidden_at is null
    union all select 'favourites', f.created_at, to_jsonb(f) from public.favourites f where f.user_id = person
    union all select 'notifications', n.created_at, to_jsonb(n) from public.notifications n where n.user_id = person
    union all select 'notification_preferences', n.updated_at, to_jsonb(n) from public.notification_preferences n where n.user_id = person
    union all select 'quiet_hours', p.created_at, to_jsonb(q) from public.quiet_hours q join private.profiles p on p.id = q.user_id
      where q.user_id = person
    union all select 'push_subscriptions', s.created_at, jsonb_build_object('push_service', substring(s.endpoint from '^https?://[^/]+'),
      'created_at', s.created_at) from public.push_subscriptions s where s.user_id = person
    union all select 'emails', e.created_at, jsonb_build_object('about', e.key, 'params', e.params, 'created_at', e.created_at,
      'sent_at', (select m.sent_at from private.emails m where m.id = e.email_id)) from private.email_events e where e.person_id = person
    union all select 'reported_emails', e.reported_at, to_jsonb(e) - 'id' - 'person_id' from private.mail_events e where e.person_id = person
    union all select 'suppressed_address', s.since, to_jsonb(s) - 'id' from private.suppressed_addresses s where s.id = person
    union all select 'reports_made', r.created_at, jsonb_build_object('kind', r.kind, 'subject_id', r.subject_id,
      'reason', r.reason, 'status', r.status, 'created_at', r.created_at, 'decided_at', r.decided_at)
      from public.reports r where r.reporter_id = person
    -- As my_restrictions: what an administrator has hidden, once a thing, however many people reported it.
    union all (select distinct on (r.kind, r.subject_id) 'reports_about_me', r.decided_at, jsonb_build_object('kind', r.kind,
      'subject_id', r.subject_id, 'excerpt', r.excerpt, 'decision_note', r.decision_note, 'decided_at', r.decided_at)
      from public.reports r where r.author_id = person and r.status = 'hidden' order by r.kind, r.subject_id, r.decided_at desc)
    union all select 'activity', a.at, jsonb_build_object('at', a.at, 'action', a.action, 'table', a.table_name, 'row', a.row_id,
      'new_values', a.new_values) from public.audit_log a where a.actor_id = person and not a.by_admin
    union all select 'data_exports', e.requested_at, jsonb_build_object('requested_at', e.requested_at, 'status', e.status)
      from public.data_exports e where e.user_id = person
  )
  select coalesce(jsonb_object_agg(s.section, s.list), '{}') from (
    select section, jsonb_agg(data order by at) as list from rows group by section) s
$$;
