-- The marketplace's values (marketplace.config.ts), one syntax for texts, and steps that tables share (4 of 4).
set check_function_bodies = off;

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

create function private.set_content_hidden(kind public.reported_kind, subject uuid, hidden boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  case kind
    when 'task' then update public.tasks set hidden_for = case when hidden then 'report'
        when private.is_suspended(task_giver_id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'message' then update public.messages set hidden_at = case when hidden then now() end where id = subject;
    when 'profile' then update private.profiles set hidden_for = case when hidden then 'report'
        when private.is_suspended(id) then 'suspension' end
      where id = subject and (hidden or hidden_for = 'report');
    when 'review' then
      update public.reviews set hidden_at = case when hidden then now() end where id = subject;
      perform private.recount_person((select reviewee_id from public.reviews where id = subject));
  end case;
end $$;

create function private.settle_payment_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = booking.task_giver_id and not read and link like private.booking_link(booking.id) || '%' and key = 'pay_reminder';
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

create function private.tidy_name(name text) returns text
language sql immutable set search_path = '' as $$
  select private.trimmed(regexp_replace(name, '[' || private.space_characters() || ']+', ' ', 'g'))
$$;

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

create or replace function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the back office"}');
  return query
    select 'verifications', count(*), min(v.updated_at) from public.verifications v where v.verification_status = 'pending'
    union all
    select 'complaints', count(*), min(c.created_at) from public.complaints c where c.decision is null
    union all
    select 'reports', count(*), min(r.created_at) from public.reports r where r.status = 'open'
    union all
    select 'losses', count(*), min(p.updated_at) from public.payments p
    where p.unsettled_loss > 0 and p.open_disputes = 0 and p.escrow_status = 'frozen'
    union all
    select 'chargebacks', count(*), min(d.created_at) from public.disputes d
    where d.status in ('needs_response', 'warning_needs_response')
    union all
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_transfer_overdue(p)
    union all
    select 'failed_effects', count(*), min(f.given_up_at) from private.failed_effects f where f.given_up_at is not null
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

create or replace function public.begin_effects(max_effects integer)
returns table (id bigint, function_name text, body jsonb, attempt integer)
language plpgsql security definer set search_path = '' as $$
declare
  taken record;
begin
  for taken in select m.msg_id, m.read_ct, m.message from pgmq.read('effects', 15, max_effects) m order by m.msg_id loop
    -- Nobody lived to tell of the last try.
    if taken.read_ct > private.max_effect_tries() then
      perform private.give_up_effect(taken.msg_id, coalesce(
        (select f.error from private.failed_effects f where f.id = taken.msg_id), 'It ended without an answer'));
    else
      return query select taken.msg_id, taken.message ->> 'function', taken.message -> 'body', taken.read_ct;
    end if;
  end loop;
end $$;

create or replace function public.decide_report(report_id uuid, hide boolean, note text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  report public.reports;
  given text;
  one record;
  was_hidden boolean;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide reports"}');
  select * into report from public.reports r where r.id = decide_report.report_id for no key update;
  perform private.require(report.id is not null, 'report.not_found', 'report_id');
  perform private.allow(report.author_id <> auth.uid(), 'admin.own_case', '{"matter": "about what you wrote"}');
  perform private.require(hide is not null, 'report.decision_required', 'hide');
  given := case when hide then private.admin_reason(note) end;
  was_hidden := report.status = 'hidden';
  perform private.require(not (hide and was_hidden), 'report.already_hidden', 'report_id');
  perform private.require(hide or report.status <> 'dismissed', 'report.already_dismissed', 'report_id');
  perform private.set_content_hidden(report.kind, report.subject_id, hide);
  for one in
    update public.reports r set status = case when hide then 'hidden' else 'dismissed' end::public.report_status,
      decision_note = given, decided_by = auth.uid(), decided_at = now()
    from public.reports before
    where before.id = r.id and r.kind = report.kind and r.subject_id = report.subject_id
      and (r.status = 'open' or r.id = report.id or was_hidden)
    returning r.reporter_id, before.status = 'open' as was_open
  loop
    if one.was_open and one.reporter_id <> auth.uid() then
      perform private.notify_person(one.reporter_id, 'report_handled', jsonb_build_object('what', report.kind,
        'outcome', case when hide then 'has hidden it' else 'has found nothing against our rules' end), '/dashboard');
    end if;
  end loop;
  if hide then
    perform private.notify_person(report.author_id, 'content_hidden',
      jsonb_build_object('what', report.kind, 'reason', given), '/dashboard');
  elsif was_hidden then
    perform private.notify_person(report.author_id, 'content_shown', jsonb_build_object('what', report.kind), '/dashboard');
  end if;
end $$;

create or replace function public.fail_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  tries integer;
begin
  select q.read_ct into tries from pgmq.q_effects q where q.msg_id = effect_id for update;
  if not found then
    return;
  end if;
  if tries >= private.max_effect_tries() then
    perform private.give_up_effect(effect_id, reason);
    return;
  end if;
  insert into private.failed_effects (id, error) values (effect_id, left(reason, 1000))
  on conflict (id) do update set error = excluded.error, failed_at = now();
  perform pgmq.set_vt('effects', effect_id, exp(least(10, tries))::integer);
end $$;

create or replace function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, booking_id uuid, task_id uuid, task_title text, payer_id uuid, payer_name text, payee_id uuid,
  payee_name text, amount numeric, total numeric, payout_amount numeric, refund_amount numeric, refunded_amount numeric,
  lost_amount numeric, escrow_status public.escrow_status, payout_status public.transfer_status,
  refund_status public.transfer_status, stuck boolean, failure text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  state_column constant text := case kind when 'payments' then 'escrow_status' when 'payouts' then 'payout_status'
    when 'refunds' then 'refund_status' end;
  step constant text := case kind when 'payments' then 'charge' when 'payouts' then 'payout' else 'refund' end;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through payments"}');
  perform private.require(state_column is not null, 'admin.kind_unknown', 'kind');
  perform private.require(state in ('all', 'stuck') or state = any (case kind
      when 'payments' then enum_range(null::public.escrow_status)::text[]
      else enum_range(null::public.transfer_status)::text[] end), 'admin.state_unknown', 'state');
  return query execute concat_ws(' ',
    'select p.id, p.booking_id, p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_transfer_overdue(p), f.message || coalesce('' ('' || f.code || '')'', ''''), p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_transfer_overdue(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create or replace function public.report_content(kind public.reported_kind, subject uuid, reason text) returns void
language plpgsql security invoker set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  given constant text := private.trimmed(reason);
  thing record;
begin
  perform private.allow(me is not null and private.has_account(), 'report.not_authenticated');
  perform private.allow(not private.is_suspended(me), 'account.suspended_for_reports');
  perform private.require(report_content.kind is not null, 'report.kind_invalid', 'kind');
  perform private.require(private.visible_length(given) >= 10, 'report.reason_too_short', 'reason');
  perform private.require(length(given) <= 1000, 'report.reason_too_long', 'reason');
  select * into thing from private.reported_content(report_content.kind, report_content.subject);
  perform private.require(thing.author is not null, 'report.subject_gone', 'subject');
  perform private.require(thing.author <> me, 'report.own', 'subject');
  perform private.file_report(report_content.kind, report_content.subject, thing.author, thing.excerpt, given);
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_before_work()
    + private.sweep_photos() + private.end_data_export() + private.recount_unanswered();
end $$;
