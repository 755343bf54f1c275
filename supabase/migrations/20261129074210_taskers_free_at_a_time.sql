-- The search for taskers who are free at a time, and texts and data of offers, questions and hours.
set check_function_bodies = off;

create function private.keep_free(taskers uuid[], wanted tstzrange) returns uuid[]
language sql stable set search_path = '' as $$
  with candidate as materialized (
    select listed.nth, s as settings from unnest(taskers) with ordinality listed (id, nth)
    join public.schedule_settings s on s.user_id = listed.id join private.profiles p on p.id = listed.id
    cross join lateral (select lower(wanted) at time zone s.time_zone) here (moment)
    where s.shows_slots and p.availability_status <> 'unavailable'
      and (exists (select from public.working_hours w
          where w.user_id = s.user_id and w.weekday = extract(isodow from here.moment) and w.starts <= here.moment::time
            and extract(epoch from w.ends) + 3600 > extract(epoch from here.moment::time))
        or exists (select from public.hours_exceptions e where e.user_id = s.user_id and e.day = here.moment::date))
  )
  select coalesce(array_agg((settings).user_id order by nth), '{}') from candidate
  where private.open_times(settings, (lower(wanted) at time zone (settings).time_zone)::date,
      (upper(wanted) at time zone (settings).time_zone)::date) @> wanted
    and not private.blocked_times(settings, wanted) && wanted
$$;

create function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null,
  free_at timestamptz default null, free_minutes integer default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  homes constant text[] := private.place_spellings(city) || home;
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  perform private.require(free_at is null or free_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'free_minutes');
  perform private.require(free_at is null or free_at between now() - interval '1 day' and now() + interval '2 years',
    'task.date_invalid', 'free_at');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = any (homes))
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    if free_at is not null then
      matching := private.keep_free(matching, tstzrange(free_at, free_at + make_interval(mins => free_minutes)));
    end if;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create or replace function private.notification_values() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "what": {
    "task": "task",
    "message": "message",
    "profile": "profile",
    "review": "review",
    "question": "question",
    "answer": "answer"
  },
  "outcome": {
    "hidden": "has hidden it",
    "kept": "has found nothing against our rules"
  },
  "listing": {
    "listed_again": "The task is listed again.",
    "closed": "The task is closed.",
    "on_hold": "The task stays on hold while your account is suspended."
  },
  "role": {
    "admin": "administrator",
    "task_doer": "tasker",
    "task_giver": "task giver",
    "task_giver_task_doer": "tasker and task giver",
    "task_doer_admin": "administrator and tasker",
    "task_giver_admin": "administrator and task giver",
    "task_giver_task_doer_admin": "administrator, tasker and task giver"
  },
  "transfer": {
    "payout": "payout",
    "refund": "refund"
  },
  "text": {
    "photo": "Photo",
    "removed_message": "Removed message"
  },
  "reason": {
    "account_closed": "The bank account has been closed.",
    "account_restricted": "The bank takes no deposits for this account at the moment.",
    "other_holder": "The account does not belong to the name that the bank was given.",
    "account_not_found": "No account with these numbers was found, or it takes no deposits.",
    "currency_not_taken": "The account does not take {{currency}}.",
    "bank_refused": "The bank did not take it.",
    "account_incomplete": "Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.",
    "account_closed_by_provider": "The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.",
    "platform_balance_low": "Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.",
    "provider_refused_payout": "The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.",
    "provider_refused_refund": "The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.",
    "admin_sends_payout": "An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done."
  },
  "person": {
    "deleted_user": "Deleted user"
  },
  "name": {
    "deleted_user": "Deleted user"
  },
  "task": {
    "removed_task": "Removed task"
  },
  "verification": {
    "verified": "Verified.",
    "unverified": "Not verified yet."
  }
}$json$::jsonb
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
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
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

create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null, free_at timestamptz default null, free_minutes integer default 60
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_tasker_ids(coalesce(query, ''), 500, city, category, max_rate, availability,
    free_at => free_at, free_minutes => free_minutes))
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

create function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null, free_at timestamptz default null, free_minutes integer default 60
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from unnest(private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
      city, category, max_rate, availability, after_rating, after_reviews, after_id, free_at, free_minutes)) with ordinality found (id, place)
    join public.public_profiles p on p.id = found.id
  order by found.place
$$;

drop function private.matching_tasker_ids(text,integer,text,text,numeric,text,numeric,integer,uuid);

drop function private.tasker_is_free(uuid,tstzrange);

drop function public.count_taskers(text,text,text,numeric,text);

drop function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid);

grant execute on function private.check_asked_time(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_asked_time(public.tasks,public.tasks) to service_role;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to anon;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to authenticated;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to service_role;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to anon;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to authenticated;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to service_role;
