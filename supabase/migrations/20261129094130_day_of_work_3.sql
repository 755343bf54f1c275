-- day of work: what supabase/schemas define and earlier migrations do not, part 3

set check_function_bodies = off;

create function private.check_visit(booking public.bookings, before public.bookings) returns public.bookings
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
  perform private.allow(booking.task_doer_id = auth.uid(), 'visit.only_tasker');
  perform private.require(before.status = 'in_progress' and booking.status = 'in_progress', 'visit.not_under_way', 'status');
  perform private.require_held_money(booking.id);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.visit.hoursBefore')), true),
    'visit.too_early', field, jsonb_build_object('hours', private.rule('limits.visit.hoursBefore')));
  perform private.limit_client('visits_changed');
  if (booking.arrives_from, booking.arrives_until) is distinct from (before.arrives_from, before.arrives_until) then
    perform private.require(before.arrived_at is null, 'visit.arrived', 'arrives_until');
    perform private.require(booking.arrives_from >= now() - interval '5 minutes' and booking.arrives_from < booking.arrives_until
      and booking.arrives_until <= booking.arrives_from + make_interval(mins => private.rule('limits.visit.windowMinutes'))
      and booking.arrives_until <= now() + make_interval(hours => private.rule('limits.visit.hoursBefore')), 'visit.window_invalid',
      'arrives_until', jsonb_build_object('minutes', private.rule('limits.visit.windowMinutes')));
  end if;
  if booking.arrived_at is distinct from before.arrived_at then
    perform private.require(before.arrived_at is null, 'visit.arrived', 'arrived_at');
    perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.visit.arrivalHoursBefore')), true),
      'visit.too_early', field, jsonb_build_object('hours', private.rule('limits.visit.arrivalHoursBefore')));
    booking.arrived_at := now();
  end if;
  if booking.before_photos <> before.before_photos then
    perform private.require(booking.arrived_at is not null, 'visit.not_arrived', 'before_photos');
    perform private.check_photos(booking.before_photos, 'booking-photos', booking.id, booking.task_doer_id, 'before_photos');
  end if;
  return booking;
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
  perform private.erase_questions(person);
  delete from public.application_texts where user_id = person;
  perform private.erase_points(person);
  perform private.erase_hours(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null, offer_reason = null
  where task_doer_id = person and (message is not null or completion_notes is not null or offer_reason is not null);
  update public.bookings set counter_message = null where task_giver_id = person and counter_message is not null;
  update public.no_shows set words = gone where reported_by = person;
  update public.no_shows set answer = gone where reported_by <> person and person in (task_giver_id, task_doer_id) and answer is not null;
  update public.time_proposals set message = null where proposed_by = person and message is not null;
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

create function private.has_open_no_show(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.no_shows where booking_id = booking and state = 'open');
end $$;

create function private.lapse_no_show(booking uuid) returns void
language sql set search_path = '' as $$
  update public.no_shows set state = 'ended' where id in (
    select n.id from public.no_shows n where n.booking_id = booking and n.state = 'open' for no key update skip locked)
$$;

create or replace function private.may_upload_work_photo(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and (select auth.uid()) in (task_doer_id, task_giver_id) and status in ('in_progress', 'completed'));
end $$;

create function private.missing_person(report public.no_shows) returns uuid
language sql immutable set search_path = '' as $$
  select case report.reported_by when report.task_giver_id then report.task_doer_id else report.task_giver_id end
$$;

create or replace function private.move_booking(accepted public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  booking public.bookings;
  pay_by timestamptz;
begin
  update public.tasks t set scheduled_date = accepted.starts_at, updated_at = now() from public.bookings b
  where b.id = accepted.booking_id and t.id = b.task_id returning t.* into strict task;
  update public.bookings b set period = private.task_period(task), arrives_from = null, arrives_until = null, arrived_at = null,
    updated_at = now() where b.id = accepted.booking_id
  returning * into strict booking;
  update public.notifications set read = true
  where user_id in (booking.task_giver_id, booking.task_doer_id) and not read and key = 'work_reminder'
    and link like private.booking_link(booking.id) || '%';
  if booking.status = 'in_progress' then
    -- They have just agreed on it: work within a day needs no reminder.
    insert into private.work_reminders (booking_id, scheduled_date, hour_before)
    select booking.id, task.scheduled_date, case when task.scheduled_date <= now() + interval '1 hour' then task.scheduled_date end
    where task.scheduled_date <= now() + interval '24 hours'
    on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before,
      reminded_at = now();
    perform private.schedule_reminder(booking);
    return;
  end if;
  pay_by := private.pay_by(booking.accepted_at, task.scheduled_date);
  delete from private.pay_reminders r
  where r.booking_id = booking.id and private.pay_reminder_at(booking.accepted_at, pay_by) > now();
  perform private.schedule_tick(private.pay_reminder_at(booking.accepted_at, pay_by));
  perform private.schedule_tick(pay_by);
end $$;

create or replace function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  if complaint.answer is null then
    perform private.notify_person(complaint.tasker_id, 'complaint_opened',
      news || jsonb_build_object('person', private.named(complaint.giver_id)), private.booking_link(complaint.booking_id));
  end if;
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
end $$;

create or replace function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id));
begin
  if exists (select from public.no_shows n where n.booking_id = booking.id and n.state = 'objected') then
    return;
  elsif exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

