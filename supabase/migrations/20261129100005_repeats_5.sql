-- Repeats, part 5 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

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
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
    "repeat": {"visits": 52, "days": 366, "snowCm": 100},
    "applicationTexts": {"count": 20, "title": 60},
    "question": {"max": 500, "perTask": 5, "changeMinutes": 10},
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
    "savedSearches": 20,
    "alertsPerDay": 10,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create function private.schedule_season_end(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.repeats ->> 'every' = 'snowfall' then
    perform private.schedule_tick(((task.repeats ->> 'until')::date + 2)::timestamptz);
  end if;
end $$;

create function private.schedule_visit_payment(starts_at timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  hours integer;
begin
  foreach hours in array array[72, 48, 36, 12] loop
    if starts_at - make_interval(hours => hours) > now() then
      perform private.schedule_tick(starts_at - make_interval(hours => hours));
    end if;
  end loop;
  perform private.schedule_tick(starts_at);
end $$;

create function private.stop_series_of(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  series public.task_series;
begin
  for series in update public.task_series set status = 'stopped', stopped_by = person, stopped_at = now(), auto_pay_since = null
    where status = 'active' and person in (giver_id, tasker_id) returning *
  loop
    perform private.notify_stopped_series(series, person, (select count(*)::integer from public.bookings b
      where b.series_id = series.id and b.status = 'accepted' and b.visit_number > 0));
  end loop;
end $$;

create or replace function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}'),
    ('repeats', '{repeats}')
$$;

create function private.visit_facts(booking public.bookings) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select jsonb_build_object('at', t.scheduled_date, 'when', private.day_and_time(t.scheduled_date))
    from public.tasks t where t.id = booking.task_id and booking.series_id is not null), '{}')
$$;

create function private.visit_times(repeats jsonb, first_visit timestamptz, time_zone text) returns setof timestamptz
language sql stable set search_path = '' as $$
  select (first.local + nth * step.length) at time zone visit_times.time_zone
  from (select first_visit at time zone visit_times.time_zone) first (local)
  join (values ('weekly', interval '1 week'), ('biweekly', interval '2 weeks'), ('monthly', interval '1 month')) step (name, length)
    on step.name = repeats ->> 'every'
  cross join generate_series(0, least((repeats ->> 'count')::integer, 60) - 1) nth
  where coalesce((first.local + nth * step.length)::date <= (repeats ->> 'until')::date, true)
    and not coalesce(repeats -> 'except', '[]') ? (first.local + nth * step.length)::date::text
  order by nth
$$;

create function private.visits_to_end(series public.task_series)
returns table (booking_id uuid, visit_number integer, starts_at timestamptz, paid boolean, fee_cents bigint, refund_cents bigint)
language sql stable security definer set search_path = '' as $$
  select b.id, b.visit_number, t.scheduled_date, b.status = 'in_progress', (coalesce(cost.fee, 0) * 100)::bigint,
    (coalesce(greatest(p.total - cost.fee - p.lost_amount, 0), 0) * 100)::bigint
  from public.bookings b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id and b.status = 'in_progress'
  cross join lateral (select case when p.id is not null then case when auth.uid() = series.giver_id
    then private.cancellation_fee(p.amount, p.total, t.scheduled_date, now()) else 0 end end) cost (fee)
  where b.series_id = series.id and (b.status = 'accepted'
    or b.status = 'in_progress' and p.escrow_status = 'held' and t.scheduled_date > now())
  order by b.visit_number
$$;

create function private.zone_of_task(task public.tasks) returns text
language sql stable set search_path = '' as $$
  select coalesce((select p.time_zone from public.places p where p.id = task.place_id), private.time_zone())
$$;

