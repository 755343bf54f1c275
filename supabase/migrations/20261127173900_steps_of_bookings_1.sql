-- Named steps of what happens before and after a change of bookings, complaints and reviews (1 of 3).
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
    if old.status = 'accepted' then
      perform private.settle_payment_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  end if;
  return null;
end $$;

create function private.after_complaint_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.freeze_payment(new.payment_id);
    perform private.notify_complaint(new);
    perform private.hold_reviews(new.booking_id);
  else
    if old.answer is null and new.answer is not null then
      perform private.notify_answer(new);
    end if;
    if new.decided_at is distinct from old.decided_at then
      perform private.hold_reviews(new.booking_id);
    end if;
  end if;
  return null;
end $$;

create function private.after_review_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_reviews(new);
  return null;
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
        'person', private.person_name(other),
        'task', (select title from public.tasks where id = booking.task_id)),
        -- The parameter `part` of web/lib/paths.ts.
        private.booking_link(due) || '&part=review');
    end if;
  end loop;
  return 1;
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

create function private.before_complaint_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_complaint(new);
  perform private.require(private.visible_length(new.reason) >= private.rule('limits.complaint.min'),
    'complaint.reason_too_short', 'reason');
  perform private.require(coalesce(length(new.reason), 0) <= private.rule('limits.complaint.max'),
    'complaint.reason_too_long', 'reason');
  new := private.check_complaint(new);
  new := private.check_complaint_photos(new);
  return new;
end $$;

create function private.before_complaint_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.answer is distinct from old.answer then
    new := private.check_answer(new, old);
  end if;
  new := private.check_answer_photos(new, old);
  return new;
end $$;

create function private.before_review_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_review(new);
  perform private.require(new.rating between private.rule('limits.reviewStars.min') and private.rule('limits.reviewStars.max'),
    'review.rating_out_of_range', 'rating');
  perform private.require(coalesce(length(new.comment), 0) <= private.rule('limits.reviewComment.max'),
    'review.comment_too_long', 'comment');
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.reviewer_id = auth.uid(), 'review.not_own');
  new := private.check_reviewed_booking(new);
  return new;
end $$;

create function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.try_lock_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  booking.period := private.task_period(task);
  perform private.require(private.tasker_is_free(booking.task_doer_id, booking.period),
    'booking.tasker_busy', 'status');
  booking.accepted_at := now();
  return booking;
end $$;

create function private.check_answer(complaint public.complaints, before public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  perform private.allow(complaint.tasker_id = auth.uid(), 'complaint.answer_not_tasker');
  perform private.require(before.answer is null, 'complaint.already_answered', 'answer');
  perform private.require(before.decision is null, 'complaint.already_decided', 'answer');
  complaint.answer := private.trimmed(complaint.answer);
  perform private.require(private.visible_length(complaint.answer) >= private.rule('limits.complaint.min'),
    'complaint.answer_too_short', 'answer');
  perform private.require(length(complaint.answer) <= private.rule('limits.complaint.max'), 'complaint.answer_too_long', 'answer');
  complaint.answered_at := now();
  return complaint;
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

create function private.check_complaint(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: who is no party learns nothing, not even that there is such a booking.
  select * into booking from public.bookings where id = complaint.booking_id;
  perform private.allow(not private.is_client() or coalesce(booking.task_giver_id = auth.uid(), false),
    'complaint.only_givers');
  payment := private.lock_payment_of(complaint.booking_id);
  perform private.require(payment.id is not null, 'complaint.not_paid', 'booking_id');
  select * into booking from public.bookings where id = complaint.booking_id;
  perform private.require(booking.status = 'completed',
    'complaint.work_not_completed', 'booking_id');
  perform private.require(not exists (select from public.complaints where booking_id = complaint.booking_id),
    'complaint.already_filed', 'booking_id');
  perform private.require(payment.escrow_status = 'held', 'payment.already_settled', 'booking_id');
  perform private.require(
    now() < private.confirmation_from(booking) + make_interval(hours => private.rule('limits.complaint.hours')),
    case when private.confirmation_from(booking) > booking.completed_at
      then 'complaint.too_late_after_date'
      else 'complaint.too_late_after_completion' end, 'booking_id');
  complaint.payment_id := payment.id;
  complaint.giver_id := payment.payer_id;
  complaint.tasker_id := payment.payee_id;
  return complaint;
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
