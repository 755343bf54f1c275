-- arrivals: what concerns the day of the work is called arrival, and visit is one appointment of a series
set check_function_bodies = off;

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
    "calendars": {"count": 3, "name": 60, "address": 2000},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
    "timeProposal": {"hours": 48, "daysAhead": 365, "message": 500},
    "arrival": {"hoursBefore": 12, "arrivalHoursBefore": 2, "windowMinutes": 120, "graceMinutes": 15},
    "noShow": {"taskerAfterMinutes": 30, "giverAfterMinutes": 15, "answerHours": 12},
    "change": {"min": 1, "reason": 500, "hours": 48, "perBooking": 30},
    "expenses": {"max": 5000},
    "tip": {"max": 500, "days": 14, "count": 3},
    "repeat": {"visits": 52, "days": 366, "snowCm": 100},
    "applicationTexts": {"count": 20, "title": 60},
    "question": {"max": 500, "perTask": 5, "changeMinutes": 10},
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

create or replace function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'pending' then
      perform private.notify_application(new);
      perform private.schedule_application_expiry();
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.begin_series(new);
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
      perform private.lapse_time_proposals(new.id);
      perform private.lapse_no_show(new.id);
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
  else
    perform private.notify_arrival(new, old);
  end if;
  return null;
end $$;

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
  new := private.check_arrival(new, old);
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

create function private.check_arrival(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  starts timestamptz;
  field constant text := case when booking.arrived_at is distinct from before.arrived_at then 'arrived_at'
    when booking.before_photos is distinct from before.before_photos then 'before_photos' else 'arrives_until' end;
begin
  booking.before_photos := coalesce(booking.before_photos, '{}');
  if not private.is_client() or (booking.arrives_from, booking.arrives_until, booking.arrived_at, booking.before_photos)
    is not distinct from (before.arrives_from, before.arrives_until, before.arrived_at, before.before_photos)
  then
    return booking;
  end if;
  perform private.allow(booking.task_doer_id = auth.uid(), 'arrival.only_tasker');
  perform private.require(before.status = 'in_progress' and booking.status = 'in_progress', 'arrival.not_under_way', 'status');
  perform private.require_held_money(booking.id);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.arrival.hoursBefore')), true),
    'arrival.too_early', field, jsonb_build_object('hours', private.rule('limits.arrival.hoursBefore')));
  perform private.limit_client('arrivals_changed');
  if (booking.arrives_from, booking.arrives_until) is distinct from (before.arrives_from, before.arrives_until) then
    perform private.require(before.arrived_at is null, 'arrival.arrived', 'arrives_until');
    perform private.require(booking.arrives_from >= now() - interval '5 minutes' and booking.arrives_from < booking.arrives_until
      and booking.arrives_until <= booking.arrives_from + make_interval(mins => private.rule('limits.arrival.windowMinutes'))
      and booking.arrives_until <= now() + make_interval(hours => private.rule('limits.arrival.hoursBefore')), 'arrival.window_invalid',
      'arrives_until', jsonb_build_object('minutes', private.rule('limits.arrival.windowMinutes')));
  end if;
  if booking.arrived_at is distinct from before.arrived_at then
    perform private.require(before.arrived_at is null, 'arrival.arrived', 'arrived_at');
    perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.arrival.arrivalHoursBefore')), true),
      'arrival.too_early', field, jsonb_build_object('hours', private.rule('limits.arrival.arrivalHoursBefore')));
    booking.arrived_at := now();
  end if;
  if booking.before_photos <> before.before_photos then
    perform private.require(booking.arrived_at is not null, 'arrival.not_arrived', 'before_photos');
    perform private.check_photos(booking.before_photos, 'booking-photos', booking.id, booking.task_doer_id, 'before_photos');
  end if;
  return booking;
end $$;

create or replace function private.check_no_show(report public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(report.booking_id);
  starts timestamptz;
  by_tasker constant boolean := report.reported_by = booking.task_doer_id;
  wait constant integer := private.rule(case when by_tasker then 'limits.noShow.giverAfterMinutes'
    else 'limits.noShow.taskerAfterMinutes' end);
begin
  perform private.allow(booking.id is not null, 'no_show.not_party');
  perform private.require(booking.status = 'in_progress', 'no_show.not_under_way', 'booking_id');
  perform private.require_movable(booking);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(starts is not null, 'no_show.no_time', 'booking_id');
  perform private.require(not by_tasker or booking.arrived_at is not null, 'arrival.not_arrived', 'booking_id');
  perform private.require(now() >= greatest(starts, case when by_tasker then booking.arrived_at end) + make_interval(mins => wait),
    'no_show.too_early', 'booking_id', jsonb_build_object('minutes', wait));
  report.photos := coalesce(report.photos, '{}');
  perform private.require(not by_tasker or report.photos <> '{}', 'no_show.photo_required', 'photos');
  perform private.check_photos(report.photos, 'booking-photos', booking.id, report.reported_by, 'photos');
  report.task_giver_id := booking.task_giver_id;
  report.task_doer_id := booking.task_doer_id;
  report.state := 'open';
  report.answer := null;
  report.answer_by := now() + make_interval(hours => private.rule('limits.noShow.answerHours'));
  return report;
end $$;

create function private.notify_arrival(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(booking.task_doer_id),
    'task', private.notified_task_title(booking.task_id));
begin
  if booking.arrived_at is not null and before.arrived_at is null then
    perform private.notify_person(booking.task_giver_id, 'tasker_arrived', news, private.booking_link(booking.id));
  elsif booking.arrives_until is not null and booking.arrives_until is distinct from before.arrives_until then
    perform private.notify_person(booking.task_giver_id, 'tasker_on_the_way', news || jsonb_build_object('at', booking.arrives_until,
      'when', private.day_and_time(booking.arrives_until)), private.booking_link(booking.id));
  end if;
end $$;

create or replace function private.reputation(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.series_id is null and b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and case
        when b.arrived_at is not null
          then b.arrived_at <= t.scheduled_date + make_interval(mins => private.rule('limits.arrival.graceMinutes'))
        when t.duration_minutes is not null
          then b.completed_at <= t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else b.completed_at
          <= (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person and not b.skipped))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

drop function private.check_visit(public.bookings,public.bookings);

drop function private.notify_visit(public.bookings,public.bookings);

grant execute on function private.check_arrival(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_arrival(public.bookings,public.bookings) to service_role;

update private.activity_limits set action = 'arrivals_changed' where action = 'visits_changed';
