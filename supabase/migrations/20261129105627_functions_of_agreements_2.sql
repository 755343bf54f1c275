-- functions of agreements 2: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.reputation(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.series_id is null and b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and case
        when b.arrived_at is not null
          then b.arrived_at <= t.scheduled_date + make_interval(mins => private.rule('limits.visit.graceMinutes'))
        when t.duration_minutes is not null
          then b.completed_at <= t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else b.completed_at
          <= (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person and not b.skipped))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

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
    "calendars": {"count": 3, "name": 60, "address": 2000},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
    "timeProposal": {"hours": 48, "daysAhead": 365, "message": 500},
    "visit": {"hoursBefore": 12, "arrivalHoursBefore": 2, "windowMinutes": 120, "graceMinutes": 15},
    "noShow": {"taskerAfterMinutes": 30, "giverAfterMinutes": 15, "answerHours": 12},
    "change": {"min": 1, "reason": 500, "hours": 48, "perBooking": 30},
    "expenses": {"max": 5000},
    "tip": {"max": 500, "days": 14, "count": 3},
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

create or replace function private.visits_to_end(series public.task_series)
returns table (booking_id uuid, visit_number integer, starts_at timestamptz, paid boolean, fee_cents bigint, refund_cents bigint)
language sql stable security definer set search_path = '' as $$
  select b.id, b.visit_number, t.scheduled_date, b.status = 'in_progress', (coalesce(cost.fee + extra.fee, 0) * 100)::bigint,
    (coalesce(greatest(p.total - cost.fee - p.lost_amount, 0) + extra.refund, 0) * 100)::bigint
  from public.bookings b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id and b.status = 'in_progress'
  cross join lateral (select case when p.id is not null then case when auth.uid() = series.giver_id
    then private.cancellation_fee(p.amount - p.reduction, p.total, t.scheduled_date, now()) else 0 end end) cost (fee)
  cross join lateral (select coalesce(sum(kept.fee), 0), coalesce(sum(e.total - kept.fee), 0) from public.payments e
    cross join lateral (select case when auth.uid() = series.giver_id
      then private.cancellation_share(e.amount, t.scheduled_date, now()) else 0 end) kept (fee)
    where e.part_of = p.id and e.escrow_status = 'held'
      and (e.purpose = 'increase' or e.purpose = 'expense' and auth.uid() <> series.giver_id)) extra (fee, refund)
  where b.series_id = series.id and (b.status = 'accepted'
    or b.status = 'in_progress' and p.escrow_status = 'held' and t.scheduled_date > now())
  order by b.visit_number
$$;

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
    union all select 'time_proposals', p.created_at, to_jsonb(p) from public.time_proposals p where person in (p.task_giver_id, p.task_doer_id)
    union all select 'no_shows', n.created_at, to_jsonb(n) from public.no_shows n where person in (n.task_giver_id, n.task_doer_id)
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
    union all select 'price_changes', c.created_at, to_jsonb(c) from public.booking_changes c join public.bookings b on b.id = c.booking_id
      where person in (b.task_giver_id, b.task_doer_id)
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
    union all select 'calendar_address', c.created_at, to_jsonb(c) - 'token' from public.calendar_addresses c where c.user_id = person
    union all select 'imported_calendars', c.created_at, to_jsonb(c) || jsonb_build_object('busy',
      (select jsonb_agg(b.period order by b.period) from private.calendar_busy b where b.calendar_id = c.id))
      from public.imported_calendars c where c.user_id = person
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
