-- another time and the day: what supabase/schemas define and earlier migrations do not, part 5

set check_function_bodies = off;

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

create or replace function public.my_action_items()
returns table (kind text, count integer, title text, person text, task_id uuid, booking_id uuid, amount numeric, due_at timestamptz)
language sql stable security invoker set search_path = '' as $$
  with me as (select auth.uid() as id), item (rank, kind, count, title, person_id, task_id, booking_id, amount, due_at) as (
    select 1, 'confirm', 1, t.title, b.task_doer_id, t.id, b.id, p.total,
      private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
    from me join public.payments p on p.payer_id = me.id and p.escrow_status = 'held'
      join public.bookings b on b.id = p.booking_id and b.status = 'completed' join public.tasks t on t.id = b.task_id
    where p.open_disputes = 0
    union all
    select 2, 'answer_complaint', 1, t.title, c.giver_id, t.id, b.id, null,
      c.created_at + make_interval(hours => private.rule('limits.complaint.answerHours'))
    from me join public.complaints c on c.tasker_id = me.id and c.answer is null and c.decision is null
      join public.bookings b on b.id = c.booking_id join public.tasks t on t.id = b.task_id
    union all
    select 2, 'answer_no_show', 1, t.title, n.reported_by, t.id, b.id, null, n.answer_by
    from me join public.no_shows n on me.id in (n.task_giver_id, n.task_doer_id) and n.reported_by <> me.id and n.state = 'open'
      join public.bookings b on b.id = n.booking_id and b.status = 'in_progress' join public.tasks t on t.id = b.task_id
    union all
    select 3, 'pay', 1, t.title, b.task_doer_id, t.id, b.id, b.agreed_amount,
      private.pay_by(b.accepted_at, t.scheduled_date)
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'accepted'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id)
    union all
    select 4, 'finish', 1, t.title, b.task_giver_id, t.id, b.id, p.payout_amount, t.scheduled_date
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
    where p.escrow_status <> 'frozen' and (t.scheduled_date <= now() or t.scheduled_date is null)
    union all
    select 5, 'asked', 1, t.title, t.task_giver_id, t.id, null, t.pay_amount, t.asked_until
    from me join public.tasks t on t.asked_tasker_id = me.id and t.status = 'asked'
    where not exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = me.id and b.status = 'pending')
    union all
    select 5, 'answer_counter', 1, t.title, t.task_giver_id, t.id, b.id, b.counter_amount, b.answer_by
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'pending' and b.counter_state = 'open' and b.answer_by > now()
      join public.tasks t on t.id = b.task_id
    union all
    select 5, 'answer_time', 1, t.title, p.proposed_by, t.id, b.id, null, p.answer_by
    from me join public.time_proposals p on me.id in (p.task_giver_id, p.task_doer_id) and p.proposed_by <> me.id
        and p.state = 'open' and p.answer_by > now()
      join public.bookings b on b.id = p.booking_id and b.status in ('accepted', 'in_progress')
      join public.tasks t on t.id = b.task_id
    union all
    select 6, 'choose', count(*)::integer, t.title, null, t.id, null, null, null
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'pending'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id) and b.counter_state is distinct from 'open'
    group by t.id, t.title
    union all
    select 7, 'payout_account', count(*)::integer, null, null, null, null, sum(p.payout_amount), null
    from me join public.payments p on p.payee_id = me.id and p.escrow_status in ('released', 'refunded') and p.payout_status = 'waiting'
    having count(*) > 0
    union all
    select 8, 'work_ahead', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, t.scheduled_date
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id and p.escrow_status <> 'frozen'
    where t.scheduled_date > now() and t.scheduled_date < now() + interval '7 days'
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'completed'
        and private.confirmation_from(b) > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.complaints c on (c.giver_id = me.id or c.tasker_id = me.id)
        and c.decided_at > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.bookings b on b.id = c.booking_id and b.status = 'completed'
        and private.confirmation_from(b) <= now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 10, case when v.id is null then 'get_verified' else 'verification_rejected' end, 1, null, null, null, null, null, null
    from me left join public.verifications v on v.user_id = me.id
    where private.has_role('task_doer') and (v.id is null or v.verification_status = 'rejected')
    union all
    select 11, 'decide_verifications', count(*)::integer, null, null, null, null, null, null
    from public.verifications v where private.is_admin() and v.verification_status = 'pending' having count(*) > 0
    union all
    select 12, 'decide_complaints', count(*)::integer, null, null, null, null, null, null
    from public.complaints c where private.is_admin() and c.decision is null having count(*) > 0
  )
  select i.kind, i.count, i.title, person.full_name, i.task_id, i.booking_id, i.amount, i.due_at
  from item i left join public.public_profiles person on person.id = i.person_id
  -- Whoever has no name any more has left.
  where i.kind <> 'review' or person.full_name is not null
  order by i.rank, i.due_at nulls last, i.title, i.booking_id
  limit 20
$$;

