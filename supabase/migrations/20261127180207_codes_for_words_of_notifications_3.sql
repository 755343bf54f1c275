-- Persons are coded parameters of notifications, and stored notifications, e-mails and pushes get their codes (3 of 3).
set check_function_bodies = off;

create or replace function private.announce_reviews(booking uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  review public.reviews;
begin
  for review in select * from public.reviews
    where booking_id = booking and not announced and visible_from <= clock_timestamp() order by reviewee_id
  loop
    update public.reviews set announced = true where id = review.id;
    perform private.recount_person(review.reviewee_id);
    perform private.notify_person(review.reviewee_id, 'review_received', jsonb_build_object(
      'person', private.named(review.reviewer_id),
      'task', (select title from public.tasks where id = review.task_id)), '/profile/' || review.reviewee_id);
  end loop;
end $$;

create or replace function private.ask_for_reviews() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  booking public.bookings;
  writer uuid;
  other uuid;
begin
  select booking_id into due from private.review_requests where not asked and ask_at <= now()
  order by ask_at, booking_id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update private.review_requests set asked = true where booking_id = due;
  select * into strict booking from public.bookings where id = due;
  foreach writer in array array[booking.task_giver_id, booking.task_doer_id] loop
    other := case writer when booking.task_giver_id then booking.task_doer_id else booking.task_giver_id end;
    if not private.is_account_deleted(writer) and not private.is_account_deleted(other) and now() < private.review_ends(due, private.confirmation_from(booking))
        and not exists (select from public.reviews where booking_id = due and reviewer_id = writer) then
      perform private.notify_person(writer, 'review_asked', jsonb_build_object(
        'person', private.named(other),
        'task', (select title from public.tasks where id = booking.task_id)),
        -- The parameter `part` of web/lib/paths.ts.
        private.booking_link(due) || '&part=review');
    end if;
  end loop;
  return 1;
end $$;

create or replace function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.named(booking.task_giver_id), 'task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create or replace function private.notify_application(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_giver_id, case
      when (select is_verified from public.profiles where id = booking.task_doer_id) then 'application_received'
      else 'application_received_unverified' end,
    jsonb_build_object('person', private.named(booking.task_doer_id), 'task', private.title_of_task(booking.task_id)),
    '/bookings');
end $$;

create or replace function private.notify_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(task.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.named(task.task_giver_id), 'task', task.title), '/task/' || task.id);
  perform private.schedule_tick(task.asked_until);
end $$;

create or replace function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.title_of_task(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
  if before.status = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif before.status = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.named(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.named(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create or replace function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.named(booking.task_doer_id), 'task', private.title_of_task(booking.task_id));
begin
  if exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

create or replace function private.notify_task_changes(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(task.task_giver_id), 'task', task.title);
  applicant record;
  facts jsonb;
begin
  facts := private.list_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.list_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.list_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
  end if;
  perform private.schedule_tick(task.asked_until);
end $$;

create or replace function private.notify_withdrawn_request(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = task.id and task_doer_id = before.asked_tasker_id) then
    perform private.notify_person(before.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.named(task.task_giver_id), 'task', task.title, 'task_id', task.id), '/dashboard');
  end if;
end $$;

create or replace function private.open_asked_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due public.tasks;
begin
  select * into due from public.tasks t
  where t.status = 'asked' and t.asked_until <= now()
    and (t.scheduled_date <= now() or not exists (select from public.bookings b where b.task_id = t.id and b.status = 'pending'))
  order by t.asked_until limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.tasks set status = 'open', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'request_expired', jsonb_build_object(
    'person', private.named(due.asked_tasker_id), 'task', due.title), '/task/' || due.id);
  return 1;
end $$;

create or replace function private.remind_before_work() returns integer
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
    news || jsonb_build_object('person', private.named(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder',
    news || jsonb_build_object('person', private.named(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

create or replace function private.remind_to_pay() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select b.id, b.task_giver_id, b.task_doer_id, b.agreed_amount, t.title, pay.until into due
  from public.bookings b join public.tasks t on t.id = b.task_id,
    lateral (select private.pay_by(b.accepted_at, t.scheduled_date) as until) pay
  where b.status = 'accepted' and private.pay_reminder_at(b.accepted_at, pay.until) <= now() and pay.until > now() + interval '1 hour'
    and not exists (select from private.pay_reminders r where r.booking_id = b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.pay_reminders (booking_id) values (due.id) on conflict do nothing;
  if found then
    perform private.notify_person(due.task_giver_id, 'pay_reminder', jsonb_build_object('task', due.title,
      'amount', (select total from private.fees(due.agreed_amount)), 'person', private.named(due.task_doer_id),
      'at', due.until, 'when', private.day_and_time(due.until)), private.booking_link(due.id));
  end if;
  return 1;
end $$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric := 0;
  refund numeric := 0;
  split record;
  outcome text;
  answer text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
    select * into strict task from public.tasks where id = booking.task_id;
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', jsonb_build_object(
      'person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund), '/bookings');
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if not list_again and caller = booking.task_giver_id and booking.status <> 'pending' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint);
end $$;

create or replace function public.decline_request(task_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  task public.tasks;
begin
  select * into task from public.tasks t
  where t.id = decline_request.task_id and t.status = 'asked' and t.asked_tasker_id = auth.uid() for no key update;
  perform private.require(task.id is not null, 'task.no_longer_asked', 'task_id');
  perform private.require(not private.has_other_application(task.id, auth.uid()),
    'task.asked_has_applied', 'task_id');
  update public.tasks set status = 'open', updated_at = now() where id = task.id;
  perform private.notify_person(task.task_giver_id, 'request_declined', jsonb_build_object(
    'person', private.named(auth.uid()), 'task', task.title), '/task/' || task.id);
end $$;

-- What is stored gets the codes of its English words.
with words as (
  select name, code, private.filled_text(words, '{}') as words
  from jsonb_each(private.notification_values()) as values_of (name, codes), jsonb_each_text(codes) as word (code, words)
), found as (
  select r.id, jsonb_object_agg(w.name, w.code) as codes
  from public.notifications r join words w on r.params ->> w.name = w.words where not r.params ? 'codes' group by r.id
) update public.notifications r set params = r.params || jsonb_build_object('codes', found.codes) from found where found.id = r.id;

with words as (
  select name, code, private.filled_text(words, '{}') as words
  from jsonb_each(private.notification_values()) as values_of (name, codes), jsonb_each_text(codes) as word (code, words)
), found as (
  select r.id, jsonb_object_agg(w.name, w.code) as codes
  from private.email_events r join words w on r.params ->> w.name = w.words where not r.params ? 'codes' group by r.id
) update private.email_events r set params = r.params || jsonb_build_object('codes', found.codes) from found where found.id = r.id;

with words as (
  select name, code, private.filled_text(words, '{}') as words
  from jsonb_each(private.notification_values()) as values_of (name, codes), jsonb_each_text(codes) as word (code, words)
), found as (
  select r.id, jsonb_object_agg(w.name, w.code) as codes
  from private.push_messages r join words w on r.params ->> w.name = w.words where not r.params ? 'codes' group by r.id
) update private.push_messages r set params = r.params || jsonb_build_object('codes', found.codes) from found where found.id = r.id;
