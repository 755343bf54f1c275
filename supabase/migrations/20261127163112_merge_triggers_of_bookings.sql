-- Merges the triggers of bookings: two functions before a booking is written and one after it, with named steps.
set check_function_bodies = off;

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

create function private.open_request_to_everyone(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now()
  where id = booking.task_id and status = 'asked' and asked_tasker_id = booking.task_doer_id
$$;

create function private.recount_party(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.recount_person(case when before.status = 'pending' then booking.task_giver_id else booking.task_doer_id end);
end $$;

create function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now() where id = booking.task_id and status = 'assigned'
$$;

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

create function private.schedule_application_expiry() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
end $$;

create function private.schedule_confirmation(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  days integer;
begin
  foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
    perform private.schedule_tick(private.confirmation_from(booking) + make_interval(days => days));
  end loop;
end $$;

create function private.schedule_payment_deadline(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  pay_by constant timestamptz := private.pay_by(now(), starts);
begin
  perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
  perform private.schedule_tick(pay_by);
  perform private.schedule_tick(starts + interval '24 hours');
end $$;

create function private.schedule_recount(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  due timestamptz;
begin
  select min(created_at) + interval '24 hours' into due from public.messages
  where booking_id = booking.id and receiver_id = booking.task_doer_id;
  if due > now() then
    insert into private.pending_recounts (booking_id, due_at) values (booking.id, due) on conflict do nothing;
    perform private.schedule_tick(due);
  end if;
end $$;

create function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  at constant timestamptz := (select scheduled_date - interval '24 hours' from public.tasks where id = booking.task_id);
begin
  if at > now() then
    perform private.schedule_tick(at);
  end if;
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

create function private.tidy_booking(booking public.bookings) returns public.bookings
language plpgsql immutable set search_path = '' as $$
begin
  booking.message := nullif(private.trimmed(booking.message), '');
  return booking;
end $$;

create function private.title_of_task(task uuid) returns text
language sql stable set search_path = '' as $$
  select title from public.tasks where id = task
$$;

drop trigger "11_message" on public.bookings;

drop trigger "12_tidy" on public.bookings;

drop trigger "19_account" on public.bookings;

drop trigger "20_own" on public.bookings;

drop trigger "21_doers" on public.bookings;

drop trigger "28_limit" on public.bookings;

drop trigger "29_shown" on public.bookings;

drop trigger "30_application" on public.bookings;

drop trigger "31_price_agreed" on public.bookings;

drop trigger "32_notes_on_completion" on public.bookings;

drop trigger "33_reason_on_cancellation" on public.bookings;

drop trigger "39_account" on public.bookings;

drop trigger "40_first_step" on public.bookings;

drop trigger "40_step" on public.bookings;

drop trigger "50_accepted" on public.bookings;

drop trigger "51_in_progress" on public.bookings;

drop trigger "52_completed" on public.bookings;

drop trigger "52_photos" on public.bookings;

drop trigger "53_cancelled" on public.bookings;

drop trigger "54_undone_decline" on public.bookings;

drop trigger "90_count_booking" on public.bookings;

drop trigger "90_first_stamp" on public.bookings;

drop trigger "90_stamp" on public.bookings;

drop trigger drop_photos on public.bookings;

drop trigger follow_application on public.bookings;

drop trigger follow_booking on public.bookings;

drop trigger follow_undone_decline on public.bookings;

drop trigger open_after_application on public.bookings;

drop trigger recount_after_booking on public.bookings;

drop trigger schedule_for_application on public.bookings;

drop trigger schedule_for_booking on public.bookings;

drop trigger schedule_recount on public.bookings;

drop trigger schedule_reminder on public.bookings;

drop trigger within_limit on public.bookings;

create trigger after_booking_change after insert or update or delete on public.bookings
for each row execute function private.after_booking_change();

create trigger before_booking_insert before insert on public.bookings
for each row execute function private.before_booking_insert();

create trigger before_booking_update before update on public.bookings
for each row execute function private.before_booking_update();

drop function private.check_acceptance();

drop function private.check_application();

drop function private.check_booking_step();

drop function private.check_cancellation();

drop function private.check_completion();

drop function private.check_completion_photos();

drop function private.check_start();

drop function private.check_task_is_shown();

drop function private.check_undone_decline();

drop function private.count_booking();

drop function private.drop_booking_photos();

drop function private.follow_booking();

drop function private.follow_undone_decline();

drop function private.limit_answers();

drop function private.limit_applications();

drop function private.notify_completion(public.bookings,text,text);

drop function private.notify_not_chosen(public.bookings,text);

drop function private.notify_of_cancellation(public.booking_status,public.bookings,text,boolean);

drop function private.open_after_application();

drop function private.recount_after_booking();

drop function private.schedule_for_application();

drop function private.schedule_for_booking();

drop function private.schedule_recount();

drop function private.schedule_reminder();

drop function private.stamp_booking();

drop function private.tidy_booking();

grant execute on function private.check_acceptance(public.bookings) to authenticated;
grant execute on function private.check_acceptance(public.bookings) to service_role;
grant execute on function private.check_application(public.bookings) to authenticated;
grant execute on function private.check_application(public.bookings) to service_role;
grant execute on function private.check_booking_step(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_booking_step(public.bookings,public.bookings) to service_role;
grant execute on function private.check_cancellation(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_cancellation(public.bookings,public.bookings) to service_role;
grant execute on function private.check_completion(public.bookings) to authenticated;
grant execute on function private.check_completion(public.bookings) to service_role;
grant execute on function private.check_completion_photos(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_completion_photos(public.bookings,public.bookings) to service_role;
grant execute on function private.check_start(public.bookings) to authenticated;
grant execute on function private.check_start(public.bookings) to service_role;
grant execute on function private.check_undone_decline(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_undone_decline(public.bookings,public.bookings) to service_role;
grant execute on function private.is_erasing() to anon;
grant execute on function private.is_erasing() to authenticated;
grant execute on function private.is_erasing() to service_role;
grant execute on function private.limit_applications(uuid) to authenticated;
grant execute on function private.limit_applications(uuid) to service_role;
grant execute on function private.stamp_booking(public.bookings) to authenticated;
grant execute on function private.stamp_booking(public.bookings) to service_role;
grant execute on function private.tidy_booking(public.bookings) to authenticated;
grant execute on function private.tidy_booking(public.bookings) to service_role;

comment on column public.bookings.task_giver_id is 'The task''s giver, copied from the task so that policies need no join';
