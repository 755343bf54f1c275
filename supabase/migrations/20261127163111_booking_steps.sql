-- The steps of the triggers of bookings, which the next migration merges.
set check_function_bodies = off;

create function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    perform private.notify_application(new);
    perform private.schedule_application_expiry();
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.notify_acceptance(new);
      perform private.decline_waiting_applications(new.task_id);
    elsif new.status = 'rejected' then
      perform private.notify_not_chosen(new);
    elsif new.status = 'in_progress' then
      perform private.notify_start(new);
    elsif new.status = 'completed' then
      perform private.notify_completion(new);
    elsif new.status = 'cancelled' then
      perform private.reopen_task(new);
      perform private.notify_cancellation(new, old);
    elsif new.status = 'pending' then
      perform private.retract_decline_notice(new, old);
    end if;
    if old.status = 'pending' and new.status in ('rejected', 'cancelled') then
      perform private.open_request_to_everyone(new);
    end if;
    if new.status <> 'in_progress' then
      perform private.recount_party(new, old);
    end if;
    if new.status = 'accepted' then
      perform private.schedule_payment_deadline(new);
    elsif new.status = 'completed' then
      perform private.schedule_confirmation(new);
    end if;
    if new.status in ('completed', 'cancelled') then
      perform private.schedule_recount(new);
    elsif new.status = 'in_progress' then
      perform private.schedule_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  end if;
  return null;
end $$;

create function private.assign_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'assigned', updated_at = now() where id = booking.task_id
$$;

create function private.before_booking_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.applicationMessage.max'),
    'booking.message_too_long', 'message');
  new := private.tidy_booking(new);
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.task_doer_id = auth.uid(), 'booking.not_own');
  perform private.allow(not private.is_client() or private.has_role('task_doer'), 'booking.only_taskers');
  perform private.limit_applications(new.task_id);
  new := private.check_application(new);
  perform private.check_booking_step(new, old);
  new := private.stamp_booking(new);
  return new;
end $$;

create function private.before_booking_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.agreed_amount = old.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  if new.status = old.status and not private.is_erasing() then
    perform private.require(new.completion_notes is not distinct from old.completion_notes,
      'booking.notes_not_allowed', 'completion_notes');
    perform private.require(new.cancellation_reason is not distinct from old.cancellation_reason,
      'booking.cancellation_reason_not_allowed', 'cancellation_reason');
  end if;
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      perform private.require_active_account();
    end if;
    perform private.check_booking_step(new, old);
    if new.status = 'accepted' then
      new := private.check_acceptance(new);
    elsif new.status = 'in_progress' then
      new := private.check_start(new);
    elsif new.status = 'completed' then
      new := private.check_completion(new);
    end if;
  end if;
  new := private.check_completion_photos(new, old);
  if new.status is distinct from old.status then
    if new.status = 'cancelled' then
      new := private.check_cancellation(new, old);
    elsif new.status = 'pending' then
      new := private.check_undone_decline(new, old);
    end if;
    new := private.stamp_booking(new);
  end if;
  return new;
end $$;

create function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  booking.period := private.task_period(task);
  perform private.require(private.tasker_is_free(booking.task_doer_id, booking.period),
    'booking.tasker_busy', 'status');
  booking.accepted_at := now();
  return booking;
end $$;

create function private.check_application(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
begin
  perform private.require(task.hidden_for is null, 'task.not_open', 'task_id');
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or booking.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> booking.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(booking.task_id, booking.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  -- A client may say which price its person saw; one that says nothing applies for the price as it stands.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.task_giver_id := task.task_giver_id;
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

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

create function private.check_completion(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_notes := nullif(private.trimmed(booking.completion_notes), '');
  perform private.require(coalesce(length(booking.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  booking.completed_at := now();
  return booking;
end $$;

create function private.check_completion_photos(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_photos := coalesce(booking.completion_photos, '{}');
  if private.is_client() and booking.completion_photos <> before.completion_photos then
    if booking.status <> 'completed' or before.status = 'completed' then
      perform private.fail('photo.not_completing', 'completion_photos');
    end if;
    perform private.check_photos(booking.completion_photos, 'booking-photos', booking.id, booking.task_doer_id, 'completion_photos');
  end if;
  return booking;
end $$;

create function private.check_start(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = booking.id and p.escrow_status = 'held'), 'payment.not_held', 'status');
  booking.started_at := now();
  return booking;
end $$;

create function private.check_undone_decline(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(not before.passed_over and before.answered_at > now() - interval '10 minutes',
    'booking.undo_expired', 'status');
  perform private.require((private.lock_task(booking.task_id)).status = 'open', 'task.not_open', 'status');
  booking.answered_at := null;
  return booking;
end $$;

create function private.count_booking(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  was constant timestamptz := case when before.accepted_at is not null then before.created_at end;
  is_now constant timestamptz := case when booking.accepted_at is not null then booking.created_at end;
begin
  if was is distinct from is_now then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'bookings', c.amount from (values (was, -1), (is_now, 1)) c (moment, amount) where c.moment is not null;
  end if;
end $$;

create or replace function private.decline_waiting_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

create function private.drop_booking_photos(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.drop_files('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like booking.id || '/%'));
end $$;

create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

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

create function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.person_name(booking.task_giver_id), 'task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create function private.notify_application(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_giver_id, case
      when (select is_verified from public.profiles where id = booking.task_doer_id) then 'application_received'
      else 'application_received_unverified' end,
    jsonb_build_object('person', private.person_name(booking.task_doer_id), 'task', private.title_of_task(booking.task_id)),
    '/bookings');
end $$;

create function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
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
      news || jsonb_build_object('person', private.person_name(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.person_name(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.person_name(booking.task_doer_id), 'task', private.title_of_task(booking.task_id));
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
