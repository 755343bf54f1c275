-- Offers in the steps of a booking, which taskers can now take to accepted.

set check_function_bodies = off;

create or replace function private.after_booking_change() returns trigger
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
  elsif new.counter_state is distinct from old.counter_state then
    perform private.notify_counter(new);
  end if;
  return null;
end $$;

create or replace function private.assign_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'assigned', updated_at = now(),
    scheduled_date = coalesce(private.offered_time(booking), scheduled_date)
  where id = booking.task_id
$$;

create or replace function private.before_booking_update() returns trigger
language plpgsql set search_path = '' as $$
begin
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
  end if;
  new := private.check_offer_step(new, old);
  if new.status is distinct from old.status then
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

create or replace function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
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
  perform private.require(private.tasker_is_free(booking.task_doer_id, booking.period),
    'booking.tasker_busy', 'status');
  booking.accepted_at := now();
  return booking;
end $$;

create or replace function private.check_application(booking public.bookings) returns public.bookings
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
  booking.task_giver_id := task.task_giver_id;
  if booking.offer_options is not null or booking.offer_reason is not null then
    return private.check_offer(booking, task);
  end if;
  -- A client may send the price that its person saw; without one, the current price counts.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

create or replace function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  countered boolean;
begin
  select b.id, b.counter_state is not distinct from 'open' into due, countered
  from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'pending' and b.answer_by <= now())
    or (b.status = 'accepted' and private.pay_by(b.accepted_at, t.scheduled_date) <= now()))
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

create or replace function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  if booking.counter_state = 'accepted' then
    perform private.notify_counter(booking);
    return;
  end if;
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.named(booking.task_giver_id), 'task', private.notified_task_title(booking.task_id)), '/bookings');
end $$;

create or replace function private.notify_application(booking public.bookings) returns void
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

create or replace function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
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
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.named(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create or replace function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now(), scheduled_date = private.posted_time(booking, scheduled_date)
  where id = booking.task_id and status = 'assigned'
$$;
grant update (agreed_amount) on public.bookings to authenticated;
grant update (accepted_option) on public.bookings to authenticated;
grant update (counter_amount) on public.bookings to authenticated;
grant update (counter_message) on public.bookings to authenticated;
grant update (counter_starts_at) on public.bookings to authenticated;
grant update (counter_state) on public.bookings to authenticated;
grant insert (offer_options) on public.bookings to authenticated;
grant insert (offer_reason) on public.bookings to authenticated;
grant insert (offers_allowed), update (offers_allowed) on public.tasks to authenticated;

insert into private.booking_transitions (from_status, to_status, actor) values ('pending', 'accepted', 'tasker');
