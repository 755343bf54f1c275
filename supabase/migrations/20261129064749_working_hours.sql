-- working hours: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create table public.hours_exceptions (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  day date not null,
  starts time,
  ends time,
  primary key (user_id, day)
);
alter table public.hours_exceptions enable row level security;

create table public.schedule_settings (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  time_zone text not null,
  buffer_minutes integer not null default 0,
  closed_on_holidays boolean not null default true,
  shows_slots boolean not null default true,
  updated_at timestamptz not null default now()
);
alter table public.schedule_settings enable row level security;

create table public.working_hours (
  user_id uuid not null references private.profiles (id) on delete cascade,
  weekday smallint not null check (weekday between 1 and 7),
  starts time not null,
  ends time not null,
  primary key (user_id, weekday, starts),
  check (starts < ends)
);
alter table public.working_hours enable row level security;

create function private.before_hours_exception_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  perform private.require(new.day between current_date - 1 and current_date + 731, 'hours_exception.day_out_of_range', 'day');
  perform private.require(num_nulls(new.starts, new.ends) = 2 or new.starts < new.ends, 'hours.end_before_start', 'ends');
  if tg_op = 'INSERT' then
    perform private.require((select count(*) from public.hours_exceptions where user_id = new.user_id)
      < private.rule('limits.workingHours.exceptions'), 'hours_exception.too_many', 'day');
  end if;
  return new;
end $$;

create or replace function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
    if new.asked_tasker_id is not null then
      perform private.check_asked_time(new, old);
    end if;
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create function private.blocked_times(settings public.schedule_settings, span tstzrange) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)), '{}')
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time)
$$;

create function private.can_fit_task(tasker uuid, task public.tasks) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant tstzrange := private.task_period(task);
begin
  if wanted is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('calendar ' || tasker, 0));
  return not exists (
    select from private.clashing_bookings(tasker, wanted, task.public_latitude, task.public_longitude));
end $$;

create or replace function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.try_lock_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  booking.period := private.task_period(task);
  perform private.require(private.can_fit_task(booking.task_doer_id, task), 'booking.tasker_busy', 'status');
  booking.accepted_at := now();
  return booking;
end $$;

create function private.check_asked_time(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.scheduled_date, task.duration_minutes) is distinct from (before.scheduled_date, before.duration_minutes)
    and private.is_slot_taken(task)
  then
    perform private.fail('task.slot_taken', 'scheduled_date');
  end if;
end $$;