create function public.begin_visit_charge(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
  series public.task_series;
  card record;
begin
  select * into visit from public.bookings b where b.id = begin_visit_charge.booking_id for no key update;
  select * into series from public.task_series s where s.id = visit.series_id;
  if visit.status is distinct from 'accepted' then
    return jsonb_build_object('action', 'none', 'reason', 'the visit is paid or has ended');
  elsif series.auto_pay_since is null or private.is_suspended(visit.task_giver_id) then
    return jsonb_build_object('action', 'none', 'reason', 'the giver pays');
  elsif exists (select from private.visit_charges c where c.booking_id = visit.id and c.refused_at is not null) then
    return jsonb_build_object('action', 'none', 'reason', 'the card was refused');
  end if;
  select m.stripe_payment_method_id as payment_method, c.stripe_customer_id as customer into card
  from public.payment_methods m join private.payment_customers c on c.user_id = m.user_id
  where m.user_id = visit.task_giver_id and m.is_default;
  if not found then
    perform private.refuse_visit_charge(visit);
    return jsonb_build_object('action', 'none', 'reason', 'there is no card');
  end if;
  return private.payment_of_booking(visit) || jsonb_build_object('action', 'charge', 'customer', card.customer, 'payment_method', card.payment_method);
end $$;

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
      (select a.address from public.task_addresses a where a.task_id = t.id), 'point',
      (select to_jsonb(p) - 'task_id' from public.task_points p where p.task_id = t.id)) from public.tasks t where t.task_giver_id = person
    union all select 'requests_received', t.created_at, to_jsonb(t) from public.tasks t where t.asked_tasker_id = person
      and (t.hidden_for is null or exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = person))
    union all select 'bookings', b.created_at, to_jsonb(b) || jsonb_build_object('task_title',
      (select t.title from public.tasks t where t.id = b.task_id)) from public.bookings b
      where person in (b.task_giver_id, b.task_doer_id)
    union all select 'series', s.created_at, to_jsonb(s) from public.task_series s where person in (s.giver_id, s.tasker_id)
    union all select 'snow_reports', r.created_at, to_jsonb(r) from public.snow_reports r join public.task_series s on s.id = r.series_id
      where person in (s.giver_id, s.tasker_id)
    union all select 'messages', m.created_at, to_jsonb(m) from public.messages m
      where m.sender_id = person or (m.receiver_id = person and m.hidden_at is null)
    union all select 'questions_asked', q.created_at, to_jsonb(q) || jsonb_build_object('answer',
      (select a.answer from public.task_answers a where a.question_id = q.id and a.hidden_at is null))
      from public.task_questions q where q.asker_id = person
    union all select 'questions_answered', a.created_at, to_jsonb(a) from public.task_answers a where a.giver_id = person
    union all select 'application_texts', t.created_at, to_jsonb(t) from public.application_texts t where t.user_id = person
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
    union all select 'travel_area', a.updated_at, to_jsonb(a) from public.travel_areas a where a.user_id = person
    union all select 'schedule_settings', h.updated_at, to_jsonb(h) from public.schedule_settings h where h.user_id = person
    union all select 'working_hours', null, to_jsonb(h) from public.working_hours h where h.user_id = person
    union all select 'hours_exceptions', h.day, to_jsonb(h) from public.hours_exceptions h where h.user_id = person
    union all select 'favourites', f.created_at, to_jsonb(f) from public.favourites f where f.user_id = person
    union all select 'saved_searches', s.created_at, to_jsonb(s) from public.saved_searches s where s.user_id = person
    union all select 'task_alerts', a.matched_at, to_jsonb(a) - 'person_id' from private.task_alerts a where a.person_id = person
    union all select 'seen_tasks', s.seen_at, to_jsonb(s) - 'person_id' from private.seen_tasks s where s.person_id = person
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
    -- As in my_restrictions: each hidden item once, however many people reported it.
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

create function public.fail_visit_charge(booking_id uuid, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
begin
  select * into visit from public.bookings b where b.id = fail_visit_charge.booking_id for no key update;
  perform private.require(visit.id is not null, 'booking.not_found', 'booking_id');
  perform private.record_failure(p.id, 'charge', coalesce(message, 'the card was refused'), code) from public.payments p where p.booking_id = visit.id;
  perform private.refuse_visit_charge(visit);
end $$;
