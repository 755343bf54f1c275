-- Tasks that givers post, and their exact addresses, which only the giver, the accepted tasker and admins can read.

set check_function_bodies = off;

create type public.task_status as enum ('asked', 'open', 'assigned', 'completed', 'cancelled');

create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  task_giver_id uuid not null references private.profiles (id) on delete cascade,
  title text not null,
  description text not null,
  category text not null,
  location text not null,
  pay_amount numeric not null, -- rounded to cents and limited by private.check_task_pay
  scheduled_date timestamptz,
  duration_minutes integer,
  tools_provided boolean not null default false,
  tools_description text,
  status public.task_status not null default 'open',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- No foreign key: a second one from tasks to profiles would make embedding ambiguous.
  asked_tasker_id uuid,
  asked_until timestamptz,
  photos text[] not null default '{}',
  hidden_for text check (hidden_for in ('report', 'suspension')),
  -- No foreign key: a place that no longer exists must not change old tasks.
  place_id text,
  public_latitude double precision,
  public_longitude double precision,
  offers_allowed boolean not null default true,
  repeats jsonb,
  -- No foreign key: a series belongs to its bookings.
  series_id uuid,
  expense_limit numeric -- limited by private.check_task_expenses
);
alter table public.tasks enable row level security;

comment on table public.tasks is 'Tasks that givers post';
comment on column public.tasks.task_giver_id is 'The person who posts and pays';
comment on column public.tasks.category is 'One of the categories of private.rules()';
comment on column public.tasks.location is
  'Place that everybody reads, such as a city or neighbourhood; the exact address is in task_addresses';
comment on column public.tasks.pay_amount is 'Dollars before fees, rounded to cents';
comment on column public.tasks.scheduled_date is 'When the work begins; null if any time suits';
comment on column public.tasks.duration_minutes is 'Null if not given';
comment on column public.tasks.tools_provided is 'Whether the giver provides the tools';
comment on column public.tasks.tools_description is 'Null if not given';
comment on column public.tasks.status is
  'Where the task is: '
  'new → open when the giver posts it; '
  'new → asked when the giver asks one tasker first; '
  'new → assigned as a further visit when a tasker is accepted for a series; '
  'asked → open when that tasker declines, their application ends, the time to answer is over, or the giver opens it; '
  'open | asked → assigned when the giver accepts an application; '
  'assigned → open when the booking is cancelled; '
  'assigned → completed when the money is released or decided on after the work; '
  'open | asked → cancelled when the giver withdraws it or deletes their account; '
  'open → cancelled 24 hours after scheduled_date, or after the season of a snowfall task; '
  'assigned → cancelled when the payment is taken back or refunded by an admin before the work is done, or a visit of a series '
  'is cancelled';
comment on column public.tasks.updated_at is 'Time of the last change, also of the status';
comment on column public.tasks.asked_tasker_id is
  'The tasker who is asked first; null unless the status is asked, so that nobody can read who declined';
comment on column public.tasks.asked_until is
  'When the request ends and the task opens to everyone; null unless the status is asked';
comment on column public.tasks.photos is
  'Names in the bucket task-photos, the first one for cards: storage.from(''task-photos'').getPublicUrl(name)';
comment on column public.tasks.hidden_for is
  'Why others do not see the task: report (an admin hid it) or suspension (of its giver); null while they do';
comment on column public.tasks.place_id is 'The place of public.places that the location names, set by the database; null for none';
comment on column public.tasks.public_latitude is
  'Degrees north of the centre of the cell where the task is (private.cells), which everybody reads; null for none';
comment on column public.tasks.public_longitude is 'Degrees east of the same centre';
comment on column public.tasks.offers_allowed is 'Whether taskers may offer another price or time than the posted one';
comment on column public.tasks.repeats is
  'How the task repeats: {every: weekly | biweekly | monthly, until: day | count: visits, except: [day]}, or {every: snowfall, cm, until, '
  'count}; null for a task that is done once';
comment on column public.tasks.expense_limit is
  'Dollars of expenses that the giver pays on top of the price, such as materials; of a repeat for each visit; null for none';
comment on column public.tasks.series_id is
  'The series of public.task_series that the task is a visit of; null before a tasker is accepted, or for none';

