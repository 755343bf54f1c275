-- Reasons of payouts and refunds, decisions about reports and roles are coded parameters of notifications (2 of 3).
set check_function_bodies = off;

create or replace function private.apply_payout(payout jsonb, account text) returns text
language plpgsql security definer set search_path = '' as $$
declare
  receiver public.payout_accounts;
  known public.payout_state;
  state constant public.payout_state := (payout ->> 'status')::public.payout_state;
begin
  select * into receiver from public.payout_accounts where stripe_account_id = account for no key update;
  if receiver.id is null then
    return 'no payout account of ours';
  end if;
  select status into known from public.payouts where id = payout ->> 'id' for update;
  insert into public.payouts as p (id, user_id, amount, currency, status, arrival_date, destination, bank_last4,
    failure_code, failure_message, created_at)
  values (payout ->> 'id', receiver.user_id, (payout ->> 'amount')::numeric / 100, upper(payout ->> 'currency'), state,
    to_timestamp((payout ->> 'arrival_date')::double precision)::date, payout ->> 'destination',
    (select last4 from private.payout_banks where id = payout ->> 'destination' and payout_account_id = receiver.id), payout ->> 'failure_code',
    payout ->> 'failure_message', to_timestamp((payout ->> 'created')::double precision))
  on conflict (id) do update set status = excluded.status, arrival_date = excluded.arrival_date,
    failure_code = excluded.failure_code, failure_message = excluded.failure_message, updated_at = now()
  where p.status <= excluded.status;
  if state = 'failed' and known is distinct from 'failed' then
    perform private.notify_person(receiver.user_id, 'payout_returned', jsonb_build_object(
      'amount', round((payout ->> 'amount')::numeric / 100, 2),
      'reason', private.coded(private.reason_of_return(payout ->> 'failure_code'))), '/profile?tab=payout');
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
    'report.already_reported', 'subject');
  perform private.require((select count(*) from public.reports r
    where r.reporter_id = me and r.created_at > now() - interval '24 hours') < 10,
    'report.daily_limit', 'subject');
  if not exists (select from public.reports r where r.kind = file_report.kind and r.subject_id = file_report.subject
      and r.status = 'open') then
    perform private.notify_admins('content_reported', jsonb_build_object('person', private.full_name(me),
      'what', private.coded(file_report.kind::text), 'reason', left(file_report.reason, 200)), '/admin/reports');
  end if;
  insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
  values (file_report.kind, file_report.subject, file_report.author, me, file_report.reason, left(file_report.excerpt, 2000));
