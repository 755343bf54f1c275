-- The back office's figures and balances without reading what they count: sums by week and month, and beside them the changes since, which the
-- clock adds to the sums every five minutes. A change only appends a row of its own, so no two writers wait for each other, and the
-- figures are exact whether or not the clock has been there: sums and changes move in one transaction.

-- `hours` tells verifications apart by how long they took; it is 0 for everything else.
create table private.figures (
  period text not null check (period in ('week', 'month')),
  starts_on date not null,
  -- 'account: escrow' and its like are the ledger's accounts.
  kind text not null check (kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verifications')
    or kind like 'account: %'),
  hours numeric not null default 0,
  amount numeric not null,
  primary key (period, starts_on, kind, hours)
);
alter table private.figures enable row level security;

-- What happened since, or was taken back (a negative amount), at the moment of what it is counted by.
create table private.figure_changes (
  happened_at timestamptz not null,
  kind text not null,
  hours numeric not null default 0,
  amount numeric not null
);
alter table private.figure_changes enable row level security;

-- The first day of the week (from Monday) or month of a moment, on Saskatchewan's calendar.
create function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone 'America/Regina')::date
$$;

-- How long a decision took, in hours: tenths below ten hours, whole ones from there, so that there are few to tell apart.
-- Null while undecided, or for one that nothing was handed in for.
create function private.hours_to_decide(v public.verifications) returns numeric
language sql immutable set search_path = '' as $$
  select round(h, case when h < 10 then 1 else 0 end)
  from (select greatest(0, extract(epoch from v.decided_at - v.terms_accepted_at) / 3600) as h) took
  where v.decided_at is not null and v.terms_accepted_at is not null
$$;

-- What an entry of the ledger adds to its account, and to the money taken into escrow, released to taskers, or kept as fees.
create function private.figures_of_entry(e public.ledger_entries) returns table (kind text, amount numeric)
language sql immutable set search_path = '' as $$
  select f.kind, -e.amount from (values
    ('account: ' || e.account, true), ('held', e.account = 'escrow' and e.kind = 'charge'),
    ('released', e.account = 'tasker' and e.kind not in ('payout', 'payout_reversed')),
    ('fees', e.account = 'platform_fees')) f (kind, counts) where f.counts
$$;

