-- Figures and balances of the back office, kept as sums by week and month, so that reading them does not count rows. Changes
-- are appended to figure_changes, so writers never wait for each other; a job adds them to the sums every minute, in one
-- transaction. Readers combine both, so figures are always exact. Also the figures of the marketing pages.

create table private.figures (
  period text not null check (period in ('week', 'month')),
  starts_on date not null,
  kind text not null check (kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verifications', 'verification_hours')
    or kind like 'account: %'),
  hours numeric not null default 0,
  amount numeric not null,
  primary key (period, starts_on, kind, hours)
);
alter table private.figures enable row level security;

comment on table private.figures is
  'Sums by week and month for the back office, without the latest changes, which are in private.figure_changes';
comment on column private.figures.period is 'week or month';
comment on column private.figures.starts_on is 'First day of the week (Monday) or month by the marketplace''s clock';
comment on column private.figures.kind is 'What is counted; account: escrow and similar kinds are the accounts of the ledger';
comment on column private.figures.hours is 'For verifications, the hours from submission to decision; 0 for all other kinds';
comment on column private.figures.amount is 'A number of rows, hours (verification_hours) or dollars, by kind';

create table private.figure_changes (
  happened_at timestamptz not null,
  kind text not null,
  hours numeric not null default 0,
  amount numeric not null
);
alter table private.figure_changes enable row level security;

comment on table private.figure_changes is 'Changes of the sums in private.figures that private.sum_figures has not added yet';
comment on column private.figure_changes.happened_at is 'The date that counts, which decides on week and month';
comment on column private.figure_changes.kind is 'As in private.figures';
comment on column private.figure_changes.hours is 'As in private.figures';
comment on column private.figure_changes.amount is 'As in private.figures; negative amounts take back what was counted';

create table private.public_figures (
  single boolean primary key default true check (single),
  counted_at timestamptz not null,
  active_users bigint,
  tasks_completed bigint,
  active_taskers bigint,
  monthly_earnings bigint,
  rating numeric(2, 1)
);
alter table private.public_figures enable row level security;

comment on table private.public_figures is
  'Figures of the marketing pages, shown when marketplace.config.ts says counted; one row, counted once a day';
comment on column private.public_figures.single is 'Always true, so that there is one row';
comment on column private.public_figures.active_users is 'People seen within 30 days, rounded down; null below ten';
comment on column private.public_figures.tasks_completed is 'Rounded down; null below ten';
comment on column private.public_figures.active_taskers is 'Taskers seen within 30 days, rounded down; null below ten';
comment on column private.public_figures.monthly_earnings is
  'Average payout in dollars of a tasker in the last whole month, rounded down; null below ten taskers';
comment on column private.public_figures.rating is 'Average stars, rounded down to tenths; null with fewer than ten reviewers';

-- Figures of the latest weeks or months, oldest first. held, released and fees are in dollars; verification_hours is a median,
-- null if nothing was decided. At most 60 periods.
create function public.admin_figures(period text default 'week', periods integer default 12)
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

-- The first day of the week (Monday) or month that contains a moment, by the marketplace's clock.
create function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone private.time_zone())::date
$$;

-- Hours from submitting a verification to its decision: in tenths below ten hours, whole hours above, so that few distinct
-- values occur. Null while it is undecided, or if nothing was submitted.
create function private.hours_to_decide(v public.verifications) returns numeric
language sql immutable set search_path = '' as $$
  select round(h, case when h < 10 then 1 else 0 end)
  from (select greatest(0, extract(epoch from v.decided_at - v.terms_accepted_at) / 3600) as h) took
  where v.decided_at is not null and v.terms_accepted_at is not null
$$;

-- The amounts that a ledger entry adds to its account, and to the money taken into escrow, released to taskers, or
-- kept as fees.
create function private.entry_figures(e public.ledger_entries) returns table (kind text, amount numeric)
language sql immutable set search_path = '' as $$
  select f.kind, -e.amount from (values
    ('account: ' || e.account, true), ('held', e.account = 'escrow' and e.kind = 'charge'),
    ('released', e.account = 'tasker' and e.kind not in ('payout', 'payout_reversed')),
    ('fees', e.account = 'platform_fees')) f (kind, counts) where f.counts
$$;

