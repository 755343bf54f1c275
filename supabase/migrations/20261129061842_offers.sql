-- offers: what supabase/schemas define and earlier migrations do not
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
    perform private.check_task_offers(new);
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create or replace function private.change_texts() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "changes": {
    "price": "the price is now {{amount, money}}",
    "stays": "your application stays at {{amount, money}}",
    "time": "the time is now {{when}}, {{clock}}",
    "anytime": "any time suits now",
    "place": "the place is now {{place}}",
    "duration": "how long it takes",
    "work": "what is to be done",
    "tools": "the tools",
    "offers": "whether it takes offers"
  },
  "betweenChanges": "; "
}$json$::jsonb
$$;

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

create function private.check_agreed_offer(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  by_tasker constant boolean := private.booking_actor(booking.task_doer_id, booking.task_giver_id) = 'tasker';
  count constant integer := jsonb_array_length(before.offer_options);
  price numeric;
begin
  perform private.require(before.answer_by > now() and (by_tasker and before.counter_state = 'lapsed') is not true,
    'offer.lapsed', 'status');
  if by_tasker then
    perform private.require(before.counter_state = 'open', 'booking.status_change_invalid', 'status',
      jsonb_build_object('from', before.status, 'to', booking.status));
    perform private.require(booking.accepted_option is null, 'offer.option_not_allowed', 'accepted_option');
    booking.counter_state := 'accepted';
    price := before.counter_amount;
  else
    perform private.require(before.counter_state is distinct from 'open', 'offer.counter_open', 'status');
    booking.accepted_option := coalesce(booking.accepted_option, case when count = 1 then 1 end);
    perform private.require(booking.accepted_option between 1 and count, 'offer.option_required', 'accepted_option',
      jsonb_build_object('count', count));
    price := before.offer_options -> (booking.accepted_option - 1) ->> 'amount';
  end if;
  perform private.require(booking.agreed_amount = price, 'offer.amount_differs', 'agreed_amount',
    jsonb_build_object('price', price));
  perform private.require(coalesce(private.offered_time(booking) > now(), true), 'offer.time_past', 'status');
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

create function private.check_counter(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  perform private.require(private.booking_actor(booking.task_doer_id, booking.task_giver_id) = 'giver',
    'offer.counter_not_giver', 'counter_amount');
  perform private.require(before.offer_options is not null, 'offer.none', 'counter_amount');
  perform private.require(before.status = 'pending' and booking.status = 'pending', 'offer.not_waiting', 'status');
  perform private.require(before.counter_state is null, 'offer.counter_once', 'counter_amount');
  perform private.require(before.answer_by > now(), 'offer.lapsed', 'status');
  perform private.require(booking.agreed_amount = before.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  perform private.require(booking.accepted_option is null, 'offer.option_not_allowed', 'accepted_option');
  perform private.check_offered_amount(booking.counter_amount, 'counter_amount');
  perform private.check_offered_time(booking.counter_starts_at, 'counter_starts_at');
  booking.counter_message := nullif(private.trimmed(booking.counter_message), '');
  perform private.require(coalesce(length(booking.counter_message), 0) <= private.rule('limits.counterMessage.max'),
    'offer.message_too_long', 'counter_message', jsonb_build_object('max', private.rule('limits.counterMessage.max')));
  booking.counter_amount := round(booking.counter_amount, 2);
  booking.counter_state := 'open';
  booking.answer_by := now() + make_interval(hours => private.rule('limits.offer.counterHours'));
  booking.updated_at := now();
  return booking;
end $$;

create function private.check_counter_answer(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(before.counter_state is distinct from 'lapsed', 'offer.lapsed', 'counter_state');
  perform private.require(before.counter_state = 'open' and booking.counter_state = 'declined'
    and before.status = 'pending' and booking.status = 'pending'
    and private.booking_actor(booking.task_doer_id, booking.task_giver_id) = 'tasker',
    'offer.counter_answer_invalid', 'counter_state');
  perform private.require(booking.agreed_amount = before.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  perform private.require(booking.accepted_option is null, 'offer.option_not_allowed', 'accepted_option');
  booking.answer_by := greatest(before.answer_by, now() + make_interval(hours => private.rule('limits.offer.moreHours')));
  booking.updated_at := now();
  return booking;
end $$;

create function private.check_offer(booking public.bookings, task public.tasks) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  option jsonb;
  starts_at timestamptz;
  options jsonb := '[]';
begin
  perform private.require(jsonb_typeof(booking.offer_options) is not distinct from 'array'
    and jsonb_array_length(booking.offer_options) between 1 and private.rule('limits.offer.options'),
    'offer.options_invalid', 'offer_options', jsonb_build_object('max', private.rule('limits.offer.options')));
  perform private.require(task.offers_allowed, 'offer.not_allowed', 'offer_options');
  for option in select value from jsonb_array_elements(booking.offer_options) loop
    perform private.require(private.is_offer_option(option), 'offer.options_invalid', 'offer_options',
      jsonb_build_object('max', private.rule('limits.offer.options')));
    starts_at := private.moment_of(option ->> 'starts_at');
    perform private.check_offered_amount((option ->> 'amount')::numeric, 'offer_options');
    perform private.check_offered_time(starts_at, 'offer_options');
    option := jsonb_build_object('amount', round((option ->> 'amount')::numeric, 2), 'starts_at',
      to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    perform private.require(not options @> jsonb_build_array(option), 'offer.options_equal', 'offer_options');
    options := options || option;
  end loop;
  booking.offer_reason := nullif(private.trimmed(booking.offer_reason), '');
  perform private.require(booking.offer_reason is not null, 'offer.reason_required', 'offer_reason');
  perform private.require(length(booking.offer_reason) <= private.rule('limits.offerReason.max'), 'offer.reason_too_long',
    'offer_reason', jsonb_build_object('max', private.rule('limits.offerReason.max')));
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', (options #>> '{0,amount}')::numeric),
    'offer.amount_differs', 'agreed_amount', jsonb_build_object('price', (options #>> '{0,amount}')::numeric));
  booking.offer_options := options;
  booking.agreed_amount := options #>> '{0,amount}';
  booking.answer_by := now() + make_interval(hours => private.rule('limits.offer.hours'));
  return booking;
end $$;

create function private.check_offer_step(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  -- A counter-offer that lapsed leaves the offer open for another day, even if the schedule runs late.
  if before.counter_state = 'open' and before.answer_by <= now() then
    if booking.counter_state = 'open' then
      booking.counter_state := 'lapsed';
    end if;
    before.counter_state := 'lapsed';
    before.answer_by := before.answer_by + make_interval(hours => private.rule('limits.offer.moreHours'));
    booking.answer_by := before.answer_by;
  end if;
  if not private.is_erasing() then
    if (booking.counter_amount, booking.counter_starts_at, booking.counter_message)
      is distinct from (before.counter_amount, before.counter_starts_at, before.counter_message)
    then
      return private.check_counter(booking, before);
    end if;
    if booking.counter_state is distinct from before.counter_state then
      return private.check_counter_answer(booking, before);
    end if;
  end if;
  if before.status = 'pending' and booking.status = 'accepted' and before.offer_options is not null then
    return private.check_agreed_offer(booking, before);
  end if;
  perform private.require(booking.status <> 'accepted' or before.status <> 'pending'
    or private.booking_actor(booking.task_doer_id, booking.task_giver_id) = 'giver', 'booking.status_change_invalid', 'status',
    jsonb_build_object('from', before.status, 'to', booking.status));
  perform private.require(booking.agreed_amount = before.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  perform private.require(booking.accepted_option is not distinct from before.accepted_option,
    'offer.option_not_allowed', 'accepted_option');
  return booking;
end $$;

create function private.check_offered_amount(amount numeric, field text) returns void
language plpgsql stable set search_path = '' as $$
declare
  lowest constant numeric := private.marketplace_number('pay.min');
  highest constant numeric := private.marketplace_number('pay.max');
begin
  perform private.require(amount >= lowest, 'offer.amount_too_low', field, jsonb_build_object('min', lowest));
  -- PostgreSQL counts NaN as the largest number.
  perform private.require(amount <= highest, 'offer.amount_too_high', field, jsonb_build_object('max', highest));
  perform private.require(amount = round(amount, 2), 'offer.amount_too_precise', field);
end $$;

create function private.check_offered_time(starts_at timestamptz, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(starts_at is null or starts_at > now() - interval '5 minutes', 'offer.time_past', field);
  perform private.require(starts_at is null
    or starts_at <= now() + make_interval(days => private.rule('limits.offer.daysAhead')), 'offer.time_too_late', field,
    jsonb_build_object('days', private.rule('limits.offer.daysAhead')));
end $$;

create function private.check_task_offers(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.offers_allowed is null then
    perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
  end if;
end $$;

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
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null, offer_reason = null
  where task_doer_id = person and (message is not null or completion_notes is not null or offer_reason is not null);
  update public.bookings set counter_message = null where task_giver_id = person and counter_message is not null;
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
  "task.offers_allowed_invalid": "offers_allowed must be true or false",
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
  "offer.options_invalid": "An offer has one to {{max}} prices, each an amount and a time or none",
  "offer.not_allowed": "This task takes no offers: apply at the posted price",
  "offer.amount_too_low": "An offered price must be at least {{min, price}}",
  "offer.amount_too_high": "An offered price can be at most {{max, price}}",
  "offer.amount_too_precise": "An offered price can have two decimals at most",
  "offer.time_past": "The offered time has passed",
  "offer.time_too_late": "An offered time can be at most {{days}} days ahead",
  "offer.options_equal": "Two of the offered prices are the same",
  "offer.reason_required": "Give a reason for another price",
  "offer.reason_too_long": "Reason too long (max {{max}} characters)",
  "offer.amount_differs": "This offer is {{price, price}}. Please look at it again.",
  "offer.option_not_allowed": "One of the prices is chosen when an offer is accepted",
  "offer.option_required": "Choose one of the {{count}} prices",
  "offer.lapsed": "The time to answer is over",
  "offer.none": "This application is at the posted price: accept or decline it",
  "offer.not_waiting": "This offer no longer waits for an answer",
  "offer.counter_not_giver": "Only the giver of the task can make a counter-offer",
  "offer.counter_once": "There can be one counter-offer only",
  "offer.counter_open": "The tasker has your counter-offer: wait for their answer or decline",
  "offer.counter_answer_invalid": "Only the tasker can decline an open counter-offer",
  "offer.message_too_long": "Message too long (max {{max}} characters)",
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

create function private.is_offer_option(option jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(option) is distinct from 'object' then
    return false;
  end if;
  return jsonb_typeof(option -> 'amount') is not distinct from 'number' and option - '{amount,starts_at}'::text[] = '{}'
    and case coalesce(jsonb_typeof(option -> 'starts_at'), 'null') when 'null' then true
      when 'string' then private.moment_of(option ->> 'starts_at') is not null else false end;
end $$;

create or replace function private.listing_after(booking public.bookings, closes boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when booking.status = 'pending' then null
    when closes or exists (select from public.tasks t where t.id = booking.task_id
      and private.posted_time(booking, t.scheduled_date) <= now()) then 'closed'
    when private.is_suspended(booking.task_giver_id) then 'on_hold'
    else 'listed_again' end;
end $$;

create function private.moment_of(written text) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return case when written ~ '^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)$' then written::timestamptz end;
exception when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
  return null;
end $$;

create or replace function private.notification_values() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "what": {
    "task": "task",
    "message": "message",
    "profile": "profile",
    "review": "review"
  },
  "outcome": {
    "hidden": "has hidden it",
    "kept": "has found nothing against our rules"
  },
  "listing": {
    "listed_again": "The task is listed again.",
    "closed": "The task is closed.",
    "on_hold": "The task stays on hold while your account is suspended."
  },
  "role": {
    "admin": "administrator",
    "task_doer": "tasker",
    "task_giver": "task giver",
    "task_giver_task_doer": "tasker and task giver",
    "task_doer_admin": "administrator and tasker",
    "task_giver_admin": "administrator and task giver",
    "task_giver_task_doer_admin": "administrator, tasker and task giver"
  },
  "transfer": {
    "payout": "payout",
    "refund": "refund"
  },
  "text": {
    "photo": "Photo",
    "removed_message": "Removed message"
  },
  "reason": {
    "account_closed": "The bank account has been closed.",
    "account_restricted": "The bank takes no deposits for this account at the moment.",
    "other_holder": "The account does not belong to the name that the bank was given.",
    "account_not_found": "No account with these numbers was found, or it takes no deposits.",
    "currency_not_taken": "The account does not take {{currency}}.",
    "bank_refused": "The bank did not take it.",
    "account_incomplete": "Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.",
    "account_closed_by_provider": "The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.",
    "platform_balance_low": "Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.",
    "provider_refused_payout": "The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.",
    "provider_refused_refund": "The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.",
    "admin_sends_payout": "An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done."
  },
  "person": {
    "deleted_user": "Deleted user"
  },
  "name": {
    "deleted_user": "Deleted user"
  },
  "task": {
    "removed_task": "Removed task"
  },
  "verification": {
    "verified": "Verified.",
    "unverified": "Not verified yet."
  }
}$json$::jsonb
$$;

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

create function private.notify_counter(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  fees record;
  facts jsonb;
begin
  select * into fees from private.fees(booking.counter_amount);
  facts := jsonb_build_object('task', private.notified_task_title(booking.task_id), 'amount', booking.counter_amount,
    'at', booking.answer_by, 'when', private.day_and_time(booking.answer_by));
  if booking.counter_state = 'open' then
    perform private.notify_person(booking.task_doer_id, 'counter_received', facts
      || jsonb_build_object('person', private.named(booking.task_giver_id), 'payout', fees.payout_amount), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'counter_' || booking.counter_state, facts
      || jsonb_build_object('person', private.named(booking.task_doer_id), 'total', fees.total), '/bookings');
  end if;
  if booking.counter_state <> 'accepted' then
    perform private.schedule_tick(booking.answer_by);
  end if;
end $$;

create function private.notify_offer(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  lowest constant numeric := (select min((value ->> 'amount')::numeric) from jsonb_array_elements(booking.offer_options));
  verified constant boolean := (select is_verified from public.profiles where id = booking.task_doer_id);
begin
  perform private.notify_person(booking.task_giver_id,
    case when jsonb_array_length(booking.offer_options) = 1 then 'offer_received' else 'offers_received' end,
    jsonb_build_object('person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id),
      'amount', lowest, 'total', (select total from private.fees(lowest)),
      'verification', private.coded(case when verified then 'verified' else 'unverified' end)), '/bookings');
  perform private.schedule_tick(booking.answer_by);
end $$;

create function private.offered_time(booking public.bookings) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.counter_state = 'accepted' then booking.counter_starts_at
    else (booking.offer_options -> (booking.accepted_option - 1) ->> 'starts_at')::timestamptz end
$$;

create function private.posted_time(booking public.bookings, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when private.offered_time(booking) is null then scheduled else booking.posted_date end
$$;

create or replace function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now(), scheduled_date = private.posted_time(booking, scheduled_date)
  where id = booking.task_id and status = 'assigned'
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
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
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
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create or replace function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}')
$$;

alter table public.bookings add column accepted_option integer;

alter table public.bookings add column answer_by timestamp with time zone;

alter table public.bookings add column counter_amount numeric;

alter table public.bookings add column counter_message text;

alter table public.bookings add column counter_starts_at timestamp with time zone;

alter table public.bookings add column counter_state text;

alter table public.bookings add column offer_options jsonb;

alter table public.bookings add column offer_reason text;

alter table public.bookings add column posted_date timestamp with time zone;

alter table public.tasks add column offers_allowed boolean default true not null;

alter table public.bookings add constraint bookings_counter_state_check CHECK ((counter_state = ANY (ARRAY['open'::text, 'declined'::text, 'lapsed'::text, 'accepted'::text])));

create index bookings_offers_due on public.bookings (answer_by) where status = 'pending' and answer_by is not null;

grant update (agreed_amount) on public.bookings to authenticated;
grant update (accepted_option) on public.bookings to authenticated;
grant update (counter_amount) on public.bookings to authenticated;
grant update (counter_message) on public.bookings to authenticated;
grant update (counter_starts_at) on public.bookings to authenticated;
grant update (counter_state) on public.bookings to authenticated;
grant insert (offer_options) on public.bookings to authenticated;
grant insert (offer_reason) on public.bookings to authenticated;
grant insert (offers_allowed), update (offers_allowed) on public.tasks to authenticated;
grant execute on function private.check_agreed_offer(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_agreed_offer(public.bookings,public.bookings) to service_role;
grant execute on function private.check_counter(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_counter(public.bookings,public.bookings) to service_role;
grant execute on function private.check_counter_answer(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_counter_answer(public.bookings,public.bookings) to service_role;
grant execute on function private.check_offer(public.bookings,public.tasks) to authenticated;
grant execute on function private.check_offer(public.bookings,public.tasks) to service_role;
grant execute on function private.check_offer_step(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_offer_step(public.bookings,public.bookings) to service_role;
grant execute on function private.check_offered_amount(numeric,text) to authenticated;
grant execute on function private.check_offered_amount(numeric,text) to service_role;
grant execute on function private.check_offered_time(timestamp with time zone,text) to authenticated;
grant execute on function private.check_offered_time(timestamp with time zone,text) to service_role;
grant execute on function private.check_task_offers(public.tasks) to authenticated;
grant execute on function private.check_task_offers(public.tasks) to service_role;
grant execute on function private.is_offer_option(jsonb) to authenticated;
grant execute on function private.is_offer_option(jsonb) to service_role;
grant execute on function private.moment_of(text) to authenticated;
grant execute on function private.moment_of(text) to service_role;
grant execute on function private.offered_time(public.bookings) to authenticated;
grant execute on function private.offered_time(public.bookings) to service_role;
grant execute on function private.posted_time(public.bookings,timestamp with time zone) to authenticated;
grant execute on function private.posted_time(public.bookings,timestamp with time zone) to service_role;

comment on column public.bookings.accepted_option is 'The position in offer_options that the giver accepted, from 1; null for none';
comment on column public.bookings.agreed_amount is 'Dollars before fees: the task''s price when the tasker applied; what the giver pays even if the price changes. Of an offer: its first option, and once accepted the accepted option or the counter-offer';
comment on column public.bookings.answer_by is 'When the offer, or the open counter-offer, lapses; null without an offer';
comment on column public.bookings.counter_amount is 'The giver''s counter-offer in dollars before fees; null for none';
comment on column public.bookings.counter_message is 'The giver''s text with the counter-offer; null if not given';
comment on column public.bookings.counter_starts_at is 'When the work begins by the counter-offer; null for the task''s time';
comment on column public.bookings.counter_state is 'Where the counter-offer is: new → open when the giver makes it; open → accepted | declined by the tasker; open → lapsed at answer_by. Null for none';
comment on column public.bookings.offer_options is 'The tasker''s prices instead of the posted one: [{amount, starts_at}], one to three, dollars before fees, starts_at null for the task''s time; null for an application at the posted price';
comment on column public.bookings.offer_reason is 'Why the tasker offers another price; null without an offer';
comment on column public.bookings.posted_date is 'The task''s time before an accepted offer changed it, which returns if the booking is cancelled; null for none';
comment on column public.bookings.status is 'Where the booking is: new → pending when the tasker applies; pending → accepted when the giver accepts the application, or the tasker the giver''s counter-offer; pending → rejected when the giver declines, accepts another application or withdraws the task; pending → cancelled when the tasker withdraws, or without an answer after 30 days, an offer at answer_by; accepted → in_progress when the payment is held; accepted → cancelled when either person cancels, or when it is not paid in time; in_progress → completed when the tasker marks the work complete; in_progress → cancelled when either person cancels, or when the payment is taken back or refunded by an admin; rejected → pending when the giver takes the decline back within 10 minutes';
comment on column public.tasks.offers_allowed is 'Whether taskers may offer another price or time than the posted one';

-- FILL IN: rows of private.notification_texts differ

-- FILL IN: rows of private.booking_transitions differ
