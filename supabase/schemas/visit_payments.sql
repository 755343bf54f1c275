-- When the visits of a series are paid: a giver is reminded three days before and pays until twelve hours before, or lets the
-- default card be charged two days before (edge function charge-visit).

set check_function_bodies = off;

create table private.visit_charges (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  announced_at timestamptz,
  queued_at timestamptz,
  refused_at timestamptz
);
alter table private.visit_charges enable row level security;

comment on table private.visit_charges is 'Progress of collecting the payment for each visit';
comment on column private.visit_charges.announced_at is 'When the giver was told that the visit is due; null before';
comment on column private.visit_charges.queued_at is 'When the charge of the default card was queued; null before, or if the giver pays';
comment on column private.visit_charges.refused_at is 'When the card was refused, so that the giver has to pay; null before';

-- Until when an accepted booking must be paid. The first visit as any booking; others 12 hours before they begin, and at least two hours
-- after they were agreed. Null for the agreement on a snowfall task. The twin of web/lib/payBy.ts.
create function private.payment_deadline(booking public.bookings, scheduled_date timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.series_id is null then private.pay_by(booking.accepted_at, scheduled_date)
    when booking.visit_number = 1 then private.pay_by(booking.pay_from, scheduled_date)
    when booking.visit_number > 1 or booking.pay_from is not null then greatest(scheduled_date - interval '12 hours',
      least(scheduled_date, booking.pay_from + interval '12 hours'), booking.pay_from + interval '2 hours') end
$$;

-- Whether the giver is asked to pay an accepted booking now: visits from three days before on, or two if the card is charged by itself.
create function private.is_payment_due(booking public.bookings, scheduled_date timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select booking.series_id is null or booking.visit_number = 1 or booking.visit_number > 1 and scheduled_date <= now()
    + case when exists (select from public.task_series s where s.id = booking.series_id and s.auto_pay_since is not null)
      then interval '47 hours' else interval '72 hours' end
$$;

-- Schedules what happens before a visit: the notice, the charge, the reminder and the end of the time to pay.
create function private.schedule_visit_payment(starts_at timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  hours integer;
begin
  foreach hours in array array[72, 48, 36, 12] loop
    if starts_at - make_interval(hours => hours) > now() then
      perform private.schedule_tick(starts_at - make_interval(hours => hours));
    end if;
  end loop;
  perform private.schedule_tick(starts_at);
end $$;

-- Lets the default card be charged two days before each visit of a series, or not any more.
create function public.set_series_auto_pay(series_id uuid, agreed boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  series public.task_series;
begin
  select * into series from public.task_series s where s.id = set_series_auto_pay.series_id
    and auth.uid() in (s.giver_id, s.tasker_id) for no key update;
  perform private.require(series.id is not null, 'series.not_found', 'series_id');
  perform private.allow(series.giver_id = auth.uid(), 'series.only_giver');
  perform private.require(agreed is not null, 'series.agreed_invalid', 'agreed');
  perform private.require(not agreed or series.status = 'active', 'series.over', 'series_id');
  perform private.require(not agreed or exists (select from public.payment_methods m where m.user_id = series.giver_id and m.is_default),
    'series.no_card', 'agreed');
  update public.task_series s set auto_pay_since = case when agreed then coalesce(s.auto_pay_since, now()) end where s.id = series.id;
end $$;

-- Notifies the giver three days before an unpaid visit: of the charge, or that they can pay. Visits for snow are announced when
-- they are reported.
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

-- Queues the charge of the default card for an unpaid visit that begins within two days, once, if its giver has agreed.
create function private.queue_visit_charge() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select b.id into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.task_series s on s.id = b.series_id
  where t.status = 'assigned' and t.scheduled_date between now() and now() + interval '48 hours' and b.status = 'accepted' and s.auto_pay_since is not null
    and (b.visit_number > 1 or b.visit_number = 1 and s.repeats ->> 'every' = 'snowfall')
    and not exists (select from private.visit_charges c where c.booking_id = b.id and c.queued_at is not null)
  order by t.scheduled_date, b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.visit_charges as c (booking_id, queued_at) values (due, now())
  on conflict (booking_id) do update set queued_at = excluded.queued_at;
  perform private.enqueue_function('charge-visit', jsonb_build_object('booking_id', due));
  return 1;
end $$;

-- Begins the charge of a visit with the giver's default card: the payment as public.prepare_payment answers it, with {action: 'charge',
-- customer, payment_method}; {action: 'none', reason} if there is nothing to charge.
create function public.begin_visit_charge(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
  series public.task_series;
  card record;
begin
  select * into visit from public.bookings b where b.id = begin_visit_charge.booking_id for no key update;
  select * into series from public.task_series s where s.id = visit.series_id;
  if visit.status is distinct from 'accepted' then
    return jsonb_build_object('action', 'none', 'reason', 'the visit is paid or has ended');
  elsif series.auto_pay_since is null or private.is_suspended(visit.task_giver_id) then
    return jsonb_build_object('action', 'none', 'reason', 'the giver pays');
  elsif exists (select from private.visit_charges c where c.booking_id = visit.id and c.refused_at is not null) then
    return jsonb_build_object('action', 'none', 'reason', 'the card was refused');
  end if;
  select m.stripe_payment_method_id as payment_method, c.stripe_customer_id as customer into card
  from public.payment_methods m join private.payment_customers c on c.user_id = m.user_id
  where m.user_id = visit.task_giver_id and m.is_default;
  if not found then
    perform private.refuse_visit_charge(visit);
    return jsonb_build_object('action', 'none', 'reason', 'there is no card');
  end if;
  return private.payment_of_booking(visit) || jsonb_build_object('action', 'charge', 'customer', card.customer, 'payment_method', card.payment_method);
end $$;

-- Records that the card of a visit was refused and asks the giver to pay; once.
create function public.fail_visit_charge(booking_id uuid, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
begin
  select * into visit from public.bookings b where b.id = fail_visit_charge.booking_id for no key update;
  perform private.require(visit.id is not null, 'booking.not_found', 'booking_id');
  perform private.record_failure(p.id, 'charge', coalesce(message, 'the card was refused'), code) from public.payments p where p.booking_id = visit.id;
  perform private.refuse_visit_charge(visit);
end $$;

create function private.refuse_visit_charge(visit public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(visit.task_id);
  until constant timestamptz := private.payment_deadline(visit, task.scheduled_date);
begin
  insert into private.visit_charges as c (booking_id, refused_at) values (visit.id, now())
  on conflict on constraint visit_charges_pkey do update set refused_at = excluded.refused_at where c.refused_at is null;
  if found and visit.status = 'accepted' then
    perform private.notify_person(visit.task_giver_id, 'visit_charge_failed', jsonb_build_object('task', task.title,
      'amount', (select total from private.fees(visit.agreed_amount)), 'at', until, 'when', private.day_and_time(until)), private.booking_link(visit.id));
  end if;
end $$;

grant execute on function
  private.payment_deadline(public.bookings, timestamptz), private.is_payment_due(public.bookings, timestamptz)
to authenticated, service_role;
grant execute on function
  public.set_series_auto_pay(uuid, boolean)
to authenticated;