create function private.count_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then
    insert into private.figure_changes (happened_at, kind, amount) values (old.created_at, 'tasks', -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into private.figure_changes (happened_at, kind, amount) values (new.created_at, 'tasks', 1);
  end if;
  return null;
end $$;
create trigger "90_count_task" after insert or delete or update of created_at on public.tasks
for each row execute function private.count_task();

-- A booking counts once it was accepted, by the day of its application. What decides is compared first: most updates are of other
-- columns, and `update of` does not see what a trigger before has set.
create function private.count_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  was constant timestamptz := case when tg_op <> 'INSERT' and old.accepted_at is not null then old.created_at end;
  is_now constant timestamptz := case when tg_op <> 'DELETE' and new.accepted_at is not null then new.created_at end;
begin
  if was is distinct from is_now then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'bookings', c.amount from (values (was, -1), (is_now, 1)) c (moment, amount) where c.moment is not null;
  end if;
  return null;
end $$;
create trigger "90_count_booking" after insert or delete or update on public.bookings
for each row execute function private.count_booking();

create function private.count_sign_up() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  was constant timestamptz := case when tg_op <> 'INSERT' and old.deleted_at is null then old.created_at end;
  is_now constant timestamptz := case when tg_op <> 'DELETE' and new.deleted_at is null then new.created_at end;
begin
  if was is distinct from is_now then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'sign_ups', c.amount from (values (was, -1), (is_now, 1)) c (moment, amount) where c.moment is not null;
  end if;
  return null;
end $$;
create trigger "90_count_sign_up" after insert or delete or update on private.profiles
for each row execute function private.count_sign_up();

create function private.count_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (old.decided_at, old.terms_accepted_at) is not distinct from (new.decided_at, new.terms_accepted_at) then
    return null;
  end if;
  if tg_op <> 'INSERT' and private.hours_to_decide(old) is not null then
    insert into private.figure_changes (happened_at, kind, hours, amount)
    values (old.decided_at, 'verifications', private.hours_to_decide(old), -1);
  end if;
  if tg_op <> 'DELETE' and private.hours_to_decide(new) is not null then
    insert into private.figure_changes (happened_at, kind, hours, amount)
    values (new.decided_at, 'verifications', private.hours_to_decide(new), 1);
  end if;
  return null;
end $$;
create trigger "90_count_verification" after insert or delete or update on public.verifications
for each row execute function private.count_verification();

-- The ledger is append-only.
create function private.count_entry() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select new.created_at, f.kind, f.amount from private.figures_of_entry(new) f;
  return null;
end $$;
create trigger "90_count_entry" after insert on public.ledger_entries
for each row execute function private.count_entry();

-- Adds the changes to the sums; each is taken once, also by two calls at a time. In order, so that neither waits for the other's rows
-- while it holds what the other waits for.
create function private.sum_figures() returns void
language sql security definer set search_path = '' as $$
  with taken as (delete from private.figure_changes returning *)
  insert into private.figures as f (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, t.happened_at), t.kind, t.hours, sum(t.amount)
  from taken t, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4 having sum(t.amount) <> 0 order by 1, 2, 3, 4
  on conflict (period, starts_on, kind, hours) do update set amount = f.amount + excluded.amount
$$;

-- Counts everything anew from what it counts, for what was written while triggers were off (a restore, a bulk load). Nobody writes
-- to the five tables meanwhile.
create function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
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
end $$;

-- The last `periods` weeks (from Monday) or months, the running one last. Money is dollars of the books: taken into escrow, released
-- to taskers, and kept as platform fees; verification_hours is the median from handing in to the decision, null without one: the
-- lower of the middle two.
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
  with known as (
    select f.starts_on as day, f.kind, f.hours, f.amount from private.figures f
    where f.period = admin_figures.period and f.starts_on >= first
    union all
    select private.period_start(admin_figures.period, c.happened_at), c.kind, c.hours, c.amount from private.figure_changes c
    where c.happened_at >= first::timestamp at time zone 'America/Regina'
  ), summed as (
    select k.day, k.kind, k.hours, sum(k.amount) as amount from known k group by 1, 2, 3
  ), medians as (
    select d.day, min(d.hours) as hours from (
      select s.day, s.hours, sum(s.amount) over (partition by s.day order by s.hours) as so_far, sum(s.amount) over (partition by s.day) as n
      from summed s where s.kind = 'verifications' and s.amount > 0
    ) d where d.so_far * 2 >= d.n group by 1
  ), sums as (
    select s.day, sum(s.amount) filter (where s.kind = 'tasks') as tasks, sum(s.amount) filter (where s.kind = 'bookings') as bookings,
      sum(s.amount) filter (where s.kind = 'sign_ups') as sign_ups, sum(s.amount) filter (where s.kind = 'held') as held,
      sum(s.amount) filter (where s.kind = 'released') as released, sum(s.amount) filter (where s.kind = 'fees') as fees
    from summed s group by 1
  )
  select slot::date, coalesce(s.tasks, 0)::bigint, coalesce(s.bookings, 0)::bigint, coalesce(s.sign_ups, 0)::bigint,
    coalesce(s.held, 0), coalesce(s.released, 0), coalesce(s.fees, 0), m.hours
  from generate_series(first::timestamp, running, step) slot
    left join sums s on s.day = slot::date left join medians m on m.day = slot::date
  order by 1;
end $$;

-- What stands on each account of the ledger, in dollars: what we have, and what we owe.
create or replace function public.money_balances() returns table (account public.ledger_account, amount numeric)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can read the books');
  return query select a.account, coalesce(case when a.account in ('provider', 'disputes') then -1 else 1 end
      * (select sum(k.amount) from (
        select f.amount from private.figures f where f.period = 'month' and f.kind = 'account: ' || a.account
        union all
        select c.amount from private.figure_changes c where c.kind = 'account: ' || a.account) k), 0)
  from unnest(enum_range(null::public.ledger_account)) a (account);
end $$;

select private.rebuild_figures();
select cron.schedule('figures', '*/5 * * * *', 'select private.sum_figures()');

-- The figures alone were read by these.
drop index public.tasks_by_day, public.bookings_by_day, public.ledger_entries_by_day, public.verifications_by_decision;