create table public.task_addresses (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  address text not null
);
alter table public.task_addresses enable row level security;

comment on table public.task_addresses is 'Exact addresses of tasks, for the giver, the accepted tasker and admins';
comment on column public.task_addresses.address is 'Street address as the giver typed it';

create index tasks_open_newest on public.tasks (created_at desc, id) where status = 'open';
create index tasks_open_category on public.tasks (category, created_at desc, id) where status = 'open';
create index tasks_of_giver on public.tasks (task_giver_id, created_at desc);
create index tasks_open_pay on public.tasks (pay_amount desc, created_at desc, id) where status = 'open';
create index tasks_open_soonest on public.tasks (scheduled_date, created_at desc, id) where status = 'open';
create index tasks_overdue on public.tasks (scheduled_date) where status = 'open' and scheduled_date is not null;
create index tasks_coming_up on public.tasks (scheduled_date) where status = 'assigned' and scheduled_date is not null;
create index tasks_asked_of on public.tasks (asked_tasker_id, created_at desc) where status = 'asked';
create index tasks_asked_until on public.tasks (asked_until) where status = 'asked';
create index tasks_of_season on public.tasks ((repeats ->> 'until')) where status = 'open' and repeats ->> 'every' = 'snowfall';
create index tasks_with_photo on public.tasks using gin (photos) where photos <> '{}';

-- For public.my_restrictions.
create index tasks_hidden_of_giver on public.tasks (task_giver_id) where hidden_for = 'report';

-- For data exports.
create index tasks_asked_ever on public.tasks (asked_tasker_id) where asked_tasker_id is not null;

-- For public.public_profiles: looking up a person reads one entry, however many tasks there are.
create index tasks_open_of_giver on public.tasks (task_giver_id) where status = 'open' and hidden_for is null;
-- For moving the photos of hidden tasks (files.sql).
create index tasks_hidden_with_photo on public.tasks (id) where hidden_for is not null and photos <> '{}';

-- Conditions of policies about bookings and reviews. Definers, because they bypass row-level security.
create function private.has_applied(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid()));
end $$;

create function private.is_tasker_of(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid())
    and status in ('accepted', 'in_progress', 'completed'));
end $$;

create function private.is_giver_of(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.tasks where id = task and task_giver_id = (select auth.uid()));
end $$;

create function private.task_is_reviewed(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.reviews where task_id = task and visible_from <= now());
end $$;

-- Opens a task whose request has expired, or closes an open task a day after it was to take place. Called by run_scheduled.
create function private.close_overdue_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  if private.open_asked_task() = 1 then
    return 1;
  end if;
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.scheduled_date <= now() - interval '24 hours'
  order by t.id limit 1 for no key update skip locked;
  if not found or not private.try_lock_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
end $$;

-- The fields of a task whose change its taskers are notified of, in the order of the notice. `what` names the change in
-- shared/texts.
create function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}'),
    ('expenses', '{expense_limit}'),
    ('repeats', '{repeats}')
$$;

-- Differences for a tasker: [{what, amount?, at?, zone?, place?}], amounts in dollars; `zone` is the clock at the place if the marketplace
-- has another one. `agreed` is what they applied for.
create function private.list_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(fact order by nth), '[]')
  from private.task_changes() with ordinality as change (what, columns, nth)
  cross join lateral (select case what
      when 'price' then jsonb_build_object('what', what, 'amount', task.pay_amount)
      when 'stays' then case when agreed <> task.pay_amount then jsonb_build_object('what', what, 'amount', agreed) end
      when 'time' then case when task.scheduled_date is not null
        then jsonb_strip_nulls(jsonb_build_object('what', what, 'at', task.scheduled_date,
          'zone', nullif(private.zone_of_task(task), private.time_zone()))) end
      when 'anytime' then case when task.scheduled_date is null then jsonb_build_object('what', what) end
      when 'place' then jsonb_build_object('what', what, 'place', task.location)
      else jsonb_build_object('what', what) end as fact) as named
  where fact is not null and exists (
    select from unnest(columns) as name where to_jsonb(before) -> name is distinct from to_jsonb(task) -> name)
$$;

