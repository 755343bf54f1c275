-- The marketplace's values (marketplace.config.ts), one syntax for texts, and steps that tables share (3 of 3).
set check_function_bodies = off;

create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.notify_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout'))), '/profile?tab=payout');
  end if;
end $$;

create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

create function private.limit_answers(booking uuid, giver uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if auth.uid() = giver then
    perform private.count_activity('applications_answered');
    perform private.count_activity('same_application_answered', booking);
  end if;
end $$;

create function private.limit_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity('applications_sent');
    perform private.count_activity('same_task_applied_to', task);
  end if;
end $$;

create function private.limit_client(action text) returns void language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity(action);
  end if;
end $$;

create or replace function private.limit_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.id = auth.uid() and to_jsonb(new) - '{last_active,updated_at}'::text[]
    <> to_jsonb(old) - '{last_active,updated_at}'::text[]
  then
    perform private.count_activity('profile_changes');
  end if;
  return null;
end $$;

create function private.limit_task_changes(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('tasks_changed');
  perform private.count_activity('same_task_changed', task);
end $$;

create function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create function private.marketplace_number(path text) returns numeric
language plpgsql immutable set search_path = '' as $$
declare
  value constant numeric := private.marketplace() #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'The marketplace has no number %', path;
  end if;
  return value;
end $$;

create or replace function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone private.time_zone())::date
$$;

create or replace function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  delete from private.figures;
  delete from private.figure_changes;
  insert into private.figures (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, c.happened_at), c.kind, c.hours, sum(c.amount) from (
    select t.created_at as happened_at, 'tasks' as kind, 0 as hours, 1 as amount from public.tasks t
    union all
    select b.created_at, 'bookings', 0, 1 from public.bookings b where b.accepted_at is not null
    union all
    select p.created_at, 'sign_ups', 0, 1 from private.profiles p where p.deleted_at is null
    union all
    select v.decided_at, 'verifications', private.hours_to_decide(v), 1 from public.verifications v
    where private.hours_to_decide(v) is not null
    union all
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.figures_of_entry(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;
end $$;

create function private.refuse_audit_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'audit_log.append_only');
  return null;
end $$;

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
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create function private.schedule_application_expiry() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
end $$;

create function private.schedule_confirmation(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  days integer;
begin
  foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
    perform private.schedule_tick(private.confirmation_from(booking) + make_interval(days => days));
  end loop;
end $$;

create function private.schedule_payment_deadline(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  pay_by constant timestamptz := private.pay_by(now(), starts);
begin
  perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
  perform private.schedule_tick(pay_by);
  perform private.schedule_tick(starts + interval '24 hours');
end $$;

create function private.schedule_recount(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  due timestamptz;
begin
  select min(created_at) + interval '24 hours' into due from public.messages
  where booking_id = booking.id and receiver_id = booking.task_doer_id;
  if due > now() then
    insert into private.pending_recounts (booking_id, due_at) values (booking.id, due) on conflict do nothing;
    perform private.schedule_tick(due);
  end if;
end $$;

create function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  at constant timestamptz := (select scheduled_date - interval '24 hours' from public.tasks where id = booking.task_id);
begin
  if at > now() then
    perform private.schedule_tick(at);
  end if;
end $$;

create function private.schedule_task_expiry(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(task.scheduled_date + interval '24 hours');
end $$;

create function private.stamp_payment(payment public.payments) returns public.payments
language plpgsql stable set search_path = '' as $$
begin
  payment.updated_at := now();
  return payment;
end $$;

create or replace function private.sum_figures() returns void
language plpgsql security definer set search_path = '' as $$
declare
  decided date[];
begin
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  with taken as (delete from private.figure_changes returning *), summed as (
    insert into private.figures as f (period, starts_on, kind, hours, amount)
    select p.period, private.period_start(p.period, t.happened_at), t.kind, t.hours, sum(t.amount)
    from taken t, (values ('week'), ('month')) p (period)
    group by 1, 2, 3, 4 having sum(t.amount) <> 0
    on conflict (period, starts_on, kind, hours) do update set amount = f.amount + excluded.amount
  )
  -- Also where the changes add up to nothing: the median before may have been taken with one of them.
  select array_agg(distinct private.period_start(p.period, t.happened_at)) into decided
  from taken t, (values ('week'), ('month')) p (period) where t.kind = 'verifications';
  perform private.update_medians(decided);

  with taken as (delete from private.kind_changes returning *)
  insert into private.kind_counts as s (kind, open_tasks)
  select t.kind, sum(t.amount) from taken t group by 1 having sum(t.amount) <> 0
  on conflict (kind) do update set open_tasks = s.open_tasks + excluded.open_tasks;
end $$;

create function private.time_zone() returns text language sql immutable set search_path = '' as $$ select 'America/Regina' $$;

create function private.update_medians(days date[]) returns void
language sql set search_path = '' as $$
  delete from private.figures f where f.kind = 'verification_hours' and f.starts_on = any (days);
  insert into private.figures (period, starts_on, kind, amount)
  select k.period, k.starts_on, 'verification_hours', k.median from (
    select p.period, p.starts_on, private.median_hours(p.period, p.starts_on) as median
    from (select distinct f.period, f.starts_on from private.figures f where f.kind = 'verifications' and f.starts_on = any (days)) p
  ) k where k.median is not null
$$;

create or replace function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  running date;
  first date;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the figures"}');
  perform private.require(step is not null, 'admin.period_unknown', 'period');
  running := private.period_start(admin_figures.period, now());
  first := running - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  return query
  with slots as (
    select s::date as day from generate_series(first::timestamp, running, step) s
  ), changed as (
    select private.period_start(admin_figures.period, c.happened_at) as day, c.kind, sum(c.amount) as amount
    from private.figure_changes c where c.happened_at >= first::timestamp at time zone private.time_zone() group by 1, 2
  ), sums as (
    select k.day, sum(k.amount) filter (where k.kind = 'tasks') as tasks, sum(k.amount) filter (where k.kind = 'bookings') as bookings,
      sum(k.amount) filter (where k.kind = 'sign_ups') as sign_ups, sum(k.amount) filter (where k.kind = 'held') as held,
      sum(k.amount) filter (where k.kind = 'released') as released, sum(k.amount) filter (where k.kind = 'fees') as fees,
      sum(k.amount) filter (where k.kind = 'verification_hours') as hours, coalesce(bool_or(k.kind = 'verifications'), false) as decided
    from (
      select s.day, f.kind, f.amount from slots s join private.figures f on f.period = admin_figures.period and f.starts_on = s.day
        and f.kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verification_hours')
      union all
      select c.day, c.kind, c.amount from changed c
    ) k group by 1
  )
  select slots.day, coalesce(s.tasks, 0)::bigint, coalesce(s.bookings, 0)::bigint, coalesce(s.sign_ups, 0)::bigint,
    coalesce(s.held, 0), coalesce(s.released, 0), coalesce(s.fees, 0),
    case when s.decided then private.median_hours(admin_figures.period, slots.day) else s.hours end
  from slots left join sums s on s.day = slots.day order by 1;
end $$;
