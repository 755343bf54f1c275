-- The end of a series: either person stops it with a clear sum, or its last day has passed. No tables.

set check_function_bodies = off;

-- The series, if the caller is one of its two people; otherwise raises an error.
create function private.own_series(series_id uuid) returns public.task_series
language plpgsql set search_path = '' as $$
declare
  series public.task_series;
begin
  select * into series from public.task_series s where s.id = own_series.series_id and auth.uid() in (s.giver_id, s.tasker_id)
  for no key update;
  perform private.require(series.id is not null, 'series.not_found', 'series_id');
  return series;
end $$;

-- The visits that end if the caller stops the series now: unpaid ones, and paid ones that have not begun with what each costs.
create function private.visits_to_end(series public.task_series)
returns table (booking_id uuid, visit_number integer, starts_at timestamptz, paid boolean, fee_cents bigint, refund_cents bigint)
language sql stable security definer set search_path = '' as $$
  select b.id, b.visit_number, t.scheduled_date, b.status = 'in_progress', (coalesce(cost.fee + extra.fee, 0) * 100)::bigint,
    (coalesce(greatest(p.total - cost.fee - p.lost_amount, 0) + extra.refund, 0) * 100)::bigint
  from public.bookings b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id and b.status = 'in_progress'
  cross join lateral (select case when p.id is not null then case when auth.uid() = series.giver_id
    then private.cancellation_fee(p.amount - p.reduction, p.total, t.scheduled_date, now()) else 0 end end) cost (fee)
  cross join lateral (select coalesce(sum(kept.fee), 0), coalesce(sum(e.total - kept.fee), 0) from public.payments e
    cross join lateral (select case when auth.uid() = series.giver_id
      then private.cancellation_share(e.amount, t.scheduled_date, now()) else 0 end) kept (fee)
    where e.part_of = p.id and e.escrow_status = 'held'
      and (e.purpose = 'increase' or e.purpose = 'expense' and auth.uid() <> series.giver_id)) extra (fee, refund)
  where b.series_id = series.id and (b.status = 'accepted'
    or b.status = 'in_progress' and p.escrow_status = 'held' and t.scheduled_date > now())
  order by b.visit_number
$$;

