-- Names of people. A profile keeps the full name as it was typed. Other people read the first name and the initial of the
-- last one, "Theo B.", until a booking of the two is accepted: from then on they see the full name as they see contact
-- details (private.is_counterpart). The person, administrators and trusted code always see it.
-- Notifications, e-mails and pushes to other people always have the short name: they are shown on lock screens.

-- "Anna Maria van der Berg" → "Anna B.", "Berg, Anna" → "Anna B.". A name of one word stays as it is: some people have
-- only one, and in a name like 王小明 the family name is one character, its own initial. Words without a letter (an emoji)
-- do not count.
create function private.public_name(full_name text) returns text
language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  letter constant text := '[[:alpha:]\u00c0-\u1fff\u2c00-\ud7ff\uf900-\ufdff\ufe70-\ufefc]';
  name text := normalize(private.trimmed(full_name), NFC);
  words text[];
begin
  name := regexp_replace(name, '^(\S+),\s+(.+)$', '\2 \1');
  -- Names joined by a character other than a space.
  name := regexp_replace(name, '(' || letter || '{2})[._,/]+(?=' || letter || '{2})', '\1 ', 'g');
  words := array(select w.word
    from regexp_split_to_table(name, '[' || private.space_characters() || '·・]+') with ordinality w (word, place)
    where w.word ~ letter order by w.place);
  if cardinality(words) < 2 then
    return full_name;
  end if;
  return words[1] || ' ' || upper(substring(words[cardinality(words)] from letter)) || '.';
end $$;
grant execute on function private.public_name(text) to anon, authenticated, service_role;

create or replace view public.public_profiles as
select p.id,
  case when (select private.reads_everyone()) or p.id = (select private.reader())
      or (select private.reader()) is not null and private.is_counterpart(p.id) then p.full_name
    else private.public_name(p.full_name) end as full_name,
  case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.knows_person(p.id) else false end as withheld) v
where (select private.reads_everyone()) or p.id = (select private.reader())
  -- As private.listed_taskers.
  or p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or exists (select from public.bookings b where b.task_giver_id = p.id and b.task_doer_id = (select private.reader()))
  or exists (select from public.bookings b where b.task_doer_id = p.id and b.task_giver_id = (select private.reader()))
  -- Between a giver and the tasker whom they ask first.
  or exists (select from public.tasks t where t.status = 'asked' and t.hidden_for is null
    and t.task_giver_id = p.id and t.asked_tasker_id = (select private.reader()))
  or exists (select from public.tasks t where t.status = 'asked'
    and t.asked_tasker_id = p.id and t.task_giver_id = (select private.reader()));

-- Searches compare the short name. Otherwise a search could spell out a last name letter by letter.
create or replace view private.listed_taskers as
select p.id, p.rating, p.total_reviews, private.public_name(p.full_name) as full_name, p.skills, p.bio from private.profiles p
where p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public';

-- The same index and statistics, over the short name.
drop index private.profiles_taskers_text;
create index profiles_taskers_text on private.profiles
  using gin (private.tasker_text(private.public_name(full_name), skills, bio) extensions.gin_trgm_ops)
  where id_verified and 'task_doer' = any (roles);
drop statistics private.profiles_tasker_text;
create statistics private.profiles_tasker_text
  on (private.tasker_text(private.public_name(full_name), skills, bio)) from private.profiles;

-- Every caller gets the short name: the function that makes the heads of pages uses the secret key.
create or replace function public.person_head(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', shown.id, 'full_name', private.public_name(p.full_name), 'bio', shown.bio,
    'city', shown.city, 'avatar_url', shown.avatar_url, 'skills', shown.skills, 'rating', shown.rating,
    'total_reviews', shown.total_reviews, 'role', shown.role,
    'listed', exists (select from private.listed_taskers l where l.id = person))
  from private.profiles p join public.public_profiles shown on shown.id = p.id
  where p.id = person and p.visibility = 'public' and p.hidden_for is null and p.deleted_at is null and p.full_name <> ''
$$;

-- In notifications: the short name for other people, the full one for administrators.
create or replace function private.person_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select private.public_name(full_name) from private.profiles where id = person),
    (select 'Deleted user' where private.has_left(person)), 'Someone')
$$;
create function private.full_name(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select full_name from private.profiles where id = person), private.person_name(person))
$$;
revoke execute on function private.full_name(uuid) from public;

create or replace function private.apply_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  approved boolean := coalesce(new.verification_status = 'verified', false);
  taken_back boolean := coalesce(old.verification_status = 'verified' and new.verification_status = 'rejected', false);
begin
  update public.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and new.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(new), false),
    verified_by_admin = verified_by_admin and not taken_back,
    verified_at = case when not taken_back then verified_at end,
    verified_by = case when not taken_back then verified_by end
  where id = person;
  if tg_op <> 'DELETE' and new.has_insurance then
    perform private.schedule_tick(((new.insurance_expiry_date + 1)::timestamp at time zone 'America/Regina'));
  end if;
  if new.verification_status = 'pending' and old.verification_status is distinct from 'pending'
      and old.verification_status is distinct from 'verified' then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif tg_op = 'UPDATE' and new.verification_status is distinct from old.verification_status then
    if approved then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif taken_back then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    elsif new.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    end if;
  end if;
  return null;
end $$;