create function private.check_hours(hours jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(jsonb_typeof(hours) = 'array', 'hours.invalid', 'hours');
  perform private.require(not exists (select from jsonb_array_elements(hours) h
    where (h ->> 'weekday' ~ '^[1-7]$' and h ->> 'starts' ~ '^([01]\d|2[0-3]):[0-5]\d$'
      and h ->> 'ends' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$') is not true), 'hours.invalid', 'hours');
  perform private.require(not exists (select from private.hours_of(hours) where starts >= ends), 'hours.end_before_start', 'hours');
  perform private.require(not exists (
    select from (select starts, lag(ends) over (partition by weekday order by starts, ends) as before
      from private.hours_of(hours)) in_order where starts < before), 'hours.overlap', 'hours');
  perform private.require(not exists (select from private.hours_of(hours) group by weekday
    having count(*) > private.rule('limits.workingHours.perDay')), 'hours.too_many', 'hours');
end $$;

create function private.clashing_bookings(
  tasker uuid, wanted tstzrange, latitude double precision, longitude double precision
) returns setof uuid language sql stable set search_path = '' as $$
  select b.id from public.bookings b join public.tasks t on t.id = b.task_id
    left join public.schedule_settings s on s.user_id = b.task_doer_id
    cross join lateral (select make_interval(mins => case when s.user_id is null then 0 else greatest(s.buffer_minutes,
      private.travel_minutes(t.public_latitude, t.public_longitude, clashing_bookings.latitude, clashing_bookings.longitude)) end)) gap (time)
  where b.task_doer_id = tasker and b.status in ('accepted', 'in_progress')
    -- For the index: no way in the province takes two days.
    and b.period && tstzrange(lower(wanted) - interval '2 days', upper(wanted) + interval '2 days')
    and b.period && tstzrange(lower(wanted) - gap.time, upper(wanted) + gap.time)
$$;

create function private.erase_hours(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.schedule_settings where user_id = person;
  delete from public.working_hours where user_id = person;
  delete from public.hours_exceptions where user_id = person
$$;

create or replace function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- Open work is cancelled first, so that the other parties are notified.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where person in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';

  perform private.erase_name(person);
  perform private.erase_audit(person);
  delete from public.reports where person in (author_id, reporter_id);
  -- Cards first: deleting a card detaches it at the provider.
  delete from public.payment_methods where user_id = person;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', person,
    'account', (select stripe_account_id from public.payout_accounts where user_id = person and account_type <> 'manual')));

  if not exists (select from public.payments p where person in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = person;
    return;
  end if;
  delete from public.verifications where user_id = person;
  delete from public.user_roles where user_id = person;
  delete from public.suspensions where user_id = person;
  delete from public.notifications where user_id = person;
  delete from public.payment_failures where person_id = person;
  delete from public.payout_accounts where user_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from public.messages m where m.sender_id = person;
  perform private.erase_saved_searches(person);
  perform private.erase_points(person);
  perform private.erase_hours(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null
  where task_doer_id = person and (message is not null or completion_notes is not null);
  update public.bookings set cancellation_reason = null where cancelled_by = person and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = person;
  update public.complaints set answer = gone where tasker_id = person and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = person;
  -- Also the log entries of the changes above.
  perform private.erase_audit(person);
end $$;

create or replace function private.error_messages() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "account.application_forbidden": "An application may not do this for a person",
  "account.not_authenticated": "Not authenticated",
  "account.email_too_long": "Email too long",
  "account.role_invalid": "role must be task_giver or task_doer",
  "account.already_finished": "This account is finished already",
  "account.not_finished": "Finish your account first",
  "account.not_found": "There is no such account",
  "account.role_missing": "You do not have this role",
  "account.role_required": "A role is required",
  "account.last_admin": "This is the last admin: make somebody else an admin first",
  "account.only_admin": "You are the only administrator. Make somebody else one first.",
  "account.suspended": "Your account is suspended: you cannot post, apply, hire or write until this is lifted",
  "account.suspended_for_tasks": "Your account is suspended: you cannot change a task until this is lifted",
  "account.suspended_for_profile": "Your account is suspended: you cannot change your profile until this is lifted",
  "account.suspended_for_roles": "Your account is suspended: you cannot add a role until this is lifted",
  "account.suspended_for_reports": "Your account is suspended: you cannot report until this is lifted",
  "account.reauthentication_needed": "Please enter your password again to confirm that it is you.",
  "account.second_factor_required": "Enter the code of your second factor, too.",
  "account.second_factor_not_set_up": "Set up two-step verification first",
  "account.second_factor_missing": "Your account has no second factor",
  "account.email_mismatch": "Type your email exactly as it is shown",
  "account.phone_mismatch": "Type your phone number exactly as it is shown",
  "account.complaint_open": "A complaint about one of your bookings is still open. It has to be decided first.",
  "account.money_held": "Money of this account is still on its way. Please finish or cancel your bookings first.",
  "account.payout_waiting": "Money that you earned has not reached you yet. Please check your bank details under Payout first.",
  "account.money_on_its_way": "Money is still being sent to you. Please try again once it has arrived.",
  "profile.name_too_short": "Name must be at least 2 characters",
  "profile.name_too_long": "Name too long",
  "profile.name_check_mark": "Name cannot contain a check mark",
  "profile.name_hidden_characters": "Name cannot contain invisible or control characters",
  "profile.name_address": "Name cannot contain a web or e-mail address",
  "profile.name_official": "Name cannot suggest that it is Meadowlark itself",
  "profile.phone_too_long": "Phone too long",
  "profile.phone_invalid": "Invalid phone number",
  "profile.city_too_long": "City too long",
  "profile.bio_too_long": "Bio too long",
  "profile.avatar_invalid": "Avatar must be a web address",
  "profile.experience_invalid": "Experience must be a whole number of years, at least 0",
  "profile.hourly_rate_too_low": "Hourly rate must be at least 0",
  "profile.hourly_rate_too_high": "Hourly rate too high",
  "profile.availability_invalid": "Availability must be available, busy or unavailable",
  "profile.language_unknown": "Unknown language",
  "profile.not_own": "Only the person can change their own profile",
  "profile.id_handed_in": "They handed in an ID: it is that which is approved or refused",
  "profile.skills_too_many": "Too many skills, or a skill is too long",
  "profile.category_unknown": "Unknown category",
  "session.already_ended": "This device is signed out already",
  "session.missing": "This token belongs to no session",
  "recovery_code.rollback_forbidden": "A recovery code cannot be tried with Prefer: tx=rollback",
  "recovery_code.too_many_attempts": "Too many attempts. Wait five minutes before you try again.",
  "activity.new_account_daily_limit": "A new account can do this {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.daily_limit": "This can be done {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.new_account_hourly_limit": "A new account can do this {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.hourly_limit": "This can be done {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.too_many_at_once": "You can have {{limit}} of these at the same time. Please close or remove one first.",
  "admin.required": "Only admins can {{action}}",
  "admin.own_case": "Another admin decides {{matter}}",
  "admin.reason_required": "Please give a reason: the person reads it",
  "admin.reason_too_long": "Reason too long",
  "admin.filter_unknown": "Filter must be everyone, task_giver, task_doer, admin or suspended",
  "admin.kind_unknown": "Kind must be payments, payouts or refunds",
  "admin.state_unknown": "There is no such state",
  "admin.chargeback_state_unknown": "State must be to_answer, under_review, won, lost or all",
  "admin.period_unknown": "Period must be week or month",
  "suspension.admin": "An admin cannot be suspended: give them another role first",
  "suspension.already_suspended": "This person is suspended already",
  "suspension.not_suspended": "This person is not suspended",
  "suspension.cannot_become_admin": "A suspended person cannot become an admin: lift the suspension first",
  "notification.required_kind": "Payments, complaints and your account always come to the bell and by e-mail",
  "verification.only_taskers": "Only task doers can be verified",
  "verification.already_submitted": "You have already submitted your verification.",
  "verification.not_pending": "A verification is submitted as pending",
  "verification.identity_fixed": "A record keeps its identity",
  "verification.confirmation_required": "An approval needs your word that the ID shows this person",
  "verification.terms_required": "Terms must be accepted",
  "verification.privacy_required": "Privacy policy must be accepted",
  "verification.legal_name_required": "Full legal name is required",
  "verification.legal_name_too_long": "Name too long",
  "verification.birth_date_required": "Date of birth is required",
  "verification.too_young": "You must be at least 18 years old",
  "verification.background_check_invalid": "Background check consent must be true or false",
  "verification.insurance_invalid": "Insurance must be true or false",
  "verification.sin_invalid": "SIN provided must be true or false",
  "verification.id_type_required": "ID type is required",
  "verification.insurance_details_too_long": "Insurance details too long",
  "verification.skills_too_many": "Too many skills or certifications, or one is too long",
  "verification.not_own": "Only the person can change what they declared",
  "verification.resubmission_not_own": "Only the person can hand in again",
  "verification.reason_too_long": "Reason too long",
  "verification.reason_required": "A refusal needs a reason",
  "verification.id_missing": "An approval needs a picture of the ID, and none was handed in",
  "verification.being_decided": "This verification is being decided right now. Please try again.",
  "task.not_found": "Task not found",
  "task.assigned": "This task is agreed with its tasker and stays as it is",
  "task.completed": "This task is done and stays as it is",
  "task.closed": "This task is closed. You can post it again.",
  "task.changed_and_closed": "A task is changed or closed, not both at once",
  "task.being_decided": "This task is being decided right now. Please try again.",
  "task.status_change_invalid": "A task cannot go from {{from}} to {{to}}",
  "task.not_own": "You can only post tasks of your own",
  "task.only_givers": "Access Denied: Only task givers can post tasks",
  "task.status_invalid": "A new task is open",
  "task.not_open": "This task is no longer open",
  "task.title_too_short": "Title must be at least 5 characters",
  "task.title_too_long": "Title too long",
  "task.title_hidden_characters": "Title cannot contain invisible or control characters",
  "task.title_address": "Title cannot contain a web or e-mail address",
  "task.title_official": "Title cannot suggest that it comes from Meadowlark itself",
  "task.description_too_short": "Description must be at least 20 characters",
  "task.description_too_long": "Description too long",
  "task.category_required": "Category is required",
  "task.location_too_short": "Location must be at least 3 characters",
  "task.location_too_long": "Location too long",
  "task.pay_not_positive": "Pay amount must be positive",
  "task.pay_too_low": "Pay amount must be at least {{min, price}}",
  "task.pay_too_high": "Pay amount too high",
  "task.pay_too_precise": "Pay amount can have two decimals at most",
  "task.tools_invalid": "Tools provided must be true or false",
  "task.tools_description_too_long": "Tools description too long",
  "task.date_invalid": "Scheduled date is not a usable date",
  "task.date_past": "Scheduled date must be in the future",
  "task.duration_out_of_range": "Duration must be between 1 minute and 7 days",
  "task.address_too_short": "Address must be at least 3 characters",
  "task.address_too_long": "Address too long",
  "task.asked_self": "You cannot ask yourself",
  "task.asked_not_tasker": "Only a tasker can be asked",
  "task.no_longer_asked": "You are not asked to do this task any more",
  "task.asked_has_applied": "You have applied to this task. Withdraw your application instead.",
  "task.slot_taken": "This tasker is no longer free at that time. Choose another time.",
  "booking.not_found": "Booking not found",
  "booking.message_too_long": "Message too long (max 1000 characters)",
  "booking.not_own": "You can only apply for yourself",
  "booking.only_taskers": "Access Denied: Only task doers can apply to tasks",
  "booking.own_task": "You cannot apply to your own task",
  "booking.already_applied": "You have already applied to this task",
  "booking.price_changed": "The price of this task is now {{price, price}}. Please look at it again before you apply.",
  "booking.price_fixed": "The price of a booking stays as it was agreed",
  "booking.notes_not_allowed": "Completion notes are given when the task is marked complete",
  "booking.notes_too_long": "Completion notes too long",
  "booking.cancellation_reason_not_allowed": "A reason is given when the booking is cancelled",
  "booking.cancellation_reason_too_long": "Reason too long",
  "booking.cancel_by_function": "A paid booking is cancelled through handle-cancellation",
  "booking.payment_started": "The payment of this booking was started: it is cancelled through handle-cancellation",
  "booking.first_status_invalid": "An application starts as pending",
  "booking.status_change_invalid": "You cannot change this booking from {{from}} to {{to}}",
  "booking.tasker_busy": "This tasker already has a booking at that time",
  "booking.undo_expired": "A decline can be taken back for 10 minutes",
  "booking.not_cancellable": "This booking can no longer be cancelled",
  "booking.cancellation_failed": "Cancellation Failed",
  "payment.not_found": "Payment not found",
  "payment.not_held": "The payment is not held yet",
  "payment.frozen_by_chargeback": "The payment is frozen until the bank has decided on a chargeback",
  "payment.frozen_by_loss": "A part of the payment was taken back: it is frozen until an administrator has decided",
  "payment.frozen_by_complaint": "The payment is frozen until a complaint is decided",
  "payment.not_frozen": "The payment is not frozen",
  "payment.unchanged": "Nothing to change on this payment",
  "payment.only_release": "A payment can only be released",
  "payment.release_not_giver": "Only the task giver can release the payment",
  "payment.already_settled": "The payment was already settled",
  "payment.work_not_completed": "The payment can be released once the tasker has marked the task complete",
  "payment.not_giver": "Only the task giver can pay for a booking",
  "payment.already_paid": "This booking is already paid",
  "payment.booking_not_accepted": "Only an accepted booking can be paid",
  "payment.intent_id_required": "payment_intent_id is required",
  "payment.other_intent": "This payment has another payment intent",
  "payment.intent_not_ended": "A payment intent that has ended has an id and a status",
  "payment.nothing_to_decide": "Nothing is to be decided about this payment",
  "payment.decision_required": "A decision is required",
  "payment.complaint_open": "Decide the complaint about this booking: it settles the payment, too",
  "payment.not_splittable": "Only done work that is not paid out yet can be split",
  "payment.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "payment.intent_failed": "Failed to create payment intent",
  "payment.processing": "The payment is being processed right now. Please try again in a few minutes.",
  "payment.provider_unavailable": "The payment provider does not answer. Please try again in a few minutes.",
  "payment.provider_not_configured": "Failed to initialize payment system. Please try again later.",
  "payment.publishable_key_missing": "Publishable key not found",
  "ledger.append_only": "The ledger is append-only",
  "payment_method.not_found": "Card not found",
  "payment_method.save_failed": "Failed to create payment method",
  "payment_method.last4_invalid": "Only the last 4 digits of a card are kept",
  "payment_method.brand_unknown": "Unknown card brand",
  "payment_method.expiry_invalid": "Card expiry is not a date",
  "payment_method.customer_invalid": "customer_id must be a customer",
  "payout_account.last4_invalid": "Only the last 4 digits of the account are kept",
  "payout_account.incomplete": "Please fill in all bank account fields",
  "payout_account.unconfirmed": "A payout account becomes active when the payment provider confirms it",
  "payout_account.changed_at_provider": "Bank details are changed with the payment provider",
  "payout_account.only_taskers": "Only taskers are paid out",
  "payout_account.invalid": "account must be a connected account",
  "payout_account.save_failed": "The bank details could not be saved",
  "payout.transfer_id_required": "transfer_id is required",
  "payout.none_due": "This payment has no payout to record",
  "refund.none_due": "This payment has no refund to record",
  "refund.invalid": "A refund has an id, an amount and a status",
  "refund.none_to_send": "This payment has no refund to send",
  "stripe_event.invalid": "A Stripe event has an id, a type and data.object",
  "complaint.not_found": "Complaint not found",
  "complaint.reason_too_short": "Please say what is wrong in at least 10 characters",
  "complaint.reason_too_long": "Reason too long",
  "complaint.only_givers": "Only the task giver can complain",
  "complaint.not_paid": "Only a paid booking can be complained about",
  "complaint.work_not_completed": "A complaint is possible once the task is marked complete",
  "complaint.already_filed": "You have already complained about this booking",
  "complaint.too_late_after_date": "A complaint is possible within 24 hours of the agreed time",
  "complaint.too_late_after_completion": "A complaint is possible within 24 hours of completion",
  "complaint.answer_not_tasker": "Only the tasker can answer a complaint",
  "complaint.already_answered": "This complaint is already answered",
  "complaint.already_decided": "This complaint is already decided",
  "complaint.answer_too_short": "Please say what happened in at least 10 characters",
  "complaint.answer_too_long": "Answer too long",
  "complaint.changed": "This case has changed since you opened it. Please look at it again, then decide",
  "complaint.decision_required": "A decision is required",
  "complaint.awaiting_answer": "The tasker has 48 hours to answer; until then only a release can be decided",
  "complaint.note_too_long": "Note too long",
  "complaint.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "review.rating_out_of_range": "Rating must be between 1 and 5",
  "review.comment_too_long": "Comment too long",
  "review.not_own": "You can only review as yourself",
  "review.not_party": "Only the two parties of a booking can review it",
  "review.person_deleted": "This person has deleted their account, so there is nobody to review any more",
  "review.not_completed": "Only a completed booking can be reviewed",
  "review.complaint_open": "A review can be written once the complaint is decided",
  "review.too_late_after_decision": "A review can be written within 14 days of the decision",
  "review.too_late_after_date": "A review can be written within 14 days of the agreed time",
  "review.too_late_after_completion": "A review can be written within 14 days of completion",
  "review.already_written": "You have already reviewed this booking",
  "review.reviewee_invalid": "You can only review the other party of the booking",
  "review.task_invalid": "The task is not that of the booking",
  "message.empty": "Message cannot be empty",
  "message.too_long": "Message too long (max 1000 characters)",
  "message.not_own": "You can only write as yourself",
  "message.not_allowed": "Messages can be sent between the two parties once a booking is accepted",
  "message.photo_missing": "The photo of a message must be uploaded first",
  "email.failure_reason_invalid": "reason must be server, later or refused",
  "email.subscribed_required": "subscribed must be true or false",
  "email.unsubscribe_link_invalid": "This link is not valid any more. Sign in to choose which e-mails you get.",
  "email.unsubscribe_failed": "You could not be unsubscribed. Please try again in a moment.",
  "mail_event.id_invalid": "event_id must have 1 to 500 characters",
  "mail_event.type_invalid": "type must be bounced or complained",
  "mail_event.cause_invalid": "cause must be address, temporary or message",
  "mail_event.address_invalid": "address must be an e-mail address",
  "push.key_invalid": "p256dh must be a public key of P-256 in base64url: 65 bytes, the first of them 4",
  "push.secret_invalid": "auth_secret must be 16 bytes in base64url",
  "push.failure_reason_invalid": "reason must be gone, later or refused",
  "push.endpoint_not_https": "endpoint must be the address of a push service: it begins with https://",
  "push.endpoint_too_long": "endpoint must be the address of a push service: at most 1000 characters",
  "push.endpoint_not_ascii": "endpoint must be the address of a push service: without spaces and letters beyond ASCII",
  "push.endpoint_port_invalid": "endpoint must be the address of a push service: at port 443",
  "push.endpoint_host_invalid": "endpoint must be the address of a push service: its host has a public name",
  "receipt.permanent": "Receipts and statements are kept",
  "photo.list_invalid": "Photos are a list of names",
  "photo.too_many": "At most {{max}} photos",
  "photo.duplicate": "Each photo can be added once",
  "photo.not_found": "A photo is not there any more. Please remove it and add it again.",
  "photo.not_completing": "Photos are added when the task is marked complete",
  "photo.not_answering": "Photos are added with the answer",
  "file.too_many": "You have stored {{count}} files here, as many as your account can. Please remove some first.",
  "file.too_large": "Your files here would take more than {{megabytes}} MB, as much as your account can store. Please remove some first.",
  "file.too_many_unused": "You have added {{count}} photos that are not used yet. Please use some of them, or try again tomorrow.",
  "search.sort_unknown": "Sort must be newest, pay or soonest",
  "search.position_incomplete": "The last tasker's rating, number of reviews and id are given together",
  "search.availability_invalid": "Availability must be available, busy or unavailable",
  "place.unknown": "Choose a place from the list",
  "search.radius_out_of_range": "Choose a distance between 5 and 200 km",
  "search.after_incomplete": "The last task's id, created_at, pay_amount, public_latitude and public_longitude are given together",
  "search.near_sort_unknown": "Sort must be distance, newest or pay",
  "point.invalid": "A position needs a latitude and a longitude in degrees",
  "point.outside": "This position is outside the province",
  "travel_area.radius": "Choose a distance between 5 and 200 km",
  "hours.only_taskers": "Only taskers have working hours",
  "hours.invalid": "Hours need a weekday from 1 to 7 and times such as 09:00",
  "hours.too_many": "Too many hours on one day",
  "hours.time_zone_unknown": "Unknown time zone",
  "hours.buffer_out_of_range": "The time between jobs must be between 0 and 240 minutes",
  "hours.overlap": "Hours of the same day must not overlap",
  "hours.end_before_start": "The end must be later than the start",
  "hours_exception.day_out_of_range": "Choose a day from today to two years from now",
  "hours_exception.too_many": "You have too many special days: remove past ones first",
  "favourite.not_own": "You can only save taskers for yourself",
  "favourite.not_tasker": "Only a tasker can be saved",
  "favourite.too_many": "You can save at most 500 taskers. Remove one first.",
  "saved_search.not_own": "You can only save searches for yourself",
  "saved_search.too_many": "You can save at most {{limit}} searches. Remove one first.",
  "saved_search.exists": "You have saved this search already",
  "saved_search.words_too_long": "The words of a search can have 200 characters at most",
  "saved_search.location_too_long": "The place of a search can have 100 characters at most",
  "saved_search.category_unknown": "This category does not exist",
  "saved_search.pay_out_of_range": "The lowest pay must be between $0 and the most that a task may pay",
  "saved_search.highest_pay_out_of_range": "The highest pay must be between $0 and the most that a task may pay",
  "saved_search.pay_order": "The highest pay must not be below the lowest",
  "saved_search.day_out_of_range": "Choose a day between 2000-01-01 and 9999-12-31",
  "saved_search.day_order": "The last day must not be before the first",
  "saved_search.two_places": "Search in a place or near one, not both",
  "saved_search.empty": "Search for something: words, a category, a place, pay or days",
  "report.not_authenticated": "Please sign in to report something",
  "report.kind_invalid": "Only a task, a message, a profile or a review can be reported",
  "report.reason_too_short": "Please say what is wrong in at least 10 characters",
  "report.reason_too_long": "Reason too long (max 1000 characters)",
  "report.subject_gone": "This is no longer there",
  "report.own": "This is your own",
  "report.not_found": "Report not found",
  "report.decision_required": "A decision is required",
  "report.already_hidden": "This is hidden already",
  "report.already_dismissed": "This is dismissed already",
  "report.already_reported": "You have already reported this",
  "report.daily_limit": "You have reported 10 things within a day. Please try again tomorrow.",
  "audit_log.append_only": "The audit log is append-only",
  "data_export.daily_limit": "You can request your data once a day. Please try again tomorrow.",
  "data_export.failed": "The export could not be put together",
  "service.database_unavailable": "The database cannot be reached just now; try again in a moment"
}$json$::jsonb
$$;

create function private.find_free_slots(
  settings public.schedule_settings, duration_minutes integer, first_day date, days integer, at timestamptz
) returns table (starts_at timestamptz, ends_at timestamptz, time_zone text) language sql stable set search_path = '' as $$
  with span as (
    select day as first, day + least(greatest(days, 1), private.rule('limits.freeSlots.days')) - 1 as last
    from (select greatest(first_day, (at at time zone settings.time_zone)::date)) start (day)
  ), open as (
    select private.open_times(settings, span.first, span.last)
      - tstzmultirange(tstzrange(null, at + make_interval(mins => private.rule('limits.freeSlots.noticeMinutes')))) as times from span
  )
  select quarter.starts_at, upper(free), settings.time_zone
  from open cross join lateral unnest(open.times - private.blocked_times(settings, range_merge(open.times))) free
  cross join lateral (select date_bin('15 minutes', lower(free) + interval '15 minutes' - interval '1 microsecond', 'epoch')) quarter (starts_at)
  where quarter.starts_at + make_interval(mins => duration_minutes) <= upper(free)
  order by 1
$$;

create function private.holidays() returns date[] language sql immutable set search_path = '' as $$ select '{
2026-01-01,2026-02-16,2026-04-03,2026-05-18,2026-07-01,2026-08-03,2026-09-07,2026-10-12,2026-11-11,2026-12-25,
2027-01-01,2027-02-15,2027-03-26,2027-05-24,2027-07-01,2027-08-02,2027-09-06,2027-10-11,2027-11-11,2027-12-25,
2028-01-01,2028-02-21,2028-04-14,2028-05-22,2028-07-01,2028-08-07,2028-09-04,2028-10-09,2028-11-11,2028-12-25,
2029-01-01,2029-02-19,2029-03-30,2029-05-21,2029-07-01,2029-07-02,2029-08-06,2029-09-03,2029-10-08,2029-11-11,2029-11-12,2029-12-25,
2030-01-01,2030-02-18,2030-04-19,2030-05-20,2030-07-01,2030-08-05,2030-09-02,2030-10-14,2030-11-11,2030-12-25,
2031-01-01,2031-02-17,2031-04-11,2031-05-19,2031-07-01,2031-08-04,2031-09-01,2031-10-13,2031-11-11,2031-12-25,
2032-01-01,2032-02-16,2032-03-26,2032-05-24,2032-07-01,2032-08-02,2032-09-06,2032-10-11,2032-11-11,2032-12-25,
2033-01-01,2033-02-21,2033-04-15,2033-05-23,2033-07-01,2033-08-01,2033-09-05,2033-10-10,2033-11-11,2033-12-25,2033-12-26,
2034-01-01,2034-01-02,2034-02-20,2034-04-07,2034-05-22,2034-07-01,2034-08-07,2034-09-04,2034-10-09,2034-11-11,2034-12-25,
2035-01-01,2035-02-19,2035-03-23,2035-05-21,2035-07-01,2035-07-02,2035-08-06,2035-09-03,2035-10-08,2035-11-11,2035-11-12,2035-12-25
}'::date[] $$;

create function private.hours_of(hours jsonb) returns table (weekday smallint, starts time, ends time)
language sql immutable set search_path = '' as $$
  select (h ->> 'weekday')::smallint, (h ->> 'starts')::time, (h ->> 'ends')::time from jsonb_array_elements(hours) h
$$;

create function private.is_slot_taken(task public.tasks) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  settings constant public.schedule_settings := private.shown_settings(task.asked_tasker_id);
  wanted constant tstzrange := private.task_period(task);
begin
  return coalesce(private.blocked_times(settings, wanted) && wanted, false);
end $$;

create function private.keep_free(taskers uuid[], wanted tstzrange) returns uuid[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(s.user_id order by listed.nth), '{}') from unnest(taskers) with ordinality listed (id, nth)
    join public.schedule_settings s on s.user_id = listed.id join private.profiles p on p.id = listed.id
  where s.shows_slots and p.availability_status <> 'unavailable'
    and private.open_times(s, (lower(wanted) at time zone s.time_zone)::date, (upper(wanted) at time zone s.time_zone)::date) @> wanted
    and not private.blocked_times(s, wanted) && wanted
$$;

create function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null,
  free_at timestamptz default null, free_minutes integer default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  perform private.require(free_at is null or free_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'free_minutes');
  perform private.require(free_at is null or free_at between now() - interval '1 day' and now() + interval '2 years',
    'task.date_invalid', 'free_at');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = home)
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    if free_at is not null then
      matching := private.keep_free(matching, tstzrange(free_at, free_at + make_interval(mins => free_minutes)));
    end if;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create function private.open_times(settings public.schedule_settings, first_day date, last_day date) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(tstzrange(least(hours.starts_at, hours.ends_at), hours.ends_at)), '{}')
  from generate_series(0, last_day - first_day) as nth
  cross join lateral (select first_day + nth) as each (day)
  left join public.hours_exceptions e on e.user_id = settings.user_id and e.day = each.day
  cross join lateral (
    select (each.day + h.starts) at time zone settings.time_zone, (each.day + h.ends) at time zone settings.time_zone from (
      select e.starts, e.ends where e.starts is not null
      union all
      select w.starts, w.ends from public.working_hours w
      where e.day is null and w.user_id = settings.user_id and w.weekday = extract(isodow from each.day)
        and not (settings.closed_on_holidays and each.day = any (private.holidays()))) h
  ) as hours (starts_at, ends_at)
$$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "savedSearches": 20,
    "alertsPerDay": 10,
    "workingHours": {"perDay": 6, "exceptions": 200},
    "bufferMinutes": {"max": 240},
    "freeSlots": {"days": 31, "noticeMinutes": 120},
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create function private.shown_settings(tasker uuid) returns public.schedule_settings
language sql stable set search_path = '' as $$
  select s from public.schedule_settings s join public.public_profiles p on p.id = s.user_id
  where s.user_id = tasker and s.shows_slots and not p.is_hidden and p.availability_status <> 'unavailable' and private.is_tasker(tasker)
$$;

create function private.time_zones() returns setof text
language sql stable set search_path = '' as $$
  select private.time_zone() union select time_zone from public.places
$$;

create function private.travel_minutes(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns integer language sql immutable set search_path = '' as $$
  select coalesce(ceil(private.km_between(from_latitude, from_longitude, to_latitude, to_longitude) * 1.3), 0)::integer
$$;

create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null, free_at timestamptz default null, free_minutes integer default 60
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_tasker_ids(coalesce(query, ''), 500, city, category, max_rate, availability,
    free_at => free_at, free_minutes => free_minutes))
$$;

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

create function public.free_slots(
  tasker uuid, duration_minutes integer default 60, first_day date default null, days integer default 14
) returns table (starts_at timestamptz, ends_at timestamptz, time_zone text)
language plpgsql stable security definer set search_path = '' as $$
declare
  settings constant public.schedule_settings := private.shown_settings(tasker);
begin
  perform private.require(free_slots.duration_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'duration_minutes');
  return query select * from private.find_free_slots(settings, free_slots.duration_minutes,
    least(coalesce(free_slots.first_day, current_date), current_date + 366), coalesce(free_slots.days, 14), now());
end $$;

create function public.own_clash(task_id uuid) returns table (title text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select other.title, lower(b.period), upper(b.period) from public.tasks t
  cross join lateral private.clashing_bookings(auth.uid(), private.task_period(t), t.public_latitude, t.public_longitude) clash (id)
  join public.bookings b on b.id = clash.id
  join public.tasks other on other.id = b.task_id
  where t.id = own_clash.task_id
  order by b.period limit 1
$$;

create function public.save_hours(
  hours jsonb, time_zone text, buffer_minutes integer, closed_on_holidays boolean, shows_slots boolean
) returns void language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null and private.has_account(), 'account.not_authenticated');
  perform private.allow(private.has_role('task_doer'), 'hours.only_taskers');
  perform private.count_activity('settings_changes');
  perform private.check_hours(hours);
  perform private.require(time_zone in (select private.time_zones()), 'hours.time_zone_unknown', 'time_zone');
  perform private.require(buffer_minutes between 0 and private.rule('limits.bufferMinutes.max'),
    'hours.buffer_out_of_range', 'buffer_minutes');
  insert into public.schedule_settings as s (user_id, time_zone, buffer_minutes, closed_on_holidays, shows_slots)
  values (me, save_hours.time_zone, save_hours.buffer_minutes, coalesce(save_hours.closed_on_holidays, true),
    coalesce(save_hours.shows_slots, true))
  on conflict (user_id) do update set time_zone = excluded.time_zone, buffer_minutes = excluded.buffer_minutes,
    closed_on_holidays = excluded.closed_on_holidays, shows_slots = excluded.shows_slots, updated_at = now();
  delete from public.working_hours where user_id = me;
  insert into public.working_hours (user_id, weekday, starts, ends)
  select me, h.weekday, h.starts, h.ends from private.hours_of(hours) h;
end $$;

create function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null, free_at timestamptz default null, free_minutes integer default 60
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from unnest(private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
      city, category, max_rate, availability, after_rating, after_reviews, after_id, free_at, free_minutes)) with ordinality found (id, place)
    join public.public_profiles p on p.id = found.id
  order by found.place
