-- Busy times in free times, and calendars in data exports and account deletion.
set check_function_bodies = off;

create or replace function public.own_clash(task_id uuid) returns table (title text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select found.title, lower(found.period), upper(found.period) from public.tasks t
  cross join lateral (
    select other.title, b.period
    from private.clashing_bookings(auth.uid(), private.task_period(t), t.public_latitude, t.public_longitude) clash (id)
    join public.bookings b on b.id = clash.id
    join public.tasks other on other.id = b.task_id
    union all
    select null, c.period from private.calendar_busy c where c.user_id = auth.uid() and c.period && private.task_period(t)
  ) found (title, period)
  where t.id = own_clash.task_id
  order by found.title is null, found.period limit 1
$$;

create or replace function private.blocking_spans(settings public.schedule_settings, span tstzrange) returns table (blocked tstzrange)
language sql stable begin atomic
  select tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time)
  union all
  select c.period from private.calendar_busy c where c.user_id = settings.user_id and c.period && span;
end;create or replace function private.erase_person(person uuid) returns void
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
  perform private.erase_calendars(person);
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

create or replace function public.own_clash(task_id uuid) returns table (title text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select found.title, lower(found.period), upper(found.period) from public.tasks t
  cross join lateral (
    select other.title, b.period
    from private.clashing_bookings(auth.uid(), private.task_period(t), t.public_latitude, t.public_longitude) clash (id)
    join public.bookings b on b.id = clash.id
    join public.tasks other on other.id = b.task_id
    union all
    select null, c.period from private.calendar_busy c where c.user_id = auth.uid() and c.period && private.task_period(t)
  ) found (title, period)
  where t.id = own_clash.task_id
  order by found.title is null, found.period limit 1
$$;

create or replace function private.blocking_spans(settings public.schedule_settings, span tstzrange) returns table (blocked tstzrange)
language sql stable begin atomic
  select tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time)
  union all
  select c.period from private.calendar_busy c where c.user_id = settings.user_id and c.period && span;
end;