-- Appends a new or deleted task to private.figure_changes.
create function private.count_task(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  -- The further visits of a series were posted once.
  if coalesce(task.series_id, before.series_id) is not null and coalesce(task.repeats, before.repeats) is null then
    return;
  end if;
  if before.created_at is distinct from task.created_at then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'tasks', c.amount from (values (before.created_at, -1), (task.created_at, 1)) c (moment, amount)
    where c.moment is not null;
  end if;
end $$;

-- Appends a booking to private.figure_changes once it was accepted, by the day of its application.
create function private.count_booking(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  was constant timestamptz := case when before.accepted_at is not null then before.created_at end;
  is_now constant timestamptz := case when booking.accepted_at is not null then booking.created_at end;
begin
  if was is distinct from is_now then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'bookings', c.amount from (values (was, -1), (is_now, 1)) c (moment, amount) where c.moment is not null;
  end if;
end $$;

-- Appends a new or deleted account to private.figure_changes.
create function private.count_sign_up(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select c.moment, 'sign_ups', c.amount from (values (case when before.deleted_at is null then before.created_at end, -1),
    (case when profile.deleted_at is null then profile.created_at end, 1)) c (moment, amount)
  where c.moment is not null;
end $$;

-- Appends the hours that a decision took to private.figure_changes.
create function private.count_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.decided_at, before.terms_accepted_at)
    is not distinct from (verification.decided_at, verification.terms_accepted_at)
  then
    return;
  end if;
  insert into private.figure_changes (happened_at, kind, hours, amount)
  select c.decided_at, 'verifications', c.hours, c.amount
  from (values (before.decided_at, private.hours_to_decide(before), -1),
    (verification.decided_at, private.hours_to_decide(verification), 1)) c (decided_at, hours, amount)
  where c.hours is not null;
end $$;

-- Appends a new ledger entry to private.figure_changes.
create function private.count_entry(entry public.ledger_entries) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select entry.created_at, f.kind, f.amount from private.entry_figures(entry) f;
end $$;

-- Adds each change to the sums once, including those to the numbers of open tasks by kind (task_search.sql). Calls run one at a
-- time, because a median needs what all of them have summed.
create function private.sum_figures() returns void
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

-- Counts everything again from the source tables, after rows were written with triggers off (a restore, a bulk load). It blocks
-- writes to the five tables meanwhile.
create function private.rebuild_figures() returns void
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
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.entry_figures(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.matching_task_kinds(t)) kind group by 1;
end $$;

-- Median hours from submission to decision of the verifications decided in that week or month: the lower of the middle two;
-- null without any.
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

-- Recalculates the medians of the weeks and months that begin on these days.
create function private.update_medians(days date[]) returns void
language sql set search_path = '' as $$
  delete from private.figures f where f.kind = 'verification_hours' and f.starts_on = any (days);
  insert into private.figures (period, starts_on, kind, amount)
  select k.period, k.starts_on, 'verification_hours', k.median from (
    select p.period, p.starts_on, private.median_hours(p.period, p.starts_on) as median
    from (select distinct f.period, f.starts_on from private.figures f where f.kind = 'verifications' and f.starts_on = any (days)) p
  ) k where k.median is not null
$$;

-- Rounds down to two digits: 1,287 becomes 1,200. Null below ten.
create function private.rounded_down(amount numeric) returns bigint
language sql immutable set search_path = '' as $$
  select case when amount >= 10 then
    (floor(amount / power(10::numeric, floor(log(amount)) - 1)) * power(10::numeric, floor(log(amount)) - 1))::bigint end
$$;

-- Counts the figures of the marketing pages. Active means seen within 30 days. Only this daily job reads whole tables.
create function private.count_public_figures() returns void
language sql security definer set search_path = '' as $$
  with month as (
    select date_trunc('month', now() at time zone private.time_zone()) as ends
  ), paid as (
    select p.payee_id, sum(p.payout_amount) as amount
    from public.payments p, month
    where p.released_at >= (month.ends - interval '1 month') at time zone private.time_zone()
      and p.released_at < month.ends at time zone private.time_zone() and p.payout_status = 'sent'
    group by 1
  ), people as (
    select count(*) as active, count(*) filter (where exists (
      select from public.user_roles r where r.user_id = p.id and r.role = 'task_doer')) as taskers
    from private.profiles p where p.deleted_at is null and p.last_active > now() - interval '30 days'
  ), reviewed as (
    select avg(r.rating) as rating, count(distinct r.reviewer_id) as people
    from public.reviews r where r.visible_from <= now() and r.hidden_at is null
  )
  insert into private.public_figures as f (counted_at, active_users, tasks_completed, active_taskers, monthly_earnings, rating)
  select now(), private.rounded_down(people.active),
    (select private.rounded_down(count(*)) from public.tasks t where t.status = 'completed'),
    private.rounded_down(people.taskers),
    (select case when count(*) >= 10 then private.rounded_down(avg(paid.amount)) end from paid),
    case when reviewed.people >= 10 then floor(reviewed.rating * 10) / 10 end
  from people, reviewed
  on conflict (single) do update set counted_at = excluded.counted_at, active_users = excluded.active_users,
    tasks_completed = excluded.tasks_completed, active_taskers = excluded.active_taskers,
    monthly_earnings = excluded.monthly_earnings, rating = excluded.rating
$$;

-- The figures of the marketing pages, from the last daily count.
create function public.public_figures() returns table (active_users bigint, tasks_completed bigint, active_taskers bigint,
  monthly_earnings bigint, rating numeric)
language sql stable security definer set search_path = '' as $$
  select f.active_users, f.tasks_completed, f.active_taskers, f.monthly_earnings, f.rating from private.public_figures f
$$;

grant execute on function
  public.public_figures()
to anon, authenticated;
grant execute on function
  public.admin_figures(text, integer)
to authenticated;

select private.count_public_figures();

-- Every minute, because readers add up all changes since the last run.
select cron.schedule('figures', '* * * * *', 'select private.sum_figures()');
select cron.schedule('public-figures', '37 9 * * *', 'select private.count_public_figures()');
