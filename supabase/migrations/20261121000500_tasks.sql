-- Tasks: what givers post, and the exact address that only the tasker they accept may read.

create type public.task_status as enum ('open', 'assigned', 'completed', 'cancelled');

create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  task_giver_id uuid not null references public.profiles (id) on delete cascade,
  title text not null,
  description text not null,
  category text not null,
  location text not null,
  pay_amount numeric not null, -- whole cents, kept by guard_task, which can name the field when it is too much
  scheduled_date timestamptz,
  duration_minutes integer,
  tools_provided boolean not null default false,
  tools_description text,
  status public.task_status not null default 'open',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.task_addresses (
  task_id uuid primary key references public.tasks (id) on delete cascade,
  address text not null
);

create index tasks_open_newest on public.tasks (created_at desc, id) where status = 'open';
create index tasks_open_category on public.tasks (category, created_at desc, id) where status = 'open';
create index tasks_of_giver on public.tasks (task_giver_id, created_at desc);
create index tasks_open_pay on public.tasks (pay_amount desc, created_at desc, id) where status = 'open';
create index tasks_open_soonest on public.tasks (scheduled_date, created_at desc, id) where status = 'open';
-- What search looks into, as private.open_tasks has it.
create index tasks_open_text on public.tasks using gin (
  (title || E'\n' || description || E'\n' || category || E'\n' || location) extensions.gin_trgm_ops
) where status = 'open';

-- Who may post and change tasks, and what a task must say. Checks stand in the form's order, because only
-- the first failure is shown.
create function private.guard_task() returns trigger
language plpgsql set search_path = '' as $$
declare
  state_columns constant text[] := array['status', 'updated_at'];
begin
  new.title := private.trimmed(new.title);
  new.description := private.trimmed(new.description);
  new.location := private.trimmed(new.location);
  new.tools_description := nullif(private.trimmed(new.tools_description), '');

  if private.is_client() then
    new.updated_at := now();
    if tg_op = 'INSERT' then
      perform private.allow(new.task_giver_id = auth.uid(), 'You can only post tasks of your own');
      perform private.allow(private.has_role('task_giver') or private.is_admin(),
        'Access Denied: Only task givers can post tasks');
      perform private.require(new.status = 'open', 'A new task is open', 'status');
    else
      if to_jsonb(new) - state_columns is distinct from to_jsonb(old) - state_columns then
        perform private.require(
          old.status = 'open' and new.status = 'open' and not private.task_has_applications(old.id),
          'A task can be changed only while it is open and nobody has applied', 'status');
      end if;
      if new.status is distinct from old.status then
        perform private.require(
          (old.status = 'open' and new.status = 'cancelled')
          or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id)),
          format('A task cannot go from %s to %s', old.status, new.status), 'status');
        perform private.require(new.status <> 'cancelled' or private.reserve_decision(old.id),
          'This task is being decided right now. Please try again.', 'status');
      end if;
    end if;
  end if;

  perform private.require(private.visible_length(new.title) >= 5, 'Title must be at least 5 characters', 'title');
  perform private.require(length(new.title) <= 200, 'Title too long', 'title');
  perform private.require(private.visible_length(new.description) >= 20,
    'Description must be at least 20 characters', 'description');
  perform private.require(length(new.description) <= 5000, 'Description too long', 'description');
  perform private.require(new.category = any (private.categories()), 'Category is required', 'category');
  perform private.require(private.visible_length(new.location) >= 3, 'Location must be at least 3 characters', 'location');
  perform private.require(length(new.location) <= 200, 'Location too long', 'location');
  perform private.require(new.pay_amount > 0, 'Pay amount must be positive', 'pay_amount');
  perform private.require(new.pay_amount >= 25, 'Pay amount must be at least $25', 'pay_amount');
  perform private.require(new.pay_amount <= 100000, 'Pay amount too high', 'pay_amount');
  -- A sum of JavaScript's may be off by a hair.
  perform private.require(abs(new.pay_amount - round(new.pay_amount, 2)) < 0.000001,
    'Pay amount can have two decimals at most', 'pay_amount');
  new.pay_amount := round(new.pay_amount, 2);
  perform private.require(new.tools_provided is not null, 'Tools provided must be true or false', 'tools_provided');
  perform private.require(
    coalesce(length(new.tools_description), 0) <= 1000, 'Tools description too long', 'tools_description');
  perform private.require(
    new.scheduled_date is null or (new.scheduled_date > '2000-01-01' and new.scheduled_date < '2100-01-01'),
    'Scheduled date is not a usable date', 'scheduled_date');
  -- A date that passed meanwhile does not stand in the way of another change; clocks may differ a little.
  perform private.require(not private.is_client() or new.scheduled_date is null
    or (tg_op = 'UPDATE' and new.scheduled_date is not distinct from old.scheduled_date)
    or new.scheduled_date > now() - interval '5 minutes',
    'Scheduled date must be in the future', 'scheduled_date');
  perform private.require(
    new.duration_minutes is null or new.duration_minutes between 1 and 10080,
    'Duration must be between 1 minute and 7 days', 'duration_minutes');
  return new;
