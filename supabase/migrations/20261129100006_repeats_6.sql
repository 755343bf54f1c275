-- Repeats, part 6 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create function public.open_intents_of_series(series_id uuid) returns table (payment_id uuid, payment_intent_id text)
language plpgsql security definer set search_path = '' as $$
declare
  series constant public.task_series := private.own_series(open_intents_of_series.series_id);
begin
  return query select p.id, p.stripe_payment_intent_id from public.bookings b join public.payments p on p.booking_id = b.id
  where b.series_id = series.id and b.status = 'accepted' and private.has_open_intent(b.id) order by b.visit_number;
end $$;

create function public.own_visit_clashes(task_id uuid) returns table (visit_at timestamptz, title text, starts_at timestamptz)
language sql stable set search_path = '' as $$
  select visit, other.title, lower(b.period) from public.tasks t
  cross join lateral unnest(public.repeat_times(t)) visit
  cross join lateral private.clashing_bookings(auth.uid(), tstzrange(visit, visit + make_interval(mins => t.duration_minutes)),
    t.public_latitude, t.public_longitude) clash (id)
  join public.bookings b on b.id = clash.id
  join public.tasks other on other.id = b.task_id
  where t.id = own_visit_clashes.task_id
  order by 1, 3 limit 60
$$;

create function public.place_zone(task public.tasks) returns text
language sql stable set search_path = '' as $$ select private.zone_of_task(task) $$;

create or replace function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');
  perform private.require(booking.visit_number is distinct from 0, 'payment.waits_for_snow', 'booking_id');
  return private.payment_of_booking(booking);
end $$;

