-- Real figures for the marketing pages, shown when web/lib/site.ts says 'counted'. They are counted once a day into one row, so a
-- visit counts nothing. Each figure is rounded down, and null if it would describe fewer than ten people.

create table private.public_figures (
  single boolean primary key default true check (single),
  counted_at timestamptz not null,
  active_users bigint,
  tasks_completed bigint,
  active_taskers bigint,
  -- Average payout in dollars, per tasker with at least one payout, in the last whole month.
  monthly_earnings bigint,
  rating numeric(2, 1)
);
alter table private.public_figures enable row level security;

-- Down to two digits, as in 1,200 for 1,287; null below ten.
create function private.rounded_down(amount numeric) returns bigint
language sql immutable set search_path = '' as $$
  select case when amount >= 10 then
    (floor(amount / power(10::numeric, floor(log(amount)) - 1)) * power(10::numeric, floor(log(amount)) - 1))::bigint end
$$;

-- Active means seen within 30 days. Only this daily job reads whole tables.
create function private.count_public_figures() returns void
language sql security definer set search_path = '' as $$
  with month as (
    select date_trunc('month', now() at time zone 'America/Regina') as ends
  ), paid as (
    select b.task_doer_id, sum(p.payout_amount) as amount
    from public.payments p join public.bookings b on b.id = p.booking_id, month
    where p.released_at >= (month.ends - interval '1 month') at time zone 'America/Regina'
      and p.released_at < month.ends at time zone 'America/Regina' and p.payout_status = 'sent'
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

-- The figures of the last count; all null before the first.
create function public.public_figures() returns table (active_users bigint, tasks_completed bigint, active_taskers bigint,
  monthly_earnings bigint, rating numeric)
language sql stable security definer set search_path = '' as $$
  select f.active_users, f.tasks_completed, f.active_taskers, f.monthly_earnings, f.rating from private.public_figures f
$$;
revoke execute on function public.public_figures() from public;
grant execute on function public.public_figures() to anon, authenticated;

select private.count_public_figures();
select cron.schedule('public-figures', '37 9 * * *', 'select private.count_public_figures()');