-- The consequences of stopping the series for the caller: {status, dropped: [{starts_at}], paid: [{starts_at, fee_cents, refund_cents}],
-- fee_cents, refund_cents}. Unpaid visits are dropped without a fee; paid ones are cancelled only if the caller chooses so.
create function public.stop_series_preview(series_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  series constant public.task_series := private.own_series(stop_series_preview.series_id);
begin
  return (select jsonb_build_object('status', series.status,
    'dropped', coalesce(jsonb_agg(jsonb_build_object('starts_at', v.starts_at)) filter (where not v.paid and v.visit_number > 0), '[]'),
    'paid', coalesce(jsonb_agg(jsonb_build_object('starts_at', v.starts_at, 'fee_cents', v.fee_cents, 'refund_cents', v.refund_cents))
      filter (where v.paid), '[]'),
    'fee_cents', coalesce(sum(v.fee_cents), 0), 'refund_cents', coalesce(sum(v.refund_cents), 0))
    from private.visits_to_end(series) v);
end $$;

-- Open PaymentIntents of the unpaid visits, which stop-series closes at the provider before public.stop_series; for the two people.
create function public.open_intents_of_series(series_id uuid) returns table (payment_id uuid, payment_intent_id text)
language plpgsql security definer set search_path = '' as $$
declare
  series constant public.task_series := private.own_series(open_intents_of_series.series_id);
begin
  return query select p.id, p.stripe_payment_intent_id from public.bookings b join public.payments p on p.booking_id = b.id
  where b.series_id = series.id and b.status = 'accepted' and private.has_open_intent(b.id) order by b.visit_number;
end $$;

-- Stops a series as one of its two people: unpaid visits are dropped, with `cancel_paid` also the paid ones that have not begun, each as
-- public.cancel_booking does. The caller sends what public.stop_series_preview showed: the number of dropped visits, and the sums of the
-- paid ones (0 without `cancel_paid`). A second call changes nothing. Returns {outcome, dropped, cancelled, fee_cents, refund_cents}.
create function public.stop_series(series_id uuid, cancel_paid boolean, dropped integer, fee_cents bigint, refund_cents bigint) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  series constant public.task_series := private.own_series(stop_series.series_id);
  now_due record;
  visit record;
begin
  if series.status <> 'active' then
    return jsonb_build_object('outcome', 'already_over', 'dropped', 0, 'cancelled', 0, 'fee_cents', 0, 'refund_cents', 0);
  end if;
  perform from public.bookings b where b.series_id = series.id and b.status in ('accepted', 'in_progress') order by b.id for no key update;
  select count(*) filter (where not v.paid and v.visit_number > 0) as dropped, count(*) filter (where v.paid and cancel_paid) as cancelled,
    coalesce(sum(v.fee_cents) filter (where cancel_paid), 0) as fee, coalesce(sum(v.refund_cents) filter (where cancel_paid), 0) as refund
  into now_due from private.visits_to_end(series) v;
  perform private.require((now_due.dropped, now_due.fee, now_due.refund) is not distinct from
    (stop_series.dropped::bigint, stop_series.fee_cents::numeric, stop_series.refund_cents::numeric), 'series.sums_changed', 'series_id');
  update public.task_series s set status = 'stopped', stopped_by = caller, stopped_at = now() where s.id = series.id;
  for visit in select * from private.visits_to_end(series) loop
    if visit.paid then
      if cancel_paid then
        perform public.cancel_booking(visit.booking_id, null, false);
      end if;
    else
      perform private.set_actor(case when caller = series.giver_id then 'giver' else 'tasker' end::private.booking_actor);
      update public.bookings set status = 'cancelled', skipped = coalesce(visit.starts_at > now() + interval '48 hours', true)
      where id = visit.booking_id;
      perform private.set_actor(null);
    end if;
  end loop;
  perform private.notify_stopped_series(series, caller, now_due.dropped::integer);
  return jsonb_build_object('outcome', 'stopped', 'dropped', now_due.dropped, 'cancelled', now_due.cancelled, 'fee_cents', now_due.fee,
    'refund_cents', now_due.refund);
end $$;

-- Stops the series of a person whose account is deleted. Its unpaid visits end with the rest of the open work.
create function private.stop_series_of(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  series public.task_series;
begin
  for series in update public.task_series set status = 'stopped', stopped_by = person, stopped_at = now(), auto_pay_since = null
    where status = 'active' and person in (giver_id, tasker_id) returning *
  loop
    perform private.notify_stopped_series(series, person, (select count(*)::integer from public.bookings b
      where b.series_id = series.id and b.status = 'accepted' and b.visit_number > 0));
  end loop;
end $$;

-- Notifies the other person that the series was stopped, once for all dropped visits.
create function private.notify_stopped_series(series public.task_series, person uuid, dropped integer) returns void
language plpgsql set search_path = '' as $$
declare
  first public.bookings;
begin
  select * into first from public.bookings b where b.series_id = series.id order by b.visit_number limit 1;
  perform private.notify_person(case when person = series.giver_id then series.tasker_id else series.giver_id end, 'series_stopped',
    jsonb_build_object('person', private.named(person), 'task', private.notified_task_title(first.task_id), 'count', dropped), private.booking_link(first.id));
end $$;

-- Schedules the end of an open snowfall task, a day after its season.
create function private.schedule_season_end(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.repeats ->> 'every' = 'snowfall' then
    perform private.schedule_tick(((task.repeats ->> 'until')::date + 2)::timestamptz);
  end if;
end $$;

-- Closes an open snowfall task whose season is over. Called by run_scheduled.
create function private.close_season() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.repeats ->> 'every' = 'snowfall' and t.repeats ->> 'until' < (current_date - 1)::text
  order by t.repeats ->> 'until', t.id limit 1 for no key update skip locked;
  if not found or not private.try_lock_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
end $$;

-- Ends a series whose last day has passed, with the agreement on a snowfall task. Called by run_scheduled.
create function private.end_series() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due public.task_series;
begin
  select * into due from public.task_series s
  where s.status = 'active' and s.ends_on <= current_date and (s.ends_on + 1)::timestamp at time zone s.time_zone <= now()
  order by s.ends_on, s.id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.task_series set status = 'ended' where id = due.id;
  perform private.set_actor('schedule');
  update public.bookings set status = 'cancelled', skipped = true where series_id = due.id and visit_number = 0 and status = 'accepted';
  perform private.set_actor(null);
  return 1;
end $$;

grant execute on function
  public.stop_series_preview(uuid), public.open_intents_of_series(uuid), public.stop_series(uuid, boolean, integer, bigint, bigint)
to authenticated;
