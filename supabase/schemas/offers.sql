-- Offers: a tasker applies at another price or time than the posted one, and the giver accepts one option, makes one
-- counter-offer or declines. Each step lapses. The columns are in bookings.sql; these are the rules of each step. No tables.

set check_function_bodies = off;

-- When the work begins by the accepted option or counter-offer; null for the time that the giver posted, or none agreed.
create function private.offered_time(booking public.bookings) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.counter_state = 'accepted' then booking.counter_starts_at
    else (booking.offer_options -> (booking.accepted_option - 1) ->> 'starts_at')::timestamptz end
$$;

-- The time that the giver posted, for a task that is scheduled at that time now: before an offer or a proposal changed it.
create function private.posted_time(booking public.bookings, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when private.offered_time(booking) is null then private.time_before_proposals(booking.id, scheduled)
    else booking.posted_date end
$$;

-- Reads a moment as ISO 8601 has it, with its offset; null for anything else, such as 31 February.
create function private.moment_of(written text) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return case when written ~ '^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)$' then written::timestamptz end;
exception when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
  return null;
end $$;

-- Limits an offered price as the posted one is limited, and its decimals.
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

-- Requires a time in the future and within a year. Clocks may differ a little.
create function private.check_offered_time(starts_at timestamptz, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(starts_at is null or starts_at > now() - interval '5 minutes', 'offer.time_past', field);
  perform private.require(starts_at is null
    or starts_at <= now() + make_interval(days => private.rule('limits.offer.daysAhead')), 'offer.time_too_late', field,
    jsonb_build_object('days', private.rule('limits.offer.daysAhead')));
end $$;

-- Whether an option has the form {amount, starts_at}, with nothing else.
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

-- Checks a new offer and stores its options in one form; its price is that of the first option until one is accepted.
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
    perform private.require(starts_at is null or task.repeats is null, 'offer.repeat_keeps_times', 'offer_options');
    option := jsonb_build_object('amount', round((option ->> 'amount')::numeric, 2), 'starts_at',
      to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    perform private.require(not options @> jsonb_build_array(option), 'offer.options_equal', 'offer_options');
    options := options || option;
  end loop;
  booking.offer_reason := nullif(private.masked_contacts(private.trimmed(booking.offer_reason)), '');
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

-- Checks what a change does to an offer: a counter-offer, its answer, or the agreement. Nothing else changes the price.
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

-- Lets the giver make one counter-offer while the offer waits for an answer.
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
  perform private.require(booking.counter_starts_at is null or not exists (select from public.tasks
    where id = booking.task_id and repeats is not null), 'offer.repeat_keeps_times', 'counter_starts_at');
  booking.counter_message := nullif(private.masked_contacts(private.trimmed(booking.counter_message)), '');
  perform private.require(coalesce(length(booking.counter_message), 0) <= private.rule('limits.counterMessage.max'),
    'offer.message_too_long', 'counter_message', jsonb_build_object('max', private.rule('limits.counterMessage.max')));
  booking.counter_amount := round(booking.counter_amount, 2);
  booking.counter_state := 'open';
  booking.answer_by := now() + make_interval(hours => private.rule('limits.offer.counterHours'));
  booking.updated_at := now();
  return booking;
end $$;

-- Lets the tasker decline an open counter-offer. The offer is then open to the giver again, for a day at least.
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

-- Sets the price on which both agree: an option that the giver accepts, or the counter-offer that the tasker accepts. The caller
-- sends the price that they saw.
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

-- Notifies the giver of an offer with its lowest price, and schedules its end.
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
      'verification', private.coded(case when verified then 'verified' else 'unverified' end)), private.booking_link(booking.id));
  perform private.schedule_tick(booking.answer_by);
end $$;

-- Notifies the person who must act next of a counter-offer or its answer, and schedules the end of their time.
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
      || jsonb_build_object('person', private.named(booking.task_giver_id), 'payout', fees.payout_amount), private.booking_link(booking.id));
  else
    perform private.notify_person(booking.task_giver_id, case booking.counter_state when 'accepted' then 'counter_accepted'
      when 'declined' then 'counter_declined' else 'counter_lapsed' end, facts
      || jsonb_build_object('person', private.named(booking.task_doer_id), 'total', fees.total), private.booking_link(booking.id));
  end if;
  if booking.counter_state <> 'accepted' then
    perform private.schedule_tick(booking.answer_by);
  end if;
end $$;

-- How many reviewed jobs of the task's category the applicant has done: a computed column of pending bookings, from reviews that
-- everybody reads. Null once the application is answered.
create function public.jobs_alike(booking public.bookings) returns integer
language sql stable set search_path = '' as $$
  select count(*)::integer from public.reviews r join public.tasks t on t.id = r.task_id
  where r.reviewee_id = booking.task_doer_id and r.visible_from <= now() and t.task_giver_id <> booking.task_doer_id
    and t.category = (select category from public.tasks where id = booking.task_id)
  having booking.status = 'pending'
$$;

grant execute on function
  public.jobs_alike(public.bookings)
to authenticated;
grant execute on function
  private.offered_time(public.bookings), private.posted_time(public.bookings, timestamptz), private.moment_of(text),
  private.check_offered_amount(numeric, text), private.check_offered_time(timestamptz, text), private.is_offer_option(jsonb),
  private.check_offer(public.bookings, public.tasks), private.check_offer_step(public.bookings, public.bookings),
  private.check_counter(public.bookings, public.bookings), private.check_counter_answer(public.bookings, public.bookings),
  private.check_agreed_offer(public.bookings, public.bookings)
to authenticated, service_role;
