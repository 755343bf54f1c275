-- The marketplace's values (marketplace.config.ts), one syntax for texts, and steps that tables share (3 of 4).
set check_function_bodies = off;

create function private.freeze_reason_code(payment public.payments) returns text
language sql immutable set search_path = '' as $$
  select case when payment.open_disputes > 0 then 'payment.frozen_by_chargeback'
    when payment.unsettled_loss > 0 then 'payment.frozen_by_loss'
    else 'payment.frozen_by_complaint' end
$$;

create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.notify_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout'))), '/profile?tab=payout');
  end if;
end $$;

create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

create function private.is_transfer_overdue(payment public.payments) returns boolean language sql stable
return (payment.payout_status in ('failed', 'queued') or payment.refund_status in ('failed', 'queued'))
  and ('failed' in (payment.payout_status, payment.refund_status) or payment.updated_at < now() - interval '1 hour');

create function private.limit_answers(booking uuid, giver uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if auth.uid() = giver then
    perform private.count_activity('applications_answered');
    perform private.count_activity('same_application_answered', booking);
  end if;
end $$;

create function private.limit_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity('applications_sent');
    perform private.count_activity('same_task_applied_to', task);
  end if;
end $$;

create function private.limit_client(action text) returns void language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity(action);
  end if;
end $$;

create or replace function private.limit_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.id = auth.uid() and to_jsonb(new) - '{last_active,updated_at}'::text[]
    <> to_jsonb(old) - '{last_active,updated_at}'::text[]
  then
    perform private.count_activity('profile_changes');
  end if;
  return null;
end $$;

create function private.limit_task_changes(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('tasks_changed');
  perform private.count_activity('same_task_changed', task);
end $$;

create function private.longest_word(words text[]) returns integer
language sql immutable set search_path = '' as $$
  select coalesce(max(length(word)), 0) from unnest(words) word
$$;

create function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create function private.marketplace_number(path text) returns numeric
language plpgsql immutable set search_path = '' as $$
declare
  value constant numeric := private.marketplace() #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'The marketplace has no number %', path;
  end if;
  return value;
end $$;

create function private.max_effect_tries() returns integer
language sql immutable set search_path = '' as $$ select 25 $$;

create or replace function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone private.time_zone())::date
$$;

create function private.poses_as_official(value text, is_name boolean) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  -- 'meadowlark' with anything but letters between its letters, 'rn' for m, 'cl' for d and 'vv' for w.
  product constant text := '(m|rn)[^a-z]*e[^a-z]*a[^a-z]*(d|cl)[^a-z]*o[^a-z]*(w|vv)[^a-z]*l[^a-z]*a[^a-z]*r[^a-z]*k';
  look constant text := regexp_replace(private.look_of(
    regexp_replace(value, '[' || private.hidden_characters() || ']', '', 'g')), product, ' § ', 'g');
  others text; -- what is not the product's name, without blanks and punctuation
  words text[];
  place integer;
begin
  if position('§' in look) = 0 then
    return false;
  elsif is_name then
    others := regexp_replace(look, '[^[:alnum:]\u0300-\uffff]', '', 'g');
    return others in ('', 's', 'the', 'der', 'dle', 'le', 'la', 'el', 'o', 'a') or exists (
      select from unnest(private.official_words()) word where word = any (regexp_split_to_array(look, '[^[:alnum:]\u0300-\uffff]+'))
        or ((length(word) > 4 or word !~ '^[a-z]') and position(word in others) > 0));
  end if;
  words := array_remove(regexp_split_to_array(look, '[^[:alnum:]\u0300-\uffff§]+'), '');
  words := array_remove(words, 's'); -- of "Meadowlark's"
  foreach place in array array_positions(words, '§') loop
    if private.is_official_word(words[place + 1]) or private.is_official_word((
      select word from unnest(words[:place - 1]) with ordinality as before (word, nth)
      where word not in ('of', 'by', 'the', 'de', 'du', 'la', 'da', 'del', 'von', 'ot') order by nth desc limit 1))
    then
      return true;
    end if;
  end loop;
  return false;
end $$;

create or replace function private.provided_name(name text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  kept constant text := left(private.plain_name(
    regexp_replace(private.plain_name(name), private.forged_badge(), '', 'g')), private.rule('limits.name.max'));
begin
  if kept = '' or private.has_hidden_characters(kept) or private.has_address(kept) or private.poses_as_official(kept, true) then
    return null;
  end if;
  return kept;
end $$;

create or replace function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  delete from private.figures;
  delete from private.figure_changes;
  insert into private.figures (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, c.happened_at), c.kind, c.hours, sum(c.amount) from (
    select t.created_at as happened_at, 'tasks' as kind, 0 as hours, 1 as amount from public.tasks t
    union all
    select b.created_at, 'bookings', 0, 1 from public.bookings b where b.accepted_at is not null
    union all
    select p.created_at, 'sign_ups', 0, 1 from private.profiles p where p.deleted_at is null
    union all
    select v.decided_at, 'verifications', private.hours_to_decide(v), 1 from public.verifications v
    where private.hours_to_decide(v) is not null
    union all
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.figures_of_entry(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.matching_task_kinds(t)) kind group by 1;
end $$;

create function private.refuse_audit_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'audit_log.append_only');
  return null;
end $$;

create function private.remind_before_work() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '24 hours'
    and b.status = 'in_progress' and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '24 hours'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.scheduled_date = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date) values (due.id, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, reminded_at = now();
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date,
    'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder',
    news || jsonb_build_object('person', private.person_name(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

create function private.reported_content(kind public.reported_kind, subject uuid)
returns table (author uuid, excerpt text) language sql stable set search_path = '' as $$
  select t.task_giver_id, t.title || E'\n' || t.description from public.tasks t where kind = 'task' and t.id = subject
  union all
  select m.sender_id, coalesce(nullif(m.message, ''), 'Photo') from public.messages m where kind = 'message' and m.id = subject
  union all
  select p.id, concat_ws(E'\n', p.full_name, p.bio, array_to_string(p.skills, ', ')) from public.public_profiles p
  where kind = 'profile' and p.id = subject and p.full_name is not null
  union all
  select r.reviewer_id, r.rating || ' of 5' || coalesce(E'\n' || r.comment, '') from public.reviews r
  where kind = 'review' and r.id = subject
$$;

create or replace function private.require_name(name text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  perform private.require(private.visible_length(name) >= private.rule('limits.name.min'),
    'profile.name_too_short', 'full_name');
  perform private.require(length(name) <= private.rule('limits.name.max'), 'profile.name_too_long', 'full_name');
  perform private.require(name !~ private.forged_badge(),
    'profile.name_check_mark', 'full_name');
  perform private.require(not private.has_hidden_characters(name),
    'profile.name_hidden_characters', 'full_name');
  perform private.require(not private.has_address(name),
    'profile.name_address', 'full_name');
  perform private.require(not private.poses_as_official(name, true),
    'profile.name_official', 'full_name');
end $$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "applicationMessage": {"max": 1000},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create function private.schedule_application_expiry() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
end $$;

create function private.schedule_confirmation(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  days integer;
begin
  foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
    perform private.schedule_tick(private.confirmation_from(booking) + make_interval(days => days));
  end loop;
end $$;

create function private.schedule_payment_deadline(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  pay_by constant timestamptz := private.pay_by(now(), starts);
begin
  perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
  perform private.schedule_tick(pay_by);
  perform private.schedule_tick(starts + interval '24 hours');
end $$;
