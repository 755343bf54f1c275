-- How the marketplace goes, week by week or month by month, on Saskatchewan's calendar: tasks, bookings, money, people, and how long
-- a verification takes.

create index tasks_by_day on public.tasks (created_at);
create index bookings_by_day on public.bookings (created_at);
create index ledger_entries_by_day on public.ledger_entries (created_at);
create index verifications_by_decision on public.verifications (decided_at) where decided_at is not null;

-- The last `periods` weeks (from Monday) or months, the running one last. Money is dollars of the books: taken into escrow, released
-- to taskers, and kept as platform fees; verification_hours is the median from handing in to the decision, null without one.
create function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  first timestamp;
  since timestamptz;
begin
  perform private.allow(private.is_admin(), 'Only admins can see the figures');
  perform private.require(step is not null, 'Period must be week or month', 'period');
  first := date_trunc(admin_figures.period, now() at time zone 'America/Regina') - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  since := first at time zone 'America/Regina';
  return query
  with slots as (
    select s::date as day from generate_series(first, now() at time zone 'America/Regina', step) s
  ), posted as (
    select date_trunc(admin_figures.period, t.created_at at time zone 'America/Regina')::date as day, count(*) as n
    from public.tasks t where t.created_at >= since group by 1
  ), booked as (
    select date_trunc(admin_figures.period, b.created_at at time zone 'America/Regina')::date as day, count(*) as n
    from public.bookings b where b.created_at >= since and b.accepted_at is not null group by 1
  ), joined as (
    select date_trunc(admin_figures.period, p.created_at at time zone 'America/Regina')::date as day, count(*) as n
    from private.profiles p where p.created_at >= since and p.deleted_at is null group by 1
  ), moved as (
    select date_trunc(admin_figures.period, e.created_at at time zone 'America/Regina')::date as day,
      -sum(e.amount) filter (where e.account = 'escrow' and e.kind = 'charge') as held,
      -sum(e.amount) filter (where e.account = 'tasker' and e.kind not in ('payout', 'payout_reversed')) as released,
      -sum(e.amount) filter (where e.account = 'platform_fees') as fees
    from public.ledger_entries e where e.created_at >= since group by 1
  ), decided as (
    select date_trunc(admin_figures.period, v.decided_at at time zone 'America/Regina')::date as day,
      percentile_cont(0.5) within group (order by extract(epoch from v.decided_at - v.terms_accepted_at)) / 3600 as hours
    from public.verifications v where v.decided_at >= since and v.terms_accepted_at is not null group by 1
  )
  select s.day, coalesce(posted.n, 0), coalesce(booked.n, 0), coalesce(joined.n, 0), coalesce(moved.held, 0),
    coalesce(moved.released, 0), coalesce(moved.fees, 0), round(decided.hours::numeric, 1)
  from slots s left join posted using (day) left join booked using (day) left join joined using (day)
    left join moved using (day) left join decided using (day)
  order by s.day;
end $$;
revoke execute on function public.admin_figures(text, integer) from public, anon;
grant execute on function public.admin_figures(text, integer) to authenticated;