create or replace function private.file_report(kind public.reported_kind, subject uuid, author uuid, excerpt text, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  -- One after the other, so that the count holds.
  perform pg_advisory_xact_lock(hashtextextended('reports ' || me, 0));
  perform private.require(not exists (select from public.reports r
    where r.reporter_id = me and r.kind = file_report.kind and r.subject_id = file_report.subject),
    'You have already reported this', 'subject');
  perform private.require((select count(*) from public.reports r
    where r.reporter_id = me and r.created_at > now() - interval '24 hours') < 10,
    'You have reported 10 things within a day. Please try again tomorrow.', 'subject');
  if not exists (select from public.reports r where r.kind = file_report.kind and r.subject_id = file_report.subject
      and r.status = 'open') then
    perform private.notify_admins('content_reported', jsonb_build_object('person', private.full_name(me),
      'what', file_report.kind, 'reason', left(file_report.reason, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (file_report.kind, file_report.subject, file_report.author, me, file_report.reason, left(file_report.excerpt, 2000));
end $$;

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
          'person', private.full_name(email.person_id), 'reason', left(message, 200)), '/profile/' || email.person_id);
      end if;
    end loop;
  end if;
end $$;

create or replace function private.follow_complaint() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb;
begin
  news := jsonb_build_object('person', private.person_name(new.giver_id), 'task',
    (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = new.booking_id));
  if tg_op = 'INSERT' then
    update public.payments set escrow_status = 'frozen' where id = new.payment_id and escrow_status = 'held';
    perform private.notify_person(new.tasker_id, 'complaint_opened', news, private.booking_link(new.booking_id));
    perform private.notify_admins('complaint_to_decide',
      news || jsonb_build_object('person', private.full_name(new.giver_id)), '/admin/complaints/' || new.id);
  elsif new.answer is distinct from old.answer then
    perform private.notify_person(new.giver_id, 'complaint_answered',
      news || jsonb_build_object('person', private.person_name(new.tasker_id)), private.booking_link(new.booking_id));
  end if;
  return null;
end $$;

create or replace function private.is_over(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
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
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create or replace function private.was_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (link = '/task/' || task.id
      or (params ->> 'task' = task.title
        and params ->> 'person' in (private.person_name(task.task_giver_id), private.full_name(task.task_giver_id))))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

create or replace function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
  nobody constant text := 'Deleted user';
  others constant uuid[] := array(
    select task_giver_id from public.bookings where task_doer_id = person
    union select task_doer_id from public.bookings where task_giver_id = person
    union select asked_tasker_id from public.tasks where task_giver_id = person
    union select task_giver_id from public.tasks where asked_tasker_id = person
    union select user_id from public.user_roles where role = 'admin');
  texts private.notification_texts;
  notice record;
  cleaned jsonb;
  field text;
  value text;
begin
  -- A message's words stand in the notification of it, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    select jsonb_object_agg(p.key, case when p.value #>> '{}' = any (names) or p.key in ('person', 'name', 'before', 'reason')
      then to_jsonb(nobody) else p.value end) into cleaned from jsonb_each(notice.params) p;
    select * into texts from private.notification_texts where key = notice.key;
    for field, value in select * from jsonb_each_text(cleaned) loop
      texts.title := replace(texts.title, '{' || field || '}', coalesce(value, ''));
      texts.message := replace(texts.message, '{' || field || '}', coalesce(value, ''));
    end loop;
    update public.notifications set params = cleaned, title = texts.title, message = texts.message where id = notice.id;
  end loop;
  update private.email_events e set params = (select jsonb_object_agg(p.key,
      case when p.value #>> '{}' = any (names) then to_jsonb(nobody) else p.value end) from jsonb_each(e.params) p)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

create or replace function private.follow_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('person', private.full_name(new.id), 'id', new.id);
begin
  if not exists (select from public.notifications n join public.user_roles r on r.user_id = n.user_id and r.role = 'admin'
      where n.key = 'verified_photo_changed' and not n.read and n.params ->> 'id' = new.id::text) then
    perform private.notify_admins('verified_photo_changed', news, '/profile/' || new.id);
  end if;
  return null;
end $$;

-- Shortens the names in existing notifications, queued e-mails and pushes, except those to administrators.
do $$
declare
  stored record;
begin
  for stored in
    select n.id, jsonb_build_object('person', private.public_name(p.full_name)) as changed
    from public.notifications n join private.profiles p on p.full_name = n.params ->> 'person'
    where p.full_name <> private.public_name(p.full_name)
      and not exists (select from public.user_roles r where r.user_id = n.user_id and r.role = 'admin')
  loop
    perform private.refill_notification(stored.id, stored.changed);
  end loop;
  update private.email_events e set params = e.params || jsonb_build_object('person', private.public_name(p.full_name))
  from private.profiles p where p.full_name = e.params ->> 'person' and p.full_name <> private.public_name(p.full_name)
    and not exists (select from public.user_roles r where r.user_id = e.person_id and r.role = 'admin');
  update private.push_messages m set params = m.params || jsonb_build_object('person', private.public_name(p.full_name))
  from private.profiles p where p.full_name = m.params ->> 'person' and p.full_name <> private.public_name(p.full_name)
    and not exists (select from public.push_subscriptions s join public.user_roles r on r.user_id = s.user_id
      where s.id = m.subscription_id and r.role = 'admin');
end $$;