$$;

create trigger before_hours_exception_change before insert or update on public.hours_exceptions
for each row execute function private.before_hours_exception_change();

create policy "deleted accounts cannot add days that differ" on public.hours_exceptions as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people add days that differ for themselves" on public.hours_exceptions for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people change their own days that differ" on public.hours_exceptions for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own days that differ" on public.hours_exceptions for select to authenticated
using (user_id = (select auth.uid()));

create policy "people remove their own days that differ" on public.hours_exceptions for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own settings" on public.schedule_settings for select to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own hours" on public.working_hours for select to authenticated
using (user_id = (select auth.uid()));

drop function private.matching_tasker_ids(text,integer,text,text,numeric,text,numeric,integer,uuid);

drop function private.tasker_is_free(uuid,tstzrange);

drop function public.count_taskers(text,text,text,numeric,text);

drop function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid);

grant delete, select on public.hours_exceptions to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.hours_exceptions to service_role;
grant select on public.schedule_settings to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.schedule_settings to service_role;
grant select on public.working_hours to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.working_hours to service_role;
grant insert (day), update (day) on public.hours_exceptions to authenticated;
grant insert (ends), update (ends) on public.hours_exceptions to authenticated;
grant insert (starts), update (starts) on public.hours_exceptions to authenticated;
grant insert (user_id), update (user_id) on public.hours_exceptions to authenticated;
grant execute on function private.can_fit_task(uuid,public.tasks) to authenticated;
grant execute on function private.can_fit_task(uuid,public.tasks) to service_role;
grant execute on function private.check_asked_time(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_asked_time(public.tasks,public.tasks) to service_role;
grant execute on function private.clashing_bookings(uuid,tstzrange,double precision,double precision) to authenticated;
grant execute on function private.is_slot_taken(public.tasks) to authenticated;
grant execute on function private.is_slot_taken(public.tasks) to service_role;
grant execute on function private.travel_minutes(double precision,double precision,double precision,double precision) to authenticated;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to anon;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to authenticated;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to service_role;
grant execute on function public.free_slots(uuid,integer,date,integer) to anon;
grant execute on function public.free_slots(uuid,integer,date,integer) to authenticated;
grant execute on function public.free_slots(uuid,integer,date,integer) to service_role;
grant execute on function public.own_clash(uuid) to authenticated;
grant execute on function public.own_clash(uuid) to service_role;
grant execute on function public.save_hours(jsonb,text,integer,boolean,boolean) to authenticated;
grant execute on function public.save_hours(jsonb,text,integer,boolean,boolean) to service_role;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to anon;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to authenticated;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to service_role;

comment on column public.hours_exceptions.ends is 'Their end; null for a day without work';
comment on column public.hours_exceptions.starts is 'Start of the only hours of that day; null for a day without work';
comment on column public.hours_exceptions.user_id is 'The tasker';
comment on column public.schedule_settings.buffer_minutes is 'Least minutes between two jobs; the way between their places counts if it takes longer';
comment on column public.schedule_settings.closed_on_holidays is 'Whether the weekly hours leave out the province''s holidays';
comment on column public.schedule_settings.shows_slots is 'Whether others see the free times';
comment on column public.schedule_settings.time_zone is 'IANA name of the clock of the hours, such as America/Regina';
comment on column public.schedule_settings.user_id is 'The tasker';
comment on column public.working_hours.ends is 'By the same clock; 24:00 for midnight';
comment on column public.working_hours.starts is 'By the clock of schedule_settings.time_zone';
comment on column public.working_hours.user_id is 'The tasker';
comment on column public.working_hours.weekday is 'Monday is 1, Sunday 7';
comment on table public.hours_exceptions is 'Days on which a tasker''s hours differ from those of the week';
comment on table public.schedule_settings is 'How taskers plan their time; without a row they show no free times, and only overlapping bookings clash';
comment on table public.working_hours is 'The hours of a tasker''s week, written by public.save_hours; those of a day do not overlap';