end $$;

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
      'reason', private.coded(private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout')))), '/profile?tab=payout');
  end if;
end $$;

create or replace function private.notify_answer(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(complaint.giver_id, 'complaint_answered', jsonb_build_object(
    'person', private.named(complaint.tasker_id), 'task', private.task_title(complaint.booking_id)),
    private.booking_link(complaint.booking_id));
end $$;

create or replace function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  perform private.notify_person(complaint.tasker_id, 'complaint_opened',
    news || jsonb_build_object('person', private.named(complaint.giver_id)), private.booking_link(complaint.booking_id));
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
end $$;

create or replace function private.notify_failed_transfer(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  payout constant boolean := payment.payout_status = 'failed' and before.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', private.coded(case when payout then 'payout' else 'refund' end),
    'amount', case when payout then payment.payout_amount else payment.refund_amount end,
    'task', (select title from public.tasks where id = payment.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, payment.id));
end $$;

create or replace function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', private.coded(reason))), private.booking_link(refunded.booking_id));
end $$;

create or replace function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(payment.payer_id), 'amount', payment.payout_amount,
    'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

create or replace function private.reason_of_given_up_payout(code text) returns text
language sql immutable set search_path = '' as $$
  select case private.reason_of_refusal(code) when 'account_incomplete' then 'account_incomplete' else 'admin_sends_payout' end
$$;

create or replace function private.reason_of_refusal(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code in ('insufficient_capabilities_for_transfer', 'transfers_not_allowed', 'payouts_not_allowed') then 'account_incomplete'
    -- As release-payout says it where the provider knows the booking's charge, and not the account.
    when code = 'account_invalid' then 'account_closed_by_provider'
    when code in ('balance_insufficient', 'insufficient_funds') then 'platform_balance_low'
    else 'provider_refused_payout' end
$$;

create or replace function private.reason_of_refused_refund(code text) returns text
language sql immutable set search_path = '' as $$
  select case when code in ('balance_insufficient', 'insufficient_funds') then private.reason_of_refusal(code)
    else 'provider_refused_refund' end
$$;

create or replace function private.reason_of_return(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'account_closed'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable') then 'account_restricted'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name') then 'other_holder'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account') then 'account_not_found'
    when code = 'invalid_currency' then 'currency_not_taken'
    else 'bank_refused' end
$$;

create or replace function public.decide_report(report_id uuid, hide boolean, note text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  report public.reports;
  given text;
  one record;
  was_hidden boolean;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide reports"}');
  select * into report from public.reports r where r.id = decide_report.report_id for no key update;
  perform private.require(report.id is not null, 'report.not_found', 'report_id');
  perform private.allow(report.author_id <> auth.uid(), 'admin.own_case', '{"matter": "about what you wrote"}');
  perform private.require(hide is not null, 'report.decision_required', 'hide');
  given := case when hide then private.admin_reason(note) end;
  was_hidden := report.status = 'hidden';
  perform private.require(not (hide and was_hidden), 'report.already_hidden', 'report_id');
  perform private.require(hide or report.status <> 'dismissed', 'report.already_dismissed', 'report_id');
  perform private.set_content_hidden(report.kind, report.subject_id, hide);
  for one in
    update public.reports r set status = case when hide then 'hidden' else 'dismissed' end::public.report_status,
      decision_note = given, decided_by = auth.uid(), decided_at = now()
    from public.reports before
    where before.id = r.id and r.kind = report.kind and r.subject_id = report.subject_id
      and (r.status = 'open' or r.id = report.id or was_hidden)
    returning r.reporter_id, before.status = 'open' as was_open
  loop
    if one.was_open and one.reporter_id <> auth.uid() then
      perform private.notify_person(one.reporter_id, 'report_handled', jsonb_build_object('what', private.coded(report.kind::text),
        'outcome', private.coded(case when hide then 'hidden' else 'kept' end)), '/dashboard');
    end if;
  end loop;
  if hide then
    perform private.notify_person(report.author_id, 'content_hidden',
      jsonb_build_object('what', private.coded(report.kind::text), 'reason', given), '/dashboard');
  elsif was_hidden then
    perform private.notify_person(report.author_id, 'content_shown', jsonb_build_object('what', private.coded(report.kind::text)), '/dashboard');
  end if;
end $$;

create or replace function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.reason_of_refusal(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_idempotency_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.reason_of_refusal(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
  if closed then
    -- What is owed waits for another account, which is opened with the next bank details.
    update public.payout_accounts set account_type = 'manual', account_status = 'restricted', bank_last4 = null, bank_name = null,
      requirements = '{}', requirement_errors = '[]', updated_at = now()
    where user_id = due.payee_id and account_type <> 'manual';
  end if;
  if before is distinct from reason then
    perform private.notify_person(due.payee_id, 'payout_failed', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id), 'reason', private.coded(reason)), '/profile?tab=payout');
  end if;
end $$;

create or replace function public.set_roles(person uuid, roles public.app_role[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant public.app_role[] := array(select distinct w from unnest(roles) w where w is not null order by w);
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change roles"}');
  perform private.require(cardinality(wanted) > 0, 'account.role_required', 'role');
  perform pg_advisory_xact_lock(hashtextextended('admins', 0));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'account.not_found', 'person');
  perform private.require(not 'admin' = any (wanted) or not private.is_suspended(person),
    'suspension.cannot_become_admin', 'role');
  perform private.require('admin' = any (wanted)
    or exists (select from public.user_roles r where r.role = 'admin' and r.user_id <> person),
    'account.last_admin', 'role');
  if array(select r.role from public.user_roles r where r.user_id = person order by r.role) = wanted then
    return;
  end if;
  delete from public.user_roles r where r.user_id = person and r.role <> all (wanted);
  insert into public.user_roles (user_id, role) select person, w from unnest(wanted) w
  on conflict on constraint user_roles_user_id_role_key do nothing;
  perform private.notify_person(person, 'role_changed', jsonb_build_object('role', private.coded(array_to_string(wanted, '_'))), '/dashboard');
end $$;

create or replace function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  news jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide complaints"}');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'complaint.not_found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'admin.own_case', '{"matter": "on a complaint about your own booking"}');
  perform private.require(complaint.decision is null, 'complaint.already_decided', 'complaint_id');
  perform private.require(seen is null or ((seen ->> 'answered_at')::timestamptz is not distinct from complaint.answered_at
      and (seen ->> 'lost_amount')::numeric is not distinct from payment.lost_amount),
    'complaint.changed', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'complaint.decision_required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'complaint.awaiting_answer', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'complaint.note_too_long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'payment.not_frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount),
    'complaint.split_out_of_range', 'returned_amount');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  if decide_complaint.decision = 'release' then
    update public.payments set released_at = now() where id = payment.id;
  end if;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  news := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id),
    'refund', payment.refund_amount, 'share', payment.payout_amount);
  perform private.notify_person(payment.payer_id,
    case decide_complaint.decision when 'split' then 'complaint_split_giver' else 'complaint_decided_giver' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payee_id))
      else news - 'share' end, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id,
    case decide_complaint.decision when 'split' then 'complaint_split_tasker' else 'complaint_decided_tasker' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payer_id))
      else news - 'refund' end, private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', (payment.payout_amount * 100)::bigint,
    'refund_cents', (payment.refund_amount * 100)::bigint);
end $$;
