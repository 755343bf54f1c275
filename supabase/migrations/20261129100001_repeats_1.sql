-- Repeats, part 1 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create table public.task_series (
  id uuid primary key default gen_random_uuid(),
  giver_id uuid not null references private.profiles (id) on delete cascade,
  tasker_id uuid not null references private.profiles (id) on delete cascade,
  repeats jsonb not null,
  time_zone text not null,
  ends_on date not null,
  visits integer not null,
  status text not null default 'active' check (status in ('active', 'stopped', 'ended')),
  auto_pay_since timestamptz,
  stopped_by uuid,
  stopped_at timestamptz,
  created_at timestamptz not null default now()
);
alter table public.task_series enable row level security;

create table private.visit_charges (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  announced_at timestamptz,
  queued_at timestamptz,
  refused_at timestamptz
);
alter table private.visit_charges enable row level security;

create table public.snow_reports (
  id uuid primary key default gen_random_uuid(),
  series_id uuid not null references public.task_series (id) on delete cascade,
  booking_id uuid not null unique references public.bookings (id) on delete cascade,
  day date not null,
  cm integer not null,
  photos text[] not null,
  created_at timestamptz not null default now(),
  unique (series_id, day)
);
alter table public.snow_reports enable row level security;

create function private.add_visit(series public.task_series, agreed public.bookings, nth integer, starts_at timestamptz) returns uuid
language plpgsql set search_path = '' as $$
declare
  visit_task uuid;
  visit uuid;
begin
  insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes,
    tools_provided, tools_description, status, photos, offers_allowed, series_id)
  select t.task_giver_id, t.title, t.description, t.category, t.location, agreed.agreed_amount, add_visit.starts_at, t.duration_minutes,
    t.tools_provided, t.tools_description, 'assigned', t.photos, t.offers_allowed, series.id
  from public.tasks t where t.id = agreed.task_id returning id into visit_task;
  insert into public.task_addresses (task_id, address) select visit_task, a.address from public.task_addresses a where a.task_id = agreed.task_id;
  insert into public.task_points (task_id, latitude, longitude)
  select visit_task, p.latitude, p.longitude from public.task_points p where p.task_id = agreed.task_id;
  perform private.set_actor('schedule');
  insert into public.bookings (task_id, task_doer_id, task_giver_id, status, agreed_amount, series_id, visit_number)
  values (visit_task, agreed.task_doer_id, agreed.task_giver_id, 'accepted', agreed.agreed_amount, series.id, nth) returning id into visit;
  perform private.set_actor(null);
  perform private.schedule_visit_payment(starts_at);
  return visit;
end $$;

create or replace function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    if new.photos <> '{}' then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.scheduled_date is not null then
      perform private.schedule_task_expiry(new);
    end if;
    if new.status = 'open' and new.hidden_for is null then
      perform private.alert_searchers(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.redact_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.hidden_for is null and (old.status = 'asked' or old.status = 'open' and
      (new.title, new.description, new.category, new.location, new.pay_amount, new.scheduled_date) is distinct from
      (old.title, old.description, old.category, old.location, old.pay_amount, old.scheduled_date)) then
      perform private.alert_searchers(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  if new.status = 'open' and new.repeats is distinct from old.repeats then
    perform private.schedule_season_end(new);
  end if;
  return null;
end $$;

create function private.announce_visit() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select b.id, b.task_giver_id, b.task_doer_id, b.agreed_amount, t.title, t.scheduled_date, s.auto_pay_since,
    private.payment_deadline(b, t.scheduled_date) as until into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.task_series s on s.id = b.series_id
  where t.status = 'assigned' and t.scheduled_date between now() and now() + interval '72 hours' and b.status = 'accepted'
    and b.visit_number > 1 and s.repeats ->> 'every' <> 'snowfall'
    and not exists (select from private.visit_charges c where c.booking_id = b.id and c.announced_at is not null)
  order by t.scheduled_date, b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.visit_charges as c (booking_id, announced_at) values (due.id, now())
  on conflict (booking_id) do update set announced_at = excluded.announced_at;
  perform private.notify_person(due.task_giver_id, case when due.auto_pay_since is null then 'visit_due' else 'visit_charge_soon' end,
    jsonb_build_object('task', due.title, 'person', private.named(due.task_doer_id), 'amount', (select total from private.fees(due.agreed_amount)),
      'at', due.scheduled_date, 'when', private.day_and_time(due.scheduled_date)), private.booking_link(due.id));
  return 1;
end $$;

create or replace function private.before_booking_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.series_id is not null then
    return private.check_visit(new);
  end if;
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
    if new.offers_allowed is null then
      perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
    end if;
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
    if new.repeats is not null then
      new := private.check_repeats(new);
    end if;
    if new.asked_tasker_id is not null then
      perform private.check_asked_time(new, old);
    end if;
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create function private.begin_series(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  zone constant text := private.zone_of_task(task);
  times constant timestamptz[] := public.repeat_times(task);
  snow constant boolean := task.repeats ->> 'every' = 'snowfall';
  series public.task_series;
begin
  if task.repeats is null then
    return;
  end if;
  insert into public.task_series (giver_id, tasker_id, repeats, time_zone, ends_on, visits)
  values (booking.task_giver_id, booking.task_doer_id, task.repeats, zone, case when snow then (task.repeats ->> 'until')::date
    else (times[cardinality(times)] at time zone zone)::date end, case when snow then (task.repeats ->> 'count')::integer else cardinality(times) end)
  returning * into series;
  update public.tasks set series_id = series.id where id = task.id;
  update public.bookings set series_id = series.id, visit_number = case when snow then 0 else 1 end,
    pay_from = case when not snow then booking.accepted_at end where id = booking.id;
  for nth in 2 .. coalesce(cardinality(times), 0) loop
    perform private.add_visit(series, booking, nth, times[nth]);
  end loop;
  perform private.schedule_tick((series.ends_on + 1)::timestamp at time zone zone);
end $$;

create function private.busy_visit_days(tasker uuid, task public.tasks) returns text
language sql stable security definer set search_path = '' as $$
  select string_agg(to_char(visit at time zone zone.name, 'YYYY-MM-DD'), ', ' order by visit)
  from (select private.zone_of_task(task)) zone (name)
  cross join lateral private.visit_times(task.repeats, task.scheduled_date, zone.name) visit
  where exists (select from private.clashing_bookings(tasker, tstzrange(visit, visit + make_interval(mins => task.duration_minutes)),
    task.public_latitude, task.public_longitude))
$$;

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
    "offers": "whether it takes offers",
    "repeats": "how often it is done"
  },
  "betweenChanges": "; "
}$json$::jsonb
$$;
