-- Named steps of what happens before and after a change of bookings, complaints and reviews (2 of 3).
set check_function_bodies = off;

create function private.check_reviewed_booking(review public.reviews) returns public.reviews
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(review.booking_id);
  other constant uuid := case when review.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(review.booking_id, private.confirmation_from(booking));
begin
  perform private.allow(coalesce(review.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'review.not_party');
  perform private.require(not private.is_account_deleted(other),
    'review.person_deleted', 'booking_id');
  perform private.require(booking.status = 'completed', 'review.not_completed', 'booking_id');
  perform private.require(ends < 'infinity', 'review.complaint_open', 'booking_id');
  perform private.require(now() < ends, case
    when exists (select from public.complaints where booking_id = review.booking_id)
      then 'review.too_late_after_decision'
    when private.confirmation_from(booking) > booking.completed_at
      then 'review.too_late_after_date'
    else 'review.too_late_after_completion' end, 'booking_id');
  perform private.require(not exists (select from public.reviews
    where booking_id = review.booking_id and reviewer_id = review.reviewer_id),
    'review.already_written', 'booking_id');
  perform private.require(coalesce(review.reviewee_id, not_given) in (not_given, other),
    'review.reviewee_invalid', 'reviewee_id');
  perform private.require(coalesce(review.task_id, not_given) in (not_given, booking.task_id),
    'review.task_invalid', 'task_id');
  review.task_id := booking.task_id;
  review.reviewee_id := other;
  review.visible_from := ends;
  return review;
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

create or replace function private.decline_waiting_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

create function private.detach_intent(payment uuid, intent text) returns void
language sql security definer set search_path = '' as $$
  update public.payments set stripe_payment_intent_id = nullif(stripe_payment_intent_id, intent),
    closed_intents = array_append(closed_intents, intent)
  where id = payment and escrow_status = 'pending' and intent <> all (closed_intents)
$$;

create function private.freeze_payment(payment uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
end $$;

create function private.hold_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  ends constant timestamptz := private.review_ends(booking, null);
begin
  update public.reviews set visible_from = ends where booking_id = booking and not announced;
  if found and ends < 'infinity' then
    perform private.schedule_tick(ends);
  end if;
end $$;

create function private.is_account_deleted(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.profiles where id = person and deleted_at is not null)
$$;

create function private.mark_confirmation_notice_read(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = payment.payer_id and not read and link like private.booking_link(payment.booking_id) || '%'
    and key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');
end $$;

create function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.person_name(booking.task_giver_id), 'task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create function private.notify_answer(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(complaint.giver_id, 'complaint_answered', jsonb_build_object(
    'person', private.person_name(complaint.tasker_id), 'task', private.task_title(complaint.booking_id)),
    private.booking_link(complaint.booking_id));
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

create function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  perform private.notify_person(complaint.tasker_id, 'complaint_opened',
    news || jsonb_build_object('person', private.person_name(complaint.giver_id)), private.booking_link(complaint.booking_id));
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
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

create function private.notify_not_chosen(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.title_of_task(booking.task_id));
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

create function private.notify_start(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'task_started',
    jsonb_build_object('task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create function private.publish_reviews(review public.reviews) returns void
language plpgsql set search_path = '' as $$
begin
  if (select count(*) from public.reviews where booking_id = review.booking_id) = 2 then
    update public.reviews set visible_from = now() where booking_id = review.booking_id;
    perform private.announce_reviews(review.booking_id);
  else
    perform private.schedule_tick(review.visible_from);
  end if;
end $$;

create function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now() where id = booking.task_id and status = 'assigned'
$$;

create function private.request_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select id from public.bookings where id = booking and status = 'completed'
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
end $$;

create function private.retract_decline_notice(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task_title constant text := private.title_of_task(booking.task_id);
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

create function private.task_title(booking uuid) returns text
language sql stable set search_path = '' as $$
  select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = booking
$$;

create function private.tidy_booking(booking public.bookings) returns public.bookings
language plpgsql immutable set search_path = '' as $$
begin
  booking.message := nullif(private.trimmed(booking.message), '');
  return booking;
end $$;

create function private.tidy_complaint(complaint public.complaints) returns public.complaints
language plpgsql immutable set search_path = '' as $$
begin
  complaint.reason := private.trimmed(complaint.reason);
  return complaint;
end $$;

create function private.tidy_review(review public.reviews) returns public.reviews
language plpgsql immutable set search_path = '' as $$
begin
  review.comment := nullif(private.trimmed(review.comment), '');
  return review;
end $$;

create function private.title_of_task(task uuid) returns text
language sql stable set search_path = '' as $$
  select title from public.tasks where id = task
$$;

create function private.try_lock_decision(task uuid) returns boolean
language sql security definer set search_path = '' as $$
  select pg_try_advisory_xact_lock(hashtextextended('decision ' || task, 0))
$$;

create function private.withdraw_review_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.notifications n using public.bookings b
  where n.key = 'review_asked' and person in (b.task_giver_id, b.task_doer_id)
    and n.user_id in (b.task_giver_id, b.task_doer_id) and n.link like private.booking_link(b.id) || '%';
  delete from private.email_events e using public.bookings b
  where e.key = 'review_asked' and e.email_id is null and person in (b.task_giver_id, b.task_doer_id) 
    and e.person_id in (b.task_giver_id, b.task_doer_id) and e.link like private.booking_link(b.id) || '%';
end $$;