end $$;

create trigger guard_task before insert or update on public.tasks
for each row execute function private.guard_task();

create function private.guard_task_address() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.address := private.trimmed(new.address);
  perform private.require(private.visible_length(new.address) >= 3, 'Address must be at least 3 characters', 'address');
  perform private.require(length(new.address) <= 300, 'Address too long', 'address');
  return new;
end $$;

create trigger guard_task_address before insert or update on public.task_addresses
for each row execute function private.guard_task_address();

-- What policies ask of bookings and reviews. Definers, because they look past row-level security.

create function private.has_applied(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid()));
end $$;

create function private.does_task(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where task_id = task and task_doer_id = (select auth.uid())
    and status in ('accepted', 'in_progress', 'completed'));
end $$;

create function private.gives_task(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.tasks where id = task and task_giver_id = (select auth.uid()));
end $$;

create function private.task_is_reviewed(task uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.reviews where task_id = task and visible_from <= now());
end $$;

grant execute on function private.has_applied(uuid), private.does_task(uuid), private.gives_task(uuid),
  private.task_is_reviewed(uuid) to anon, authenticated, service_role;

alter table public.tasks enable row level security;
alter table public.task_addresses enable row level security;
revoke all on public.tasks, public.task_addresses from anon, authenticated;

grant select on public.tasks to anon, authenticated;
grant insert (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes,
  tools_provided, tools_description, status) on public.tasks to authenticated;
grant update (title, description, category, location, pay_amount, scheduled_date, duration_minutes,
  tools_provided, tools_description, status) on public.tasks to authenticated;
grant select on public.task_addresses to authenticated;
grant insert (task_id, address) on public.task_addresses to authenticated;
grant update (address) on public.task_addresses to authenticated;

-- The reasons stand cheapest first: a list of open tasks is decided by its first word.
create policy "anyone reads open tasks and those of shown reviews, people their own and those they applied to"
on public.tasks for select to anon, authenticated
using (status = 'open' or task_giver_id = (select auth.uid()) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));
create policy "givers post their own tasks" on public.tasks for insert to authenticated
with check (task_giver_id = (select auth.uid()));
create policy "givers change their own tasks" on public.tasks for update to authenticated
using (task_giver_id = (select auth.uid())) with check (task_giver_id = (select auth.uid()));

create policy "givers read the address of their tasks, taskers once accepted, admins all" on public.task_addresses
for select to authenticated
using (private.gives_task(task_id) or private.does_task(task_id) or (select private.is_admin()));
create policy "givers add the address of their tasks" on public.task_addresses for insert to authenticated
with check (private.gives_task(task_id));
create policy "givers change the address of their tasks" on public.task_addresses for update to authenticated
using (private.gives_task(task_id)) with check (private.gives_task(task_id));
