-- Calls the functions by their plainer names in the API, and drops the old ones.
set check_function_bodies = off;

create or replace function public.begin_effects(max_effects integer)
returns table (id bigint, function_name text, body jsonb, attempt integer)
language plpgsql security definer set search_path = '' as $$
declare
  taken record;
begin
  for taken in select m.msg_id, m.read_ct, m.message from pgmq.read('effects', 15, max_effects) m order by m.msg_id loop
    -- The process ended during the last try and recorded no error.
    if taken.read_ct > private.max_effect_tries() then
      perform private.give_up_effect(taken.msg_id, coalesce(
        (select f.error from private.failed_effects f where f.id = taken.msg_id), 'It ended without an answer'));
    else
      return query select taken.msg_id, taken.message ->> 'function', taken.message -> 'body', taken.read_ct;
    end if;
  end loop;
end $$;

create or replace function public.begin_push(max_messages integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  -- After a day a push is outdated. A browser without a session belongs to nobody.
  delete from private.push_messages where due_at < now() - interval '1 day';
  delete from public.push_subscriptions s using private.push_messages m
  where m.subscription_id = s.id and m.due_at <= now()
    and s.session_id is not null and not exists (select from auth.sessions a where a.id = s.session_id);
  with due as (
    select id from private.push_messages where due_at <= now() and (taken_until is null or taken_until <= now())
    order by due_at limit least(greatest(max_messages, 0), 100) for update skip locked
  ), begun as (
    update private.push_messages m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.*
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
      'auth_secret', s.auth_secret, 'key', b.key, 'kind', t.kind, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'texts', jsonb_build_object('title', t.title, 'message', t.message), 'params', b.params,
      'link', b.link, 'language', (select p.language from private.profiles p where p.id = s.user_id)) order by b.due_at), '[]') into taken
  from begun b join public.push_subscriptions s on s.id = b.subscription_id
  join private.notification_texts t on t.key = b.key;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-push', '{}', 'send-push-taken', now() + interval '10 minutes');
  end if;
  return taken;
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

create or replace function public.earned_badges(person public.public_profiles) returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(badge order by badge), '{}') from private.person_badges(person) b (badge)
$$;

create or replace function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.transfer_refusal_reason(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_idempotency_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.transfer_refusal_reason(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
  if closed then
    -- The money owed waits for another account, which is opened with the next bank details.
    update public.payout_accounts set account_type = 'manual', account_status = 'restricted', bank_last4 = null, bank_name = null,
      requirements = '{}', requirement_errors = '[]', updated_at = now()
    where user_id = due.payee_id and account_type <> 'manual';
  end if;
  if before is distinct from reason then
    perform private.notify_person(due.payee_id, 'payout_failed', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id), 'reason', private.coded(reason)), '/profile?tab=payout');
  end if;
end $$;

create or replace function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_refund.payment_id for no key update;
  if due.refund_status is null or due.refund_status not in ('queued', 'failed')
      or fail_refund.idempotency_key is distinct from private.next_idempotency_key('refund', due.id, due.refund_refusals) then
    return;
  end if;
  update public.payments set refund_status = 'failed', refund_refusals = refund_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  if due.refund_status = 'queued' then
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.refund_refusal_reason(fail_refund.code));
  end if;
end $$;

create or replace function public.find_taskers(
  query text default '', max_results integer default 100, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
  wanted constant integer := least(greatest(coalesce(max_results, 100), 0), 200);
begin
  perform private.require(num_nulls(after_rating, after_reviews, after_id) in (0, 3),
    'search.position_incomplete', 'after_id');
  return query
  with found as (
    -- Taskers rated as the last one, then taskers rated lower: each is one range of the index.
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where t.rating = after_rating and t.total_reviews = after_reviews and t.id > after_id
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
    union all
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where (t.rating, t.total_reviews) < (coalesce(after_rating, 'infinity'), coalesce(after_reviews, 0))
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  ), page as (
    select * from found order by rating desc, total_reviews desc, id limit wanted
  )
  select p.* from page join public.public_profiles p on p.id = page.id
  order by page.rating desc, page.total_reviews desc, page.id;
end $$;

create or replace function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "send a refund again"}');
  perform private.lock_booking_and_payment(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'admin.own_case', '{"matter": "about your own refund"}');
  perform private.require(due.open_disputes = 0, private.freeze_reason_code(due), 'payment_id');
  perform private.require(due.refund_status in ('queued', 'failed'), 'refund.none_to_send', 'payment_id');
  if due.refund_status = 'queued' and exists (select from pgmq.q_effects q where q.message ->> 'key' = job) then
    return;
  end if;
  update public.payments set refund_status = 'queued' where id = due.id and refund_status = 'failed';
  -- Counting of tries starts again: waiting and abandoned tries are deleted.
  with over as (
    delete from pgmq.q_effects q where q.message ->> 'key' = job returning q.msg_id
  ), given_up as (
    delete from pgmq.a_effects a using private.failed_effects f
    where f.id = a.msg_id and f.given_up_at is not null and a.message ->> 'key' = job returning a.msg_id)
  delete from private.failed_effects f where f.id in (select msg_id from over union all select msg_id from given_up);
  perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', due.id), job);
end $$;

create or replace view public.badges as
select p.id as user_id, b.badge from public.public_profiles p cross join lateral private.person_badges(p) b (badge);

comment on column private.profiles.trust_score is '0 to 100, from badges, reviews, paid jobs and both rates; the formula is at private.reputation';

drop function private.badges_of(public.public_profiles);

drop function private.figures_of_entry(public.ledger_entries);

drop function private.look_of(text);

drop function private.people_of(text,jsonb);

drop function private.reason_of_given_up_payout(text);

drop function private.reason_of_refusal(text);

drop function private.reason_of_refused_refund(text);

drop function private.reason_of_return(text);

drop function private.record_of(uuid);

drop function private.title_of_task(uuid);