create function private.notify_no_show(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  missing constant uuid := private.missing_person(report);
  page constant text := private.booking_link(report.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(report.booking_id));
begin
  if report.state = 'open' then
    perform private.notify_person(missing, case when missing = report.task_doer_id then 'tasker_missed' else 'giver_missed' end,
      news || jsonb_build_object('person', private.named(report.reported_by), 'at', report.answer_by,
        'when', private.day_and_time(report.answer_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = missing and not n.read and n.key in ('tasker_missed', 'giver_missed') and n.link like page || '%';
  if report.state = 'objected' then
    perform private.notify_person(report.reported_by, 'no_show_objected', news || jsonb_build_object('person', private.named(missing)), page);
  elsif report.state = 'lapsed' then
    perform private.notify_person(missing, 'no_show_lapsed', news, page);
  end if;
end $$;

create function private.notify_visit(booking public.bookings, before public.bookings) returns void
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

create function private.open_no_show_complaint(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  by_giver constant boolean := report.reported_by = report.task_giver_id;
begin
  perform private.set_actor('tasker');
  update public.bookings set status = 'completed' where id = report.booking_id;
  perform private.set_actor(null);
  insert into public.complaints (booking_id, reason, photos, answer, answer_photos, answered_at)
  values (report.booking_id, case when by_giver then report.words else report.answer end,
    case when by_giver then report.photos else report.answer_photos end,
    case when by_giver then report.answer else report.words end,
    case when by_giver then report.answer_photos else report.photos end, now());
end $$;

create or replace function private.photo_is_kept(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  photo constant text[] := array[replace(name, '.small.jpg', '.jpg')];
  folder constant uuid := private.photo_folder(name);
begin
  if bucket = 'task-photos' then
    return exists (select from public.tasks where photos @> photo and photos <> '{}');
  end if;
  return exists (select from public.bookings where id = folder and completion_photos || before_photos @> photo)
    or exists (select from public.complaints c where c.booking_id = folder and c.photos || c.answer_photos @> photo)
    or exists (select from public.no_shows n where n.booking_id = folder and n.photos || n.answer_photos @> photo);
end $$;

create function private.remind_hour_before() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '1 hour'
    and b.status = 'in_progress' and b.arrived_at is null
    and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '1 hour'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.hour_before = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date, hour_before) values (due.id, due.scheduled_date, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before;
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date, 'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_giver_id)), private.booking_link(due.id));
  return 1;
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
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
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
          then b.arrived_at <= t.scheduled_date + make_interval(mins => private.rule('limits.visit.graceMinutes'))
        when t.duration_minutes is not null
          then b.completed_at <= t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else b.completed_at
          <= (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
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