-- Erases a deleted account's tasks except for their titles, which stay for bookings and receipts.
create function private.erase_task_texts(giver uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = giver;
  update public.tasks set description = 'Removed together with the account.', location = private.marketplace() #>> '{texts,province}', tools_description = null
  where task_giver_id = giver
$$;

-- After a task is added, changed or deleted.
create function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    if new.photos <> '{}' then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.scheduled_date is not null then
      perform private.schedule_task_expiry(new);
    end if;
    if new.status = 'open' and new.hidden_for is null then
      perform private.alert_searchers(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.redact_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.hidden_for is null and (old.status = 'asked' or old.status = 'open' and
      (new.title, new.description, new.category, new.location, new.pay_amount, new.scheduled_date) is distinct from
      (old.title, old.description, old.category, old.location, old.pay_amount, old.scheduled_date)) then
      perform private.alert_searchers(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  if new.status = 'open' and new.repeats is distinct from old.repeats then
    perform private.schedule_season_end(new);
  end if;
  return null;
end $$;

create trigger after_task_change after insert or update or delete on public.tasks
for each row execute function private.after_task_change();

-- Notifies the applicants and the asked tasker of changes. An asked tasker who has not applied cannot read a hidden task, so no
-- notification may reveal its changes.
create function private.notify_task_changes(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(task.task_giver_id), 'task', task.title);
  applicant record;
  facts jsonb;
begin
  facts := private.list_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.list_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.list_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
  end if;
  perform private.schedule_tick(task.asked_until);
end $$;

-- Whether the task waits for the end of its giver's suspension: a computed column of tasks, for those who see the task.
create function public.on_hold(task public.tasks) returns boolean
language sql immutable set search_path = '' as $$
  select task.hidden_for is not distinct from 'suspension' and task.status in ('open', 'asked')
$$;

-- The cheapest conditions come first: a list of open tasks is decided by the first one.
create policy "open and reviewed tasks are public, others for participants"
on public.tasks for select to anon, authenticated
using (status = 'open' or task_giver_id = (select auth.uid())
  or (status = 'asked' and asked_tasker_id = (select auth.uid())) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));

create policy "givers post their own tasks" on public.tasks for insert to authenticated
with check (task_giver_id = (select auth.uid()));

create policy "givers change their own tasks" on public.tasks for update to authenticated
using (task_giver_id = (select auth.uid())) with check (task_giver_id = (select auth.uid()));

create policy "givers and accepted taskers read the address, admins all" on public.task_addresses
for select to authenticated
using (private.is_giver_of(task_id) or private.is_tasker_of(task_id) or (select private.is_admin()));

create policy "givers add the address of their tasks" on public.task_addresses for insert to authenticated
with check (private.is_giver_of(task_id));

create policy "givers change the address of their tasks" on public.task_addresses for update to authenticated
using (private.is_giver_of(task_id)) with check (private.is_giver_of(task_id));

create policy "deleted accounts cannot add addresses" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "givers remove the address of their open tasks" on public.task_addresses for delete to authenticated
using (private.is_giver_of(task_id)
  and exists (select from public.tasks t where t.id = task_id and t.status in ('open', 'asked')));

create policy "hidden tasks only for giver, applicants and admins" on public.tasks as restrictive for select to anon, authenticated
using (hidden_for is null or task_giver_id = (select auth.uid()) or (select private.is_admin()) or private.has_applied(id));

-- Strangers read open tasks, but other applications read none.
create policy "third-party applications read no tasks" on public.tasks as restrictive for select to anon, authenticated
using (not (select private.is_application()));

grant select, delete, insert (task_id, address), update (address) on public.task_addresses to authenticated;
grant select on public.tasks to anon;
grant select, insert (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes, tools_provided, tools_description, status, asked_tasker_id, photos, offers_allowed, repeats, expense_limit), update (title, description, category, location, pay_amount, scheduled_date, duration_minutes, tools_provided, tools_description, status, photos, offers_allowed, repeats, expense_limit) on public.tasks to authenticated;
grant execute on function
  private.has_applied(uuid), private.is_tasker_of(uuid), private.is_giver_of(uuid), private.task_is_reviewed(uuid)
to anon, authenticated, service_role;
grant execute on function
  public.on_hold(tasks)
to anon, authenticated;