create or replace function public.prepare_cancellation(booking_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  booking := private.cancellable_booking(prepare_cancellation.booking_id, auth.uid());
  select * into payment from public.payments p where p.booking_id = booking.id
    and private.has_open_intent(booking.id);
  return jsonb_build_object('payment_id', payment.id, 'payment_intent_id', payment.stripe_payment_intent_id,
    'listing', private.listing_after(booking, false));
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.expire_time_proposal() + private.close_overdue_task() + private.end_insurance() + private.remind_before_work()
    + private.remind_hour_before() + private.settle_no_show() + private.sweep_photos() + private.end_data_export() + private.recount_unanswered()
    + private.send_task_alert() + private.send_alert_email();
end $$;

alter table private.work_reminders add column hour_before timestamp with time zone;

alter table public.bookings add column arrived_at timestamp with time zone;

alter table public.bookings add column arrives_from timestamp with time zone;

alter table public.bookings add column arrives_until timestamp with time zone;

alter table public.bookings add column before_photos text[] default '{}'::text[] not null;

create index no_shows_due on public.no_shows (answer_by) where state = 'open';

create index no_shows_of_booking on public.no_shows (booking_id, created_at);

create index no_shows_of_doer on public.no_shows (task_doer_id);

create index no_shows_of_giver on public.no_shows (task_giver_id);

create unique index no_shows_one_open on public.no_shows (booking_id) where state = 'open';

create index time_proposals_due on public.time_proposals (answer_by) where state = 'open';

create index time_proposals_of_booking on public.time_proposals (booking_id, created_at);

create index time_proposals_of_doer on public.time_proposals (task_doer_id);

create index time_proposals_of_giver on public.time_proposals (task_giver_id);

create unique index time_proposals_one_open on public.time_proposals (booking_id) where state = 'open';

create trigger after_no_show_change after insert or update on public.no_shows
for each row execute function private.after_no_show_change();

create trigger before_no_show_insert before insert on public.no_shows
for each row execute function private.before_no_show_insert();

create trigger before_no_show_update before update on public.no_shows
for each row execute function private.before_no_show_update();

create trigger after_time_proposal_change after insert or update on public.time_proposals
for each row execute function private.after_time_proposal_change();

create trigger before_time_proposal_insert before insert on public.time_proposals
for each row execute function private.before_time_proposal_insert();

create trigger before_time_proposal_update before update on public.time_proposals
for each row execute function private.before_time_proposal_update();

create policy "deleted accounts cannot report who did not come" on public.no_shows as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw reports" on public.no_shows for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

create policy "participants read the reports of their bookings, admins all" on public.no_shows for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

create policy "participants report for themselves" on public.no_shows for insert to authenticated
with check (reported_by = (select auth.uid()));

create policy "deleted accounts cannot propose times" on public.time_proposals as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw proposals" on public.time_proposals for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

create policy "participants propose times for themselves" on public.time_proposals for insert to authenticated
with check (proposed_by = (select auth.uid()));

create policy "participants read the proposals of their bookings, admins all" on public.time_proposals for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

drop function private.cancellable_booking(uuid);

grant select on public.no_shows to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.no_shows to service_role;
grant select on public.time_proposals to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.time_proposals to service_role;
grant update (arrived_at) on public.bookings to authenticated;
grant update (arrives_from) on public.bookings to authenticated;
grant update (arrives_until) on public.bookings to authenticated;
grant update (before_photos) on public.bookings to authenticated;
grant update (answer) on public.no_shows to authenticated;
grant update (answer_photos) on public.no_shows to authenticated;
grant insert (booking_id) on public.no_shows to authenticated;
grant insert (id) on public.no_shows to authenticated;
grant insert (photos) on public.no_shows to authenticated;
grant insert (reported_by) on public.no_shows to authenticated;
grant update (state) on public.no_shows to authenticated;
grant insert (words) on public.no_shows to authenticated;
grant insert (booking_id) on public.time_proposals to authenticated;
grant insert (id) on public.time_proposals to authenticated;
grant insert (message) on public.time_proposals to authenticated;
grant insert (proposed_by) on public.time_proposals to authenticated;
grant insert (starts_at), update (starts_at) on public.time_proposals to authenticated;
grant update (state) on public.time_proposals to authenticated;
grant execute on function private.can_move_booking(public.bookings,timestamp with time zone) to authenticated;
grant execute on function private.can_move_booking(public.bookings,timestamp with time zone) to service_role;
grant execute on function private.check_no_show(public.no_shows) to authenticated;
grant execute on function private.check_no_show(public.no_shows) to service_role;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to authenticated;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to service_role;
grant execute on function private.check_no_show_words(text,text) to authenticated;
grant execute on function private.check_no_show_words(text,text) to service_role;
grant execute on function private.check_proposal_answer(public.time_proposals,public.time_proposals) to authenticated;
grant execute on function private.check_proposal_answer(public.time_proposals,public.time_proposals) to service_role;
grant execute on function private.check_time_proposal(public.time_proposals) to authenticated;
grant execute on function private.check_time_proposal(public.time_proposals) to service_role;
grant execute on function private.check_visit(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_visit(public.bookings,public.bookings) to service_role;
grant execute on function private.expire_time_proposal(uuid) to authenticated;
grant execute on function private.expire_time_proposal(uuid) to service_role;
grant execute on function private.has_open_no_show(uuid) to authenticated;
grant execute on function private.has_open_no_show(uuid) to service_role;
grant execute on function private.lock_own_booking(uuid) to authenticated;
grant execute on function private.lock_own_booking(uuid) to service_role;
grant execute on function private.require_held_money(uuid) to authenticated;
grant execute on function private.require_held_money(uuid) to service_role;
grant execute on function private.require_movable(public.bookings) to authenticated;
grant execute on function private.require_movable(public.bookings) to service_role;
grant execute on function private.time_before_proposals(uuid,timestamp with time zone) to authenticated;
grant execute on function private.time_before_proposals(uuid,timestamp with time zone) to service_role;
