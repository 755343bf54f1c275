-- The median time of a verification is kept beside the sums it is taken from, so that the figures read a few rows of each week and not
-- the 160 different hours that a week of a large town has. The clock that sums takes them anew, and sums the open tasks of each kind.

alter table private.figures drop constraint figures_kind_check, add constraint figures_kind_check check (
  -- 'verification_hours' is the median of 'verifications', true while no change to them waits.
  kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verifications', 'verification_hours') or kind like 'account: %');

-- The median time from handing in to the decision, in hours, of those decided in that week or month; null without one; the lower of
-- the middle two.
create function private.median_hours(period text, starts_on date) returns numeric
language sql stable set search_path = '' as $$
  select min(d.hours) from (
    select v.hours, sum(v.amount) over (order by v.hours) as so_far, sum(v.amount) over () as n from (
      select f.hours, f.amount from private.figures f
      where f.period = median_hours.period and f.starts_on = median_hours.starts_on and f.kind = 'verifications'
      union all
      select c.hours, c.amount from private.figure_changes c
      where c.kind = 'verifications' and private.period_start(median_hours.period, c.happened_at) = median_hours.starts_on
    ) v
  ) d where d.n > 0 and d.so_far * 2 >= d.n
$$;

-- Takes the medians of those weeks and months anew.
create function private.keep_medians(days date[]) returns void
language sql set search_path = '' as $$
  delete from private.figures f where f.kind = 'verification_hours' and f.starts_on = any (days);
  insert into private.figures (period, starts_on, kind, amount)
  select k.period, k.starts_on, 'verification_hours', k.median from (
    select p.period, p.starts_on, private.median_hours(p.period, p.starts_on) as median
    from (select distinct f.period, f.starts_on from private.figures f where f.kind = 'verifications' and f.starts_on = any (days)) p
  ) k where k.median is not null
$$;

-- Adds the changes to the sums; each is taken once. One call after the other, for a median is taken of what all of them summed.
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
  perform private.keep_medians(decided);

  with taken as (delete from private.kind_changes returning *)
  insert into private.kind_counts as s (kind, open_tasks)
  select t.kind, sum(t.amount) from taken t group by 1 having sum(t.amount) <> 0
  on conflict (kind) do update set open_tasks = s.open_tasks + excluded.open_tasks;
end $$;

-- Counts everything anew from what it counts, for what was written while triggers were off (a restore, a bulk load). Nobody writes
-- to the five tables meanwhile.
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
  perform private.keep_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;
end $$;

-- As 20261123001020_summed_figures.sql says.
create or replace function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  running date;
  first date;
begin
  perform private.allow(private.is_admin(), 'Only admins can see the figures');
  perform private.require(step is not null, 'Period must be week or month', 'period');
  running := private.period_start(admin_figures.period, now());
  first := running - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  return query
  with slots as (
    select s::date as day from generate_series(first::timestamp, running, step) s
  ), changed as (
    select private.period_start(admin_figures.period, c.happened_at) as day, c.kind, sum(c.amount) as amount
    from private.figure_changes c where c.happened_at >= first::timestamp at time zone 'America/Regina' group by 1, 2
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

select private.keep_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
