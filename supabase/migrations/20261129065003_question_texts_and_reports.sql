-- Masked contact details, and reports and exports of questions.
set check_function_bodies = off;

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
  }
}$json$::jsonb
$$;

create function private.notify_question(asked public.task_questions) returns void
language plpgsql set search_path = '' as $$
declare
  task record;
begin
  select task_giver_id, title into strict task from public.tasks where id = asked.task_id;
  perform private.notify_person(task.task_giver_id, 'question_asked', jsonb_build_object('person', private.named(asked.asker_id),
    'task', task.title), private.question_link(asked.task_id, asked.id));
end $$;

create function private.notify_task_answer(given public.task_answers) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person((select asker_id from public.task_questions where id = given.question_id), 'question_answered',
    jsonb_build_object('person', private.named(given.giver_id), 'task', (select title from public.tasks where id = given.task_id)),
    private.question_link(given.task_id, given.question_id) || '&side=task_doer');
end $$;

create function private.number_pattern() returns text
language sql immutable set search_path = '' as $$
  select '((?:\+ ?|\( ?)?' || private.spoken_digit() || '(?:(?:[ .,;:/|_*~•()+''"\u20e3-]|dash|tiret){0,4}' || private.spoken_digit() || '){6,}(?![0-9]*(?:st|nd|rd|th))\u20e3*)'
$$;

create function private.question_link(task uuid, question uuid) returns text
language sql immutable set search_path = '' as $$
  select '/task/' || task || '?question=' || question
$$;

create function private.question_to_answer(asked uuid)
returns table (task_id uuid, task_giver_id uuid, status public.task_status, hidden_at timestamptz)
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_task((select q.task_id from public.task_questions q where q.id = asked));
  return query select t.id, t.task_giver_id, t.status, q.hidden_at
  from public.task_questions q join public.tasks t on t.id = q.task_id where q.id = asked;
end $$;

create or replace function private.reported_content(kind public.reported_kind, subject uuid)
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
  union all
  select q.asker_id, q.question from public.task_questions q where kind = 'question' and q.id = subject
  union all
  select a.giver_id, a.answer from public.task_answers a where kind = 'answer' and a.question_id = subject
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

create or replace function private.set_content_hidden(kind public.reported_kind, subject uuid, hidden boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  case kind
    when 'task' then update public.tasks set hidden_for = case when hidden then 'report'
        when private.is_suspended(task_giver_id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'message' then update public.messages set hidden_at = case when hidden then now() end where id = subject;
    when 'profile' then update private.profiles set hidden_for = case when hidden then 'report'
        when private.is_suspended(id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'review' then
      update public.reviews set hidden_at = case when hidden then now() end where id = subject;
      perform private.recount_person((select reviewee_id from public.reviews where id = subject));
    when 'question' then update public.task_questions set hidden_at = case when hidden then now() end where id = subject;
    when 'answer' then update public.task_answers set hidden_at = case when hidden then now() end where question_id = subject;
  end case;
end $$;

create function private.spoken_digit() returns text
language sql immutable set search_path = '' as $$
  select private.folded_contacts('(?:[0-9]|zero|one|two|three|four|five|six|seven|eight|nine|zéro|deux|trois|quatre|cinq|sept|huit|neuf|une|uno|un|cero|dos|tres|'
    'cuatro|cinco|seis|siete|ocho|nueve|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)')
$$;

create or replace function private.tidy_booking(booking public.bookings) returns public.bookings
language plpgsql immutable set search_path = '' as $$
begin
  booking.message := nullif(private.masked_contacts(private.trimmed(booking.message)), '');
  return booking;
end $$;

create function private.withdraw_question_notice(asked public.task_questions) returns void
language plpgsql set search_path = '' as $$
declare
  giver constant uuid := (select task_giver_id from public.tasks where id = asked.task_id);
begin
  delete from public.notifications where user_id = giver and key = 'question_asked'
    and link = private.question_link(asked.task_id, asked.id);
  delete from private.email_events where person_id = giver and key = 'question_asked' and email_id is null
    and link = private.question_link(asked.task_id, asked.id);
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

create or replace function public.my_restrictions()
returns table (kind text, id uuid, subject_id uuid, title text, reason text, since timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null, 'account.not_authenticated');
  return query
  with hidden (kind, id, subject_id, title) as (
    select 'profile', p.id, p.id, null from private.profiles p where p.id = me and p.hidden_for = 'report'
    union all
    select 'task', t.id, t.id, t.title from public.tasks t where t.task_giver_id = me and t.hidden_for = 'report' and t.status <> 'cancelled'
    union all
    select 'review', r.id, r.reviewee_id, t.title from public.reviews r join public.bookings b on b.id = r.booking_id
      join public.tasks t on t.id = b.task_id where r.reviewer_id = me and r.hidden_at is not null
    union all
    select 'message', m.id, m.booking_id, t.title from public.messages m join public.bookings b on b.id = m.booking_id
      join public.tasks t on t.id = b.task_id where m.sender_id = me and m.hidden_at is not null
    union all
    select 'question', q.id, q.task_id, t.title from public.task_questions q join public.tasks t on t.id = q.task_id
    where q.asker_id = me and q.hidden_at is not null
    union all
    select 'answer', a.question_id, a.task_id, t.title from public.task_answers a join public.tasks t on t.id = a.task_id
    where a.giver_id = me and a.hidden_at is not null
  )
  select h.kind, h.id, h.subject_id, h.title, decided.decision_note, decided.decided_at
  from hidden h left join lateral (select r.decision_note, r.decided_at from public.reports r
    where r.kind = h.kind::public.reported_kind and r.subject_id = h.id and r.status = 'hidden'
    order by r.decided_at desc limit 1) decided on true
  union all
  select 'suspension', me, me, null, s.reason, s.created_at
  from (select 1) one left join public.suspensions s on s.user_id = me and s.lifted_at is null where private.is_suspended(me)
  order by 6 desc nulls last, 2 limit 20;
end $$;

create unique index application_texts_title on public.application_texts (user_id, lower(title));

create index task_answers_of_giver on public.task_answers (giver_id, created_at);

create index task_answers_of_task on public.task_answers (task_id);

create index task_questions_of_asker on public.task_questions (asker_id, task_id);

create index task_questions_of_task on public.task_questions (task_id, created_at, id);

create trigger before_application_text_change before insert or update on public.application_texts
for each row execute function private.before_application_text_change();

create trigger after_task_answer_insert after insert on public.task_answers
for each row execute function private.after_task_answer_insert();