create function public.preview_repeat(repeats jsonb, scheduled_date timestamptz, duration_minutes integer, location text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  task public.tasks;
begin
  task.repeats := preview_repeat.repeats;
  task.scheduled_date := preview_repeat.scheduled_date;
  task.duration_minutes := preview_repeat.duration_minutes;
  task.place_id := private.match_place(left(preview_repeat.location, 200));
  task := private.check_repeats(task);
  return jsonb_build_object('times', to_jsonb(coalesce(public.repeat_times(task), '{}')), 'time_zone', private.zone_of_task(task));
end $$;

create function public.repeat_times(task public.tasks) returns timestamptz[]
language sql stable set search_path = '' as $$
  select array(select private.visit_times(task.repeats, task.scheduled_date, private.zone_of_task(task))) where task.repeats is not null
$$;

create function public.report_snow(series_id uuid, cm integer, photos text[], starts_at timestamptz) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  series constant public.task_series := private.own_series(report_snow.series_id);
  agreed public.bookings;
  task public.tasks;
  visit uuid;
begin
  perform private.require_active_account();
  perform private.allow(series.tasker_id = auth.uid(), 'snow.only_tasker');
  perform private.require(series.repeats ->> 'every' = 'snowfall', 'snow.not_snowfall', 'series_id');
  select * into agreed from public.bookings b where b.series_id = series.id and b.visit_number = 0 for no key update;
  perform private.check_snow_report(series, agreed, cm, photos, starts_at);
  select * into strict task from public.tasks t where t.id = agreed.task_id;
  task.scheduled_date := starts_at;
  perform private.require(private.can_fit_task(series.tasker_id, task), 'snow.tasker_busy', 'starts_at');
  visit := private.add_visit(series, agreed, (select coalesce(max(b.visit_number), 0) + 1 from public.bookings b where b.series_id = series.id), starts_at);
  insert into public.snow_reports (series_id, booking_id, day, cm, photos)
  values (series.id, visit, (now() at time zone series.time_zone)::date, report_snow.cm, report_snow.photos);
  perform private.notify_person(series.giver_id, 'snow_reported', jsonb_build_object('person', private.named(series.tasker_id), 'task', task.title,
    'cm', cm, 'amount', (select total from private.fees(agreed.agreed_amount)), 'at', starts_at, 'when', private.day_and_time(starts_at)),
    private.booking_link(visit));
  perform private.schedule_tick(now());
  return visit;
end $$;

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

create function public.skip_visit(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  visit public.bookings;
  starts_at timestamptz;
begin
  perform from public.bookings b where b.id = skip_visit.booking_id for no key update;
  visit := private.cancellable_booking(skip_visit.booking_id, auth.uid());
  perform private.require(visit.visit_number > 0, 'visit.none', 'booking_id');
  perform private.require(visit.status <> 'in_progress', 'visit.paid', 'booking_id');
  select t.scheduled_date into strict starts_at from public.tasks t where t.id = visit.task_id;
  perform private.require(starts_at > now() + interval '48 hours' or (caller = visit.task_giver_id and exists (select
    from public.task_series s where s.id = visit.series_id and s.repeats ->> 'every' = 'snowfall')), 'visit.too_late_to_skip', 'booking_id');
  perform private.set_actor(case when caller = visit.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
  update public.bookings set status = 'cancelled', skipped = true where id = visit.id;
  perform private.set_actor(null);
  return jsonb_build_object('outcome', 'not_paid', 'message', 'No fee applies, because nothing was paid.', 'fee_cents', 0, 'refund_cents', 0,
    'listing', 'closed');
end $$;

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

alter table public.bookings add column pay_from timestamp with time zone;

alter table public.bookings add column series_id uuid;

alter table public.bookings add column skipped boolean default false not null;

alter table public.bookings add column visit_number integer;

alter table public.tasks add column repeats jsonb;

alter table public.tasks add column series_id uuid;

alter table public.bookings add constraint bookings_series_id_fkey FOREIGN KEY (series_id) REFERENCES public.task_series(id) ON DELETE SET NULL;

create or replace view public.conversations with (security_invoker = true) as
select b.id as booking_id, b.status, t.id as task_id, t.title as task_title,
  p.id as other_id, p.full_name as other_name, p.avatar_url as other_avatar_url,
  case when p.id = b.task_doer_id then 'task_doer' else 'task_giver' end::public.app_role as other_role,
  p.is_verified as other_is_verified,
  last.message as last_message, last.created_at as last_message_at, last.sender_id as last_sender_id,
  (select count(*) from public.messages m where m.receiver_id = (select auth.uid()) and m.booking_id = b.id
    and m.read_at is null)::integer as unread_count,
  last.photo is not null as last_has_photo
from public.bookings b
join public.tasks t on t.id = b.task_id
join public.public_profiles p
  on p.id = case when b.task_giver_id = (select auth.uid()) then b.task_doer_id else b.task_giver_id end
left join lateral (select m.message, m.created_at, m.sender_id, m.photo from public.messages m
  where m.booking_id = b.id order by m.created_at desc limit 1) last on true
where b.status in ('accepted', 'in_progress')
  and (b.series_id is null or b.answered_at is not null or last.created_at is not null)
  and (b.task_doer_id = (select auth.uid()) or b.task_giver_id = (select auth.uid()))
order by last.created_at desc nulls last, b.created_at desc, b.id;

create index bookings_of_series on public.bookings (series_id, visit_number) where series_id is not null;

create index snow_reports_with_photo on public.snow_reports using gin (photos);

create index task_series_of_giver on public.task_series (giver_id);

create index task_series_of_tasker on public.task_series (tasker_id);

create index task_series_to_end on public.task_series (ends_on) where status = 'active';

create index tasks_of_season on public.tasks ((repeats ->> 'until')) where status = 'open' and repeats ->> 'every' = 'snowfall';

create policy "both parties read reports of snow, admins all" on public.snow_reports for select to authenticated
using (exists (select from public.task_series s where s.id = series_id));

create policy "both parties read their series, admins all" on public.task_series for select to authenticated
using (giver_id = (select auth.uid()) or tasker_id = (select auth.uid()) or (select private.is_admin()));
