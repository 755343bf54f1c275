-- Rules and effects of applications and of steps of a booking. booking_transitions.sql lists the allowed steps; bookings.sql has
-- the order of the rules.

set check_function_bodies = off;

-- Trims the message and masks contact details in it; an empty one becomes null.
create function private.tidy_booking(booking public.bookings) returns public.bookings
language plpgsql immutable set search_path = '' as $$
begin
  booking.message := nullif(private.masked_contacts(private.trimmed(booking.message)), '');
  return booking;
end $$;

-- Requires an open, visible task of somebody else, one application per tasker and the current price or an offer; copies giver, price
-- and the limit for expenses to the row.
create function private.check_application(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  busy text;
begin
  perform private.require(task.hidden_for is null, 'task.not_open', 'task_id');
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or booking.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> booking.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(booking.task_id, booking.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  booking.task_giver_id := task.task_giver_id;
  if task.repeats is not null then
    busy := private.busy_visit_days(booking.task_doer_id, task);
    perform private.require(busy is null, 'series.own_clash', 'task_id', jsonb_build_object('days', busy));
  end if;
  -- A client may send the limit that its person saw, as the price below; without one, the current limit counts.
  perform private.require(booking.expense_limit is null or booking.expense_limit is not distinct from task.expense_limit,
    'booking.expenses_changed', 'expense_limit');
  booking.expense_limit := task.expense_limit;
  if booking.offer_options is not null or booking.offer_reason is not null then
    return private.check_offer(booking, task);
  end if;
  -- A client may send the price that its person saw; without one, the current price counts.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

-- Refuses every step that private.booking_transitions does not list for the person or function that makes it.
create function private.check_booking_step(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from private.booking_transitions t
      where t.from_status is not distinct from before.status and t.to_status = booking.status
        and t.actor = private.booking_actor(booking.task_doer_id, booking.task_giver_id)) then
    return;
  end if;
  perform private.require((before.status = 'in_progress' and booking.status = 'cancelled') is not true,
    'booking.cancel_by_function', 'status');
  perform private.require(before.status is not null, 'booking.first_status_invalid', 'status');
  perform private.fail('booking.status_change_invalid', 'status', jsonb_build_object(
    'from', replace(before.status::text, '_', ' '), 'to', replace(booking.status::text, '_', ' ')),
    case when private.is_client() and auth.uid() not in (booking.task_doer_id, booking.task_giver_id)
      then '42501' else 'P0001' end);
end $$;

-- Requires an open task and a free tasker, locks the decision on the task, and sets the period and the time of acceptance.
create function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  busy text;
begin
  perform private.require(private.try_lock_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  -- A tasker cannot accept a counter-offer while the task is hidden or its giver suspended.
  perform private.require(task.status in ('open', 'asked') and (task.hidden_for is null or booking.counter_state is distinct from 'accepted'),
    'task.not_open', 'status');
  if private.offered_time(booking) is not null then
    booking.posted_date := task.scheduled_date;
    task.scheduled_date := private.offered_time(booking);
  end if;
  booking.period := private.task_period(task);
  perform private.require(private.can_fit_task(booking.task_doer_id, task), 'booking.tasker_busy', 'status');
  if task.repeats is not null then
    busy := private.busy_visit_days(booking.task_doer_id, task);
    perform private.require(busy is null, 'series.tasker_busy', 'status', jsonb_build_object('days', busy));
  end if;
  booking.accepted_at := now();
  return booking;
end $$;

-- Requires that the payment is held, and sets the time of the start.
create function private.check_start(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = booking.id and p.escrow_status = 'held'), 'payment.not_held', 'status');
  booking.started_at := now();
  return booking;
end $$;

-- Limits the completion notes and sets the time of completion.
create function private.check_completion(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_notes := nullif(private.trimmed(booking.completion_notes), '');
  perform private.require(coalesce(length(booking.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'status');
  booking.completed_at := now();
  return booking;
end $$;

-- Refuses to cancel while a PaymentIntent is open, limits the reason, and sets who cancelled and when.
create function private.check_cancellation(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  -- The provider is asked first, or the card could be charged for a booking that is no more.
  perform private.require(before.status <> 'accepted' or not private.has_open_intent(booking.id),
    'booking.payment_started', 'payment');
  booking.cancellation_reason := nullif(private.trimmed(booking.cancellation_reason), '');
  perform private.require(coalesce(length(booking.cancellation_reason), 0) <= private.rule('limits.cancellationReason.max'),
    'booking.cancellation_reason_too_long', 'cancellation_reason');
  booking.cancelled_by := coalesce(booking.cancelled_by, auth.uid());
  booking.cancelled_at := now();
  return booking;
end $$;

-- Sets the times of change and answer, and clears texts that do not belong to the new status.
create function private.stamp_booking(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.updated_at := now();
  if booking.status in ('accepted', 'rejected') then
    booking.answered_at := now();
  end if;
  if booking.status <> 'completed' then
    booking.completion_notes := null;
  end if;
  if booking.status <> 'cancelled' then
    booking.cancellation_reason := null;
  end if;
  return booking;
end $$;

-- The title of a task as notifications name it.
create function private.notified_task_title(task uuid) returns text
language sql stable set search_path = '' as $$
  select title from public.tasks where id = task
$$;

-- Notifies the giver of an application.
create function private.notify_application(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  if booking.offer_options is not null then
    perform private.notify_offer(booking);
    return;
  end if;
  perform private.notify_person(booking.task_giver_id, case
      when (select is_verified from public.profiles where id = booking.task_doer_id) then 'application_received'
      else 'application_received_unverified' end,
    jsonb_build_object('person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id)),
    '/bookings');
end $$;

-- Assigns the task of an accepted booking, at the time of an accepted offer.
create function private.assign_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'assigned', updated_at = now(),
    scheduled_date = coalesce(private.offered_time(booking), scheduled_date)
  where id = booking.task_id
$$;

-- Notifies the tasker that the giver accepted, or the giver that the tasker accepted their counter-offer.
create function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
begin
  if booking.counter_state = 'accepted' then
    perform private.notify_counter(booking);
    return;
  elsif task.repeats is not null then
    perform private.notify_series(booking, task);
    return;
  end if;
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.named(booking.task_giver_id), 'task', task.title), '/bookings');
end $$;

-- Notifies the tasker that the payment is held and the work can start.
create function private.notify_start(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'task_started',
    jsonb_build_object('task', private.notified_task_title(booking.task_id)), '/bookings');
end $$;

-- Opens the task of a cancelled booking again, at the time that the giver posted; that of a visit is closed.
create function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = case when booking.series_id is null then 'open' else 'cancelled' end::public.task_status, updated_at = now(),
    scheduled_date = private.posted_time(booking, scheduled_date)
  where id = booking.task_id and status = 'assigned'
$$;

-- Notifies a declined applicant of the reason: the giver declined, the giver withdrew the task, or the schedule closed it a day
-- after its date.
create function private.notify_not_chosen(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  gone boolean := booking.passed_over and exists (
    select from public.tasks where id = booking.task_id and status = 'cancelled');
  overdue boolean := exists (
    select from public.tasks where id = booking.task_id and scheduled_date <= now() - interval '24 hours');
begin
  if gone and overdue then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif gone then
    perform private.notify_person(booking.task_doer_id, 'task_withdrawn', news, '/bookings');
  else
    perform private.notify_person(booking.task_doer_id, 'application_declined', news, '/bookings');
  end if;
end $$;

-- Notifies the people of an unpaid booking that it ended: withdrawn, cancelled or expired. For a paid booking,
-- public.cancel_booking notifies them, because it knows the amounts.
create function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
  -- Whoever stops a series, or its end, is announced once for all visits.
  if exists (select from public.task_series s where s.id = booking.series_id and s.status <> 'active') and before.status = 'accepted' then
    return;
  end if;
  if before.status = 'pending' and by_schedule and booking.answer_by <= now() then
    perform private.notify_person(booking.task_doer_id, 'offer_lapsed', news, '/task/' || booking.task_id);
  elsif before.status = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif before.status = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.named(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, case when booking.series_id is null then 'booking_cancelled' when booking.skipped
            then 'visit_skipped' else 'visit_cancelled' end,
          news || jsonb_build_object('person', private.named(booking.cancelled_by)) || private.visit_facts(booking), '/bookings');
      end if;
    end loop;
  end if;
end $$;

-- Declines all pending applications because the task was taken or withdrawn.
create function private.decline_waiting_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

-- Ends one booking or counter-offer that has expired: an application unanswered for 30 days, an offer or a counter-offer at its
-- answer_by, or an accepted booking not paid in time. Returns how many.
create function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  countered boolean;
begin
  select b.id, b.counter_state is not distinct from 'open' into due, countered
  from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'pending' and b.answer_by <= now())
    or (b.status = 'accepted' and private.payment_deadline(b, t.scheduled_date) <= now()))
    and not private.has_open_intent(b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  perform private.set_actor('schedule');
  if countered then
    update public.bookings set counter_state = 'lapsed' where id = due;
  else
    update public.bookings set status = 'cancelled' where id = due;
  end if;
  perform private.set_actor(null);
  return 1;
end $$;

-- Lets the giver take a decline back for 10 minutes while the task is open.
create function private.check_undone_decline(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(not before.passed_over and before.answered_at > now() - interval '10 minutes',
    'booking.undo_expired', 'status');
  perform private.require((private.lock_task(booking.task_id)).status = 'open', 'task.not_open', 'status');
  booking.answered_at := null;
  return booking;
end $$;

-- Removes the notification of a decline that was neither read nor mailed; otherwise notifies that it was taken back.
create function private.retract_decline_notice(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task_title constant text := private.notified_task_title(booking.task_id);
  decline constant text := concat_ws(' ', 'answer', booking.task_id, booking.task_doer_id);
  delivered_keys constant text[] := (select n.delivered_keys from public.notifications n
    where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read);
  mailed constant boolean := exists (select from private.email_events e
    where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is not null);
begin
  if mailed or cardinality(delivered_keys) > 1 or (delivered_keys is null and exists (select from public.notifications n
      where n.user_id = booking.task_doer_id and n.key = 'application_declined' and n.params ->> 'task' = task_title
        and n.created_at >= before.answered_at))
  then
    perform private.notify_person(booking.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(booking.id));
    return;
  end if;
  delete from private.email_events e
  where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is null;
  delete from public.notifications n where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = booking.task_doer_id and m.subject_key = decline and m.taken_until is null;
end $$;

grant execute on function
  private.tidy_booking(public.bookings), private.check_application(public.bookings),
  private.check_booking_step(public.bookings, public.bookings), private.check_acceptance(public.bookings),
  private.check_start(public.bookings), private.check_completion(public.bookings), private.check_cancellation(public.bookings, public.bookings),
  private.check_undone_decline(public.bookings, public.bookings), private.stamp_booking(public.bookings)
to authenticated, service_role;
